//! What the layers of a decoder remember from step to step, and the rows of a call.

use metaphrase_cuda::decoding::{EntryLists, Memories, NewRows, SeenRows};
use metaphrase_cuda::{Cuda, Matrix};
use metaphrase_device::{Block as Part, Rows, Shape, Storage};

/// What the layers of a decoder remember: the one of self-attention a line per entry, the others a line per row.
#[derive(Default)]
pub(crate) struct Memory {
    now: Option<Matrix>,
    before: Option<Matrix>,
}

/// The rows of a call.
pub(crate) struct Call<'a> {
    pub(crate) words: &'a [u32],
    pub(crate) places: &'a [u32],
    pub(crate) new: &'a NewRows,
    /// Rows of the step before this call.
    pub(crate) first: usize,
    /// One more than the largest entry.
    pub(crate) entries: usize,
    pub(crate) lists: &'a EntryLists,
    /// The words so far of each row.
    pub(crate) so_far: &'a SeenRows,
    /// The words of its source.
    pub(crate) source: &'a SeenRows,
    pub(crate) sources: &'a Memories,
    pub(crate) raw: bool,
}

impl Memory {
    /// The rows of the last step become those of the step before.
    pub(crate) fn begin_step(&mut self) {
        std::mem::swap(&mut self.now, &mut self.before);
    }

    /// Lines for at least this number of entries; those at hand keep their numbers.
    pub(crate) fn with_lines(&mut self, cuda: &mut Cuda, entries: usize, cols: usize) -> &mut Matrix {
        let had = self.now.as_ref().map_or(0, Shape::rows);
        if had < entries {
            self.grow(cuda, had, entries.max(2 * had), cols);
        }
        self.now.as_mut().expect("lines were made")
    }

    /// The cells of the step before, and those of this step with room for `rows` rows, of which the first `kept` keep
    /// their numbers.
    pub(crate) fn cells(&mut self, cuda: &mut Cuda, rows: usize, kept: usize, cols: usize) -> (&Matrix, &mut Matrix) {
        self.grow(cuda, kept, rows, cols);
        if self.before.is_none() {
            self.before = Some(cuda.take(0, cols));
        }
        let Self { now: Some(now), before: Some(before) } = self else { unreachable!("both were made") };
        (before, now)
    }

    fn grow(&mut self, cuda: &mut Cuda, kept: usize, rows: usize, cols: usize) {
        let mut grown = cuda.take(rows, cols);
        if let Some(old) = self.now.take() {
            if kept > 0 {
                cuda.copy_block(&old, &mut grown, Part { rows: kept, cols, from: (0, 0), to: (0, 0) });
            }
            cuda.give(old);
        }
        self.now = Some(grown);
    }
}
