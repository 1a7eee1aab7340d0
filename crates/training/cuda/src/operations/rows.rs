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
    /// order. If there are many, blocks add some of them each, and another block adds these sums.
    fn add_chosen(&mut self, grad: &Matrix, ids: &[u32], factor: f32, sum: &mut Matrix) {
        is_shaped(grad, ids.len(), sum.cols());
        let Growth { few, pieces, many } = Growth::new(ids, sum.rows());
        self.add_lists(grad, &few, factor, sum, false);
        if !many.targets.is_empty() {
            let mut partial = self.take(pieces.targets.len(), sum.cols());
            self.add_lists(grad, &pieces, 1.0, &mut partial, true);
            self.add_lists(&partial, &many, factor, sum, false);
            self.give(partial);
        }
    }

    /// Row `targets[i]` of the sum grows by, or is if fresh, factor · the sum of the rows of `grad` in list i.
    fn add_lists(&mut self, grad: &Matrix, lists: &Lists, factor: f32, sum: &mut Matrix, fresh: bool) {
        let Lists { targets, starts, sources } = lists;
        let count = targets.len();
        if count == 0 {
            return;
        }
        let (grid, cols) = (Grid::rows(count, sum.cols()), sum.cols() as u32);
        let table = self.table(&[&targets[..], starts, sources].concat());
        // SAFETY: targets are rows of the sum, sources of `grad`, and `starts` bound the sources of each target.
        self.run(|b| unsafe {
            let [starts, sources] = [count, 2 * count + 1].map(|at| table.ids().wrapping_add(at));
            b.add_rows(grid, grad.read(), table.ids(), starts, sources, factor, sum.write(), cols, fresh.into())
        });
        self.give(table);
    }
}

/// The most rows that a block adds to one row.
const LONGEST_LIST: usize = 64;

/// Lists of rows, and the row that each list is added to.
#[derive(Default)]
struct Lists {
    targets: Vec<u32>,
    /// Where each list begins; the end of the last.
    starts: Vec<u32>,
    sources: Vec<u32>,
}

impl Lists {
    fn push(&mut self, target: u32, sources: &[u32]) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.targets.push(target);
        self.sources.extend_from_slice(sources);
        self.starts.push(self.sources.len() as u32);
    }
}

/// The rows that rows of a sum grow by.
#[derive(Default)]
struct Growth {
    /// For rows with short lists.
    few: Lists,
    /// Pieces of long lists, to rows of their own.
    pieces: Lists,
    /// From the rows of pieces.
    many: Lists,
}

impl Growth {
    /// Row `ids[i]` of `rows` rows grows by row i.
    fn new(ids: &[u32], rows: usize) -> Self {
        let mut starts = vec![0_u32; rows + 1];
        for &id in ids.iter().filter(|&&id| id != NO_ID) {
            assert!((id as usize) < rows, "an id beyond the table");
            starts[id as usize + 1] += 1;
        }
        (0..rows).for_each(|row| starts[row + 1] += starts[row]);
        let mut sources = vec![0; starts[rows] as usize];
        let mut next = starts.clone();
        for (i, &id) in ids.iter().enumerate().filter(|(_, id)| **id != NO_ID) {
            sources[next[id as usize] as usize] = i as u32;
            next[id as usize] += 1;
        }
        let mut growth = Self::default();
        for row in 0..rows {
            let own = &sources[starts[row] as usize..starts[row + 1] as usize];
            growth.push(row as u32, own);
        }
        growth
    }

    fn push(&mut self, target: u32, sources: &[u32]) {
        if sources.len() > LONGEST_LIST {
            let first = self.pieces.targets.len() as u32;
            for (piece, sources) in (first..).zip(sources.chunks(LONGEST_LIST)) {
                self.pieces.push(piece, sources);
            }
            self.many.push(target, &(first..self.pieces.targets.len() as u32).collect::<Vec<_>>());
        } else if !sources.is_empty() {
            self.few.push(target, sources);
        }
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
