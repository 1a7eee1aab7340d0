//! Norms of rows, and the summaries of their logits.

#![allow(unsafe_code)] // launches kernels

use crate::launch::Grid;
use crate::operations::{is_shaped, optional, same};
use crate::{Cuda, Matrix};
use metaphrase_device::{Normal, Shape, Storage};

impl Cuda {
    /// y ← scale · (x - mean) / √(variance + ε) + bias, row by row.
    pub fn normalise_rows(
        &mut self,
        x: &Matrix,
        scale: &Matrix,
        bias: Option<&Matrix>,
        normal: Normal,
        y: &mut Matrix,
    ) {
        same([x, y]);
        is_shaped(scale, 1, x.cols());
        is_shaped(bias.unwrap_or(scale), 1, x.cols());
        let Normal { epsilon, centred } = normal;
        let (grid, cols, rows) = (Grid::teams(x.rows()), x.cols() as u32, x.rows() as u32);
        // SAFETY: there is a team per row of x and y; scale and bias, if any, have a number per column.
        self.run(|b| unsafe {
            let (scale, bias) = (scale.read(), optional(bias));
            b.normalise_rows(grid, x.read(), scale, bias, epsilon, centred.into(), y.write(), cols, rows)
        });
    }

    /// Summaries of rows of logits, `rows × (1 + 2k)`: `ln Σ eˣ`, then the k greatest, each with the bits of its column
    /// after it, best first, at equal numbers the first column first. [`NO_ID`](super::NO_ID) is the column of what is
    /// missing. Row i has `counts[i]` logits, without counts as many as columns.
    pub fn summarise(&mut self, logits: &Matrix, counts: Option<&[u32]>, k: usize, summaries: &mut Matrix) {
        is_shaped(summaries, logits.rows(), 1 + 2 * k);
        let cols = logits.cols();
        if let Some(counts) = counts {
            assert!(counts.len() == logits.rows() && counts.iter().all(|&n| n as usize <= cols), "logits of each row");
        }
        let table = counts.map(|counts| self.table(counts));
        let counts = table.as_ref().map_or(std::ptr::null(), Matrix::ids);
        let grid = Grid::blocks(logits.rows());
        // SAFETY: there is a block and a summary per row, which reads at most the columns of its row.
        self.run(|b| unsafe { b.summarise(grid, logits.read(), cols as u32, counts, k as u32, summaries.write()) });
        table.into_iter().for_each(|table| self.give(table));
    }
}
