//! Attention of a query over keys and values, by heads, in one pass over each.
//!
//! Keys are *interleaved*: of each sixteen columns of a head, column i of several heads lie beside each other. So sixteen
//! lanes hold several heads, and products, maximum, exponentials and sums of all these heads need no sum across lanes but
//! the last few. A map that makes queries or keys gives this order without cost if its outputs are ordered so
//! ([`Heads::interleaved`]).
//!
//! The bits are those of [`heads_dot`](crate::heads_dot), [`softmax_in_place`](crate::softmax_in_place) for each head and
//! [`heads_weighted_sum`](crate::heads_weighted_sum).

use std::marker::PhantomData;

use crate::functions::exp_below;
use crate::heads::Rows;
use crate::isa::{Kernel, Simd, dispatch};
use crate::matrix::Matrix;

/// How vectors are cut into heads: `count` heads of `width` adjacent columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    count: usize,
    width: usize,
}

impl Heads {
    /// # Panics
    /// If there is no head, or no column.
    #[must_use]
    pub fn new(count: usize, width: usize) -> Self {
        assert!(count > 0 && width > 0, "{count} heads of {width} columns");
        Self { count, width }
    }

    /// Number of heads.
    #[must_use]
    pub fn count(self) -> usize {
        self.count
    }

    /// Columns of all heads.
    #[must_use]
    pub fn columns(self) -> usize {
        self.count * self.width
    }

    /// The column that each number of an interleaved vector comes from; `None` where the number is zero. Without gaps if
    /// the number of heads is 1, 2, 4, 8 or a multiple of 16, and their width a multiple of 16.
    pub fn interleaved(self) -> impl Iterator<Item = Option<usize>> {
        let (together, block) = (self.together(), 16 * self.together());
        (0..self.interleaved_len()).map(move |place| {
            let (group, place) = (place / (self.chunks() * block), place % (self.chunks() * block));
            let (chunk, place) = (place / block, place % block);
            let (head, column) = (group * together + place % together, chunk * 16 + place / together);
            (head < self.count && column < self.width).then(|| head * self.width + column)
        })
    }

    /// Length of an interleaved vector.
    #[must_use]
    pub fn interleaved_len(self) -> usize {
        self.groups() * self.together() * self.chunks() * 16
    }

    /// Heads that lie beside each other: 1, 2, 4, 8 or 16.
    fn together(self) -> usize {
        self.count.next_power_of_two().min(16)
    }

    fn groups(self) -> usize {
        self.count.div_ceil(self.together())
    }

    /// Vectors of sixteen columns in a head.
    fn chunks(self) -> usize {
        self.width.div_ceil(16)
    }

    /// The factor of products of a query and a key: 1/√width.
    fn scale(self) -> f32 {
        1.0 / (self.width as f32).sqrt()
    }
}

/// The numbers that keys and values are stored as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoredAs {
    /// As they are.
    #[default]
    F32,
    /// Rounded to the nearest bf16, which halves the memory that attention reads.
    Bf16,
}

/// Keys and values of words, those of a word beside each other.
#[derive(Clone, Debug)]
pub struct KeysValues {
    heads: Heads,
    stored: StoredAs,
    /// Per word: vectors of the interleaved keys, then of the values, those of a head beginning a vector. An even number
    /// of vectors each; two are one line of pairs in bf16.
    words: Matrix,
}

impl KeysValues {
    /// Room for no words.
    #[must_use]
    pub fn new(heads: Heads, stored: StoredAs) -> Self {
        Self { heads, stored, words: Matrix::new() }
    }

    /// Number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.rows()
    }

    /// Whether there are no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes room for `words` words; those that were there stay.
    pub fn resize(&mut self, words: usize) {
        let vectors = 2 * (self.key_pairs() + self.value_pairs());
        let cols = match self.stored {
            StoredAs::F32 => 16 * vectors,
            StoredAs::Bf16 => 8 * vectors,
        };
        self.words.resize(words, cols);
    }

    /// Sets the interleaved keys and the values of a word.
    ///
    /// # Panics
    /// If there is no such word, or if keys or values have another length.
    pub fn set(&mut self, word: usize, keys: &[f32], values: &[f32]) {
        assert_eq!(keys.len(), self.heads.interleaved_len(), "length of the keys");
        assert_eq!(values.len(), self.heads.columns(), "length of the values");
        let (heads, key_pairs, stored) = (self.heads, self.key_pairs(), self.stored);
        let to = self.words.row_mut(word).as_chunks_mut().0;
        match stored {
            StoredAs::F32 => dispatch(Set::<F32> { heads, key_pairs, keys, values, to, number: PhantomData }),
            StoredAs::Bf16 => dispatch(Set::<Bf16> { heads, key_pairs, keys, values, to, number: PhantomData }),
        }
    }

    /// Sets word `to` to word `from` of `other`.
    ///
    /// # Panics
    /// If there is no such word, or if `other` has other heads or numbers.
    pub fn copy(&mut self, to: usize, other: &Self, from: usize) {
        self.words.row_mut(to).copy_from_slice(other.words.row(from));
    }

    fn key_pairs(&self) -> usize {
        self.heads.interleaved_len().div_ceil(32)
    }

    fn value_pairs(&self) -> usize {
        (self.heads.count * self.heads.chunks()).div_ceil(2)
    }

    fn lines<N: Stored>(&self) -> Lines<'_> {
        let (keys, values) = (self.key_pairs() * N::LINES, self.value_pairs() * N::LINES);
        Lines { lines: self.words.as_slice().as_chunks().0, keys, values }
    }
}

