//! ln Σ eˣ of a row, in one pass over its blocks: so the blocks of a product can be summed as they are computed.

use crate::functions::exp_term;
use crate::isa::{Kernel, Simd, dispatch};

/// Columns of a block. A row has the same blocks wherever it is summed, and so the same bits.
pub(crate) const BLOCK: usize = 256;

/// The blocks of a row that have been summed: Σ e^(x - reference) by lanes. A reference is the greatest number of its
/// lane so far, or at most [`ABOVE`] less: if it had to be the greatest, nearly every block would change it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogSum {
    references: [f32; 16],
    sums: [f32; 16],
}

/// How far numbers may be above the reference: e³² is 8·10¹³.
const ABOVE: f32 = 32.0;

impl LogSum {
    /// The sum of no block. References are finite, as an infinite one would make ∞ - ∞.
    pub(crate) const EMPTY: Self = Self { references: [f32::MIN; 16], sums: [0.0; 16] };

    /// Adds the next block, of at most [`BLOCK`] numbers; returns the greatest number of the block in each lane, at
    /// least `f32::MIN`. NaN is in the sum alone.
    #[inline(always)]
    pub(crate) fn add<S: Simd>(&mut self, s: S, block: &[f32]) -> S::F {
        let references = s.load(&self.references);
        let (mut sums, block_greatest) = sums_and_greatest(s, block, references);
        if s.at_least(block_greatest, s.add(references, s.splat(ABOVE))) != 0 {
            let raised = s.max(references, block_greatest);
            let factor = term(s, references, raised);
            s.store(s.mul(s.load(&self.sums), factor), &mut self.sums);
            s.store(raised, &mut self.references);
            (sums, _) = sums_and_greatest(s, block, raised);
        }
        s.store(s.add(s.load(&self.sums), sums), &mut self.sums);
        block_greatest
    }

    /// ln Σ eˣ of all blocks.
    #[inline(always)]
    pub(crate) fn ln<S: Simd>(&self, s: S) -> f32 {
        let references = s.load(&self.references);
        let most = s.max_lane(references);
        if most == f32::INFINITY {
            return most;
        }
        let factors = term(s, references, s.splat(most));
        let sum = s.sum(s.mul(s.load(&self.sums), factors));
        // Without a number above f32::MIN the terms are -∞, or NaN.
        if most == f32::MIN && !sum.is_nan() { f32::NEG_INFINITY } else { most + sum.ln() }
    }
}

/// e^(x - reference), by lanes.
#[inline(always)]
fn term<S: Simd>(s: S, x: S::F, reference: S::F) -> S::F {
    exp_term(s, s.sub(x, reference))
}

/// By lanes, Σ e^(x - reference) and the greatest number that is not NaN, at least `f32::MIN`, in four chains each to
/// hide their latency.
#[inline(always)]
fn sums_and_greatest<S: Simd>(s: S, block: &[f32], reference: S::F) -> (S::F, S::F) {
    let (mut sums, mut greatest) = ([s.splat(0.0); 4], [s.splat(f32::MIN); 4]);
    let (chunks, rest) = block.as_chunks();
    let (fours, chunks) = chunks.as_chunks::<4>();
    for four in fours {
        for (i, chunk) in four.iter().enumerate() {
            let x = s.load(chunk);
            sums[i] = s.add(sums[i], term(s, x, reference));
            greatest[i] = s.max(x, greatest[i]);
        }
    }
    for (i, chunk) in chunks.iter().enumerate() {
        let x = s.load(chunk);
        sums[i] = s.add(sums[i], term(s, x, reference));
        greatest[i] = s.max(x, greatest[i]);
    }
    if !rest.is_empty() {
        let x = s.load_partial(rest, f32::NEG_INFINITY);
        sums[3] = s.add(sums[3], term(s, x, reference));
        greatest[3] = s.max(x, greatest[3]);
    }
    let ([a, b, c, d], [e, f, g, h]) = (sums, greatest);
    (s.add(s.add(a, b), s.add(c, d)), s.max(s.max(e, f), s.max(g, h)))
}

/// ln Σ eˣ over the row, computed relative to great ones of them so that nothing overflows: -∞ for an empty row or one
/// of -∞ (or `f32::MIN`) only, ∞ if any element is ∞, or else NaN if any is NaN.
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
