//! What a step scores: logits of all target words, turned into log-probabilities when asked.

use crate::output::Output;
use core::cell::Cell;
use core::ops::Range;
use metaphrase_base::{Candidate, Row, StepScores, WordId};
use metaphrase_kernels::{Best, Matrix, TopK, log_sum_exp};

/// The logits of the last step, `rows × V`. The log-probability of a word is its logit minus the row's normaliser
/// `ln Σ exp(logit)`, which is computed when a row is first asked for.
#[derive(Debug, Default)]
pub struct Scores {
    logits: Matrix,
    /// Per row; `None` until asked for.
    normalisers: Vec<Cell<Option<f32>>>,
    top: TopK,
    excluded: Vec<u32>,
}

impl Scores {
    /// Scores without rows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Computes the logits of `inputs` (`rows × d`, the decoder's outputs) by the output layer.
    pub(crate) fn compute(&mut self, output: &Output, inputs: &Matrix) {
        output.logits(inputs, &mut self.logits);
        self.normalisers.clear();
        self.normalisers.resize(self.logits.rows(), Cell::new(None));
    }

    fn normaliser(&self, row: usize) -> f32 {
        self.normalisers[row].get().unwrap_or_else(|| {
            let normaliser = log_sum_exp(self.logits.row(row));
            self.normalisers[row].set(Some(normaliser));
            normaliser
        })
    }
}

impl StepScores for Scores {
    fn top(&mut self, rows: Range<usize>, so_far: &[f32], k: usize, excluded: &[WordId], out: &mut Vec<Candidate>) {
        self.excluded.clear();
        self.excluded.extend(excluded.iter().map(|word| word.0));
        self.top.start(k, &self.excluded);
        for (row, &so_far) in rows.zip(so_far) {
            let normaliser = self.normaliser(row);
            self.top.offer(self.logits.row(row), normaliser, so_far, Row::new(row).0);
        }
        out.clear();
        let candidate = |best: &Best| Candidate { row: Row(best.tag), word: WordId(best.column), score: best.value };
        out.extend(self.top.finish().iter().map(candidate));
    }

    fn score(&self, row: Row, word: WordId) -> f32 {
        // As `TopK` computes it, so that both have the same bits.
        self.logits.row(row.index())[word.index()] - self.normaliser(row.index())
    }

    fn row(&self, row: Row, out: &mut [f32]) {
        let normaliser = self.normaliser(row.index());
        for (out, logit) in out.iter_mut().zip(self.logits.row(row.index())) {
            *out = logit - normaliser;
        }
    }
}