/// The lines of [`KeysValues`].
#[derive(Clone, Copy)]
struct Lines<'a> {
    lines: &'a [[f32; 16]],
    /// Lines of a word's keys.
    keys: usize,
    /// Lines of a word's values, behind its keys.
    values: usize,
}

impl<'a> Lines<'a> {
    /// # Panics
    /// If there is no such word.
    #[inline(always)]
    fn word(self, word: usize) -> &'a [[f32; 16]] {
        let length = self.keys + self.values;
        match self.lines.get(word * length..(word + 1) * length) {
            Some(lines) => lines,
            None => panic!("word {word} of {}", self.lines.len() / length),
        }
    }

    #[inline(always)]
    fn keys(self, word: usize) -> &'a [[f32; 16]] {
        &self.word(word)[..self.keys]
    }

    #[inline(always)]
    fn values(self, word: usize) -> &'a [[f32; 16]] {
        &self.word(word)[self.keys..]
    }
}

/// The weights of a query's words, by heads.
#[derive(Clone, Debug, Default)]
pub struct AttentionWeights {
    /// Per group of heads that lie together, per word (up to a multiple of sixteen): a weight for each head.
    weights: Vec<[f32; 16]>,
    together: usize,
    words: usize,
}

impl AttentionWeights {
    /// The weights of a head, one for each word.
    pub fn head(&self, head: usize) -> impl Iterator<Item = f32> {
        let first = self.first(head);
        (0..self.words).map(move |word| self.weights.as_flattened()[first + word * self.together])
    }

    fn resize(&mut self, heads: Heads, words: usize) {
        (self.together, self.words) = (heads.together(), words);
        self.weights.resize(heads.groups() * words.div_ceil(16) * self.together, [0.0; 16]);
    }

    /// The place of the first weight of a head.
    fn first(&self, head: usize) -> usize {
        head / self.together * self.words.next_multiple_of(16) * self.together + head % self.together
    }
}

/// What attention adds to keys and values: for each word of the query's, a word of a table.
#[derive(Clone, Copy, Debug)]
pub struct Added<'a> {
    /// Keys and values with the heads and numbers of the words.
    pub table: &'a KeysValues,
    /// A word of the table for each word that is attended to.
    pub rows: &'a [u32],
}

/// For each head h over the words `rows`: `out_h = softmax(q_h · Kᵀ_h / √width) · V_h`; with `added`, `K + A` and `V + B`
/// take the places of K and V. The query is interleaved. `weights` is left with the softmax.
///
/// # Panics
/// If a length does not fit the heads, if there are no words, or if a word does not exist.
pub fn attend(
    query: &[f32],
    words: &KeysValues,
    rows: &Rows<'_>,
    added: Option<Added<'_>>,
    weights: &mut AttentionWeights,
    out: &mut [f32],
) {
    let heads = words.heads;
    assert_eq!(query.len(), heads.interleaved_len(), "length of the query");
    assert_eq!(out.len(), heads.columns(), "length of the output");
    assert!(!rows.is_empty(), "attention over no words");
    if let Some(Added { table, rows: of_table }) = added {
        assert_eq!((table.heads, table.stored), (heads, words.stored), "heads and numbers of what is added");
        assert_eq!(of_table.len(), rows.len(), "words of what is added");
    }
    weights.resize(heads, rows.len());
    let query = query.as_chunks().0;
    match words.stored {
        StoredAs::F32 => dispatch(Attend::<F32> { query, words, rows, added, weights, out, number: PhantomData }),
        StoredAs::Bf16 => dispatch(Attend::<Bf16> { query, words, rows, added, weights, out, number: PhantomData }),
    }
}

