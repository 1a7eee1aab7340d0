//! ln Σ eˣ of a row, in one pass over its blocks: so the blocks of a product can be summed as they are computed.

use crate::functions::exp_below;
use crate::isa::{Kernel, Simd, dispatch};
use crate::reduce::{Accumulate, max_lanes, sum_lanes};

/// Columns of a block. A row has the same blocks wherever it is summed, and so the same bits.
pub(crate) const BLOCK: usize = 256;

/// The blocks of a row that have been summed: for each of sixteen lanes the greatest number so far and Σ e^(x - greatest).
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogSum {
    max: [f32; 16],
    sum: [f32; 16],
}

impl LogSum {
    /// Of no block. The maximum is finite, as an infinite one would make ∞ - ∞.
    pub(crate) const EMPTY: Self = Self { max: [f32::MIN; 16], sum: [0.0; 16] };

    /// Adds the next block, of at most [`BLOCK`] numbers; returns the greatest number of the block in each lane, at least `f32::MIN`.
    /// NaN is in the sum alone.
    #[inline(always)]
    pub(crate) fn add<S: Simd>(&mut self, s: S, block: &[f32]) -> S::F {
        let of_block = max_lanes(s, block, f32::MIN);
        let before = s.load(&self.max);
        let max = s.max(before, of_block);
        let terms = ExpBelow::<S> { max };
        let sum = sum_lanes(s, block, terms);
        s.store(s.mul_add(s.load(&self.sum), terms.of(s, before), sum), &mut self.sum);
        s.store(max, &mut self.max);
        of_block
    }

    /// ln Σ eˣ of all blocks.
    #[inline(always)]
    pub(crate) fn ln<S: Simd>(&self, s: S) -> f32 {
        let lanes = s.load(&self.max);
        let max = s.max_lane(lanes);
        if max == f32::INFINITY {
            return max;
        }
        let sum = s.sum(s.mul(s.load(&self.sum), exp_below(s, s.sub(lanes, s.splat(max)))));
        if sum == 0.0 { f32::NEG_INFINITY } else { max + sum.ln() }
    }
}

/// e^(x - max), by lanes. Terms below 10⁻³⁷ do not change a sum of at least 1, to the bit.
#[derive(Clone, Copy)]
struct ExpBelow<S: Simd> {
    max: S::F,
}

impl<S: Simd> ExpBelow<S> {
    #[inline(always)]
    fn of(self, s: S, x: S::F) -> S::F {
        exp_below(s, s.sub(x, self.max))
    }
}

impl<S: Simd> Accumulate<S> for ExpBelow<S> {
    #[inline(always)]
    fn neutral(&self) -> f32 {
        f32::NEG_INFINITY
    }
    #[inline(always)]
    fn add(&self, s: S, sum: S::F, x: S::F) -> S::F {
        s.add(sum, self.of(s, x))
    }
}

/// ln Σ eˣ over the row, computed relative to maxima so that nothing overflows: -∞ for an empty row or one of -∞ only, ∞ if any
/// element is ∞, or else NaN if any is NaN.
#[must_use]
pub fn log_sum_exp(row: &[f32]) -> f32 {
    struct OfRow<'a>(&'a [f32]);
    impl Kernel for OfRow<'_> {
        type Output = f32;
        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> f32 {
            let mut sum = LogSum::EMPTY;
            for block in self.0.chunks(BLOCK) {
                sum.add(s, block);
            }
            sum.ln(s)
        }
    }
    dispatch(OfRow(row))
}
