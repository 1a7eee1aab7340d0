//! Attention of rows over words, without padding.

#![allow(unsafe_code)] // launches kernels

use super::NO_ID;
use super::lists::{EntryLists, NewRows};
use crate::arguments::{AttendArguments, MemoryArguments};
use crate::launch::{Grid, LANES, TEAMS};
use crate::{Cuda, Matrix};
use metaphrase_device::{Shape, Storage};

/// The words that one row attends to.
#[derive(Debug, Clone, Copy)]
pub struct SeenWords {
    /// Which of [`AttendedWords::Memories`] has them; 0 otherwise.
    pub memory: usize,
    /// The first line, where they are neighbours; 0 where lists have them.
    pub first: usize,
    /// At least one.
    pub count: usize,
    /// Where the weights of the first head go, if they are kept.
    pub weights: Option<usize>,
}

/// The words of the rows of a call, on the device.
pub struct SeenRows {
    table: Matrix,
    rows: Vec<SeenWords>,
}

/// Several matrices with the same columns, by their addresses. They have to stay where they are.
pub struct Memories {
    addresses: Matrix,
    /// Lines of each.
    lines: Vec<usize>,
    cols: usize,
}

/// The keys and values that rows attend to, a line per word.
pub enum AttendedWords<'a> {
    /// Neighbouring lines of one matrix.
    Lines(&'a Matrix),
    /// Neighbouring lines of one of several matrices.
    Memories(&'a Memories),
    /// The lines that the last rows of the lists name.
    Lists(&'a Matrix, &'a EntryLists),
}

/// The heads of an attention.
#[derive(Debug, Clone, Copy)]
pub struct RowHeads {
    /// Their number.
    pub count: usize,
    /// Columns of each.
    pub dim: usize,
}

/// An attention of rows.
pub struct RowAttention<'a> {
    /// A query per row in its first columns.
    pub q: &'a Matrix,
    /// The keys and values.
    pub words: AttendedWords<'a>,
    /// The first column of the keys and of the values.
    pub columns: [usize; 2],
    /// The words of each row.
    pub seen: &'a SeenRows,
    /// The heads.
    pub heads: RowHeads,
    /// For rows that are marked as raw and see nothing but themselves: where their own values begin in `q`.
    pub first_values: Option<(&'a NewRows, usize)>,
}

/// A head has at most this number of columns: `WIDEST_HEAD` of the kernels.
const WIDEST: usize = 512;

/// The most columns of a head in the kernels `attend_lists` and `attend_rows`.
const NARROW: usize = 64;

/// The rows of a block where rows may see the same words: `TOGETHER` of the kernels.
const TOGETHER: usize = 4;

impl RowAttention<'_> {
    /// Asserts that all lines and columns exist, and returns the columns of a line.
    fn check(&self, kept: usize) -> usize {
        let (rows, own, seen) = (self.q.rows(), self.heads.count * self.heads.dim, &self.seen.rows);
        assert!(self.heads.dim <= WIDEST && own <= self.q.cols() && seen.len() == rows, "queries of an attention");
        let within = |lines: usize, seen: &SeenWords| seen.first + seen.count <= lines;
        let (cols, inside) = match &self.words {
            AttendedWords::Lines(matrix) => (matrix.cols(), seen.iter().all(|seen| within(matrix.rows(), seen))),
            AttendedWords::Memories(memories) => {
                (memories.cols, seen.iter().all(|seen| within(memories.lines[seen.memory], seen)))
            }
            AttendedWords::Lists(matrix, lists) => {
                assert!(lists.entries <= matrix.rows() && rows <= lists.rows, "lines of all entries");
                (matrix.cols(), seen.iter().all(|seen| seen.count <= lists.now.cols()))
            }
        };
        assert!(inside && seen.iter().all(|seen| seen.count > 0), "words of an attention");
        assert!(rows == 0 || self.columns.iter().all(|first| first + own <= cols), "columns of keys and values");
        let weights = seen.iter().filter_map(|seen| Some(seen.weights? + seen.count)).max().unwrap_or(0);
        assert!(kept == 0 || weights <= kept, "room for weights");
        if let Some((new, first)) = self.first_values {
            assert!(matches!(self.words, AttendedWords::Lists(..)), "rows that see themselves have lists");
            assert!(new.count == rows && first + own <= self.q.cols(), "values of new rows");
        }
        cols
    }
}

impl SeenRows {
    /// Asserts that all words exist, and that there is room for the weights of `kept` numbers, if any are kept; returns
    /// the most words of a row.
    pub(super) fn check(&self, memories: &Memories, rows: usize, kept: Option<usize>) -> usize {
        assert_eq!(self.rows.len(), rows, "words of each row");
        let is_inside = |seen: &SeenWords| seen.count > 0 && seen.first + seen.count <= memories.lines[seen.memory];
        assert!(self.rows.iter().all(is_inside), "words of an attention");
        let weights = self.rows.iter().filter_map(|seen| Some(seen.weights? + seen.count)).max().unwrap_or(0);
        assert!(kept.is_none_or(|kept| weights <= kept), "room for weights");
        self.rows.iter().map(|seen| seen.count).max().unwrap_or(0)
    }

