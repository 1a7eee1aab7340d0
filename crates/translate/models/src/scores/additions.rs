//! Sparse scores that are added to rows of logits without a pass over the words.

use core::ops::Range;
use metaphrase_base::WordScore;
use metaphrase_kernels::{Changes, ColumnChange};

/// The scores that are added to the rows of a step, as changes to their logits. The storage is reused by later steps.
#[derive(Debug, Default)]
pub(super) struct Additions {
    /// The changes of each row; rows beyond the end have none.
    rows: Vec<Spans>,
    added: Vec<f32>,
    replaced: Vec<ColumnChange>,
}

/// The places of the changes of a row.
#[derive(Debug, Clone, Default)]
struct Spans {
    added: Range<usize>,
    replaced: Range<usize>,
}

impl Additions {
    /// Removes the changes of all rows.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.added.clear();
        self.replaced.clear();
    }

    /// The changes to the logits of a row.
    pub(super) fn changes(&self, row: usize) -> Changes<'_> {
        self.rows.get(row).map_or_else(Changes::default, |spans| Changes {
            added: &self.added[spans.added.clone()],
            replaced: &self.replaced[spans.replaced.clone()],
        })
    }

    /// Adds to each `listed` word of a row its own score, and `base` to all other words. The sums of words that are
    /// listed, now or earlier, are kept as replacements: the old and the new list are merged into a new one at the end
    /// of `replaced`.
    ///
    /// # Panics
    /// If the words do not ascend.
    pub(super) fn add(&mut self, row: usize, logits: &[f32], base: f32, listed: &[WordScore]) {
        assert!(listed.is_sorted_by(|a, b| a.word < b.word), "listed words ascend");
        if self.rows.len() <= row {
            self.rows.resize(row + 1, Spans::default());
        }
        let Spans { added, replaced: mut before } = self.rows[row].clone();
        let added_start = self.added.len();
        let replaced_start = self.replaced.len();
        for &WordScore { word, score } in listed {
            while !before.is_empty() && self.replaced[before.start].column < word.0 {
                self.carry(before.start, base);
                before.start += 1;
            }
            let value = match self.replaced[before.clone()].first() {
                Some(known) if known.column == word.0 => {
                    before.start += 1;
                    known.value
                }
                _ => self.added[added.clone()].iter().fold(logits[word.index()], |sum, added| sum + added),
            };
            self.replaced.push(ColumnChange { column: word.0, value: value + score });
        }
        before.for_each(|known| self.carry(known, base));
        self.added.extend_from_within(added);
        self.added.push(base);
        self.rows[row] = Spans { added: added_start..self.added.len(), replaced: replaced_start..self.replaced.len() };
    }

    /// Copies the sum of a word that was listed earlier, plus `base`, to the new list.
    fn carry(&mut self, known: usize, base: f32) {
        let ColumnChange { column, value } = self.replaced[known];
        self.replaced.push(ColumnChange { column, value: value + base });
    }

    /// Applies the changes of a row to its logits and removes them.
    pub(super) fn settle(&mut self, row: usize, logits: &mut [f32]) {
        self.changes(row).make(logits);
        if let Some(spans) = self.rows.get_mut(row) {
            *spans = Spans::default();
        }
    }
}
