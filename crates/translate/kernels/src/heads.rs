//! Multi-head products: a vector is cut into heads, and so are the rows of a matrix.

use std::ops::Range;

use crate::isa::{Kernel, Simd, dispatch};
use crate::matrix::Matrix;

/// A choice of rows of a matrix, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows<'a> {
    /// Adjacent rows.
    Range(Range<usize>),
    /// These rows; any may come several times.
    List(&'a [u32]),
}

impl Rows<'_> {
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Range(range) => range.len(),
            Self::List(list) => list.len(),
        }
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline(always)]
    pub(crate) fn get(&self, j: usize) -> usize {
        match self {
            Self::Range(range) => range.start + j,
            Self::List(list) => list[j] as usize,
        }
    }
}

/// out\[h, j\] ← scale · Σ query·keys\[rows\[j\]\] over the columns of head h. `out` is `heads × rows`, row-major; a
/// head is `keys.cols() / heads` adjacent columns.
///
/// # Panics
/// If the query does not have `keys.cols()` values, if these are not divisible by `heads`, if `out` does not have
/// `heads · rows.len()` values, or if a row does not exist.
pub fn heads_dot(query: &[f32], keys: &Matrix, rows: Rows<'_>, heads: usize, scale: f32, out: &mut [f32]) {
    assert_eq!(query.len(), keys.cols(), "length of the query");
    let size = head_size(keys, heads);
    assert_eq!(out.len(), heads * rows.len(), "length of the output");
    if size == 0 {
        out.fill(0.0);
    } else if !rows.is_empty() {
        dispatch(Dot { query, keys, rows, size, scale, out });
    }
}

/// out ← for each head h, Σ over j of weights\[h, j\]·values\[rows\[j\]\] in the columns of head h. `weights` is
/// `heads × rows`, row-major.
///
/// # Panics
/// If `out` does not have `values.cols()` values, if these are not divisible by `heads`, if there are not
/// `heads · rows.len()` weights, or if a row does not exist.
pub fn heads_weighted_sum(weights: &[f32], values: &Matrix, rows: Rows<'_>, heads: usize, out: &mut [f32]) {
    assert_eq!(out.len(), values.cols(), "length of the output");
    let size = head_size(values, heads);
    assert_eq!(weights.len(), heads * rows.len(), "number of weights");
    out.fill(0.0);
    if size > 0 && !rows.is_empty() {
        dispatch(WeightedSum { weights, values, rows, size, out });
    }
}

fn head_size(matrix: &Matrix, heads: usize) -> usize {
    assert!(heads > 0 && matrix.cols().is_multiple_of(heads), "{} columns in {heads} heads", matrix.cols());
    matrix.cols() / heads
}

struct Dot<'a> {
    query: &'a [f32],
    keys: &'a Matrix,
    rows: Rows<'a>,
    /// Columns of a head, at least one.
    size: usize,
    scale: f32,
    out: &'a mut [f32],
}

impl Kernel for Dot<'_> {
    type Output = ();

    /// Takes sixteen rows at a time, so that their sixteen sums over lanes are found together. Each sum has the bits
    /// that the row alone would give.
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let n = self.rows.len();
        for start in (0..n).step_by(16) {
            let count = (n - start).min(16);
            let mut keys: [&[f32]; 16] = [&[]; 16];
            for (j, key) in keys[..count].iter_mut().enumerate() {
                *key = self.keys.row(self.rows.get(start + j));
            }
            for (head, query) in self.query.chunks_exact(self.size).enumerate() {
                let columns = head * self.size..(head + 1) * self.size;
                let mut sums = [s.splat(0.0); 16];
                for (sum, key) in sums.iter_mut().zip(&keys[..count]) {
                    *sum = products(s, query, &key[columns.clone()]);
                }
                let dots = s.mul(s.sums(&sums), s.splat(self.scale));
                s.store_partial(dots, &mut self.out[head * n + start..][..count]);
            }
        }
    }
}

/// Lane by lane, Σ a·b over the chunks of sixteen in order.
#[inline(always)]
fn products<S: Simd>(s: S, a: &[f32], b: &[f32]) -> S::F {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks(), b.as_chunks());
    let mut sum = s.splat(0.0);
    for (a, b) in a.iter().zip(b) {
        sum = s.mul_add(s.load(a), s.load(b), sum);
    }
    if !a_rest.is_empty() {
        sum = s.mul_add(s.load_partial(a_rest, 0.0), s.load_partial(b_rest, 0.0), sum);
    }
    sum
}

struct WeightedSum<'a> {
    weights: &'a [f32],
    values: &'a Matrix,
    rows: Rows<'a>,
    /// Columns of a head, at least one.
    size: usize,
    /// All zeros at first.
    out: &'a mut [f32],
}

/// Rows that are added in one pass over the output.
const BLOCK: usize = 8;

impl Kernel for WeightedSum<'_> {
    type Output = ();

    /// Each output is one chain of multiply-adds over the rows in order; blocks of rows continue it.
    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let n = self.rows.len();
        let mut start = 0;
        while start + BLOCK <= n {
            self.add_rows::<S, BLOCK>(s, start);
            start += BLOCK;
        }
        while start < n {
            self.add_rows::<S, 1>(s, start);
            start += 1;
        }
    }
}

impl WeightedSum<'_> {
    #[inline(always)]
    fn add_rows<S: Simd, const B: usize>(&mut self, s: S, start: usize) {
        let n = self.rows.len();
        let rows: [&[f32]; B] = std::array::from_fn(|b| self.values.row(self.rows.get(start + b)));
        for (head, out) in self.out.chunks_exact_mut(self.size).enumerate() {
            let columns = head * self.size..(head + 1) * self.size;
            let rows = rows.map(|row| &row[columns.clone()]);
            let mut weights = [s.splat(0.0); B];
            for (b, weight) in weights.iter_mut().enumerate() {
                *weight = s.splat(self.weights[head * n + start + b]);
            }
            let (chunks, rest) = out.as_chunks_mut();
            for (c, out) in chunks.iter_mut().enumerate() {
                let mut sum = s.load(out);
                for b in 0..B {
                    sum = s.mul_add(weights[b], s.load(&rows[b].as_chunks().0[c]), sum);
                }
                s.store(sum, out);
            }
            if !rest.is_empty() {
                let mut sum = s.load_partial(rest, 0.0);
                for b in 0..B {
                    sum = s.mul_add(weights[b], s.load_partial(rows[b].as_chunks::<16>().1, 0.0), sum);
                }
                s.store_partial(sum, rest);
            }
        }
    }
}
