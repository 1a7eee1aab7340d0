//! The scores of a step: logits of all target words, or of a sentence's shortlist, turned into log-probabilities when search
//! asks.

mod additions;

use crate::output::{Lists, Output};
use additions::Additions;
use core::cell::Cell;
use core::ops::Range;
use metaphrase_base::{Candidate, Row, Shortlist, Step, StepRow, StepScores, Unit, WordId, WordScore, WordScores};
use metaphrase_kernels::{Best, Matrix, ProductStorage, TopK, log_sum_exp};

/// The logits of the last step: a column for each target word or, in a row of a sentence with a shortlist, for each word of
/// the list. The log-probability of a word is its logit minus the row's normaliser `ln Σ exp(logit)`, which is computed when
/// a row is first asked for. *Raw* scores are taken as they are.
#[derive(Debug, Default)]
pub struct Scores {
    /// As wide as the widest row.
    logits: Matrix,
    /// Logits of rows that are added to a step.
    more: Matrix,
    /// The inputs of the output layer as it reads them.
    inputs: ProductStorage,
    raw: bool,
    rows: Vec<ScoreRow>,
    /// The answers of scorers that are sparse, and so are not in the logits.
    additions: Additions,
    top: TopK,
    excluded: Vec<u32>,
    listed: Vec<WordScore>,
}

/// A row beside its logits.
#[derive(Debug, Default, Clone)]
struct ScoreRow {
    shortlist: Option<Shortlist>,
    /// The number of its logits.
    words: usize,
    /// `None` until asked for.
    normaliser: Cell<Option<f32>>,
}

impl ScoreRow {
    /// The column of a word.
    fn column(&self, word: WordId) -> Option<usize> {
        self.shortlist.as_ref().map_or(Some(word.index()), |shortlist| shortlist.place(word))
    }

    /// The word of a column.
    fn word(&self, column: u32) -> WordId {
        self.shortlist.as_ref().map_or(WordId(column), |shortlist| shortlist.words()[column as usize])
    }
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
    pub(crate) fn compute(
        &mut self,
        step: Step,
        output: &Output,
        lists: &mut Lists,
        rows: &[StepRow],
        inputs: &Matrix,
    ) {
        let _unit = Unit::Output.timed();
        let shortlists = || rows.iter().map(|row| lists.of(row.sentence));
        let first = self.begin_rows(step, shortlists().map(|list| (list, output.words())));
        if shortlists().any(|list| list.is_some()) || self.rows[..first].iter().any(|row| row.shortlist.is_some()) {
            return self.compute_by_sentence(first, output, lists, rows, inputs);
        }
        match step {
            Step::New => output.logits(inputs, &mut self.logits, &mut self.inputs),
            Step::Same => {
                output.logits(inputs, &mut self.more, &mut self.inputs);
                self.logits.append(&self.more);
            }
        }
    }

    /// [`compute`](Self::compute) where sentences have shortlists.
    fn compute_by_sentence(
        &mut self,
        first: usize,
        output: &Output,
        lists: &mut Lists,
        rows: &[StepRow],
        inputs: &Matrix,
    ) {
        self.widen(first);
        let Self { logits, more, inputs: storage, .. } = self;
        let inputs = output.rows(inputs, storage);
        let mut row = 0;
        for of_sentence in rows.chunk_by(|a, b| a.sentence == b.sentence) {
            let (sentence, end) = (of_sentence[0].sentence, row + of_sentence.len());
            lists.logits(output, sentence, inputs.part(row..end), more);
            for (row, of_row) in (row..end).enumerate() {
                logits.row_mut(first + of_row)[..more.cols()].copy_from_slice(more.row(row));
            }
            row = end;
        }
    }

    /// Makes room for the logits of all rows. Those of the first rows are kept.
    fn widen(&mut self, first: usize) {
        let widest = self.rows.iter().map(|row| row.words).max().unwrap_or(0);
        if first == 0 || widest <= self.logits.cols() {
            let cols = if first == 0 { widest } else { self.logits.cols() };
            return self.logits.resize(self.rows.len(), cols);
        }
        self.more.resize(self.rows.len(), widest);
        for row in 0..first {
            self.more.row_mut(row)[..self.logits.cols()].copy_from_slice(self.logits.row(row));
        }
        core::mem::swap(&mut self.logits, &mut self.more);
    }

