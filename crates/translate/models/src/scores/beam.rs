//! The best continuations of a sentence, from summaries of its rows instead of the logits of all words.

use core::ops::Range;
use metaphrase_kernels::{Best, Summary};

/// A question about the best continuations of a sentence.
pub(super) struct BestQuestion<'a> {
    pub(super) rows: Range<usize>,
    /// The number that is added to the scores of each row.
    pub(super) so_far: &'a [f32],
    pub(super) k: usize,
    pub(super) excluded: &'a [u32],
}

impl BestQuestion<'_> {
    /// Finds the k best columns, best first, with the scores of [`metaphrase_kernels::TopK`] (`raw`: not normalised).
    /// Returns whether they are certainly the best. They are not if a word that a summary leaves out may be better, or
    /// if two of the best k + 1 scores are equal: `TopK` breaks such ties with all scores at hand.
    pub(super) fn find(&self, summary: &Summary, raw: bool, found: &mut Vec<Best>) -> bool {
        found.clear();
        found.reserve(self.rows.len() * (self.k + 1).min(summary.most()));
        // No number that the summary leaves out of a row exceeds the last one that it has.
        let mut left_out = f32::NEG_INFINITY;
        for (row, so_far) in self.rows.clone().zip(self.so_far) {
            let minus = if raw { 0.0 } else { summary.normaliser(row) };
            let score = |value: f32| (value - minus) + so_far;
            let best = summary.best(row);
            if best.len() == summary.most() {
                left_out = best.last().map_or(f32::INFINITY, |last| score(last.value)).max(left_out);
            }
            let columns = best.iter().filter(|column| !self.excluded.contains(&column.column));
            let scored = columns.map(|best| (best.column, score(best.value)));
            let possible = scored.filter(|&(_, value)| value > f32::MIN).take(self.k + 1);
            found.extend(possible.map(|(column, value)| Best { value, tag: row as u32, column }));
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
