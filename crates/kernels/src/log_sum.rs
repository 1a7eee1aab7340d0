//! ln Σ eˣ of a row, in one pass over its blocks: so the blocks of a product can be summed as they are computed.

use crate::functions::exp_below;
use crate::isa::{Kernel, Simd, dispatch};

/// Columns of a block. A row has the same blocks wherever it is summed, and so the same bits.
pub(crate) const BLOCK: usize = 256;

/// Vectors accumulated at once: an addition takes four cycles.
const WIDTH: usize = 4;

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
        let (chunks, rest) = block.as_chunks();
        let (groups, chunks) = chunks.as_chunks::<WIDTH>();
        let rest = (!rest.is_empty()).then(|| s.load_partial(rest, f32::NEG_INFINITY));
        let mut max = [s.splat(f32::MIN); WIDTH];
        for group in groups {
            for (max, chunk) in max.iter_mut().zip(group) {
                *max = s.max(s.load(chunk), *max);
            }
        }
        for (max, chunk) in max.iter_mut().zip(chunks) {
            *max = s.max(s.load(chunk), *max);
        }
        if let Some(rest) = rest {
            max[WIDTH - 1] = s.max(rest, max[WIDTH - 1]);
        }
        let of_block = s.max(s.max(max[0], max[1]), s.max(max[2], max[3]));
        let before = s.load(&self.max);
        let max = s.max(before, of_block);
        // Terms below 10⁻³⁷ do not change a sum of at least 1, to the bit.
        let term = |x| exp_below(s, s.sub(x, max));
        let mut sums = [s.splat(0.0); WIDTH];
        for group in groups {
            for (sum, chunk) in sums.iter_mut().zip(group) {
                *sum = s.add(*sum, term(s.load(chunk)));
            }
        }
        for (sum, chunk) in sums.iter_mut().zip(chunks) {
            *sum = s.add(*sum, term(s.load(chunk)));
        }
        if let Some(rest) = rest {
            sums[WIDTH - 1] = s.add(sums[WIDTH - 1], term(rest));
        }
        let sum = s.add(s.add(sums[0], sums[1]), s.add(sums[2], sums[3]));
        s.store(s.mul_add(s.load(&self.sum), term(before), sum), &mut self.sum);
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
