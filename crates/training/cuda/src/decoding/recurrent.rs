//! The steps of recurrent networks: `kernels/recurrent.cu`.

#![allow(unsafe_code)] // launches kernels

use crate::arguments::{CellArguments, PickedArguments};
use crate::launch::Grid;
use crate::operations::is_shaped;
use crate::{Cuda, Matrix};
use core::ops::Range;
use metaphrase_device::{Shape, Storage};

/// Numbers of rows, on the device.
pub struct RowIds {
    table: Matrix,
    count: usize,
    /// One more than the greatest.
    bound: usize,
}

/// Rows that an operation reads, from one of their columns on.
#[derive(Clone, Copy)]
pub struct PickedRows<'a> {
    matrix: &'a Matrix,
    col: usize,
    pick: Pick<'a>,
}

/// Which row of a matrix an operation reads for its row i.
#[derive(Clone, Copy)]
enum Pick<'a> {
    /// Row i.
    Each,
    /// Row 0.
    First,
    /// The row that the number `start + i` names.
    Named { ids: &'a RowIds, start: usize, count: usize },
}

impl<'a> PickedRows<'a> {
    /// Row i of the matrix.
    #[must_use]
    pub const fn each(matrix: &'a Matrix) -> Self {
        Self { matrix, col: 0, pick: Pick::Each }
    }

    /// The first row of the matrix, for all rows.
    #[must_use]
    pub const fn first(matrix: &'a Matrix) -> Self {
        Self { matrix, col: 0, pick: Pick::First }
    }

    /// The row of the matrix that the number i names.
    #[must_use]
    pub const fn named(matrix: &'a Matrix, ids: &'a RowIds) -> Self {
        Self { matrix, col: 0, pick: Pick::Named { ids, start: 0, count: ids.count } }
    }

    /// The row of the matrix that the number i of a range of numbers names.
    #[must_use]
    pub const fn named_by(matrix: &'a Matrix, ids: &'a RowIds, range: &Range<usize>) -> Self {
        Self { matrix, col: 0, pick: Pick::Named { ids, start: range.start, count: range.end - range.start } }
    }

    /// The same rows, from a later column on.
    #[must_use]
    pub const fn from_column(self, col: usize) -> Self {
        Self { col: self.col + col, ..self }
    }

    /// Asserts that this number of rows has `width` columns, and returns where they are.
    fn check(&self, rows: usize, width: usize) -> PickedArguments {
        let Self { matrix, col, pick } = *self;
        let (needed, ids, cols) = match pick {
            Pick::Each => (rows, std::ptr::null(), matrix.cols()),
            Pick::First => (1, std::ptr::null(), 0),
            Pick::Named { ids, start, count } => {
                assert!(rows <= count && start + count <= ids.count, "a number for each row");
                (ids.bound, ids.table.ids().wrapping_add(start), matrix.cols())
            }
        };
        assert!(needed <= matrix.rows() && col + width <= matrix.cols(), "rows and columns of an input");
        PickedArguments { numbers: matrix.read().wrapping_add(col), ids, cols: cols as u32 }
    }
}

/// How a cell makes its next state of a, which it gets from its input, u, from its state, and the state. σ is the
/// logistic function, ⊙ the product number by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum CellKind {
    /// `r = σ(a₁ + u₁)`, `z = σ(a₂ + u₂)`, `h = tanh(a₃ + r ⊙ u₃)`, `s ← (1 - z) ⊙ h + z ⊙ s`.
    Gru,
    /// `c ← σ(a₁ + u₁) ⊙ c + σ(a₂ + u₂) ⊙ tanh(a₃ + u₃)`, `s ← σ(a₄ + u₄) ⊙ tanh(c)`.
    Lstm,
    /// `s ← tanh(a + u)`.
    Tanh,
    /// `s ← max(0, a + u)`.
    Relu,
    /// `c ← f ⊙ c + (1 - f) ⊙ a₁`, `s ← r ⊙ tanh(c) + (1 - r) ⊙ a₄`, with `f = σ(a₂)` and `r = σ(a₃)`.
    Sru,
    /// `c ← f ⊙ c + (1 - f) ⊙ a₁`, `s ← max(0, c)`, with `f = σ(a₂)`.
    Ssru,
    /// No cell: `s ← a ⊙ u`.
    Product,
}