    /// Sums the log-probabilities of the `members` of an ensemble, each times its weight, for the rows of a call.
    pub(crate) fn sum<'a>(&mut self, step: Step, members: impl Iterator<Item = (f32, &'a Self)>) {
        let _unit = Unit::Output.timed();
        let mut first = 0;
        for (number, (weight, member)) in members.enumerate() {
            if number == 0 {
                let before = if step == Step::New { 0 } else { self.rows.len() };
                let new = member.rows[before..].iter().map(|row| (row.shortlist.as_ref(), row.words));
                first = self.begin_rows(step, new);
                self.widen(first);
                (first..self.rows.len()).for_each(|row| self.logits.row_mut(row).fill(0.0));
            }
            for row in first..self.rows.len() {
                let normaliser = member.normaliser(row);
                for (sum, logit) in self.logits.row_mut(row).iter_mut().zip(member.logits(row)) {
                    *sum += weight * (logit - normaliser);
                }
            }
        }
    }

    /// Makes the rows of a call, of which the shortlist and the number of target words are given. Rows that are added have
    /// neither a normaliser nor additions yet, nor has any row of a new step. Returns the number of the first new row.
    fn begin_rows<'a>(&mut self, step: Step, new: impl Iterator<Item = (Option<&'a Shortlist>, usize)>) -> usize {
        if step == Step::New {
            self.rows.clear();
            self.additions.clear();
        }
        let first = self.rows.len();
        self.rows.extend(new.map(|(shortlist, words)| ScoreRow {
            shortlist: shortlist.cloned(),
            words: shortlist.map_or(words, |shortlist| shortlist.words().len()),
            normaliser: Cell::new(None),
        }));
        first
    }

    /// The logits of a row.
    fn logits(&self, row: usize) -> &[f32] {
        &self.logits.row(row)[..self.rows[row].words]
    }

    fn normaliser(&self, row: usize) -> f32 {
        if self.raw {
            return 0.0;
        }
        let known = &self.rows[row].normaliser;
        known.get().unwrap_or_else(|| {
            let _unit = Unit::Softmax.timed();
            let normaliser = log_sum_exp(self.logits(row));
            known.set(Some(normaliser));
            normaliser
        })
    }

    /// Adds to the scores of a row as [`Additions::add`] does.
    fn add_sparsely(&mut self, row: usize, base: f32, listed: &[WordScore]) {
        let Self { logits, rows, additions, listed: columns, .. } = self;
        let of_row = &rows[row];
        let logits = &logits.row(row)[..of_row.words];
        if of_row.shortlist.is_none() {
            return additions.add(row, logits, base, listed);
        }
        columns.clear();
        columns.extend(listed.iter().filter_map(|&WordScore { word, score }| {
            of_row.column(word).map(|column| WordScore { word: WordId::new(column), score })
        }));
        additions.add(row, logits, base, columns);
    }
}

impl StepScores for Scores {
    fn top(&mut self, rows: Range<usize>, so_far: &[f32], k: usize, excluded: &[WordId], out: &mut Vec<Candidate>) {
        out.clear();
        if rows.is_empty() {
            return;
        }
        // They are of one sentence.
        let _unit = Unit::Top.timed();
        let like = self.rows[rows.start].clone();
        self.excluded.clear();
        self.excluded.extend(excluded.iter().filter_map(|&word| Some(like.column(word)? as u32)));
        self.top.start(k, &self.excluded);
        for (row, &so_far) in rows.zip(so_far) {
            let normaliser = self.normaliser(row);
            let Self { logits, rows, additions, top, .. } = self;
            let logits = &logits.row(row)[..rows[row].words];
            top.offer_changed(logits, additions.of(row), normaliser, so_far, Row::new(row).0);
        }
        let candidate = |best: &Best| Candidate { row: Row(best.tag), word: like.word(best.column), score: best.value };
        out.extend(self.top.finish().iter().map(candidate));
    }

    fn score(&self, row: Row, word: WordId) -> f32 {
        let row = row.index();
        let Some(column) = self.rows[row].column(word) else { return f32::NEG_INFINITY };
        // As `TopK` computes it, so that both have the same bits.
        self.additions.of(row).value(column as u32, self.logits(row)[column]) - self.normaliser(row)
    }

    fn row(&self, row: Row, out: &mut [f32]) {
        let row = row.index();
        let (normaliser, logits) = (self.normaliser(row), self.logits(row));
        let (listed, others) = out.split_at_mut(logits.len());
        listed.copy_from_slice(logits);
        self.additions.of(row).make(listed);
        listed.iter_mut().for_each(|score| *score -= normaliser);
        others.fill(f32::NEG_INFINITY);
        // From the last one on: no word is before its place in the list.
        for column in (0..logits.len()).rev() {
            out.swap(column, self.rows[row].word(column as u32).index());
        }
    }

