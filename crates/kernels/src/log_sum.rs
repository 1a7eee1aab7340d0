//! ln Σ eˣ of a row, in one pass over its blocks: so the blocks of a product can be summed as they are computed.

use crate::functions::exp_term;
use crate::isa::{Kernel, Simd, dispatch};
use crate::reduce::{Accumulate, max_lanes, sum_lanes};

/// Columns of a block. A row has the same blocks wherever it is summed, and so the same bits.
pub(crate) const BLOCK: usize = 256;

/// The blocks of a row that have been summed: Σ e^(x - reference) by lanes. A reference is the greatest number of its lane so far, or at
/// most [`ABOVE`] less: if it had to be the greatest, nearly every block would change it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogSum {
    references: [f32; 16],
    sums: [f32; 16],
}

/// How far numbers may be above the reference: e³² is 8·10¹³.
const ABOVE: f32 = 32.0;

impl LogSum {
    /// Of no block. References are finite, as an infinite one would make ∞ - ∞.
    pub(crate) const EMPTY: Self = Self { references: [f32::MIN; 16], sums: [0.0; 16] };

    /// Adds the next block, of at most [`BLOCK`] numbers; returns the greatest number of the block in each lane, at least `f32::MIN`.
    /// NaN is in the sum alone.
    #[inline(always)]
    pub(crate) fn add<S: Simd>(&mut self, s: S, block: &[f32]) -> S::F {
        let of_block = max_lanes(s, block, f32::MIN);
        let before = s.load(&self.references);
        if s.at_least(of_block, s.add(before, s.splat(ABOVE))) != 0 {
            let references = s.max(before, of_block);
            let factor = Terms { reference: references }.of(s, before);
            s.store(s.mul(s.load(&self.sums), factor), &mut self.sums);
            s.store(references, &mut self.references);
        }
        let sums = sum_lanes(s, block, Terms { reference: s.load(&self.references) });
        s.store(s.add(s.load(&self.sums), sums), &mut self.sums);
        of_block
    }

    /// ln Σ eˣ of all blocks.
    #[inline(always)]
    pub(crate) fn ln<S: Simd>(&self, s: S) -> f32 {
        let references = s.load(&self.references);
        let most = s.max_lane(references);
        if most == f32::INFINITY {
            return most;
        }
        let factors = Terms { reference: s.splat(most) }.of(s, references);
        let sum = s.sum(s.mul(s.load(&self.sums), factors));
        // Without a number above f32::MIN the terms are -∞, or NaN.
        if most == f32::MIN && !sum.is_nan() { f32::NEG_INFINITY } else { most + sum.ln() }
    }
}

/// e^(x - reference), by lanes.
#[derive(Clone, Copy)]
struct Terms<S: Simd> {
    reference: S::F,
}

impl<S: Simd> Terms<S> {
    #[inline(always)]
    fn of(self, s: S, x: S::F) -> S::F {
        exp_term(s, s.sub(x, self.reference))
    }
}

impl<S: Simd> Accumulate<S> for Terms<S> {
    #[inline(always)]
    fn neutral(&self) -> f32 {
        f32::NEG_INFINITY
    }
    #[inline(always)]
    fn add(&self, s: S, sum: S::F, x: S::F) -> S::F {
        s.add(sum, self.of(s, x))
    }
}

/// ln Σ eˣ over the row, computed relative to great ones of them so that nothing overflows: -∞ for an empty row or one of -∞ (or `f32::MIN`) only, ∞ if any
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
