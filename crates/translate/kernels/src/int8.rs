//! Products of integers of 8 bits: four products per lane and instruction where the CPU has VNNI (Devlin 2017, §4.1,
//! carried from 16 bits to 8).
//!
//! A row of floats becomes integers from -127 to 127 by one factor, its greatest magnitude / 127; the weights to an
//! output likewise. The instruction multiplies unsigned by signed bytes. So a row is stored plus 128, and the sum of an
//! output begins at -128 times the sum of its weights. Sums are exact. So every instruction set gives the same
//! integers, and with the same factors the same floats.

use crate::aligned::Lanes;
use crate::isa::{SHIFT, Simd};
use crate::number::Int8;
use crate::packed::{Ends, Panels, WeightOrder};
use crate::quantise::{Integer, SMALLEST};

/// The most inputs of a map of integers of 8 bits: 255 · 127 · 65,536 is less than 2³¹.
pub const MAX_INT8_INPUTS: usize = 1 << 16;

/// The greatest integer of rows and weights.
const GREATEST: f32 = 127.0;

/// Integers of 8 bits in a lane, and lanes of sixteen.
const PER_LANE: usize = 4;

/// Weights rounded to integers from -127 to 127, in the order of the weights, and the factor of each output: its
/// greatest weight / 127. [`crate::PackedMatrix::pack_int8`] packs them.
///
/// # Panics
/// If there are not `inputs · outputs` weights.
#[must_use]
pub fn quantise_int8(weights: &[f32], inputs: usize, outputs: usize, order: WeightOrder) -> (Vec<i8>, Vec<f32>) {
    assert_eq!(Some(weights.len()), inputs.checked_mul(outputs), "weights of a {inputs} × {outputs} map");
    let mut scales = vec![0.0_f32; outputs];
    let mut integers = vec![0; weights.len()];
    // To the nearest integer, ties to even: a float from 2²³ on has no fraction. No call of a function on processors
    // whose instructions this program is not compiled for.
    let round = |weight: f32, scale: f32| (weight / scale + SHIFT - SHIFT) as i8;
    match order {
        WeightOrder::InputsByOutputs => {
            for row in weights.chunks_exact(outputs.max(1)) {
                scales.iter_mut().zip(row).for_each(|(most, weight)| *most = weight.abs().max(*most));
            }
            scales.iter_mut().for_each(|most| *most = scale(*most));
            let rows = weights.chunks_exact(outputs.max(1));
            for (row, integers) in rows.zip(integers.chunks_exact_mut(outputs.max(1))) {
                for ((integer, &weight), &scale) in integers.iter_mut().zip(row).zip(&scales) {
                    *integer = round(weight, scale);
                }
            }
        }
        WeightOrder::OutputsByInputs => {
            scales.fill(scale(0.0)); // also where there are no inputs
            let rows = weights.chunks_exact(inputs.max(1)).zip(integers.chunks_exact_mut(inputs.max(1)));
            for ((row, integers), factor) in rows.zip(&mut scales) {
                *factor = scale(row.iter().fold(0.0, |most: f32, weight| weight.abs().max(most)));
                integers.iter_mut().zip(row).for_each(|(integer, &weight)| *integer = round(weight, *factor));
            }
        }
    }
    (integers, scales)
}

/// [`quantise_int8`], packed.
pub(crate) fn quantise(weights: &[f32], inputs: usize, outputs: usize, order: WeightOrder) -> Panels {
    let (integers, scales) = quantise_int8(weights, inputs, outputs, order);
    pack(&integers, &scales, inputs, order)
}

/// Integers as they are; `scales[j]` is the factor of the weights to output j.
///
/// # Panics
/// If there are not `inputs · scales.len()` weights, or more than 65,536 inputs.
pub(crate) fn pack(weights: &[i8], scales: &[f32], inputs: usize, order: WeightOrder) -> Panels {
    let at = order.places(weights.len(), inputs, scales.len());
    let weight = |input, output| weights[at(input, output)];
    assert!(inputs <= MAX_INT8_INPUTS, "{inputs} inputs of a map of integers");
    let (length, outputs) = (inputs.div_ceil(PER_LANE), scales.len());
    let mut lines = vec![Lanes::ZERO; length * outputs.div_ceil(16)];
    let mut ends = vec![Ends::ZERO; outputs.div_ceil(16)];
    for (output, &scale) in scales.iter().enumerate() {
        let (panel, lane) = (output / 16, output % 16);
        for (i, line) in lines[panel * length..][..length].iter_mut().enumerate() {
            let byte = |j| if i * PER_LANE + j < inputs { weight(i * PER_LANE + j, output) as u8 } else { 0 };
            line.0[lane] = f32::from_bits(u32::from_le_bytes(std::array::from_fn(byte)));
        }
        let sum: i32 = (0..inputs).map(|input| i32::from(weight(input, output))).sum();
        ends[panel].start.0[lane] = f32::from_bits((-128 * sum) as u32);
        ends[panel].scale.0[lane] = scale;
    }
    Panels::from_integers(lines, length, outputs, ends)
}

/// The factor of numbers whose greatest magnitude is `most`. Not zero, so that it can divide.
fn scale(most: f32) -> f32 {
    most.max(SMALLEST) / GREATEST
}

impl Integer<PER_LANE> for Int8 {
    fn greatest(_inputs: usize) -> f32 {
        GREATEST
    }

    #[inline(always)]
    fn lanes<S: Simd>(s: S, values: S::F) -> [f32; PER_LANE] {
        let bytes = s.round_bytes(values);
        let (quads, _) = bytes.as_chunks();
        std::array::from_fn(|i| f32::from_bits(u32::from_le_bytes(quads[i])))
    }
}