    fn add(&mut self, row: Row, more: WordScores<'_>) {
        let row = row.index();
        match more {
            WordScores::Sparse { base, listed } => self.add_sparsely(row, base, listed),
            WordScores::Dense(more) => {
                // The softmax is over what the model says alone.
                self.normaliser(row);
                let Self { logits, rows, additions, .. } = self;
                let of_row = &rows[row];
                let logits = &mut logits.row_mut(row)[..of_row.words];
                additions.settle(row, logits);
                match &of_row.shortlist {
                    None => {
                        assert_eq!(more.len(), logits.len(), "a score for each target word");
                        logits.iter_mut().zip(more).for_each(|(logit, more)| *logit += more);
                    }
                    Some(list) => {
                        logits.iter_mut().zip(list.words()).for_each(|(logit, word)| *logit += more[word.index()]);
                    }
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
    use metaphrase_base::{SentId, Sentence};

    /// Scores of two rows over 50 words; the last word's logits are -infinity.
    fn scores() -> Scores {
        scores_of(None)
    }

    fn scores_of(shortlist: Option<&Shortlist>) -> Scores {
        let weight = |i: usize| ((i * 37 % 101) as f32 - 50.0) / 30.0;
        let mut bias = vec![0.0; 50];
        bias[49] = f32::NEG_INFINITY;
        let table = ("Wemb", vec![50, 2], (0..100).map(weight).collect());
        let weights = Weights::from_tensors("m", [table, ("out_b", vec![1, 50], bias)]).unwrap();
        let table = || weights.checked("Wemb", [50, 2]).unwrap();
        let output_bias = Some(weights.checked("out_b", [1, 50]).unwrap());
        let words = WordTables { source: table(), target: table(), output: table(), output_bias };
        let (_, _, output) = Output::with_embeddings(words);
        let mut lists = Lists::default();
        lists.admit(&[Sentence { shortlist, ..Sentence::new(SentId(0), &[]) }]);
        let row = StepRow { sentence: SentId(0), parent: None };
        let mut scores = Scores::new();
        let inputs = Matrix::from_vec(2, 2, vec![1.5, -0.5, 0.3, 2.0]);
        scores.compute(Step::New, &output, &mut lists, &[row, row], &inputs);
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

    /// The log-probabilities of a list are those of all words, normalised over the list.
    #[test]
    fn a_shortlist_answers_for_its_words_alone() {
        let (mut all, mut listed, mut best) = ([0.0; 50], [0.0; 50], Vec::new());
        let shortlist = Shortlist::new([3, 4, 17, 20, 41, 49].map(WordId).into());
        let mut scores = scores_of(Some(&shortlist));
        self::scores().row(Row(1), &mut all);
        scores.row(Row(1), &mut listed);
        let mass: f32 = shortlist.words().iter().map(|word| all[word.index()].exp()).sum();
        for word in (0..50).map(WordId) {
            let expected = shortlist.place(word).map_or(f32::NEG_INFINITY, |_| all[word.index()] - mass.ln());
            let found = listed[word.index()];
            assert!(found == expected || (found - expected).abs() < 1e-5, "{word}: {found} {expected}");
            assert_eq!(scores.score(Row(1), word), found);
        }
        scores.top(0..2, &[0.0, 1.0], 20, &[WordId(4), WordId(5)], &mut best);
        assert_eq!(best.len(), 8, "of two rows four words: neither the excluded nor the impossible one");
        assert!(best.iter().all(|c| c.score == scores.score(c.row, c.word) + [0.0, 1.0][c.row.index()]));
    }

    /// To the bit, so that a shortlist changes nothing but the words that it lacks.
    #[test]
    fn a_list_of_all_words_changes_nothing() {
        let all = Shortlist::new((0..50).map(WordId).collect());
        let (mut listed, mut plain) = (scores_of(Some(&all)), scores());
        let more = [(2, 0.5), (7, -1.0), (30, 2.0)].map(|(word, score)| WordScore { word: WordId(word), score });
        let dense: Vec<f32> = (0..50).map(|i| (i % 7) as f32 / 3.0).collect();
        for step in 0..3 {
            for scores in [&mut listed, &mut plain] {
                match step {
                    0 => {}
                    1 => scores.add(Row(0), WordScores::Sparse { base: -0.25, listed: &more }),
                    _ => scores.add(Row(0), WordScores::Dense(&dense)),
                }
            }
            let answers = |scores: &mut Scores| {
                let (mut row, mut best) = (vec![0.0; 50], Vec::new());
                scores.row(Row(0), &mut row);
                scores.top(0..2, &[-1.0, -2.0], 9, &[WordId(7)], &mut best);
                (row, best)
            };
            assert_eq!(answers(&mut listed), answers(&mut plain), "step {step}");
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
