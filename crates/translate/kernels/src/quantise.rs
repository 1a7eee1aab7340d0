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

/// Rounds the rows of `x` into the present storage, with a factor for each row: its greatest magnitude divided by the
/// greatest integer. A row with NaN or infinity gets a factor of NaN, and so do its products.
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
        let (cols, greatest) = (self.x.cols(), I::greatest(self.x.cols()));
        if cols == 0 {
            return self.scales.fill(SMALLEST / greatest);
        }
        let rows = self.x.as_slice().chunks(ROWS * cols);
        let lanes = self.lanes.as_mut_slice().chunks_mut(ROWS * cols.div_ceil(16 / LANES));
        for ((rows, lanes), scales) in rows.zip(lanes).zip(self.scales.chunks_mut(ROWS)) {
            // The factors of some rows first: a row's division waits for its maximum, and meanwhile the CPU looks at
            // others.
            let mut inverses = [0.0; ROWS];
            for ((row, factor), inverse) in rows.chunks_exact(cols).zip(scales).zip(&mut inverses) {
                let (most, check) = extent(s, row);
                *factor = most.max(SMALLEST) / greatest + check;
                *inverse = greatest / most.max(SMALLEST);
            }
            let lanes = lanes.chunks_exact_mut(cols.div_ceil(16 / LANES));
            for ((row, lanes), inverse) in rows.chunks_exact(cols).zip(lanes).zip(inverses) {
                let (inverse, (chunks, rest)) = (s.splat(inverse), row.as_chunks::<16>());
                let (lanes, last) = lanes.split_at_mut(LANES * chunks.len());
                for (chunk, lanes) in chunks.iter().zip(lanes.as_chunks_mut().0) {
                    *lanes = I::lanes(s, s.mul(s.load(chunk), inverse));
                }
                let integers = I::lanes(s, s.mul(s.load_partial(rest, 0.0), inverse));
                last.copy_from_slice(&integers[..last.len()]);
            }
        }
    }
}

/// Rows whose factors are computed before anything that waits for them.
const ROWS: usize = 4;

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
