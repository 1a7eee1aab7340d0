//! Functions of a whole row: sums, norms, softmax.
//!
//! Each function accumulates [`WIDTH`] vectors of sixteen lanes, then adds the vectors, then the lanes in a fixed tree:
//! the order depends on the length of the row alone.

use crate::elementwise::{Scale, Unary, map};
use crate::functions::{exp, tanh};
use crate::isa::{Kernel, Simd, dispatch};

/// Vectors accumulated at once: a multiply-add takes four cycles, and two can begin in each cycle.
const WIDTH: usize = 4;

/// An operation on the vectors of a row. A trait and not a closure, as only what is sure to be inlined has the
/// instructions of `S`.
trait Accumulate<S: Simd> {
    /// An element that changes nothing.
    fn neutral(&self) -> f32;
    /// `so_far` and the vector `x`.
    fn add(&self, s: S, so_far: S::F, x: S::F) -> S::F;
}

/// The vectors of a row in [`WIDTH`] accumulators, each of which begins as `start`.
#[inline(always)]
fn accumulate<S: Simd>(s: S, row: &[f32], start: f32, of: impl Accumulate<S>) -> [S::F; WIDTH] {
    let (chunks, rest) = row.as_chunks();
    let (blocks, chunks) = chunks.as_chunks::<WIDTH>();
    let mut accumulated = [s.splat(start); WIDTH];
    for block in blocks {
        for (so_far, chunk) in accumulated.iter_mut().zip(block) {
            *so_far = of.add(s, *so_far, s.load(chunk));
        }
    }
    for (so_far, chunk) in accumulated.iter_mut().zip(chunks) {
        *so_far = of.add(s, *so_far, s.load(chunk));
    }
    if !rest.is_empty() {
        accumulated[WIDTH - 1] = of.add(s, accumulated[WIDTH - 1], s.load_partial(rest, of.neutral()));
    }
    accumulated
}

/// The sum of the terms of a row, in each lane.
#[inline(always)]
fn sum_lanes<S: Simd>(s: S, row: &[f32], terms: impl Accumulate<S>) -> S::F {
    add_all(s, accumulate(s, row, 0.0, terms))
}

#[inline(always)]
fn add_all<S: Simd>(s: S, sums: [S::F; WIDTH]) -> S::F {
    s.add(s.add(sums[0], sums[1]), s.add(sums[2], sums[3]))
}

struct Greatest;

impl<S: Simd> Accumulate<S> for Greatest {
    #[inline(always)]
    fn neutral(&self) -> f32 {
        f32::NEG_INFINITY
    }
    #[inline(always)]
    fn add(&self, s: S, max: S::F, x: S::F) -> S::F {
        s.max(x, max)
    }
}

/// x
struct Plain;

impl<S: Simd> Accumulate<S> for Plain {
    #[inline(always)]
    fn neutral(&self) -> f32 {
        0.0
    }
    #[inline(always)]
    fn add(&self, s: S, sum: S::F, x: S::F) -> S::F {
        s.add(sum, x)
    }
}

/// (x - mean)²
struct SquaredDeviation {
    mean: f32,
}

impl<S: Simd> Accumulate<S> for SquaredDeviation {
    #[inline(always)]
    fn neutral(&self) -> f32 {
        self.mean
    }
    #[inline(always)]
    fn add(&self, s: S, sum: S::F, x: S::F) -> S::F {
        let deviation = s.sub(x, s.splat(self.mean));
        s.mul_add(deviation, deviation, sum)
    }
}

/// e^(x - max)
#[derive(Clone, Copy)]
struct ExpOf {
    max: f32,
}

impl Unary for ExpOf {
    #[inline(always)]
    fn apply<S: Simd>(self, s: S, x: S::F) -> S::F {
        exp(s, s.sub(x, s.splat(self.max)))
    }
}

