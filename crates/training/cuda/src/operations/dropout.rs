//! Dropout: `kernels/elementwise.cu`.

#![allow(unsafe_code)] // launches kernels

use super::{optional, same};
use crate::launch::Grid;
use crate::{Cuda, Matrix};
use metaphrase_device::{Dropout, Mask, Shape};
use std::ptr::null_mut;

impl Cuda {
    fn drop_into(&mut self, mask: Mask, x: Option<&Matrix>, y: &mut Matrix, add: bool) {
        let n = same([x.unwrap_or(y), y]);
        let (y, rounded) = if x.is_none() { (y.write(), null_mut()) } else { self.write_rounded(y) };
        // SAFETY: y and x, if any, have n numbers.
        self.run(|b| unsafe { b.dropout(Grid::each(n), mask, optional(x), y, n as u64, add.into(), rounded) });
    }
}

impl Dropout for Cuda {
    fn drop(&mut self, mask: Mask, x: &Matrix, y: &mut Matrix) {
        self.drop_into(mask, Some(x), y, false);
    }

    fn add_dropped(&mut self, mask: Mask, x: &Matrix, sum: &mut Matrix) {
        self.drop_into(mask, Some(x), sum, true);
    }

    fn mask(&mut self, mask: Mask, y: &mut Matrix) {
        self.drop_into(mask, None, y, false);
    }

    fn row_mask(&mut self, mask: Mask, y: &mut Matrix) {
        let (n, cols) = (y.len(), y.cols() as u32);
        // SAFETY: y has n numbers.
        self.run(|b| unsafe { b.row_mask(Grid::each(n), mask, y.write(), cols, n as u64) });
    }
}
