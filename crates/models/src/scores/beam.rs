//! The best continuations of a sentence from the summaries of its rows, without the logits of all words.

use core::ops::Range;
use metaphrase_kernels::{Best, Summary};

/// The rows of a sentence, and what is asked of them.
pub(super) struct Asked<'a> {
    pub(super) rows: Range<usize>,
    /// Added to the scores of each row.
    pub(super) so_far: &'a [f32],
    pub(super) k: usize,
    pub(super) excluded: &'a [u32],
}

impl Asked<'_> {
    /// The columns of a row that have to be known: the k best that are not excluded, and the next one.
    pub(super) fn columns(&self) -> usize {
        self.k + self.excluded.len() + 1
    }

    /// Finds the k best of the columns (*raw*: not normalised), scored as [`metaphrase_kernels::TopK`] scores them, best first. Returns whether they are
    /// sure to be those that it finds: not if there are equal scores among them or next to them, which it tells apart by all scores.
    ///
    /// What a summary leaves out is not greater than the k + 1 that it has. So if it belonged to the k best, the k + 1 would be equal.
    pub(super) fn find(&self, summary: &Summary, raw: bool, found: &mut Vec<Best>) -> bool {
        found.clear();
        if self.columns() > summary.most() {
            return false;
        }
        found.reserve(self.rows.len() * (self.k + 1));
        for (row, so_far) in self.rows.clone().zip(self.so_far) {
            let minus = if raw { 0.0 } else { summary.normaliser(row) };
            let columns = summary.best(row).iter().filter(|column| !self.excluded.contains(&column.column));
            let scored = columns.map(|best| (best.column, (best.value - minus) + so_far));
            let possible = scored.filter(|&(_, value)| value > f32::MIN).take(self.k + 1);
            found.extend(possible.map(|(column, value)| Best { value, tag: row as u32, column }));
        }
        found.sort_unstable_by(|a, b| b.value.total_cmp(&a.value));
        found.truncate(self.k + 1);
        let distinct = found.windows(2).all(|pair| pair[0].value > pair[1].value);
        found.truncate(self.k);
        distinct
    }
}
