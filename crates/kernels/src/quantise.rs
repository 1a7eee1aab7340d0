//! Rows rounded to integers, with a factor for each row.

use crate::isa::{Kernel, Simd, dispatch};
use crate::matrix::Matrix;
use std::marker::PhantomData;

/// Rows of numbers below it become zeros.
pub(crate) const SMALLEST: f32 = 1e-30;

/// Integers of which sixteen take `LANES` lanes.
pub(crate) trait Integer<const LANES: usize> {
    /// The greatest integer of rows and weights of a map with this many inputs.
    fn greatest(inputs: usize) -> f32;

    /// Sixteen numbers rounded, as lanes.
    fn lanes<S: Simd>(s: S, values: S::F) -> [f32; LANES];
}

/// Rounds the rows of `x` into the present storage, with a factor for each row: its greatest magnitude divided by the greatest
/// integer. A row with NaN or infinity gets a factor of NaN, and so do its products.
pub(crate) fn quantise_rows<I: Integer<LANES>, const LANES: usize>(
    x: &Matrix,
    lanes: &mut Matrix,
    scales: &mut Vec<f32>,
) {
    lanes.resize(x.rows(), x.cols().div_ceil(16 / LANES));
    scales.resize(x.rows(), 0.0);
    dispatch(Quantise { x, lanes, scales, integer: PhantomData::<I> });
}

struct Quantise<'a, I, const LANES: usize> {
    x: &'a Matrix,
    lanes: &'a mut Matrix,
    scales: &'a mut [f32],
    integer: PhantomData<I>,
}

impl<I: Integer<LANES>, const LANES: usize> Kernel for Quantise<'_, I, LANES> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let greatest = I::greatest(self.x.cols());
        for (r, factor) in self.scales.iter_mut().enumerate() {
            let row = self.x.row(r);
            let (most, check) = extent(s, row);
            *factor = most.max(SMALLEST) / greatest + check;
            let inverse = s.splat(greatest / most.max(SMALLEST));
            let (chunks, rest) = row.as_chunks::<16>();
            let (lanes, last) = self.lanes.row_mut(r).split_at_mut(LANES * chunks.len());
            for (chunk, lanes) in chunks.iter().zip(lanes.as_chunks_mut().0) {
                *lanes = I::lanes(s, s.mul(s.load(chunk), inverse));
            }
            let integers = I::lanes(s, s.mul(s.load_partial(rest, 0.0), inverse));
            last.copy_from_slice(&integers[..last.len()]);
        }
    }
}

/// The greatest magnitude, and 0, or NaN if any number is not finite.
#[inline(always)]
fn extent<S: Simd>(s: S, row: &[f32]) -> (f32, f32) {
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
