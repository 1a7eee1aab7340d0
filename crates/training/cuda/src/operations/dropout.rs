//! Dropout: `kernels/elementwise.cu`.

#![allow(unsafe_code)] // launches kernels

use super::same;
use crate::launch::Grid;
use crate::{Cuda, Matrix};
use metaphrase_device::{Dropout, Mask, Shape};
use std::ptr::{null, null_mut};

impl Dropout for Cuda {
    fn drop(&mut self, mask: Mask, x: &Matrix, y: &mut Matrix) {
        let n = same([x, y]);
        let (y, rounded) = self.write_rounded(y);
        // SAFETY: both have n numbers.
        self.run(|b| unsafe { b.dropout(Grid::each(n), mask, x.read(), null(), y, n as u64, rounded) });
    }

    fn sum_with_dropped(&mut self, mask: Mask, x: &Matrix, a: &Matrix, y: &mut Matrix) {
        let n = same([x, a, y]);
        // SAFETY: all have n numbers.
        self.run(|b| unsafe { b.dropout(Grid::each(n), mask, x.read(), a.read(), y.write(), n as u64, null_mut()) });
    }

    fn add_dropped(&mut self, mask: Mask, x: &Matrix, sum: &mut Matrix) {
        let n = same([x, sum]);
        let (sum, rounded) = self.write_rounded(sum);
        // SAFETY: both have n numbers.
        self.run(|b| unsafe { b.dropout(Grid::each(n), mask, x.read(), sum, sum, n as u64, rounded) });
    }

    fn mask(&mut self, mask: Mask, y: &mut Matrix) {
        let n = y.len();
        // SAFETY: y has n numbers.
        self.run(|b| unsafe { b.dropout(Grid::each(n), mask, null(), null(), y.write(), n as u64, null_mut()) });
    }

    fn row_mask(&mut self, mask: Mask, y: &mut Matrix) {
        let (n, cols) = (y.len(), y.cols() as u32);
        // SAFETY: y has n numbers.
        self.run(|b| unsafe { b.row_mask(Grid::each(n), mask, y.write(), cols, n as u64) });
    }
}
