//! Choosing, joining and cutting rows and columns.

use crate::attention::Spans;
use crate::parameter::TrainingPrecision;
use crate::storage::{Host, Storage};
use metaphrase_kernels::{Matrix, WeightOrder, add_assign, axpy, quantise_int8};

/// A block of one matrix, and its place in another matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Rows of the block.
    pub rows: usize,
    /// Columns of the block.
    pub cols: usize,
    /// Row and column of its first number in the source matrix.
    pub from: (usize, usize),
    /// Row and column of its first number in the target matrix.
    pub to: (usize, usize),
}

impl Block {
    /// The same block with source and target exchanged.
    #[must_use]
    pub const fn back(self) -> Self {
        Self { from: self.to, to: self.from, ..self }
    }
}

/// Operations that move rows and blocks. A list of rows may name a row several times.
pub trait Rows: Storage {
    /// Copies a block from x to y.
    fn copy_block(&mut self, x: &Self::Matrix, y: &mut Self::Matrix, block: Block);
    /// Adds a block of x to a block of `sum`.
    fn add_block(&mut self, x: &Self::Matrix, sum: &mut Self::Matrix, block: Block);
    /// Row i of y ← factor · row `ids[i]` of the table; zeros where there is no id.
    fn lookup(&mut self, table: &Self::Matrix, ids: &[Option<u32>], factor: f32, y: &mut Self::Matrix);
    /// Row `ids[i]` of `sum` grows by factor · row i of `grad`.
    fn add_looked_up(&mut self, grad: &Self::Matrix, ids: &[Option<u32>], factor: f32, sum: &mut Self::Matrix);
    /// Row i of y ← row `rows[i]` of x.
    fn gather(&mut self, x: &Self::Matrix, rows: &[u32], y: &mut Self::Matrix);
    /// Row `rows[i]` of `sum` grows by row i of `grad`.
    fn add_gathered(&mut self, grad: &Self::Matrix, rows: &[u32], sum: &mut Self::Matrix);
    /// Row i of y ← the mean of the rows of x in span i; zeros if it is empty.
    fn means(&mut self, x: &Self::Matrix, spans: &Spans, y: &mut Self::Matrix);
    /// The rows of `sum` in span i grow by row i of `grad` / the span's length.
    fn add_to_means(&mut self, grad: &Self::Matrix, spans: &Spans, sum: &mut Self::Matrix);
    /// Each row of y ← `row`.
    fn repeat(&mut self, row: &Self::Matrix, y: &mut Self::Matrix);
}

/// Calls `act` for each row of a block, with the target's and the source's numbers; whole rows are one call.
fn in_block(x: &Matrix, y: &mut Matrix, block: Block, mut act: impl FnMut(&mut [f32], &[f32])) {
    let Block { mut rows, mut cols, from, to } = block;
    let (x_cols, y_cols) = (x.cols(), y.cols());
    if cols == x_cols && cols == y_cols {
        (rows, cols) = (1, rows * cols);
    }
    for r in 0..rows {
        let (x_start, y_start) = ((from.0 + r) * x_cols + from.1, (to.0 + r) * y_cols + to.1);
        act(&mut y.as_mut_slice()[y_start..y_start + cols], &x.as_slice()[x_start..x_start + cols]);
    }
}

/// sum ← sum + factor · x, where x is first rounded to 8 bits as the embedding of a word is in a model of int8.
fn add_rounded(factor: f32, x: &[f32], sum: &mut [f32]) {
    let (integers, scale) = quantise_int8(x, x.len(), 1, WeightOrder::OutputsByInputs);
    let scale = scale[0];
    sum.iter_mut().zip(integers).for_each(|(sum, integer)| *sum += factor * (f32::from(integer) * scale));
}

impl Rows for Host {
    fn copy_block(&mut self, x: &Matrix, y: &mut Matrix, block: Block) {
        in_block(x, y, block, <[f32]>::copy_from_slice);
    }

    fn add_block(&mut self, x: &Matrix, sum: &mut Matrix, block: Block) {
        in_block(x, sum, block, add_assign);
    }

    fn lookup(&mut self, table: &Matrix, ids: &[Option<u32>], factor: f32, y: &mut Matrix) {
        for (r, id) in ids.iter().enumerate() {
            let row = y.row_mut(r);
            row.fill(0.0);
            if let Some(id) = id {
                let numbers = table.row(*id as usize);
                match self.precision {
                    TrainingPrecision::Int8 => add_rounded(factor, numbers, row),
                    TrainingPrecision::F32 | TrainingPrecision::Bf16 => axpy(factor, numbers, row),
                }
            }
        }
    }

    fn add_looked_up(&mut self, grad: &Matrix, ids: &[Option<u32>], factor: f32, sum: &mut Matrix) {
        for (r, id) in ids.iter().enumerate() {
            if let Some(id) = id {
                axpy(factor, grad.row(r), sum.row_mut(*id as usize));
            }
        }
    }

    fn gather(&mut self, x: &Matrix, rows: &[u32], y: &mut Matrix) {
        rows.iter().enumerate().for_each(|(to, &from)| y.row_mut(to).copy_from_slice(x.row(from as usize)));
    }

    fn add_gathered(&mut self, grad: &Matrix, rows: &[u32], sum: &mut Matrix) {
        rows.iter().enumerate().for_each(|(from, &to)| add_assign(sum.row_mut(to as usize), grad.row(from)));
    }

    fn means(&mut self, x: &Matrix, spans: &Spans, y: &mut Matrix) {
        y.as_mut_slice().fill(0.0);
        for (r, span) in spans.iter().enumerate() {
            span.clone().for_each(|from| axpy(1.0 / span.len() as f32, x.row(from), y.row_mut(r)));
        }
    }

    fn add_to_means(&mut self, grad: &Matrix, spans: &Spans, sum: &mut Matrix) {
        for (r, span) in spans.iter().enumerate() {
            span.clone().for_each(|to| axpy(1.0 / span.len() as f32, grad.row(r), sum.row_mut(to)));
        }
    }

    fn repeat(&mut self, row: &Matrix, y: &mut Matrix) {
        (0..y.rows()).for_each(|r| y.row_mut(r).copy_from_slice(row.row(0)));
    }
}
