//! Products of integers of 16 bits (Devlin 2017, §4.1).
//!
//! The paper clips weights to ±1 and activations to ±10, and rounds them to multiples of a fixed step. Here, as with 8
//! bits, a row has a factor of its own, and so have the weights to each output; nothing is clipped, and
//! `tests/int16.rs` finds the products of layers of a usual size several times nearer. The integers of a map with K
//! inputs are at most √(2³¹ / K), 2,896 for 256 inputs, so that no sum leaves 32 bits. Sums are exact. So every
//! instruction set gives the same bits.

use crate::aligned::Lanes;
use crate::isa::Simd;
use crate::number::Int16;
use crate::panels::{Ends, Panels, WeightOrder};
use crate::quantise::{Integer, SMALLEST};

/// Integers of 16 bits in a lane.
const PER_LANE: usize = 2;

/// Lanes of sixteen integers.
const SIXTEEN: usize = 8;

/// The greatest integer of rows and weights of a map with this many inputs.
fn greatest(inputs: usize) -> f32 {
    (i32::MAX as usize / inputs.max(1)).isqrt().min(i16::MAX as usize) as f32
}

/// Weights rounded to integers, with a factor for each output.
///
/// # Panics
/// If there are not `inputs · outputs` weights.
pub(crate) fn quantise(weights: &[f32], inputs: usize, outputs: usize, order: WeightOrder) -> Panels {
    let at = order.places(weights.len(), inputs, outputs);
    let (length, greatest) = (inputs.div_ceil(PER_LANE), greatest(inputs));
    let mut lines = vec![Lanes::ZERO; length * outputs.div_ceil(16)];
    let mut ends = vec![Ends::ZERO; outputs.div_ceil(16)];
    for output in 0..outputs {
        let (panel, lane) = (output / 16, output % 16);
        let most = (0..inputs).fold(SMALLEST, |most: f32, input| weights[at(input, output)].abs().max(most));
        let scale = most / greatest;
        for (i, line) in lines[panel * length..][..length].iter_mut().enumerate() {
            let integer = |input: usize| {
                let weight = if input < inputs { weights[at(input, output)] } else { 0.0 };
                (weight / scale).round_ties_even() as i16
            };
            line.0[lane] = lane_of([integer(i * PER_LANE), integer(i * PER_LANE + 1)]);
        }
        ends[panel].scale.0[lane] = scale;
    }
    Panels::from_integers(lines, length, outputs, ends)
}

impl Integer<SIXTEEN> for Int16 {
    fn greatest(inputs: usize) -> f32 {
        greatest(inputs)
    }

    #[inline(always)]
    fn lanes<S: Simd>(s: S, values: S::F) -> [f32; SIXTEEN] {
        let words = s.round_words(values);
        let (pairs, _) = words.as_chunks();
        std::array::from_fn(|i| lane_of(pairs[i]))
    }
}

#[inline(always)]
fn lane_of([first, second]: [i16; 2]) -> f32 {
    f32::from_bits(u32::from(first as u16) | u32::from(second as u16) << 16)
}
