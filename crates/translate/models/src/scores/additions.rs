//! Sparse scores that are added to rows of logits without a pass over the words.

use core::ops::Range;
use metaphrase_base::WordScore;
use metaphrase_kernels::{Changes, ColumnChange};

/// The scores that are added to the rows of a step, as changes to their logits. Storage is kept from step to step.
#[derive(Debug, Default)]
pub(super) struct Additions {
    /// By row; rows beyond the end have no changes.
    rows: Vec<Spans>,
    added: Vec<f32>,
    replaced: Vec<ColumnChange>,
}

/// Where the changes of a row are.
#[derive(Debug, Clone, Default)]
struct Spans {
    added: Range<usize>,
    replaced: Range<usize>,
}

impl Additions {
    /// No row has changes any more.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.added.clear();
        self.replaced.clear();
    }

    /// The changes to the logits of a row.
    pub(super) fn of(&self, row: usize) -> Changes<'_> {
        self.rows.get(row).map_or_else(Changes::default, |spans| Changes {
            added: &self.added[spans.added.clone()],
            replaced: &self.replaced[spans.replaced.clone()],
        })
    }

    /// Adds `base` to the scores of all words of a row that are not `listed`, and to each of these its own number. A word
    /// that is listed now or was listed before has its sum among the exceptions: both lists are merged behind the others.
    ///
    /// # Panics
    /// If the words do not ascend.
    pub(super) fn add(&mut self, row: usize, logits: &[f32], base: f32, listed: &[WordScore]) {
        assert!(listed.is_sorted_by(|a, b| a.word < b.word), "listed words ascend");
        if self.rows.len() <= row {
            self.rows.resize(row + 1, Spans::default());
        }
        let Spans { added, replaced: mut before } = self.rows[row].clone();
        let starts = (self.added.len(), self.replaced.len());
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
        self.rows[row] = Spans { added: starts.0..self.added.len(), replaced: starts.1..self.replaced.len() };
    }

    /// Lists a word again that was listed before and gets `base` now.
    fn carry(&mut self, known: usize, base: f32) {
        let ColumnChange { column, value } = self.replaced[known];
        self.replaced.push(ColumnChange { column, value: value + base });
    }

    /// Makes the changes of a row in its logits, and forgets them.
    pub(super) fn settle(&mut self, row: usize, logits: &mut [f32]) {
        self.of(row).make(logits);
        if let Some(spans) = self.rows.get_mut(row) {
            *spans = Spans::default();
        }
    }
}