/// How numbers lie in the lines of [`KeysValues`].
trait Stored: Copy {
    /// Lines of two vectors.
    const LINES: usize;
    /// Vectors 2i and 2i + 1.
    fn pair<S: Simd>(s: S, lines: &[[f32; 16]], i: usize) -> (S::F, S::F);
    /// Writes vectors 2i and 2i + 1.
    fn set_pair<S: Simd>(s: S, first: S::F, second: S::F, lines: &mut [[f32; 16]], i: usize);
}

#[derive(Clone, Copy)]
struct F32;

impl Stored for F32 {
    const LINES: usize = 2;
    #[inline(always)]
    fn pair<S: Simd>(s: S, lines: &[[f32; 16]], i: usize) -> (S::F, S::F) {
        (s.load(&lines[2 * i]), s.load(&lines[2 * i + 1]))
    }
    #[inline(always)]
    fn set_pair<S: Simd>(s: S, first: S::F, second: S::F, lines: &mut [[f32; 16]], i: usize) {
        s.store(first, &mut lines[2 * i]);
        s.store(second, &mut lines[2 * i + 1]);
    }
}

#[derive(Clone, Copy)]
struct Bf16;

impl Stored for Bf16 {
    const LINES: usize = 1;
    #[inline(always)]
    fn pair<S: Simd>(s: S, lines: &[[f32; 16]], i: usize) -> (S::F, S::F) {
        s.numbers(s.load(&lines[i]))
    }
    #[inline(always)]
    fn set_pair<S: Simd>(s: S, first: S::F, second: S::F, lines: &mut [[f32; 16]], i: usize) {
        s.store(s.round_pairs(first, second), &mut lines[i]);
    }
}

struct Set<'a, N> {
    heads: Heads,
    key_pairs: usize,
    keys: &'a [f32],
    values: &'a [f32],
    to: &'a mut [[f32; 16]],
    number: PhantomData<N>,
}

impl<N: Stored> Kernel for Set<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { heads, key_pairs, keys, values, to, .. } = self;
        let (to_keys, to_values) = to.split_at_mut(key_pairs * N::LINES);
        let key = |i: usize| part(s, keys.get(16 * i..).unwrap_or_default());
        for i in 0..key_pairs {
            N::set_pair(s, key(2 * i), key(2 * i + 1), to_keys, i);
        }
        let (chunks, width) = (heads.chunks(), heads.width);
        let value = |i: usize| match values.get(i / chunks * width..(i / chunks + 1) * width) {
            Some(of_head) => part(s, &of_head[i % chunks * 16..]),
            None => s.splat(0.0),
        };
        for i in 0..to_values.len() / N::LINES {
            N::set_pair(s, value(2 * i), value(2 * i + 1), to_values, i);
        }
    }
}

/// The first sixteen values, with zeros behind the end.
#[inline(always)]
fn part<S: Simd>(s: S, values: &[f32]) -> S::F {
    match values.first_chunk() {
        Some(chunk) => s.load(chunk),
        None => s.load_partial(values, 0.0),
    }
}

struct Attend<'a, N> {
    query: &'a [[f32; 16]],
    words: &'a KeysValues,
    rows: &'a Rows<'a>,
    added: Option<Added<'a>>,
    weights: &'a mut AttentionWeights,
    out: &'a mut [f32],
    number: PhantomData<N>,
}

impl<N: Stored> Kernel for Attend<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let heads = self.words.heads;
        for group in 0..heads.groups() {
            match heads.together() {
                1 => self.weigh::<S, 1, 16>(s, group),
                2 => self.weigh::<S, 2, 8>(s, group),
                4 => self.weigh::<S, 4, 4>(s, group),
                8 => self.weigh::<S, 8, 2>(s, group),
                _ => self.weigh::<S, 16, 1>(s, group),
            }
        }
        if heads.chunks().is_multiple_of(2) { self.sum::<S, true>(s) } else { self.sum::<S, false>(s) }
    }
}

