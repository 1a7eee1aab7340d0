//! Products of integers of 8 bits: four products per lane and instruction where the CPU has VNNI (Devlin 2017, §4.1,
//! carried from 16 bits to 8).
//!
//! A row of floats becomes integers from -127 to 127 by one factor, its greatest magnitude / 127; the weights to an
//! output likewise. The instruction multiplies unsigned by signed bytes. So a row is stored plus 128, and the sum of an
//! output begins at -128 times the sum of its weights. Sums are exact. So every instruction set gives the same
//! integers, and with the same factors the same floats.

use crate::aligned::Lanes;
use crate::isa::{SHIFT, Simd};
use crate::lines::{Lines, SharedBytes};
use crate::number::Int8;
use crate::panels::{Ends, Panels, WeightOrder};
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
    let outputs = scales.len();
    assert_eq!(Some(weights.len()), inputs.checked_mul(outputs), "weights of a {inputs} × {outputs} map");
    assert!(inputs <= MAX_INT8_INPUTS, "{inputs} inputs of a map of integers");
    let length = inputs.div_ceil(PER_LANE);
    let mut lines = vec![Lanes::ZERO; length * outputs.div_ceil(16)];
    let mut sums = vec![0; outputs];
    for (panel, sums) in sums.chunks_mut(16).enumerate() {
        let lines = &mut lines[panel * length..][..length];
        match order {
            WeightOrder::OutputsByInputs => {
                let rows = &weights[panel * 16 * inputs..][..sums.len() * inputs];
                pack_outputs(rows, inputs, lines, sums);
            }
            WeightOrder::InputsByOutputs => {
                let weights = weights.get(panel * 16..).unwrap_or_default();
                pack_inputs(weights, outputs, lines, sums);
            }
        }
    }
    Panels::from_integers(lines, length, outputs, ends(scales, &sums))
}

/// Packs the rows of the outputs of one panel, each of `inputs` weights.
fn pack_outputs(rows: &[i8], inputs: usize, lines: &mut [Lanes], sums: &mut [i32]) {
    for (lane, (row, sum)) in rows.chunks_exact(inputs.max(1)).zip(sums).enumerate() {
        let (quads, rest) = row.as_chunks();
        for (line, &weights) in lines.iter_mut().zip(quads) {
            line.0[lane] = as_lane(weights);
        }
        if let Some(line) = lines.last_mut().filter(|_| !rest.is_empty()) {
            line.0[lane] = as_lane(std::array::from_fn(|i| rest.get(i).copied().unwrap_or(0)));
        }
        *sum = row.iter().map(|&weight| i32::from(weight)).sum();
    }
}

/// Packs the outputs of one panel, whose weights are the first of each `outputs` weights.
fn pack_inputs(weights: &[i8], outputs: usize, lines: &mut [Lanes], sums: &mut [i32]) {
    const NONE: [i8; 16] = [0; 16];
    let count = sums.len();
    let mut rows = weights.chunks(outputs.max(1)).map(|row| &row[..count]);
    for line in lines {
        let [a, b, c, d] = std::array::from_fn(|_| rows.next().unwrap_or(&NONE));
        let quads = a.iter().zip(b).zip(c).zip(d);
        for ((lane, sum), (((&a, &b), &c), &d)) in line.0.iter_mut().zip(&mut *sums).zip(quads) {
            *lane = as_lane([a, b, c, d]);
            *sum += i32::from(a) + i32::from(b) + i32::from(c) + i32::from(d);
        }
    }
}

/// Four weights in a lane.
fn as_lane(weights: [i8; PER_LANE]) -> f32 {
    f32::from_bits(u32::from_le_bytes(weights.map(|weight| weight as u8)))
}

/// Where sums begin, and their factors: `sums` are those of the weights.
fn ends(scales: &[f32], sums: &[i32]) -> Vec<Ends> {
    let mut ends = vec![Ends::ZERO; scales.len().div_ceil(16)];
    for (output, (&scale, &sum)) in scales.iter().zip(sums).enumerate() {
        let end = &mut ends[output / 16];
        end.start.0[output % 16] = f32::from_bits((-128_i32).wrapping_mul(sum) as u32);
        end.scale.0[output % 16] = scale;
    }
    ends
}

/// The sums of the weights to each output.
pub(crate) fn sums(panels: &Panels) -> Vec<i32> {
    let start = |output: usize| panels.end(output / 16).start.0[output % 16].to_bits() as i32;
    (0..panels.outputs()).map(|output| start(output) / -128).collect()
}

/// Panels whose lines are packed already.
///
/// # Panics
/// If there are not as many lines as `scales.len()` outputs have, not a sum for each, or more than 65,536 inputs.
pub(crate) fn in_place(panels: SharedBytes, scales: &[f32], sums: &[i32], inputs: usize) -> Panels {
    assert!(inputs <= MAX_INT8_INPUTS, "{inputs} inputs of a map of integers");
    assert_eq!(scales.len(), sums.len(), "a factor and a sum for each output");
    Panels::from_integers(Lines::from_le_bytes(panels), inputs.div_ceil(PER_LANE), scales.len(), ends(scales, sums))
}

/// The integers of packed panels, `outputs × inputs`.
///
/// # Panics
/// If there are not as many bytes as the panels of such a map have.
#[must_use]
pub fn int8_of_panels(panels: &[u8], inputs: usize, outputs: usize) -> Vec<i8> {
    let length = inputs.div_ceil(PER_LANE);
    assert_eq!(panels.len(), int8_panel_bytes(inputs, outputs), "bytes of the panels of a {inputs} × {outputs} map");
    let mut integers = Vec::with_capacity(inputs * outputs);
    for output in 0..outputs {
        let quad = |i: usize| &panels[((output / 16 * length + i) * 16 + output % 16) * PER_LANE..][..PER_LANE];
        integers.extend((0..length).flat_map(quad).take(inputs).map(|&byte| byte as i8));
    }
    integers
}

/// The number of bytes of the panels of a map of integers.
#[must_use]
pub const fn int8_panel_bytes(inputs: usize, outputs: usize) -> usize {
    inputs.div_ceil(PER_LANE) * outputs.div_ceil(16) * size_of::<Lanes>()
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
