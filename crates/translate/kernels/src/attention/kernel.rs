//! The softmax of products, and the sum of values by it.

use std::marker::PhantomData;

use super::words::LineFormat;
use super::{Added, AttentionWeights, Heads, KeyValueAdditions, KeysValues, ProductBiases};
use crate::functions::exp_below;
use crate::heads::Rows;
use crate::isa::{Kernel, Simd};

pub(super) struct Attend<'a, N> {
    pub(super) query: &'a [[f32; 16]],
    pub(super) words: &'a KeysValues,
    pub(super) rows: &'a Rows<'a>,
    pub(super) added: Option<Added<'a>>,
    pub(super) weights: &'a mut AttentionWeights,
    pub(super) out: &'a mut [f32],
    pub(super) number: PhantomData<N>,
}

impl<N: LineFormat> Kernel for Attend<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let heads = self.words.heads;
        for group in 0..heads.groups {
            match heads.together {
                1 => self.weigh::<S, 1, 16>(s, group),
                2 => self.weigh::<S, 2, 8>(s, group),
                4 => self.weigh::<S, 4, 4>(s, group),
                8 => self.weigh::<S, 8, 2>(s, group),
                _ => self.weigh::<S, 16, 1>(s, group),
            }
        }
        if heads.chunks.is_multiple_of(2) { self.sum::<S, true>(s) } else { self.sum::<S, false>(s) }
    }
}

