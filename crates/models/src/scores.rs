//! The scores of a step: logits of all target words, or of a sentence's shortlist, turned into log-probabilities when search
//! asks.

mod additions;
mod beam;
mod logits;

use crate::output::{Lists, Output};
use additions::Additions;
use beam::Asked;
use core::cell::Cell;
use core::ops::Range;
use logits::Logits;
use metaphrase_base::{Candidate, Row, Shortlist, Step, StepRow, StepScores, Unit, WordId, WordScore, WordScores};
use metaphrase_kernels::{Best, Matrix, ProductStorage, Summary, TopK, in_team, log_sum_exp};
use std::sync::Arc;

/// The logits of the last step: a column for each target word or, in a row of a sentence with a shortlist, for each word of
/// the list. The log-probability of a word is its logit minus the row's normaliser `ln Σ exp(logit)`, which is computed when
/// a row is first asked for. *Raw* scores are taken as they are.
///
/// Search asks most steps for the best words alone. Where it did so at the step before, the output layer makes a summary of each row
/// and the logits wait until somebody asks for them. Each answer has the same bits either way.
#[derive(Debug, Default)]
pub struct Scores {
    logits: Logits,
    /// Of rows whose logits wait.
    summary: Summary,
    /// What this step is asked for.
    wanted: Cell<Wanted>,
    /// How many excluded words were among the best of a row when a summary was last asked.
    excluded_best: usize,
    /// Logits of rows that are added to a step.
    more: Matrix,
    /// The inputs of the output layer as it reads them.
    inputs: ProductStorage,
    raw: bool,
    rows: Vec<ScoreRow>,
    /// The answers of scorers that are sparse, and so are not in the logits.
    additions: Additions,
    top: TopK,
    best: Vec<Best>,
    excluded: Vec<u32>,
    listed: Vec<WordScore>,
}

/// What the rows of a step are asked for.
#[derive(Debug, Default, Clone, Copy)]
struct Wanted {
    /// More than the best words.
    logits: bool,
    /// The greatest number of columns that a summary needs for them.
    columns: usize,
    /// How many rows the summary did not suffice for, or would not have.
    beyond: usize,
}

impl Wanted {
    /// Whether the same of the next rows is in their summary, but for a few of the `rows`.
    fn is_in_summary(self, rows: usize) -> bool {
        self.columns > 0 && !self.logits && 4 * self.beyond <= rows
    }
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
        output: &Arc<Output>,
        lists: &mut Lists,
        rows: &[StepRow],
        inputs: &Matrix,
    ) {
        let _unit = Unit::Output.timed();
        let before = if step == Step::New { self.wanted.take() } else { Wanted::default() };
        let summary = before.is_in_summary(self.rows.len());
        let shortlists = || rows.iter().map(|row| lists.of(row.sentence));
        let first = self.begin_rows(step, shortlists().map(|list| (list, output.words())));
        if shortlists().any(|list| list.is_some()) || self.rows[..first].iter().any(|row| row.shortlist.is_some()) {
            return self.compute_by_sentence(first, output, lists, rows, inputs);
        }
        match step {
            // A team divides the columns of a whole product among its threads.
            Step::New if summary && !in_team() => {
                output.summarise(inputs, before.columns, &mut self.summary, &mut self.inputs);
                self.logits.postpone(output, inputs);
            }
            Step::New => output.logits(inputs, self.logits.begin(), &mut self.inputs),
            Step::Same => {
                output.logits(inputs, &mut self.more, &mut self.inputs);
                self.logits.get_mut().append(&self.more);
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
        let logits = logits.get_mut();
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
        let logits = if first == 0 { self.logits.begin() } else { self.logits.get_mut() };
        if first == 0 || widest <= logits.cols() {
            let cols = if first == 0 { widest } else { logits.cols() };
            return logits.resize(self.rows.len(), cols);
        }
        self.more.resize(self.rows.len(), widest);
        for row in 0..first {
            self.more.row_mut(row)[..logits.cols()].copy_from_slice(logits.row(row));
        }
        core::mem::swap(logits, &mut self.more);
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
                (first..self.rows.len()).for_each(|row| self.logits.get_mut().row_mut(row).fill(0.0));
            }
            for row in first..self.rows.len() {
                let normaliser = member.normaliser(row);
                for (sum, logit) in self.logits.get_mut().row_mut(row).iter_mut().zip(member.logits(row)) {
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

    /// The logits of a row. The next step computes them at once, as a search that asks for them will ask again.
    fn logits(&self, row: usize) -> &[f32] {
        self.want_logits();
        self.logits_of(row)
    }

    fn want_logits(&self) {
        self.wanted.set(Wanted { logits: true, ..self.wanted.get() });
    }

    fn logits_of(&self, row: usize) -> &[f32] {
        &self.logits.get().row(row)[..self.rows[row].words]
    }

    fn normaliser(&self, row: usize) -> f32 {
        if self.raw {
            return 0.0;
        }
        let known = &self.rows[row].normaliser;
        known.get().unwrap_or_else(|| {
            let _unit = Unit::Softmax.timed();
            let normaliser = match self.logits.wait() {
                true => self.summary.normaliser(row),
                false => log_sum_exp(self.logits_of(row)),
            };
            known.set(Some(normaliser));
            normaliser
        })
    }

    /// Adds to the scores of a row as [`Additions::add`] does.
    fn add_sparsely(&mut self, row: usize, base: f32, listed: &[WordScore]) {
        self.want_logits();
        let Self { logits, rows, additions, listed: columns, .. } = self;
        let of_row = &rows[row];
        let logits = &logits.get().row(row)[..of_row.words];
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
        let asked = Asked { rows, so_far, k, excluded: &self.excluded };
        let wanted = self.wanted.get();
        let columns = wanted.columns.max(asked.columns(self.excluded_best));
        self.wanted.set(Wanted { columns, beyond: wanted.beyond + asked.beyond(), ..wanted });
        let candidate = |best: &Best| Candidate { row: Row(best.tag), word: like.word(best.column), score: best.value };
        let waiting = self.logits.wait();
        if waiting {
            let found = asked.find(&self.summary, self.raw, &mut self.best, &mut self.excluded_best);
            if found {
                return out.extend(self.best.iter().map(candidate));
            }
        }
        let Asked { rows, .. } = asked;
        if waiting {
            self.logits.compute_part(rows.clone());
        }
        self.top.start(k, &self.excluded);
        for (number, (row, &so_far)) in rows.zip(so_far).enumerate() {
            let normaliser = self.normaliser(row);
            let Self { logits, rows, additions, top, .. } = self;
            let logits = if waiting { logits.of_part(number) } else { logits.get().row(row) };
            let logits = &logits[..rows[row].words];
            top.offer_changed(logits, additions.of(row), normaliser, so_far, Row::new(row).0);
        }
        out.extend(self.top.finish().iter().map(candidate));
    }

    fn score(&self, row: Row, word: WordId) -> f32 {
        let row = row.index();
        let Some(column) = self.rows[row].column(word) else { return f32::NEG_INFINITY };
        // As `TopK` computes it, so that both have the same bits.
        self.additions.of(row).value(column as u32, self.logits.one(row, column)) - self.normaliser(row)
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
                self.want_logits();
                let Self { logits, rows, additions, .. } = self;
                let of_row = &rows[row];
                let logits = &mut logits.get_mut().row_mut(row)[..of_row.words];
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
mod tests;