impl CellKind {
    /// The parts of a, each as wide as the state.
    #[must_use]
    pub const fn parts(self) -> usize {
        match self {
            Self::Gru => 3,
            Self::Lstm | Self::Sru => 4,
            Self::Tanh | Self::Relu | Self::Product => 1,
            Self::Ssru => 2,
        }
    }

    /// Whether there is a memory c in addition to the state s.
    #[must_use]
    pub const fn has_memory(self) -> bool {
        matches!(self, Self::Lstm | Self::Sru | Self::Ssru)
    }

    /// Whether the cell reads u.
    #[must_use]
    pub const fn reads_products(self) -> bool {
        !matches!(self, Self::Sru | Self::Ssru)
    }
}

/// A step of a cell.
pub struct CellStep<'a> {
    /// The equations.
    pub kind: CellKind,
    /// From the input.
    pub a: PickedRows<'a>,
    /// From the state, for kinds that read it.
    pub u: Option<PickedRows<'a>>,
    /// The state before, of the rows that a step reads.
    pub before: StateRows<'a>,
}

/// The states that a step reads.
#[derive(Clone, Copy, Default)]
pub struct StateRows<'a> {
    /// s; nothing where it is the output that the step overwrites.
    pub output: Option<PickedRows<'a>>,
    /// c; nothing where it is the memory that the step overwrites.
    pub memory: Option<PickedRows<'a>>,
}

/// Where the output of a step goes once more.
pub struct Kept<'a> {
    /// The matrix.
    pub matrix: &'a mut Matrix,
    /// Its row for each row of the step: a range of numbers.
    pub ids: (&'a RowIds, Range<usize>),
}

impl Kept<'_> {
    /// Asserts that there is a row of `dim` columns for each row of a step, and returns where they are.
    fn check(self, rows: usize, dim: usize) -> (*mut f32, *const u32) {
        let Self { matrix, ids: (ids, range) } = self;
        let is_inside = range.end <= ids.count && ids.bound <= matrix.rows() && matrix.cols() == dim;
        assert!(is_inside && rows <= range.len(), "rows and columns of what is kept");
        (matrix.write(), ids.table.ids().wrapping_add(range.start))
    }
}

impl Cuda {
    /// Brings numbers of rows to the device; [`give_ids`](Self::give_ids) takes them back.
    pub fn row_ids(&mut self, ids: &[u32]) -> RowIds {
        let bound = ids.iter().map(|&id| id as usize + 1).max().unwrap_or(0);
        RowIds { table: self.table(ids), count: ids.len(), bound }
    }

    /// Takes numbers of rows back.
    pub fn give_ids(&mut self, ids: RowIds) {
        self.give(ids.table);
    }

    /// Row i of y ← the row `ids[i]` of the rows of a, then of b.
    pub fn choose_rows(&mut self, a: &Matrix, b: &Matrix, ids: &RowIds, y: &mut Matrix) {
        let cols = y.cols();
        assert!(ids.count == y.rows() && ids.bound <= a.rows() + b.rows(), "rows that are chosen");
        assert!([a, b].iter().all(|matrix| matrix.rows() == 0 || matrix.cols() == cols), "columns of chosen rows");
        let (n, a_rows) = (y.len(), a.rows() as u32);
        // SAFETY: all ids are rows of a or of b, and there is one per row of y.
        self.run(|backend| unsafe {
            let (a, b, ids) = (a.read(), b.read(), ids.table.ids());
            backend.choose_rows(Grid::each(n), a, a_rows, b, ids, y.write(), cols as u32, n as u64)
        });
    }

    /// The columns of y from `first` on, as many as `scale` has, ← scale · (y - mean) / √(variance + ε) + bias, row by
    /// row.
    pub fn normalise_columns(&mut self, y: &mut Matrix, first: usize, scale: &Matrix, bias: &Matrix, epsilon: f32) {
        let cols = scale.cols();
        [scale, bias].iter().for_each(|matrix| is_shaped(matrix, 1, cols));
        assert!(first + cols <= y.cols(), "columns of a norm");
        let (grid, rows, y_cols) = (Grid::teams(y.rows()), y.rows() as u32, y.cols() as u32);
        // SAFETY: there is a team per row of y, which has these columns; scale and bias have a number for each.
        self.run(|b| unsafe {
            let (scale, bias) = (scale.read(), bias.read());
            b.normalise_columns(grid, y.write(), y_cols, first as u32, cols as u32, scale, bias, epsilon, rows)
        });
    }