impl<N: LineFormat> Attend<'_, N> {
    /// The weights of group `group` of `G` heads; a vector holds those of `P` = 16 / G words.
    #[inline(always)]
    fn weigh<S: Simd, const G: usize, const P: usize>(&mut self, s: S, group: usize) {
        let (n, heads, lines) = (self.rows.len(), self.words.heads, self.words.lines::<N>());
        // Words that lie together are fetched by the CPU itself.
        let scattered = matches!(self.rows, Rows::List(_));
        let vectors = G * heads.chunks;
        let query = &self.query[group * vectors..][..vectors];
        let stride = n.div_ceil(16) * G;
        let scale = s.splat(self.words.scale);
        let length = vectors / 2 * N::LINES;
        let group_lines = group * length..if G == 1 { lines.keys } else { (group + 1) * length };
        let mut most = s.splat(f32::NEG_INFINITY);
        for i in 0..n.div_ceil(P) {
            let mut sums = [s.splat(0.0); P];
            for (p, sum) in sums.iter_mut().enumerate() {
                let word = self.rows.get((i * P + p).min(n - 1));
                if scattered {
                    prefetch(s, lines.values(word));
                }
                *sum = products::<S, N, G>(s, query, &lines.keys(word)[group_lines.clone()]);
            }
            let mut dots = s.mul(fold::<S, P>(s, sums), scale);
            match self.added {
                None => {}
                Some(Added::Vectors(KeyValueAdditions { table, rows })) => {
                    for (p, sum) in sums.iter_mut().enumerate() {
                        let word = rows[(i * P + p).min(n - 1)] as usize;
                        *sum = products::<S, N, G>(s, query, &table.lines::<N>().keys(word)[group_lines.clone()]);
                    }
                    dots = s.add(dots, s.mul(fold::<S, P>(s, sums), scale));
                }
                Some(Added::Biases(ProductBiases { table, rows })) => {
                    let mut biases = [0.0; 16];
                    for (p, biases) in biases.chunks_exact_mut(G).enumerate() {
                        biases.copy_from_slice(table.group::<G>(rows[(i * P + p).min(n - 1)], group));
                    }
                    dots = s.add(dots, s.load(&biases));
                }
            }
            s.store(dots, &mut self.weights.weights[group * stride + i]);
            most = s.max(dots, most);
        }
        softmax::<S, G, P>(s, n, most, &mut self.weights.weights[group * stride..][..stride]);
    }

    /// The values by their weights; `EVEN` means that two adjacent vectors of values belong to one head.
    #[inline(always)]
    fn sum<S: Simd, const EVEN: bool>(&mut self, s: S) {
        let pairs = self.words.value_pairs();
        let mut first = 0;
        while first < pairs {
            first += match S::ATTENTION_PAIRS.min(pairs - first) {
                8.. => self.sum_pairs::<S, EVEN, 8>(s, first),
                4.. => self.sum_pairs::<S, EVEN, 4>(s, first),
                2.. => self.sum_pairs::<S, EVEN, 2>(s, first),
                _ => self.sum_pairs::<S, EVEN, 1>(s, first),
            };
        }
    }

    /// The sums of `B` pairs of vectors from pair `first` on; returns `B`.
    #[inline(always)]
    fn sum_pairs<S: Simd, const EVEN: bool, const B: usize>(&mut self, s: S, first: usize) -> usize {
        if B > S::ATTENTION_PAIRS {
            unreachable!("{B} pairs do not fit this instruction set"); // and no code is made for them
        }
        let mut sums = self.weighted::<S, EVEN, B>(s, first, self.words, self.rows);
        if let Some(Added::Vectors(KeyValueAdditions { table, rows })) = self.added {
            let more = self.weighted::<S, EVEN, B>(s, first, table, &Rows::List(rows));
            for (sum, more) in sums.iter_mut().zip(more) {
                *sum = (s.add(sum.0, more.0), s.add(sum.1, more.1));
            }
        }
        if self.words.heads.without_gaps() {
            let out = &mut self.out.as_chunks_mut().0[2 * first..];
            for (b, &(even, odd)) in sums.iter().enumerate() {
                s.store(even, &mut out[2 * b]);
                if let Some(to) = out.get_mut(2 * b + 1) {
                    s.store(odd, to);
                }
            }
        } else {
            for (b, &(even, odd)) in sums.iter().enumerate() {
                self.store(s, even, 2 * (first + b));
                self.store(s, odd, 2 * (first + b) + 1);
            }
        }
        B
    }

    /// Each number is one chain of multiply-adds over the words in order.
    #[allow(unsafe_code)]
    #[inline(always)]
    fn weighted<S: Simd, const EVEN: bool, const B: usize>(
        &self,
        s: S,
        first: usize,
        words: &KeysValues,
        rows: &Rows<'_>,
    ) -> [(S::F, S::F); B] {
        let (weights, together) = (self.weights.weights.as_flattened(), self.weights.together);
        let lines = words.lines::<N>();
        let mut pair_weights: [[&[f32]; 2]; B] = [[&[]; 2]; B];
        let mut vector_heads = self.words.heads.vector_heads(2 * first);
        for pair_weights in &mut pair_weights {
            for (k, (vector_weights, head)) in pair_weights.iter_mut().zip(&mut vector_heads).enumerate() {
                if k == 0 || !EVEN {
                    // The padding vector uses the last head's weights; its values are zero.
                    let first = self.weights.first(head.min(self.words.heads.count - 1));
                    *vector_weights = &weights[first..][..(rows.len() - 1) * together + 1];
                }
            }
        }
        let mut sums = [(s.splat(0.0), s.splat(0.0)); B];
        for j in 0..rows.len() {
            let values = &lines.values(rows.get(j))[first * N::LINES..][..B * N::LINES];
            // SAFETY: all that are read have (rows.len() - 1) · together + 1 weights, and j < rows.len().
            let weight = |vector_weights: &[f32]| s.splat(unsafe { *vector_weights.get_unchecked(j * together) });
            for (b, sum) in sums.iter_mut().enumerate() {
                let (even, odd) = N::pair(s, values, b);
                let first = weight(pair_weights[b][0]);
                let second = if EVEN { first } else { weight(pair_weights[b][1]) };
                *sum = (s.mul_add(first, even, sum.0), s.mul_add(second, odd, sum.1));
            }
        }
        sums
    }

    /// Stores a vector of values, the last of a head in part.
    #[inline(always)]
    fn store<S: Simd>(&mut self, s: S, v: S::F, vector: usize) {
        let Heads { count, width, chunks, .. } = self.words.heads;
        let (head, from) = (vector / chunks, vector % chunks * 16);
        if head < count {
            let to = &mut self.out[head * width..(head + 1) * width][from..];
            match to.first_chunk_mut() {
                Some(to) => s.store(v, to),
                None => s.store_partial(v, to),
            }
        }
    }
}

/// Lane by lane, the products of a query and the keys of a word over a group of `G` heads, added up but for 16 / G
/// lanes of each head.
#[inline(always)]
fn products<S: Simd, N: LineFormat, const G: usize>(s: S, query: &[[f32; 16]], keys: &[[f32; 16]]) -> S::F {
    let mut sums = [s.splat(0.0); G];
    if G == 1 {
        // Pairs of chunks; the second vector of a last pair may be none.
        for (i, pair) in query.chunks(2).enumerate() {
            let (even, odd) = N::pair(s, keys, i);
            sums[0] = s.mul_add(s.load(&pair[0]), even, sums[0]);
            if let [_, second] = pair {
                sums[0] = s.mul_add(s.load(second), odd, sums[0]);
            }
        }
        return sums[0];
    }
    for (query, keys) in query.chunks_exact(G).zip(keys.chunks_exact(G / 2 * N::LINES)) {
        for i in 0..G / 2 {
            let (even, odd) = N::pair(s, keys, i);
            sums[2 * i] = s.mul_add(s.load(&query[2 * i]), even, sums[2 * i]);
            sums[2 * i + 1] = s.mul_add(s.load(&query[2 * i + 1]), odd, sums[2 * i + 1]);
        }
    }
    tree(s, sums)
}

