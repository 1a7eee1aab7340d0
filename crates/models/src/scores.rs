//! The scores of a step: logits of all target words, turned into log-probabilities when search asks.

mod additions;

use crate::output::Output;
use additions::Additions;
use core::cell::Cell;
use core::ops::Range;
use metaphrase_base::{Candidate, Row, Step, StepScores, Unit, WordId, WordScores};
use metaphrase_kernels::{Best, Matrix, ProductStorage, TopK, log_sum_exp};

/// The logits of the last step, `rows × V`. The log-probability of a word is its logit minus the row's normaliser
/// `ln Σ exp(logit)`, which is computed when a row is first asked for. *Raw* scores are taken as they are.
#[derive(Debug, Default)]
pub struct Scores {
    logits: Matrix,
    /// Logits of rows that are added to a step.
    more: Matrix,
    /// The inputs of the output layer as it reads them.
    inputs: ProductStorage,
    raw: bool,
    /// Per row; `None` until asked for.
    normalisers: Vec<Cell<Option<f32>>>,
    /// The answers of scorers that are sparse, and so are not in the logits.
    additions: Additions,
    top: TopK,
    excluded: Vec<u32>,
}

impl Scores {
    /// Scores without rows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Scores whose logits are not normalised: log-probabilities already, as an ensemble's, or meant to be
    /// (self-normalised models: Zhang et al. 2018, eq. 12).
    pub(crate) fn raw() -> Self {
        Self { raw: true, ..Self::default() }
    }

    /// Computes the logits of the rows of a call from `inputs` (`rows × d`, the decoder's outputs) by the output layer.
    pub(crate) fn compute(&mut self, step: Step, output: &Output, inputs: &Matrix) {
        let _unit = Unit::Output.timed();
        match step {
            Step::New => output.logits(inputs, &mut self.logits, &mut self.inputs),
            Step::Same => {
                output.logits(inputs, &mut self.more, &mut self.inputs);
                self.logits.append(&self.more);
            }
        }
        self.begin_rows(step);
    }

    /// Sums the log-probabilities of the `members` of an ensemble, each times its weight, for the rows of a call.
    pub(crate) fn sum<'a>(&mut self, step: Step, members: impl Iterator<Item = (f32, &'a Self)>) {
        let _unit = Unit::Output.timed();
        let first = if step == Step::New { 0 } else { self.logits.rows() };
        for (number, (weight, member)) in members.enumerate() {
            let (rows, words) = (member.logits.rows(), member.logits.cols());
            if number == 0 {
                self.logits.resize(rows, words);
                self.logits.as_mut_slice()[first * words..].fill(0.0);
            }
            for row in first..rows {
                let normaliser = member.normaliser(row);
                for (sum, logit) in self.logits.row_mut(row).iter_mut().zip(member.logits.row(row)) {
                    *sum += weight * (logit - normaliser);
                }
            }
        }
        self.begin_rows(step);
    }

    /// Rows that were added have neither a normaliser nor additions yet, nor has any row of a new step.
    fn begin_rows(&mut self, step: Step) {
        if step == Step::New {
            self.normalisers.clear();
            self.additions.clear();
        }
        self.normalisers.resize(self.logits.rows(), Cell::new(None));
    }

    fn normaliser(&self, row: usize) -> f32 {
        if self.raw {
            return 0.0;
        }
        self.normalisers[row].get().unwrap_or_else(|| {
            let _unit = Unit::Softmax.timed();
            let normaliser = log_sum_exp(self.logits.row(row));
            self.normalisers[row].set(Some(normaliser));
            normaliser
        })
    }
}

