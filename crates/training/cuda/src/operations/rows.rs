//! Choosing, joining and cutting rows and columns: `kernels/rows.cu`.

#![allow(unsafe_code)] // launches kernels

use super::{is_shaped, pairs};
use crate::launch::Grid;
use crate::{Cuda, Matrix};
use metaphrase_device::{Block, Rows, Shape, Spans, Storage};

/// The number that stands for no id in the kernels.
const NO_ID: u32 = u32::MAX;

impl Cuda {
    fn move_block(&mut self, x: &Matrix, y: &mut Matrix, block: Block, add: bool) {
        let Block { rows, cols, from, to } = block;
        let inside = |(row, col): (usize, usize), m: &Matrix| row + rows <= m.rows() && col + cols <= m.cols();
        assert!(inside(from, x) && inside(to, y), "a block beyond its matrix");
        let (x_cols, y_cols, n) = (x.cols(), y.cols(), rows * cols);
        // SAFETY: the block lies within both, and begins where the pointers point.
        self.run(|b| unsafe {
            let x = x.read().wrapping_add(from.0 * x_cols + from.1);
            let y = y.write().wrapping_add(to.0 * y_cols + to.1);
            b.block(Grid::each(n), x, x_cols as u32, y, y_cols as u32, cols as u32, n as u64, add.into())
        });
    }

    /// Row i of y ← factor · row `ids[i]` of the table.
    fn choose(&mut self, table: &Matrix, ids: &[u32], factor: f32, y: &mut Matrix) {
        assert!(ids.iter().all(|&id| id == NO_ID || (id as usize) < table.rows()), "an id beyond the table");
        is_shaped(y, ids.len(), table.cols());
        let ids = self.table(ids);
        let (n, cols) = (y.len(), y.cols() as u32);
        // SAFETY: all ids are rows of the table, and there is one per row of y.
        self.run(|b| unsafe { b.lookup(Grid::each(n), table.read(), ids.ids(), factor, y.write(), cols, n as u64) });
        self.give(ids);
    }

    /// Row `ids[i]` of the sum grows by factor · row i of `grad`. One block adds all rows that go to the same row, in
    /// order.
    fn add_chosen(&mut self, grad: &Matrix, ids: &[u32], factor: f32, sum: &mut Matrix) {
        is_shaped(grad, ids.len(), sum.cols());
        let mut sources: Vec<u32> = (0..ids.len() as u32).filter(|&i| ids[i as usize] != NO_ID).collect();
        sources.sort_by_key(|&i| (ids[i as usize], i));
        let (mut targets, mut starts) = (Vec::new(), Vec::new());
        for (at, &source) in sources.iter().enumerate() {
            let target = ids[source as usize];
            if targets.last() != Some(&target) {
                targets.push(target);
                starts.push(at as u32);
            }
        }
        starts.push(sources.len() as u32);
        assert!(targets.last().is_none_or(|&last| (last as usize) < sum.rows()), "an id beyond the table");
        let (grid, cols) = (Grid::rows(targets.len(), sum.cols()), sum.cols() as u32);
        let [targets, starts, sources] = [targets, starts, sources].map(|numbers| self.table(&numbers));
        // SAFETY: targets are rows of the sum, sources of `grad`, and `starts` bound the sources of each target.
        self.run(|b| unsafe {
            b.add_rows(grid, grad.read(), targets.ids(), starts.ids(), sources.ids(), factor, sum.write(), cols)
        });
        [targets, starts, sources].into_iter().for_each(|table| self.give(table));
    }
}

fn with_none(ids: &[Option<u32>]) -> Vec<u32> {
    ids.iter().map(|id| id.unwrap_or(NO_ID)).collect()
}

impl Rows for Cuda {
    fn copy_block(&mut self, x: &Matrix, y: &mut Matrix, block: Block) {
        self.move_block(x, y, block, false);
    }

    fn add_block(&mut self, x: &Matrix, sum: &mut Matrix, block: Block) {
        self.move_block(x, sum, block, true);
    }

    fn lookup(&mut self, table: &Matrix, ids: &[Option<u32>], factor: f32, y: &mut Matrix) {
        self.choose(table, &with_none(ids), factor, y);
    }

    fn add_looked_up(&mut self, grad: &Matrix, ids: &[Option<u32>], factor: f32, sum: &mut Matrix) {
        self.add_chosen(grad, &with_none(ids), factor, sum);
    }

    fn gather(&mut self, x: &Matrix, rows: &[u32], y: &mut Matrix) {
        self.choose(x, rows, 1.0, y);
    }

    fn add_gathered(&mut self, grad: &Matrix, rows: &[u32], sum: &mut Matrix) {
        self.add_chosen(grad, rows, 1.0, sum);
    }

    fn means(&mut self, x: &Matrix, spans: &Spans, y: &mut Matrix) {
        is_shaped(y, spans.len(), x.cols());
        let table = self.table(&pairs(spans, x.rows()));
        let (n, cols) = (y.len(), y.cols() as u32);
        // SAFETY: the spans are rows of x, one per row of y.
        self.run(|b| unsafe { b.means(Grid::each(n), x.read(), table.ids(), y.write(), cols, n as u64) });
        self.give(table);
    }

    fn add_to_means(&mut self, grad: &Matrix, spans: &Spans, sum: &mut Matrix) {
        is_shaped(grad, spans.len(), sum.cols());
        let table = self.table(&pairs(spans, sum.rows()));
        let (n, cols, count) = (sum.len(), sum.cols() as u32, spans.len() as u32);
        // SAFETY: there are `count` spans, one per row of `grad`.
        self.run(|b| unsafe {
            b.add_to_means(Grid::each(n), grad.read(), table.ids(), count, sum.write(), cols, n as u64)
        });
        self.give(table);
    }

    fn repeat(&mut self, row: &Matrix, y: &mut Matrix) {
        is_shaped(row, 1, y.cols());
        let (n, cols) = (y.len(), y.cols() as u32);
        // SAFETY: the row has a number per column of y.
        self.run(|b| unsafe { b.repeat(Grid::each(n), row.read(), y.write(), cols, n as u64) });
    }
}