    pub(super) fn ids(&self) -> *const u32 {
        self.table.ids()
    }
}

impl Memories {
    pub(super) fn ids(&self) -> *const u32 {
        self.addresses.ids()
    }

    /// Columns of a line.
    pub(super) const fn cols(&self) -> usize {
        self.cols
    }
}

impl Cuda {
    /// Brings the words of rows to the device; [`give_seen`](Self::give_seen) takes them back.
    pub fn seen_rows(&mut self, rows: Vec<SeenWords>) -> SeenRows {
        let numbers = |seen: &SeenWords| {
            let [memory, first, count] = [seen.memory, seen.first, seen.count].map(|number| number as u32);
            [memory, first, count, seen.weights.map_or(NO_ID, |start| start as u32)]
        };
        let table: Vec<u32> = rows.iter().flat_map(numbers).collect();
        SeenRows { table: self.table(&table), rows }
    }

    /// Takes the words of rows back.
    pub fn give_seen(&mut self, seen: SeenRows) {
        self.give(seen.table);
    }

    /// Brings the addresses of matrices to the device; [`give_memories`](Self::give_memories) takes them back.
    ///
    /// # Panics
    /// If their columns differ.
    pub fn memories<'a>(&mut self, matrices: impl Iterator<Item = &'a Matrix>) -> Memories {
        let (mut addresses, mut lines, mut cols) = (Vec::new(), Vec::new(), 0);
        for matrix in matrices {
            assert!(lines.is_empty() || matrix.cols() == cols, "memories of the same columns");
            let address = matrix.read() as u64;
            addresses.extend([address as u32, (address >> 32) as u32]); // devices are little-endian
            lines.push(matrix.rows());
            cols = matrix.cols();
        }
        Memories { addresses: self.table(&addresses), lines, cols }
    }

    /// Takes addresses back.
    pub fn give_memories(&mut self, memories: Memories) {
        self.give(memories.addresses);
    }

    /// y ← the attention of each row, `rows × columns of all heads`; and the weights of the first head of the rows that
    /// keep them. The words of a row are added in their order, so that a row does not depend on the others.
    pub fn attend_rows(&mut self, attention: &RowAttention<'_>, y: &mut Matrix, weights: Option<&mut Matrix>) {
        let RowHeads { count: heads, dim } = attention.heads;
        let rows = attention.q.rows();
        crate::operations::is_shaped(y, rows, heads * dim);
        let cols = attention.check(weights.as_ref().map_or(0, |weights| weights.len())) as u32;
        let [keys, values] = attention.columns.map(|first| first as u32);
        let none = (std::ptr::null(), std::ptr::null(), std::ptr::null(), 0);
        let (lines, by_seen, lists, list_cols) = match &attention.words {
            AttendedWords::Lines(matrix) => (matrix.read(), none.1, none.2, 0),
            AttendedWords::Memories(memories) => (none.0, memories.addresses.ids(), none.2, 0),
            AttendedWords::Lists(matrix, lists) => {
                let cols = lists.now.cols();
                (matrix.read(), none.1, lists.now.ids().wrapping_add((lists.rows - rows) * cols), cols)
            }
        };
        let first_values = attention.first_values.as_ref();
        let (new, first_values) =
            first_values.map_or((std::ptr::null(), 0), |(new, first)| (new.table.ids(), *first as u32));
        let to = AttendArguments {
            q: attention.q.read(),
            q_cols: attention.q.cols() as u32,
            memory: MemoryArguments { lines, by_seen, cols, keys, values },
            seen: attention.seen.table.ids(),
            rows: rows as u32,
            lists,
            list_cols: list_cols as u32,
            new_rows: new,
            first_values,
            heads: heads as u32,
            dim: dim as u32,
            factor: (dim as f32).sqrt().recip(),
            y: y.write(),
            weights: weights.map_or(std::ptr::null_mut(), Matrix::write),
        };
        let threads = LANES * heads.clamp(1, TEAMS) as u32;
        let one = Grid::threads(rows, threads);
        let together = Grid::threads(rows.div_ceil(TOGETHER), threads);
        // SAFETY: `check` has asserted that lines, columns and room for weights exist; memories stay where they are.
        self.run(|b| unsafe {
            match (lists.is_null(), dim <= NARROW) {
                (false, true) => b.attend_lists(one, to),
                (false, false) => b.attend_wide_lists(one, to),
                (true, true) => b.attend_rows(together, to),
                (true, false) => b.attend_wide_rows(together, to),
            }
        });
    }
}