/// The greatest element that is not NaN; -∞ if there is none.
#[must_use]
pub fn max(row: &[f32]) -> f32 {
    struct Max<'a>(&'a [f32]);
    impl Kernel for Max<'_> {
        type Output = f32;
        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> f32 {
            greatest(s, self.0)
        }
    }
    dispatch(Max(row))
}

#[inline(always)]
fn greatest<S: Simd>(s: S, row: &[f32]) -> f32 {
    let max = accumulate(s, row, f32::NEG_INFINITY, Greatest);
    s.max_lane(s.max(s.max(max[0], max[1]), s.max(max[2], max[3])))
}

/// row ← softmax of the row: e^(x - max)/Σ e^(x - max). A row without any finite value becomes NaN.
pub fn softmax_in_place(row: &mut [f32]) {
    struct Softmax<'a>(&'a mut [f32]);
    impl Kernel for Softmax<'_> {
        type Output = ();
        #[inline(always)]
        fn run<S: Simd>(self, s: S) {
            let row = self.0;
            let max = greatest(s, row);
            map(s, ExpOf { max }, row);
            let sum = s.sum(sum_lanes(s, row, Plain));
            map(s, Scale(1.0 / sum), row);
        }
    }
    dispatch(Softmax(row));
}

/// Each row x of the rows `x`, one after the other: x ← scale · (x - mean)/√(variance + epsilon) + bias, mean and
/// (biased) variance over the row, in two passes, as Marian's `LayerNormalization`. A row is as long as `scale`.
///
/// # Panics
/// If `x` is not of whole rows, or `bias` is not as long as `scale`.
pub fn layer_norm(x: &mut [f32], scale: &[f32], bias: Option<&[f32]>, epsilon: f32) {
    dispatch(Norm { x, scale, bias, epsilon, centred: true });
}

/// Each row x of the rows `x`, as in [`layer_norm`]: x ← scale · x/√(mean of squares + epsilon) + bias (Zhang and
/// Sennrich 2019).
///
/// # Panics
/// As [`layer_norm`].
pub fn rms_norm(x: &mut [f32], scale: &[f32], bias: Option<&[f32]>, epsilon: f32) {
    dispatch(Norm { x, scale, bias, epsilon, centred: false });
}

struct Norm<'a> {
    x: &'a mut [f32],
    scale: &'a [f32],
    bias: Option<&'a [f32]>,
    epsilon: f32,
    /// Whether the mean is subtracted.
    centred: bool,
}

impl Kernel for Norm<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let n = self.scale.len();
        assert!(self.x.len().is_multiple_of(n.max(1)), "{} numbers in rows of {n}", self.x.len());
        assert!(self.bias.is_none_or(|bias| bias.len() == n), "length of the bias");
        if n == 0 {
            return;
        }
        // The means of some rows, then their variances: a row's division waits for its sum, and meanwhile the CPU adds
        // others.
        for rows in self.x.chunks_mut(ROWS * n) {
            let mut norms = [Normalise { mean: 0.0, inverse: 0.0 }; ROWS];
            if self.centred {
                for (norm, row) in norms.iter_mut().zip(rows.chunks_exact(n)) {
                    norm.mean = s.sum(sum_lanes(s, row, Plain)) / n as f32;
                }
            }
            for (norm, row) in norms.iter_mut().zip(rows.chunks_exact(n)) {
                let variance = s.sum(sum_lanes(s, row, SquaredDeviation { mean: norm.mean })) / n as f32;
                norm.inverse = 1.0 / (variance + self.epsilon).sqrt();
            }
            for (norm, row) in norms.iter().zip(rows.chunks_exact_mut(n)) {
                norm.apply(s, row, self.scale, self.bias);
            }
        }
    }
}

/// Rows whose means are computed before anything that waits for them.
const ROWS: usize = 4;

#[derive(Clone, Copy)]
struct Normalise {
    mean: f32,
    inverse: f32,
}

