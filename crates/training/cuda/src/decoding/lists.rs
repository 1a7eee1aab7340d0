//! The words of each row so far, as lists of entries in the memory of keys and values.
//!
//! An entry is a line of keys and values that one row wrote. A row is a list of entries, its parent's and its own. So
//! where hypotheses change places, lists of ids are copied, on the device, never keys or values.

#![allow(unsafe_code)] // launches kernels

use crate::launch::Grid;
use crate::operations::is_shaped;
use crate::{Cuda, Matrix};
use metaphrase_device::{Block, Rows, Shape, Storage};

/// A row of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewRow {
    /// The row of the step before that it extends; without meaning at position 0.
    pub parent: usize,
    /// The number of words before it.
    pub position: usize,
    /// The place of its keys and values.
    pub entry: usize,
    /// Whether its keys and values are made of inputs that are not normalised.
    pub raw: bool,
}

/// The new rows of a step, on the device.
pub struct NewRows {
    pub(super) table: Matrix,
    pub(super) count: usize,
    /// Upper bounds of the numbers in the table.
    parents: usize,
    positions: usize,
    pub(super) entries: usize,
}

/// The lists of entries of the rows of the last two steps.
pub struct EntryLists {
    /// Rows × words, of which each row has as many as its position says.
    pub(super) now: Matrix,
    before: Matrix,
    /// Rows of the last step and of the one before.
    pub(super) rows: usize,
    rows_before: usize,
    /// One more than the greatest entry.
    pub(super) entries: usize,
}

impl NewRows {
    /// Asserts that there are cells of all rows and their parents, and returns the first new row of `now`.
    fn check_cells(&self, before: &Matrix, now: &Matrix, cols: usize) -> usize {
        assert!(now.cols() == cols && now.rows() >= self.count, "cells of new rows");
        let has_parents = before.cols() == cols && self.parents <= before.rows();
        assert!(self.parents == 0 || has_parents, "cells of the step before");
        now.rows() - self.count
    }
}

impl Cuda {
    /// Brings the new rows of a step to the device; [`give_rows`](Self::give_rows) takes them back.
    pub fn new_rows(&mut self, rows: &[NewRow]) -> NewRows {
        let numbers = |row: &NewRow| [row.parent, row.position, row.entry, row.raw.into()].map(|n| n as u32);
        let table: Vec<u32> = rows.iter().flat_map(numbers).collect();
        let bound = |number: fn(&NewRow) -> usize| rows.iter().map(|row| number(row) + 1).max().unwrap_or(0);
        NewRows {
            table: self.table(&table),
            count: rows.len(),
            parents: rows.iter().filter(|row| row.position > 0).map(|row| row.parent + 1).max().unwrap_or(0),
            positions: bound(|row| row.position),
            entries: bound(|row| row.entry),
        }
    }

    /// Takes the table of new rows back.
    pub fn give_rows(&mut self, rows: NewRows) {
        self.give(rows.table);
    }

    /// Lists of no rows.
    pub fn entry_lists(&mut self) -> EntryLists {
        let (now, before) = (self.take(0, 0), self.take(0, 0));
        EntryLists { now, before, rows: 0, rows_before: 0, entries: 0 }
    }

    /// The rows of the last step become those of the step before.
    pub fn begin_step(&mut self, lists: &mut EntryLists) {
        core::mem::swap(&mut lists.now, &mut lists.before);
        (lists.rows_before, lists.rows) = (lists.rows, 0);
    }

