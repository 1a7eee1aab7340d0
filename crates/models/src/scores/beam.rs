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

/// Of several rows one hardly ever has more of the best continuations than that: where it does, all scores are asked. A longer list of
/// each row would cost more than it saves, because a number is inserted in it place by place.
const MOST_OF_A_ROW: usize = 15;

/// The most columns of a row, those that are likely to be excluded among them.
const MOST_COLUMNS: usize = 64;

impl Asked<'_> {
    /// The columns of a row that should be known: those that may be among the k best, the next one, and as many as are likely to be
    /// excluded.
    pub(super) fn columns(&self, excluded: usize) -> usize {
        (self.k.min(MOST_OF_A_ROW) + excluded + 1).min(MOST_COLUMNS)
    }

    /// How many rows are asked for more columns than are known of them.
    pub(super) fn beyond(&self) -> usize {
        usize::from(self.rows.len() == 1 && self.k > MOST_OF_A_ROW)
    }

    /// Finds the k best of the columns (*raw*: not normalised), scored as [`metaphrase_kernels::TopK`] scores them, best first. `excluded`
    /// becomes the number of excluded words that were passed on the way, of the row that has most. Returns whether the found ones are sure
    /// to be the best: not if a word that a summary leaves out may be better, nor if there are equal scores among them or next to them,
    /// which all scores together tell apart.
    pub(super) fn find(&self, summary: &Summary, raw: bool, found: &mut Vec<Best>, excluded: &mut usize) -> bool {
        found.clear();
        found.reserve(self.rows.len() * (self.k + 1).min(summary.most()));
        // What the summary leaves out of a row is not greater than the last number that it has.
        let mut left_out = f32::NEG_INFINITY;
        *excluded = 0;
        for (row, so_far) in self.rows.clone().zip(self.so_far) {
            let minus = if raw { 0.0 } else { summary.normaliser(row) };
            let score = |value: f32| (value - minus) + so_far;
            let best = summary.best(row);
            if best.len() == summary.most() {
                left_out = best.last().map_or(f32::INFINITY, |last| score(last.value)).max(left_out);
            }
            let mut passed = 0;
            let columns = best.iter().filter(|column| {
                let is_excluded = self.excluded.contains(&column.column);
                passed += usize::from(is_excluded);
                !is_excluded
            });
            let scored = columns.map(|best| (best.column, score(best.value)));
            let possible = scored.filter(|&(_, value)| value > f32::MIN).take(self.k + 1);
            found.extend(possible.map(|(column, value)| Best { value, tag: row as u32, column }));
            *excluded = passed.max(*excluded);
        }
        let descending = |a: &Best, b: &Best| b.value.total_cmp(&a.value);
        if found.len() > self.k + 1 {
            found.select_nth_unstable_by(self.k, descending);
            found.truncate(self.k + 1);
        }
        found.sort_unstable_by(descending);
        let distinct = found.windows(2).all(|pair| pair[0].value > pair[1].value);
        found.truncate(self.k);
        let worst = found.last().filter(|_| found.len() == self.k).map_or(f32::MIN, |worst| worst.value);
        distinct && left_out < worst
    }
}