/// Begins to fetch lines.
#[inline(always)]
fn prefetch<S: Simd>(s: S, lines: &[[f32; 16]]) {
    let (fours, rest) = lines.as_chunks::<4>();
    for four in fours {
        for line in four {
            s.prefetch(line.as_ptr());
        }
    }
    for line in rest {
        s.prefetch(line.as_ptr());
    }
}

/// The sum of vectors: vector i plus vector i + G/2, of these vector i plus vector i + G/4 …
#[inline(always)]
fn tree<S: Simd, const G: usize>(s: S, mut v: [S::F; G]) -> S::F {
    for i in 0..G / 2 {
        v[i] = s.add(v[i], v[i + G / 2]);
    }
    for i in 0..G / 4 {
        v[i] = s.add(v[i], v[i + G / 4]);
    }
    for i in 0..G / 8 {
        v[i] = s.add(v[i], v[i + G / 8]);
    }
    for i in 0..G / 16 {
        v[i] = s.add(v[i], v[i + G / 16]);
    }
    v[0]
}

/// The sums over the lanes of each head, for `P` words in turn.
#[inline(always)]
fn fold<S: Simd, const P: usize>(s: S, mut v: [S::F; P]) -> S::F {
    for i in 0..P / 2 {
        v[i] = s.fold::<8>(v[i], v[i + P / 2]);
    }
    for i in 0..P / 4 {
        v[i] = s.fold::<4>(v[i], v[i + P / 4]);
    }
    for i in 0..P / 8 {
        v[i] = s.fold::<2>(v[i], v[i + P / 8]);
    }
    for i in 0..P / 16 {
        v[i] = s.fold::<1>(v[i], v[i + P / 16]);
    }
    v[0]
}

/// Combines the lanes of each head of `G`; all of them get the result.
#[inline(always)]
fn across<S: Simd, const G: usize>(s: S, mut v: S::F, combine: impl Fn(S::F, S::F) -> S::F) -> S::F {
    if G <= 8 {
        v = combine(v, s.swap::<8>(v));
    }
    if G <= 4 {
        v = combine(v, s.swap::<4>(v));
    }
    if G <= 2 {
        v = combine(v, s.swap::<2>(v));
    }
    if G == 1 {
        v = combine(v, s.swap::<1>(v));
    }
    v
}

/// The softmax of the weights of `n` words, `P` words of `G` heads in a vector. `most` are the greatest by lanes.
#[inline(always)]
fn softmax<S: Simd, const G: usize, const P: usize>(s: S, n: usize, most: S::F, weights: &mut [[f32; 16]]) {
    let most = across::<S, G>(s, most, |a, b| s.max(a, b));
    let (used, unused) = weights.split_at_mut(n.div_ceil(P));
    for v in used.iter_mut() {
        s.store(exp_below(s, s.sub(s.load(v), most)), v);
    }
    unused.fill([0.0; 16]);
    if !n.is_multiple_of(P) {
        used[n / P][n % P * G..].fill(0.0);
    }
    let mut total = [s.splat(0.0); G];
    for (i, total) in total.iter_mut().enumerate() {
        *total = sum_of_words::<S, G>(s, n, weights, i);
    }
    let total = across::<S, G>(s, tree(s, total), |a, b| s.add(a, b));
    let inverse = s.div(s.splat(1.0), total);
    for v in &mut weights[..n.div_ceil(P)] {
        s.store(s.mul(s.load(v), inverse), v);
    }
}

/// The sum of vector `i` of the `G` vectors of each sixteen words, in the order of a sum over a row: sixteens go to
/// four sums in turn, what is left to the last one.
#[inline(always)]
fn sum_of_words<S: Simd, const G: usize>(s: S, n: usize, weights: &[[f32; 16]], i: usize) -> S::F {
    if n < 16 {
        return s.load(&weights[i]);
    }
    let mut sums = [s.splat(0.0); 4];
    for block in (0..n / 16).step_by(4) {
        for (k, sum) in sums.iter_mut().enumerate() {
            if block + k < n / 16 {
                *sum = s.add(*sum, s.load(&weights[(block + k) * G + i]));
            }
        }
    }
    if !n.is_multiple_of(16) {
        sums[3] = s.add(sums[3], s.load(&weights[n / 16 * G + i]));
    }
    s.add(s.add(sums[0], sums[1]), s.add(sums[2], sums[3]))
}