    /// The step of a cell, of the first `rows` rows of its output, and of its memory if its kind has one.
    pub fn cell_step(
        &mut self,
        step: &CellStep<'_>,
        rows: usize,
        output: &mut Matrix,
        mut memory: Option<&mut Matrix>,
        kept: Option<Kept<'_>>,
    ) {
        let (kind, dim) = (step.kind, output.cols());
        let width = kind.parts() * dim;
        assert!(rows <= output.rows(), "rows of a cell's output");
        assert_eq!(kind.has_memory(), memory.is_some(), "memory of a cell");
        let none = PickedArguments { numbers: std::ptr::null(), ids: std::ptr::null(), cols: 0 };
        let a = step.a.check(rows, width);
        let u = step.u.as_ref().filter(|_| kind.reads_products()).map(|u| u.check(rows, width));
        assert_eq!(kind.reads_products(), u.is_some(), "products of a state");
        let own = |matrix: &Matrix| PickedRows::each(matrix).check(rows, dim);
        let state = step.before.output.map_or_else(|| own(output), |picked| picked.check(rows, dim));
        let before = memory.as_deref().map(|memory| match step.before.memory {
            Some(picked) => picked.check(rows, dim),
            None => own(memory),
        });
        if let Some(memory) = &memory {
            assert!(memory.cols() == dim && rows <= memory.rows(), "rows of a cell's memory");
        }
        let (kept, kept_ids) = kept.map_or((std::ptr::null_mut(), std::ptr::null()), |kept| kept.check(rows, dim));
        let arguments = CellArguments {
            kind: kind as u32,
            dim: dim as u32,
            a,
            u: u.unwrap_or(none),
            state,
            memory: before.unwrap_or(none),
            output: output.write(),
            memory_output: memory.as_mut().map_or(std::ptr::null_mut(), |memory| memory.write()),
            kept,
            kept_ids,
        };
        let n = rows * dim;
        // SAFETY: all rows and columns exist, as was asserted; a thread reads no number that another one writes, since
        // states are another matrix, or the same rows of the same one.
        self.run(|b| unsafe { b.cell_step(Grid::each(n), arguments, n as u64) });
    }
}

#[cfg(all(test, feature = "emulator"))]
mod tests {
    use super::*;
    use crate::decoding::{SeenWords, SourceAttention};
    use metaphrase_kernels::Matrix as HostMatrix;

    fn numbers(rows: usize, cols: usize, seed: usize) -> HostMatrix {
        let number = |i: usize| (((i + 1) * (2 * seed + 7)) as f32).sin();
        HostMatrix::from_vec(rows, cols, (0..rows * cols).map(number).collect())
    }

    fn sigmoid(x: f32) -> f32 {
        1.0 / (1.0 + (-x).exp())
    }

    #[test]
    fn a_gru_reads_the_rows_that_are_picked() {
        const D: usize = 5;
        let mut cuda = Cuda::for_tests(true);
        let [a, u, s] = [(1, 3 * D + 2), (4, 3 * D), (4, D)].map(|(rows, cols)| numbers(rows, cols, rows + cols));
        let [on_a, on_u, on_s] = [&a, &u, &s].map(|matrix| cuda.upload(matrix));
        let parents = [2, 0, 3];
        let (ids, places) = (cuda.row_ids(&parents), cuda.row_ids(&[2, 4, 0, 1]));
        let [mut y, mut kept] = [3, 5].map(|rows| cuda.take(rows, D));
        let by = |matrix| PickedRows::named(matrix, &ids);
        let before = StateRows { output: Some(by(&on_s)), memory: None };
        let a_rows = PickedRows::first(&on_a).from_column(2);
        let step = CellStep { kind: CellKind::Gru, a: a_rows, u: Some(by(&on_u)), before };
        cuda.clear(&mut kept);
        cuda.cell_step(&step, 3, &mut y, None, Some(Kept { matrix: &mut kept, ids: (&places, 1..4) }));
        let (y, kept) = (cuda.download(&y), cuda.download(&kept));
        for (row, (&parent, place)) in parents.iter().zip([4, 0, 1]).enumerate() {
            let (a, u, s) = (&a.row(0)[2..], u.row(parent as usize), s.row(parent as usize));
            for k in 0..D {
                let (reset, update) = (sigmoid(a[k] + u[k]), sigmoid(a[D + k] + u[D + k]));
                let candidate = (a[2 * D + k] + reset * u[2 * D + k]).tanh();
                let expected = (1.0 - update) * candidate + update * s[k];
                assert!((y.row(row)[k] - expected).abs() < 1e-6, "{row}, {k}");
            }
            assert_eq!(kept.row(place), y.row(row));
        }
        assert!(kept.row(2).iter().chain(kept.row(3)).all(|&x| x == 0.0));
    }

