//! The speed limits of this CPU, measured: how fast it multiplies and adds what lies in registers, and how fast it
//! reads.
//!
//! A share of these is what a product can be judged by on any machine.

use crate::aligned::Lanes;
use crate::isa::{Kernel, Simd, dispatch};
use crate::number::{Bf16, F32, Int8, Int16, Number, Precision};
use std::hint::black_box;
use std::marker::PhantomData;
use std::time::Instant;

/// Multiplications and additions per second that this thread's instruction set reaches with numbers of this kind: 2 for
/// each multiply-add. Takes about 40 ms.
#[must_use]
pub fn peak(precision: Precision) -> f64 {
    match precision {
        Precision::F32 => operations_per_second::<F32>(1),
        Precision::Bf16 => operations_per_second::<Bf16>(2),
        Precision::Int16 => operations_per_second::<Int16>(2),
        Precision::Int8 => operations_per_second::<Int8>(4),
    }
}

/// Bytes per second at which this thread reads `bytes` bytes of memory again and again, as a product of one row reads
/// its weights. Takes about 40 ms or 100 readings.
#[must_use]
pub fn read_bandwidth(bytes: usize) -> f64 {
    let lines = vec![Lanes([1.0; 16]); (bytes / size_of::<Lanes>()).max(CHAINS)];
    let once = || _ = black_box(dispatch(ReadSum(black_box(&lines))));
    size_of_val(&lines[..]) as f64 / best_seconds(once)
}

/// Sums at a time: as many as hide the latency of a multiply-add with two of them per cycle.
const CHAINS: usize = 14;

/// Operations per second with `per_lane` products in a lane.
fn operations_per_second<N: Number>(per_lane: usize) -> f64 {
    let (x, w) = ([Lanes([1.0; 16]); 8], [Lanes([1.0; 16]); CHAINS]);
    let rounds = 1000;
    // Half the chains where registers are half as wide and half as many.
    let narrow = || _ = black_box(N::dispatch(Chains::<N, 6>::new(black_box(&x), black_box(&w), rounds)));
    let wide = || _ = black_box(N::dispatch(Chains::<N, CHAINS>::new(black_box(&x), black_box(&w), rounds)));
    let operations = |chains: usize, seconds: f64| (2 * 16 * per_lane * chains * rounds) as f64 / seconds;
    f64::max(operations(6, best_seconds(narrow)), operations(CHAINS, best_seconds(wide)))
}

/// The fastest of many calls: on a shared machine some are undisturbed.
fn best_seconds(mut call: impl FnMut()) -> f64 {
    let mut once = || {
        let begun = Instant::now();
        call();
        begun.elapsed().as_secs_f64()
    };
    let first = once().max(1e-8);
    let times = (0.02 / first).clamp(50.0, 20_000.0) as usize;
    (0..times).map(|_| once()).fold(first, f64::min)
}

/// `C` sums of products of numbers that are in registers or in the first-level cache.
struct Chains<'a, N, const C: usize> {
    /// They take turns, so that no product can be computed once and for all.
    x: &'a [Lanes; 8],
    w: &'a [Lanes; CHAINS],
    rounds: usize,
    number: PhantomData<N>,
}

impl<'a, N, const C: usize> Chains<'a, N, C> {
    fn new(x: &'a [Lanes; 8], w: &'a [Lanes; CHAINS], rounds: usize) -> Self {
        Self { x, w, rounds, number: PhantomData }
    }
}

impl<N: Number, const C: usize> Kernel for Chains<'_, N, C> {
    type Output = f32;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> f32 {
        let w: [S::F; C] = std::array::from_fn(|i| s.load(&self.w[i].0));
        let mut sums = [s.splat(0.0); C];
        for round in 0..self.rounds {
            let x = s.load(&self.x[round % 8].0);
            // An array that is made anew stays in registers.
            sums = std::array::from_fn(|i| N::mul_add(s, x, w[i], sums[i]));
        }
        sums.into_iter().map(|sum| s.sum(sum)).sum()
    }
}

/// The sum of lines.
struct ReadSum<'a>(&'a [Lanes]);

impl Kernel for ReadSum<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> f32 {
        let mut sums = [s.splat(0.0); CHAINS];
        let (blocks, _) = self.0.as_chunks::<CHAINS>();
        for block in blocks {
            sums = std::array::from_fn(|i| s.add(sums[i], s.load(&block[i].0)));
        }
        sums.into_iter().map(|sum| s.sum(sum)).sum()
    }
}