impl<N: Stored> Attend<'_, N> {
    /// The weights of group `group` of `G` heads; a vector holds those of `P` = 16 / G words.
    #[inline(always)]
    fn weigh<S: Simd, const G: usize, const P: usize>(&mut self, s: S, group: usize) {
        let (n, heads, lines) = (self.rows.len(), self.words.heads, self.words.lines::<N>());
        // Words that lie together are fetched by the CPU itself.
        let scattered = matches!(self.rows, Rows::List(_));
        let vectors = G * heads.chunks();
        let query = &self.query[group * vectors..][..vectors];
        let stride = n.div_ceil(16) * G;
        let scale = s.splat(heads.scale());
        let length = vectors / 2 * N::LINES;
        let of_group = group * length..if G == 1 { lines.keys } else { (group + 1) * length };
        let mut most = s.splat(f32::NEG_INFINITY);
        for i in 0..n.div_ceil(P) {
            let mut sums = [s.splat(0.0); P];
            for (p, sum) in sums.iter_mut().enumerate() {
                let word = self.rows.get((i * P + p).min(n - 1));
                if scattered {
                    prefetch(s, lines.values(word));
                }
                *sum = products::<S, N, G>(s, query, &lines.keys(word)[of_group.clone()]);
            }
            let mut dots = s.mul(fold::<S, P>(s, sums), scale);
            if let Some(Added { table, rows }) = self.added {
                for (p, sum) in sums.iter_mut().enumerate() {
                    let word = rows[(i * P + p).min(n - 1)] as usize;
                    *sum = products::<S, N, G>(s, query, &table.lines::<N>().keys(word)[of_group.clone()]);
                }
                dots = s.add(dots, s.mul(fold::<S, P>(s, sums), scale));
            }
            s.store(dots, &mut self.weights.weights[group * stride + i]);
            most = s.max(dots, most);
        }
        softmax::<S, G, P>(s, n, most, &mut self.weights.weights[group * stride..][..stride]);
    }

    /// The values by their weights; `EVEN` says that two adjacent vectors of values are of one head.
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
        if let Some(Added { table, rows }) = self.added {
            let more = self.weighted::<S, EVEN, B>(s, first, table, &Rows::List(rows));
            for (sum, more) in sums.iter_mut().zip(more) {
                *sum = (s.add(sum.0, more.0), s.add(sum.1, more.1));
            }
        }
        for (b, &(even, odd)) in sums.iter().enumerate() {
            self.store(s, even, 2 * (first + b));
            self.store(s, odd, 2 * (first + b) + 1);
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
        // A last vector that is none has the weights of the last head, and zeros as values.
        let head = |vector: usize| (vector / self.words.heads.chunks()).min(self.words.heads.count - 1);
        let mut of_pair: [[&[f32]; 2]; B] = [[&[]; 2]; B];
        for (b, of_pair) in of_pair.iter_mut().enumerate() {
            for (k, of_vector) in of_pair.iter_mut().enumerate() {
                let first = self.weights.first(head(2 * (first + b) + k));
                *of_vector = &weights[first..][..(rows.len() - 1) * together + 1];
            }
        }
        let mut sums = [(s.splat(0.0), s.splat(0.0)); B];
        for j in 0..rows.len() {
            let values = &lines.values(rows.get(j))[first * N::LINES..][..B * N::LINES];
            // SAFETY: all have (rows.len() - 1) · together + 1 weights, and j < rows.len().
            let weight = |of_vector: &[f32]| unsafe { *of_vector.get_unchecked(j * together) };
            for (b, sum) in sums.iter_mut().enumerate() {
                let (even, odd) = N::pair(s, values, b);
                let weights = of_pair[b].map(weight);
                let weight = s.splat(weights[0]);
                let second = if EVEN { weight } else { s.splat(weights[1]) };
                *sum = (s.mul_add(weight, even, sum.0), s.mul_add(second, odd, sum.1));
            }
        }
        sums
    }

    /// Stores a vector of values.
    #[inline(always)]
    fn store<S: Simd>(&mut self, s: S, v: S::F, vector: usize) {
        let Heads { count, width } = self.words.heads;
        let (head, from) = (vector / width.div_ceil(16), vector % width.div_ceil(16) * 16);
        if head < count {
            let to = &mut self.out[head * width..(head + 1) * width][from..];
            match to.first_chunk_mut() {
                Some(to) => s.store(v, to),
                None => s.store_partial(v, to),
            }
        }
    }
}

/// Lane by lane, the products of a query and the keys of a word over a group of `G` heads, added up but for 16 / G lanes of
/// each head.
#[inline(always)]
fn products<S: Simd, N: Stored, const G: usize>(s: S, query: &[[f32; 16]], keys: &[[f32; 16]]) -> S::F {
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
    let (of_words, behind) = weights.split_at_mut(n.div_ceil(P));
    for v in of_words.iter_mut() {
        s.store(exp_below(s, s.sub(s.load(v), most)), v);
    }
    behind.fill([0.0; 16]);
    if !n.is_multiple_of(P) {
        of_words[n / P][n % P * G..].fill(0.0);
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

/// The sum of vector `i` of the `G` vectors of each sixteen words, in the order of a sum over a row: sixteens go to four
/// sums in turn, what is left to the last one.
#[inline(always)]
fn sum_of_words<S: Simd, const G: usize>(s: S, n: usize, weights: &[[f32; 16]], i: usize) -> S::F {
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