    #[test]
    fn two_attentions_are_added() {
        const DIM: usize = 3;
        const WIDTH: usize = 300;
        let mut cuda = Cuda::for_tests(false);
        let (lines, queries) = (numbers(9, 2 * (DIM + WIDTH), 1), numbers(5, 2 * DIM + 1, 2));
        let (on_lines, on_queries) = (cuda.upload(&lines), cuda.upload(&queries));
        let places = [(0, 2, None), (2, 7, Some(0)), (2, 7, None), (2, 7, Some(7)), (8, 1, None)];
        let seen = places.map(|(first, count, weights)| SeenWords { memory: 0, first, count, weights });
        let (seen, words) = (cuda.seen_rows(seen.to_vec()), cuda.memories(std::iter::once(&on_lines)));
        let attention =
            SourceAttention { queries: &on_queries, words: &words, seen: &seen, heads: 2, dim: DIM, v: None };
        let [mut y, mut weights] = [(5, WIDTH), (1, 14)].map(|(rows, cols)| cuda.take(rows, cols));
        cuda.attend_source(&attention, &mut y, Some(&mut weights));
        let (y, weights) = (cuda.download(&y), cuda.download(&weights));
        for (row, (first, count, kept)) in places.into_iter().enumerate() {
            let (mut expected, mut means) = (vec![0.0; WIDTH], vec![0.0; count]);
            for head in 0..2 {
                let query = &queries.row(row)[head * DIM..(head + 1) * DIM];
                let key = |j: usize| &lines.row(first + j)[head * DIM..(head + 1) * DIM];
                let dot = |j| query.iter().zip(key(j)).map(|(q, k)| q * k).sum::<f32>().exp();
                let total: f32 = (0..count).map(dot).sum();
                for (j, mean) in means.iter_mut().enumerate() {
                    let values = &lines.row(first + j)[2 * DIM + head * WIDTH..];
                    expected.iter_mut().zip(values).for_each(|(y, value)| *y += dot(j) / total * value);
                    *mean += dot(j) / total / 2.0;
                }
            }
            let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-5;
            assert!(y.row(row).iter().zip(&expected).all(near), "row {row}");
            assert!(kept.is_none_or(|start| weights.row(0)[start..].iter().zip(&means).all(near)), "row {row}");
        }
    }

    #[test]
    fn rows_are_chosen_from_two_matrices_and_columns_normalised() {
        let mut cuda = Cuda::for_tests(true);
        let [a, b] = [2, 3].map(|rows| cuda.upload(&numbers(rows, 70, rows)));
        let ids = cuda.row_ids(&[4, 0, 1, 2]);
        let mut chosen = cuda.take(4, 70);
        cuda.choose_rows(&a, &b, &ids, &mut chosen);
        let got = cuda.download(&chosen);
        let (a, b) = (numbers(2, 70, 2), numbers(3, 70, 3));
        assert_eq!([got.row(0), got.row(1), got.row(2), got.row(3)], [b.row(2), a.row(0), a.row(1), b.row(0)]);
        let [scale, bias] = [5, 6].map(|seed| cuda.upload(&numbers(1, 40, seed)));
        cuda.normalise_columns(&mut chosen, 20, &scale, &bias, 1e-5);
        let normal = cuda.download(&chosen);
        let (scale, bias) = (numbers(1, 40, 5), numbers(1, 40, 6));
        for row in 0..4 {
            let x = &got.row(row)[20..60];
            let mean: f32 = x.iter().sum::<f32>() / 40.0;
            let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 40.0;
            for (c, &x) in got.row(row).iter().enumerate() {
                let inside = (20..60).contains(&c).then(|| c - 20);
                let normalised = |c: usize| scale.row(0)[c] * (x - mean) / (variance + 1e-5).sqrt() + bias.row(0)[c];
                assert!((normal.row(row)[c] - inside.map_or(x, normalised)).abs() < 1e-5, "{row}, {c}");
            }
        }
    }
}
