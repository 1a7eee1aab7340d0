//! Sums, products and functions of single numbers: `kernels/elementwise.cu`.

#![allow(unsafe_code)] // launches kernels

use super::{is_shaped, optional, same, shape};
use crate::launch::Grid;
use crate::{Cuda, Matrix};
use metaphrase_device::{Activation, Block, Elementwise, Rows, Shape, Storage};
use std::ptr::null_mut;

impl Cuda {
    /// y ← f(y + bias).
    pub(super) fn finish(&mut self, y: &mut Matrix, bias: Option<&Matrix>, f: Activation) {
        if let Some(bias) = bias {
            is_shaped(bias, 1, y.cols());
        }
        let (n, cols) = (y.len(), y.cols() as u32);
        // A product often reads what a function returns.
        let (y, rounded) = if f == Activation::None { (y.write(), null_mut()) } else { self.write_rounded(y) };
        // SAFETY: y has n numbers, the bias, if any, one per column.
        self.run(|b| unsafe { b.activate(Grid::each(n), y, optional(bias), cols, n as u64, f as u32, rounded) });
    }

    /// sum ← sum + Σ_r a_r · b_r, or Σ_r a_r: first the sums of some rows each, then the sum of these.
    pub(super) fn column_sums(&mut self, a: &Matrix, b: Option<&Matrix>, sum: &mut Matrix) {
        let (rows, cols) = shape(a);
        is_shaped(b.unwrap_or(a), rows, cols);
        assert_eq!(sum.len(), cols, "a sum per column");
        let chunks = rows.div_ceil(ROWS_OF_SUM);
        if chunks <= 1 {
            return self.sums_of_rows(a, b, ROWS_OF_SUM, sum, true);
        }
        let mut partial = self.take(chunks, cols);
        self.sums_of_rows(a, b, ROWS_OF_SUM, &mut partial, false);
        self.sums_of_rows(&partial, None, chunks, sum, true);
        self.give(partial);
    }

    /// Row i of `sums` ← the sum of rows `i · height` to `(i + 1) · height`, or sums ← sums + the sum of all.
    fn sums_of_rows(&mut self, a: &Matrix, b: Option<&Matrix>, height: usize, sums: &mut Matrix, add: bool) {
        let (rows, cols) = shape(a);
        let grid = Grid::blocks(cols.div_ceil(32) * rows.div_ceil(height)); // a block has 32 columns
        // SAFETY: a and b have one shape; there is a sum per column and chunk of rows.
        self.run(|backend| unsafe {
            let (rows, cols, height) = (rows as u32, cols as u32, height as u32);
            backend.column_sums(grid, a.read(), optional(b), rows, cols, height, sums.write(), add.into())
        });
    }
}

/// Rows that a block of kernels adds up. Tens of thousands of rows in one block would be read one after the other.
const ROWS_OF_SUM: usize = 256;

/// All of a matrix.
fn whole(x: &Matrix, y: &Matrix) -> Block {
    same([x, y]);
    Block { rows: x.rows(), cols: x.cols(), from: (0, 0), to: (0, 0) }
}

impl Elementwise for Cuda {
    fn copy(&mut self, x: &Matrix, y: &mut Matrix) {
        self.copy_block(x, y, whole(x, y));
    }

    fn add(&mut self, y: &mut Matrix, x: &Matrix) {
        self.add_block(x, y, whole(x, y));
    }

    fn sum_of(&mut self, a: &Matrix, b: &Matrix, y: &mut Matrix) {
        let n = same([a, b, y]);
        // SAFETY: all have n numbers.
        self.run(|backend| unsafe { backend.sum_of(Grid::each(n), a.read(), b.read(), y.write(), n as u64) });
    }

    fn weighted_sum(&mut self, y: &mut Matrix, x: &Matrix, [a, b]: [f32; 2]) {
        let n = same([y, x]);
        // SAFETY: both have n numbers.
        self.run(|backend| unsafe { backend.weighted_sum(Grid::each(n), y.write(), x.read(), n as u64, a, b) });
    }

    fn mul(&mut self, y: &mut Matrix, x: &Matrix) {
        let n = same([y, x]);
        // SAFETY: both have n numbers.
        self.run(|b| unsafe { b.multiply(Grid::each(n), y.write(), x.read(), n as u64) });
    }

    fn add_row(&mut self, y: &mut Matrix, row: &Matrix) {
        self.finish(y, Some(row), Activation::None);
    }

    fn activate(&mut self, f: Activation, y: &mut Matrix) {
        self.finish(y, None, f);
    }

    fn derive(&mut self, f: Activation, x: &Matrix, y: &Matrix, grad: &mut Matrix) {
        let n = same([x, y, grad]);
        let read = if matches!(f, Activation::Swish | Activation::Gelu) { x } else { y };
        if f != Activation::None {
            let (grad, rounded) = self.write_rounded(grad);
            // SAFETY: all have n numbers.
            self.run(|b| unsafe { b.derive(Grid::each(n), read.read(), grad, n as u64, f as u32, rounded) });
        }
    }

    fn mix(&mut self, gate: &Matrix, a: &Matrix, b: &Matrix, y: &mut Matrix) {
        let n = same([gate, a, b, y]);
        // SAFETY: all have n numbers.
        self.run(|backend| unsafe { backend.mix(Grid::each(n), gate.read(), a.read(), b.read(), y.write(), n as u64) });
    }

    fn add_product(&mut self, a: &Matrix, b: &Matrix, sum: &mut Matrix, fresh: bool) {
        let n = same([a, b, sum]);
        // SAFETY: all have n numbers.
        self.run(|backend| unsafe {
            backend.add_product(Grid::each(n), a.read(), b.read(), sum.write(), n as u64, fresh.into())
        });
    }

    fn add_rest(&mut self, a: &Matrix, gate: &Matrix, sum: &mut Matrix) {
        let n = same([a, gate, sum]);
        // SAFETY: all have n numbers.
        self.run(|b| unsafe { b.add_rest(Grid::each(n), a.read(), gate.read(), sum.write(), n as u64) });
    }

    fn add_difference(&mut self, x: &Matrix, a: &Matrix, b: &Matrix, sum: &mut Matrix) {
        let n = same([x, a, b, sum]);
        // SAFETY: all have n numbers.
        self.run(|backend| unsafe {
            backend.add_difference(Grid::each(n), x.read(), a.read(), b.read(), sum.write(), n as u64)
        });
    }

    fn add_all_rows(&mut self, x: &Matrix, sum: &mut Matrix) {
        self.column_sums(x, None, sum);
    }
}