    /// Appends rows to the last step, each with its parent's entries and its own.
    ///
    /// # Panics
    /// If a parent is not a row of the step before.
    pub fn extend_lists(&mut self, lists: &mut EntryLists, new: &NewRows) {
        assert!(new.parents <= lists.rows_before, "a parent among the rows of the step before");
        // A row of the step before has at least as many entries as its children's position says, or the state is
        // broken.
        assert!(new.parents == 0 || new.positions <= lists.before.cols() + 1, "words of a parent");
        let (rows, first) = (lists.rows + new.count, lists.rows);
        let cols = new.positions.max(if first == 0 { 0 } else { lists.now.cols() });
        // Some columns more, so that most steps of the same batch use the same memory.
        let cols = if cols == lists.now.cols() { cols } else { cols.next_multiple_of(16) };
        if lists.now.rows() < rows || lists.now.cols() != cols {
            let mut wider = self.take(rows, cols);
            if first > 0 {
                let block = Block { rows: first, cols: lists.now.cols(), from: (0, 0), to: (0, 0) };
                self.copy_block(&lists.now, &mut wider, block);
            }
            let old = core::mem::replace(&mut lists.now, wider);
            self.give(old);
        }
        let grid = Grid::rows(new.count, new.positions);
        let (before_cols, now_cols) = (lists.before.cols() as u32, cols as u32);
        // SAFETY: each new row has its line in `now`, which has a column for each position; parents have theirs.
        self.run(|b| unsafe {
            let now = lists.now.write().wrapping_add(first * cols);
            b.extend_lists(grid, new.table.ids(), lists.before.ids(), before_cols, now, now_cols)
        });
        (lists.rows, lists.entries) = (rows, lists.entries.max(new.entries));
    }

    /// The lines of the new rows' entries in `kept` ← their keys and values: the last columns of their rows in `made`,
    /// or their rows in `raw` where these are requested.
    pub fn keep_entries(&mut self, new: &NewRows, made: &Matrix, raw: Option<&Matrix>, kept: &mut Matrix) {
        let cols = kept.cols();
        assert!(made.rows() == new.count && made.cols() >= cols, "keys and values of the new rows");
        if let Some(raw) = raw {
            is_shaped(raw, new.count, cols);
        }
        assert!(new.entries <= kept.rows(), "a line for each entry");
        let (grid, made_cols) = (Grid::rows(new.count, cols), made.cols() as u32);
        let raw = crate::operations::optional(raw);
        // SAFETY: there is a row of `made` and of `raw` per new row, and a line of `kept` per entry.
        self.run(|b| unsafe {
            b.keep_entries(grid, new.table.ids(), made.read(), made_cols, raw, kept.write(), cols as u32)
        });
    }

    /// The means of the inputs so far, (t · mean of the parent + x) / (t + 1) at position t, in the last rows of `now`
    /// and in y.
    pub fn mean_step(&mut self, new: &NewRows, x: &Matrix, before: &Matrix, now: &mut Matrix, y: &mut Matrix) {
        let cols = x.cols();
        [x, y].iter().for_each(|matrix| is_shaped(matrix, new.count, cols));
        let first = new.check_cells(before, now, cols);
        let grid = Grid::rows(new.count, cols);
        // SAFETY: all have a row per new row, and `before` has the rows of all parents.
        self.run(|b| unsafe {
            let last = now.write().wrapping_add(first * cols);
            b.mean_step(grid, new.table.ids(), x.read(), before.read(), last, y.write(), cols as u32)
        });
    }

    /// The cells c of new rows of an SSRU, `forget ⊙ c of the parent + (1 - forget) ⊙ x` with c = 0 before the first
    /// word, in the last rows of `now`; and y ← max(c, 0).
    pub fn ssru_step(
        &mut self,
        new: &NewRows,
        [forget, x]: [&Matrix; 2],
        before: &Matrix,
        now: &mut Matrix,
        y: &mut Matrix,
    ) {
        let cols = x.cols();
        [forget, x, y].iter().for_each(|matrix| is_shaped(matrix, new.count, cols));
        let first = new.check_cells(before, now, cols);
        let grid = Grid::rows(new.count, cols);
        // SAFETY: all have a row per new row, and `before` has the rows of all parents.
        self.run(|b| unsafe {
            let last = now.write().wrapping_add(first * cols);
            let (forget, x, before) = (forget.read(), x.read(), before.read());
            b.ssru_step(grid, new.table.ids(), forget, x, before, last, y.write(), cols as u32)
        });
    }
}