impl StepScores for Scores {
    fn top(&mut self, rows: Range<usize>, so_far: &[f32], k: usize, excluded: &[WordId], out: &mut Vec<Candidate>) {
        let _unit = Unit::Top.timed();
        self.excluded.clear();
        self.excluded.extend(excluded.iter().map(|word| word.0));
        self.top.start(k, &self.excluded);
        for (row, &so_far) in rows.zip(so_far) {
            let normaliser = self.normaliser(row);
            let changes = self.additions.of(row);
            self.top.offer_changed(self.logits.row(row), changes, normaliser, so_far, Row::new(row).0);
        }
        out.clear();
        let candidate = |best: &Best| Candidate { row: Row(best.tag), word: WordId(best.column), score: best.value };
        out.extend(self.top.finish().iter().map(candidate));
    }

    fn score(&self, row: Row, word: WordId) -> f32 {
        let logit = self.logits.row(row.index())[word.index()];
        // As `TopK` computes it, so that both have the same bits.
        self.additions.of(row.index()).value(word.0, logit) - self.normaliser(row.index())
    }

    fn row(&self, row: Row, out: &mut [f32]) {
        let normaliser = self.normaliser(row.index());
        out.copy_from_slice(self.logits.row(row.index()));
        self.additions.of(row.index()).make(out);
        out.iter_mut().for_each(|score| *score -= normaliser);
    }

    fn add(&mut self, row: Row, more: WordScores<'_>) {
        let row = row.index();
        match more {
            WordScores::Sparse { base, listed } => self.additions.add(row, self.logits.row(row), base, listed),
            WordScores::Dense(more) => {
                // The softmax is over what the model says alone.
                self.normaliser(row);
                let logits = self.logits.row_mut(row);
                assert_eq!(more.len(), logits.len(), "a score for each target word");
                self.additions.settle(row, logits);
                for (logit, more) in logits.iter_mut().zip(more) {
                    *logit += more;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Weights;
    use crate::parts::WordTables;

    /// Scores of two rows over 50 words; the last word's logits are -infinity.
    fn scores() -> Scores {
        let weight = |i: usize| ((i * 37 % 101) as f32 - 50.0) / 30.0;
        let mut bias = vec![0.0; 50];
        bias[49] = f32::NEG_INFINITY;
        let table = ("Wemb", vec![50, 2], (0..100).map(weight).collect());
        let weights = Weights::from_tensors("m", [table, ("out_b", vec![1, 50], bias)]).unwrap();
        let table = || weights.checked("Wemb", [50, 2]).unwrap();
        let output_bias = Some(weights.checked("out_b", [1, 50]).unwrap());
        let words = WordTables { source: table(), target: table(), output: table(), output_bias };
        let (_, _, output) = Output::with_embeddings(words);
        let mut scores = Scores::new();
        scores.compute(Step::New, &output, &Matrix::from_vec(2, 2, vec![1.5, -0.5, 0.3, 2.0]));
        scores
    }

    #[test]
    fn probabilities_sum_to_one() {
        let mut row = [0.0; 50];
        scores().row(Row(1), &mut row);
        assert!((row.iter().map(|s| s.exp()).sum::<f32>() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn all_questions_have_the_same_answer_to_the_bit() {
        let (mut scores, mut best, mut row) = (scores(), Vec::new(), [0.0; 50]);
        scores.top(1..2, &[0.0], 50, &[WordId(7)], &mut best);
        assert_eq!(best.len(), 48, "neither the excluded nor the impossible word");
        scores.row(Row(1), &mut row);
        for candidate in best {
            assert_eq!(candidate.score, scores.score(Row(1), candidate.word));
            assert_eq!(candidate.score, row[candidate.word.index()]);
        }
    }

    #[test]
    fn the_best_of_several_rows_come_first() {
        let (mut scores, mut best) = (scores(), Vec::new());
        scores.top(0..2, &[-1.0, -2.0], 5, &[], &mut best);
        let mut expected: Vec<_> = (0..2)
            .flat_map(|row| (0..50).map(move |word| (Row(row), WordId(word))))
            .map(|(row, word)| Candidate { row, word, score: scores.score(row, word) + [-1.0, -2.0][row.index()] })
            .collect();
        expected.sort_by(metaphrase_base::by_score_desc);
        assert_eq!(best, expected[..5]);
    }
}
