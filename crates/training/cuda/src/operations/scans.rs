//! Running sums over the words of a sentence: `kernels/rows.cu`.

#![allow(unsafe_code)] // launches kernels

use super::{pairs, same};
use crate::launch::Grid;
use crate::{Cuda, Matrix};
use metaphrase_device::{Scans, Shape, Spans, Storage};

impl Cuda {
    /// Spans on the device, and how many threads there are: one per span and column.
    fn scanned(&mut self, spans: &Spans, x: &Matrix) -> (Matrix, usize) {
        (self.table(&pairs(spans, x.rows())), spans.len() * x.cols())
    }
}

impl Scans for Cuda {
    fn leaky_sum(&mut self, f: &Matrix, x: &Matrix, spans: &Spans, y: &mut Matrix) {
        same([f, x, y]);
        let (table, n) = self.scanned(spans, x);
        let cols = x.cols() as u32;
        // SAFETY: the spans are rows of all three.
        self.run(|b| unsafe { b.leaky_sum(Grid::each(n), f.read(), x.read(), table.ids(), y.write(), cols, n as u64) });
        self.give(table);
    }

    fn leaky_sum_backward(
        &mut self,
        [f, x, y]: [&Matrix; 3],
        spans: &Spans,
        grad: &Matrix,
        by_f: &mut Matrix,
        sum: &mut Matrix,
    ) {
        same([f, x, y, grad, by_f, sum]);
        let (table, n) = self.scanned(spans, x);
        let (grid, cols) = (Grid::each(n), x.cols() as u32);
        let [f, x, y, grad] = [f, x, y, grad].map(Matrix::read);
        // SAFETY: the spans are rows of all six.
        self.run(|b| unsafe {
            b.leaky_sum_backward(grid, f, x, y, table.ids(), grad, by_f.write(), sum.write(), cols, n as u64)
        });
        self.give(table);
    }

    fn running_mean(&mut self, x: &Matrix, spans: &Spans, y: &mut Matrix) {
        same([x, y]);
        let (table, n) = self.scanned(spans, x);
        let cols = x.cols() as u32;
        // SAFETY: the spans are rows of both.
        self.run(|b| unsafe { b.running_mean(Grid::each(n), x.read(), table.ids(), y.write(), cols, n as u64) });
        self.give(table);
    }

    fn running_mean_backward(&mut self, spans: &Spans, grad: &Matrix, sum: &mut Matrix) {
        same([grad, sum]);
        let (table, n) = self.scanned(spans, grad);
        let cols = grad.cols() as u32;
        // SAFETY: the spans are rows of both.
        self.run(|b| unsafe {
            b.running_mean_backward(Grid::each(n), table.ids(), grad.read(), sum.write(), cols, n as u64)
        });
        self.give(table);
    }
}
