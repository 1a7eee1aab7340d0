//! Products of integers of 8 bits: four products per lane and instruction where the CPU has VNNI (Devlin 2017, §4.1, carried
//! from 16 bits to 8).
//!
//! A row of floats becomes integers from -127 to 127 by one factor, its greatest magnitude / 127; the weights to an output
//! likewise. The instruction multiplies unsigned by signed bytes. So a row is stored plus 128, and the sum of an output
//! begins at -128 times the sum of its weights. Sums are exact. So every instruction set gives the same integers, and with
//! the same factors the same floats.

use crate::aligned::Lanes;
use crate::isa::{Kernel, Simd, dispatch};
use crate::matrix::Matrix;
use crate::packed::{Ends, Panels, WeightOrder};

/// The most inputs of a map of integers of 8 bits: 255 · 127 · 65,536 is less than 2³¹.
pub const MAX_INT8_INPUTS: usize = 1 << 16;

/// Integers of 8 bits in a lane.
const PER_LANE: usize = 4;

/// Weights rounded to integers from -127 to 127, in the order of the weights, and the factor of each output: its greatest
/// weight / 127. [`crate::PackedMatrix::pack_int8`] packs them.
///
/// # Panics
/// If there are not `inputs · outputs` weights.
#[must_use]
pub fn quantise_int8(weights: &[f32], inputs: usize, outputs: usize, order: WeightOrder) -> (Vec<i8>, Vec<f32>) {
    assert_eq!(Some(weights.len()), inputs.checked_mul(outputs), "weights of a {inputs} × {outputs} map");
    let mut scales = vec![0.0_f32; outputs];
    let mut integers = vec![0; weights.len()];
    let round = |weight: f32, scale: f32| (weight / scale).round_ties_even() as i8;
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
    Panels::of_integers(lines, length, outputs, ends)
}

/// The factor of numbers whose greatest magnitude is `most`. Not zero, so that it can divide.
fn scale(most: f32) -> f32 {
    most.max(SMALLEST) / 127.0
}

/// Rows of numbers below it become zeros.
pub(crate) const SMALLEST: f32 = 1e-30;

/// Lanes of a row of `inputs` numbers.
pub(crate) fn row_lanes(inputs: usize) -> usize {
    inputs.div_ceil(PER_LANE)
}

/// Rounds the rows of `x` into `lanes`, `x.rows() × row_lanes(x.cols())`, with a factor for each row. A row with NaN or
/// infinity gets a factor of NaN, and so do its products.
pub(crate) fn quantise_rows(x: &Matrix, lanes: &mut Matrix, scales: &mut [f32]) {
    dispatch(Quantise { x, lanes, scales });
}

struct Quantise<'a> {
    x: &'a Matrix,
    lanes: &'a mut Matrix,
    scales: &'a mut [f32],
}

impl Kernel for Quantise<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for (r, factor) in self.scales.iter_mut().enumerate() {
            let row = self.x.row(r);
            let (most, check) = extent(s, row);
            *factor = scale(most) + check;
            let inverse = s.splat(127.0 / most.max(SMALLEST));
            let (chunks, rest) = row.as_chunks::<16>();
            let (lanes, last) = self.lanes.row_mut(r).split_at_mut(4 * chunks.len());
            for (chunk, lanes) in chunks.iter().zip(lanes.as_chunks_mut().0) {
                *lanes = lanes_of(s.round_bytes(s.mul(s.load(chunk), inverse)));
            }
            let bytes = lanes_of(s.round_bytes(s.mul(s.load_partial(rest, 0.0), inverse)));
            last.copy_from_slice(&bytes[..last.len()]);
        }
    }
}

/// Sixteen bytes in four lanes.
#[inline(always)]
fn lanes_of(bytes: [u8; 16]) -> [f32; 4] {
    let (quads, _) = bytes.as_chunks();
    std::array::from_fn(|i| f32::from_bits(u32::from_le_bytes(quads[i])))
}

/// The greatest magnitude, and 0, or NaN if any number is not finite.
#[inline(always)]
pub(crate) fn extent<S: Simd>(s: S, row: &[f32]) -> (f32, f32) {
    // Four chains of each, to hide their latency.
    let (zero, mut most, mut check) = (s.splat(0.0), [s.splat(0.0); 4], [s.splat(0.0); 4]);
    let (chunks, rest) = row.as_chunks::<16>();
    let (blocks, single) = chunks.as_chunks::<4>();
    for block in blocks {
        for (i, chunk) in block.iter().enumerate() {
            let v = s.load(chunk);
            most[i] = s.max(s.abs(v), most[i]);
            check[i] = s.mul_add(v, zero, check[i]);
        }
    }
    for chunk in single {
        let v = s.load(chunk);
        most[0] = s.max(s.abs(v), most[0]);
        check[0] = s.mul_add(v, zero, check[0]);
    }
    let v = s.load_partial(rest, 0.0);
    most[0] = s.max(s.abs(v), most[0]);
    check[0] = s.mul_add(v, zero, check[0]);
    let most = s.max(s.max(most[0], most[1]), s.max(most[2], most[3]));
    let check = s.add(s.add(check[0], check[1]), s.add(check[2], check[3]));
    (s.max_lane(most), s.sum(check))
}
