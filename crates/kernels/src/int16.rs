//! Products of integers of 16 bits (Devlin 2017, §4.1).
//!
//! The paper clips weights to ±1 and activations to ±10, and rounds them to multiples of a fixed step. Here, as with 8 bits, a
//! row has a factor of its own, and so have the weights to each output; nothing is clipped, and `tests/int16.rs` finds the
//! products of layers of a usual size several times nearer. The integers of a map with K inputs are at most √(2³¹ / K), 2,896 for 256
//! inputs, so that no sum leaves 32 bits. Sums are exact. So every instruction set gives the same bits.

use crate::aligned::Lanes;
use crate::int8::{SMALLEST, extent};
use crate::isa::{Kernel, Simd, dispatch};
use crate::matrix::Matrix;
use crate::packed::{Ends, Panels, WeightOrder};

/// Integers of 16 bits in a lane.
const PER_LANE: usize = 2;

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
    let (length, greatest) = (row_lanes(inputs), greatest(inputs));
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
    Panels::of_integers(lines, length, outputs, ends)
}

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
        let greatest = greatest(self.x.cols());
        for (r, factor) in self.scales.iter_mut().enumerate() {
            let row = self.x.row(r);
            let (most, check) = extent(s, row);
            *factor = most.max(SMALLEST) / greatest + check;
            let inverse = s.splat(greatest / most.max(SMALLEST));
            let (chunks, rest) = row.as_chunks::<16>();
            let (lanes, last) = self.lanes.row_mut(r).split_at_mut(8 * chunks.len());
            for (chunk, lanes) in chunks.iter().zip(lanes.as_chunks_mut().0) {
                *lanes = lanes_of(s.round_words(s.mul(s.load(chunk), inverse)));
            }
            let words = lanes_of(s.round_words(s.mul(s.load_partial(rest, 0.0), inverse)));
            last.copy_from_slice(&words[..last.len()]);
        }
    }
}

/// Sixteen integers in eight lanes.
#[inline(always)]
fn lanes_of(words: [i16; 16]) -> [f32; 8] {
    let (pairs, _) = words.as_chunks();
    std::array::from_fn(|i| lane_of(pairs[i]))
}

#[inline(always)]
fn lane_of([first, second]: [i16; 2]) -> f32 {
    f32::from_bits(u32::from(first as u16) | u32::from(second as u16) << 16)
}
