//! What training needs beside the products of translation.

use crate::isa::{Kernel, Simd, dispatch};
use crate::matrix::Matrix;
use crate::packed::{Layout, PackedMatrix};
use crate::product::product_add;

/// Storage of [`transposed_product_add`].
#[derive(Clone, Debug, Default)]
pub struct TransposedWork {
    packed: PackedMatrix,
    transposed: Matrix,
}

/// Rows that are multiplied at a time: a row of a block's transpose fits into the first-level cache.
const BLOCK: usize = 256;

/// out ← out + xᵀ·y, for x `n × a`, y `n × b`, out `a × b`.
///
/// # Panics
/// If the shapes do not fit.
pub fn transposed_product_add(x: &Matrix, y: &Matrix, out: &mut Matrix, work: &mut TransposedWork) {
    assert_eq!(x.rows(), y.rows(), "rows of x and y");
    let TransposedWork { packed, transposed } = work;
    let (a, b) = (x.cols(), y.cols());
    for start in (0..x.rows()).step_by(BLOCK) {
        let rows = start..(start + BLOCK).min(x.rows());
        packed.repack(&y.as_slice()[rows.start * b..rows.end * b], rows.len(), b, Layout::InputsByOutputs);
        transposed.resize(a, rows.len());
        transpose(&x.as_slice()[rows.start * a..rows.end * a], a, rows.len(), transposed.as_mut_slice());
        product_add(transposed, packed, out);
    }
}

/// out ← xᵀ, x `rows × cols`: in squares that stay in the first-level cache.
pub(crate) fn transpose<T: Copy>(x: &[T], cols: usize, rows: usize, out: &mut [T]) {
    const SIDE: usize = 16;
    for row in (0..rows).step_by(SIDE) {
        for col in (0..cols).step_by(SIDE) {
            for c in col..(col + SIDE).min(cols) {
                for r in row..(row + SIDE).min(rows) {
                    out[c * rows + r] = x[r * cols + c];
                }
            }
        }
    }
}

/// Runs `body` compiled for the widest instruction set of this CPU, so that plain loops over slices use it.
#[inline(always)]
pub fn vectorised<R>(body: impl FnOnce() -> R) -> R {
    struct Body<F>(F);
    impl<R, F: FnOnce() -> R> Kernel for Body<F> {
        type Output = R;
        #[inline(always)]
        fn run<S: Simd>(self, _: S) -> R {
            (self.0)()
        }
    }
    dispatch(Body(body))
}