impl Normalise {
    #[inline(always)]
    fn apply<S: Simd>(self, s: S, row: &mut [f32], scale: &[f32], bias: Option<&[f32]>) {
        let (x, x_rest) = row.as_chunks_mut();
        let (scale, scale_rest) = scale.as_chunks();
        match bias {
            None => {
                for (x, scale) in x.iter_mut().zip(scale) {
                    s.store(self.scaled(s, s.load(x), s.load(scale)), x);
                }
                let v = self.scaled(s, s.load_partial(x_rest, 0.0), s.load_partial(scale_rest, 0.0));
                s.store_partial(v, x_rest);
            }
            Some(bias) => {
                let (bias, bias_rest) = bias.as_chunks();
                for ((x, scale), bias) in x.iter_mut().zip(scale).zip(bias) {
                    s.store(s.add(self.scaled(s, s.load(x), s.load(scale)), s.load(bias)), x);
                }
                let v = self.scaled(s, s.load_partial(x_rest, 0.0), s.load_partial(scale_rest, 0.0));
                s.store_partial(s.add(v, s.load_partial(bias_rest, 0.0)), x_rest);
            }
        }
    }

    #[inline(always)]
    fn scaled<S: Simd>(self, s: S, x: S::F, scale: S::F) -> S::F {
        s.mul(s.mul(s.sub(x, s.splat(self.mean)), s.splat(self.inverse)), scale)
    }
}

/// Σ a·b.
///
/// # Panics
/// If the lengths differ.
#[must_use]
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    dispatch(Dot(a, b))
}

struct Dot<'a>(&'a [f32], &'a [f32]);

impl Kernel for Dot<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> f32 {
        assert_eq!(self.0.len(), self.1.len(), "lengths");
        let ((a, a_rest), (b, b_rest)) = (self.0.as_chunks(), self.1.as_chunks());
        let ((a_blocks, a), (b_blocks, b)) = (a.as_chunks::<WIDTH>(), b.as_chunks::<WIDTH>());
        let mut sums = [s.splat(0.0); WIDTH];
        for (a, b) in a_blocks.iter().zip(b_blocks) {
            for i in 0..WIDTH {
                sums[i] = s.mul_add(s.load(&a[i]), s.load(&b[i]), sums[i]);
            }
        }
        for ((a, b), sum) in a.iter().zip(b).zip(&mut sums) {
            *sum = s.mul_add(s.load(a), s.load(b), *sum);
        }
        if !a_rest.is_empty() {
            let (a, b) = (s.load_partial(a_rest, 0.0), s.load_partial(b_rest, 0.0));
            sums[WIDTH - 1] = s.mul_add(a, b, sums[WIDTH - 1]);
        }
        s.sum(add_all(s, sums))
    }
}

/// Σ v·tanh(a + b), the energy of additive attention (Bahdanau et al. 2015, appendix A.1.2).
///
/// # Panics
/// If the lengths differ.
#[must_use]
pub fn tanh_dot(a: &[f32], b: &[f32], v: &[f32]) -> f32 {
    dispatch(TanhDot { a, b, v })
}

struct TanhDot<'a> {
    a: &'a [f32],
    b: &'a [f32],
    v: &'a [f32],
}

impl Kernel for TanhDot<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> f32 {
        assert!([self.a.len(), self.b.len()] == [self.v.len(); 2], "lengths");
        let (a, a_rest) = self.a.as_chunks();
        let (b, b_rest) = self.b.as_chunks();
        let (v, v_rest) = self.v.as_chunks();
        let mut sum = s.splat(0.0); // one accumulator: the tanh takes far longer than the addition
        for ((a, b), v) in a.iter().zip(b).zip(v) {
            sum = s.mul_add(s.load(v), tanh(s, s.add(s.load(a), s.load(b))), sum);
        }
        if !v_rest.is_empty() {
            let inner = s.add(s.load_partial(a_rest, 0.0), s.load_partial(b_rest, 0.0));
            sum = s.mul_add(s.load_partial(v_rest, 0.0), tanh(s, inner), sum);
        }
        s.sum(sum)
    }
}
