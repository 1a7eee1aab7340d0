//! The scores of a step: the logits of all target words, or of a sentence's shortlist. They become log-probabilities
//! when the search asks for them.

mod additions;
mod beam;
mod summarised;

use crate::device::DeviceLogits;
use crate::output::{Lists, Output};
use additions::Additions;
use beam::BestQuestion;
use core::ops::Range;
use metaphrase_base::{
    Candidate, Row, Shortlist, Step, StepDemand, StepRow, StepScores, Unit, WordId, WordScore, WordScores,
};
use metaphrase_kernels::{Best, Matrix, ProductStorage, TopK, in_team, log_sum_exp};
use std::sync::Arc;
use summarised::SummarisedRows;

/// The logits of the last step. A row has a column for each target word or, if its sentence has a shortlist, for each
/// word of the list. The log-probability of a word is its logit minus the normaliser of its row, `ln Σ exp(logit)`,
/// which is computed at the first question about the row. *Raw* scores are not normalised.
///
/// If the search announces that it needs little more than the best words, the output layer only summarises each row,
/// and logits are computed for the other questions alone. The answers have the same bits either way.
#[derive(Debug, Default)]
pub struct Scores {
    /// Rows × words of the widest row; not valid while the step is summarised.
    logits: Matrix,
    summarised: SummarisedRows,
    is_summarised: bool,
    /// The logits of rows that are added to a step: added rows × words.
    more: Matrix,
    /// The inputs of the output layer, in the form in which it reads them.
    inputs: ProductStorage,
    raw: bool,
    rows: Vec<ScoreRow>,
    /// The sparse scores of scorers, which are kept apart from the logits.
    additions: Additions,
    top: TopK,
    best: Vec<Best>,
    excluded: Vec<u32>,
    listed: Vec<WordScore>,
}

/// The rows of a call, from the decoder to the output layer.
pub(crate) struct DecodedRows<'a> {
    pub(crate) step: Step,
    pub(crate) rows: &'a [StepRow],
    /// Rows × d.
    pub(crate) outputs: &'a Matrix,
}

/// A row without its logits.
#[derive(Debug, Default, Clone)]
struct ScoreRow {
    shortlist: Option<Shortlist>,
    /// The number of logits.
    words: usize,
    /// `ln Σ exp(logit)`; `None` until it is needed.
    normaliser: Option<f32>,
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

    /// Scores without normalisation: those of an ensemble, which are log-probabilities already, and those of a
    /// self-normalised model, whose logits approximate them (Zhang et al. 2018, eq. 12).
    pub(crate) fn raw() -> Self {
        Self { raw: true, ..Self::default() }
    }

    /// The same scores, whose rows a device computes.
    pub(crate) fn on_device(mut self, logits: Box<dyn DeviceLogits>) -> Self {
        self.summarised.set_device(logits);
        self
    }

    /// Lets a device compute the scores of the rows of a call, as far as `demand` needs them. `new` has the shortlist
    /// of each row and the number of target words.
    pub(crate) fn compute_on_device<'a>(
        &mut self,
        step: Step,
        demand: StepDemand,
        new: impl Iterator<Item = (Option<&'a Shortlist>, usize)>,
        compute: impl FnOnce(usize, &mut dyn DeviceLogits),
    ) {
        if step == Step::Same {
            self.expand();
        }
        let first = self.begin_rows(step, new);
        self.summarised.compute_on_device(demand, compute);
        let summary = self.summarised.summary();
        for (number, row) in self.rows[first..].iter_mut().enumerate() {
            row.normaliser = Some(summary.normaliser(number));
        }
        self.is_summarised = step == Step::New && summarised::suffice(demand, self.rows.len());
        if !self.is_summarised {
            self.widen(first);
            self.summarised.all_logits(&mut self.more);
            for number in 0..self.more.rows() {
                let words = self.rows[first + number].words;
                self.logits.row_mut(first + number)[..words].copy_from_slice(&self.more.row(number)[..words]);
            }
        }
    }

    /// Computes the scores of the rows of a call with the output layer, as far as `demand` needs them.
    pub(crate) fn compute(
        &mut self,
        output: &Arc<Output>,
        lists: &mut Lists,
        decoded: &DecodedRows<'_>,
        demand: StepDemand,
    ) {
        let _unit = Unit::Output.timed();
        let &DecodedRows { step, rows, outputs } = decoded;
        if step == Step::Same {
            self.expand();
        }
        let shortlists = || rows.iter().map(|row| lists.of(row.sentence));
        let first = self.begin_rows(step, shortlists().map(|list| (list, output.words())));
        if shortlists().any(|list| list.is_some()) || self.rows[..first].iter().any(|row| row.shortlist.is_some()) {
            return self.compute_by_sentence(first, output, lists, decoded);
        }
        match step {
            // A team computes all logits: it divides the columns of the product among its threads.
            Step::New if summarised::suffice(demand, rows.len()) && !in_team() => {
                self.summarised.begin(output, outputs, demand);
                self.is_summarised = true;
            }
            Step::New => output.logits(outputs, &mut self.logits, &mut self.inputs),
            Step::Same => {
                output.logits(outputs, &mut self.more, &mut self.inputs);
                self.logits.append(&self.more);
            }
        }
    }

    /// [`compute`](Self::compute) for sentences with shortlists.
    fn compute_by_sentence(&mut self, first: usize, output: &Output, lists: &mut Lists, decoded: &DecodedRows<'_>) {
        self.widen(first);
        let Self { logits, more, inputs: storage, .. } = self;
        let inputs = output.rows(decoded.outputs, storage);
        let mut row = 0;
        for sentence_rows in decoded.rows.chunk_by(|a, b| a.sentence == b.sentence) {
            let sentence = sentence_rows[0].sentence;
            let end = row + sentence_rows.len();
            lists.logits(output, sentence, inputs.part(row..end), more);
            for (source, target) in (row..end).enumerate() {
                logits.row_mut(first + target)[..more.cols()].copy_from_slice(more.row(source));
            }
            row = end;
        }
    }

    /// Makes room for the logits of all rows; keeps those of the first `first` rows.
    fn widen(&mut self, first: usize) {
        let widest = self.rows.iter().map(|row| row.words).max().unwrap_or(0);
        let logits = &mut self.logits;
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

    /// Sums the weighted log-probabilities of the `members` of an ensemble for the rows of a call.
    pub(crate) fn sum<'a>(&mut self, step: Step, members: impl Iterator<Item = (f32, &'a mut Self)>) {
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

    /// Appends the rows of a call, without normalisers and additions, and clears the rows of the last step if this is a
    /// new one. `new` has the shortlist and the number of target words of each row. Returns the number of the first new
    /// row.
    fn begin_rows<'a>(&mut self, step: Step, new: impl Iterator<Item = (Option<&'a Shortlist>, usize)>) -> usize {
        if step == Step::New {
            self.rows.clear();
            self.additions.clear();
            self.is_summarised = false;
        }
        let first = self.rows.len();
        self.rows.extend(new.map(|(shortlist, words)| ScoreRow {
            shortlist: shortlist.cloned(),
            words: shortlist.map_or(words, |shortlist| shortlist.words().len()),
            normaliser: None,
        }));
        first
    }

    /// Computes the logits of all rows, if the step is summarised.
    fn expand(&mut self) {
        if self.is_summarised {
            self.summarised.all_logits(&mut self.logits);
            self.is_summarised = false;
        }
    }

    /// The logits of a row.
    fn logits(&mut self, row: usize) -> &[f32] {
        self.expand();
        &self.logits.row(row)[..self.rows[row].words]
    }

    fn normaliser(&mut self, row: usize) -> f32 {
        if self.raw {
            return 0.0;
        }
        if let Some(known) = self.rows[row].normaliser {
            return known;
        }
        let _unit = Unit::Softmax.timed();
        let normaliser = if self.is_summarised {
            self.summarised.summary().normaliser(row)
        } else {
            log_sum_exp(&self.logits.row(row)[..self.rows[row].words])
        };
        self.rows[row].normaliser = Some(normaliser);
        normaliser
    }

    /// Adds sparse scores to a row, see [`Additions::add`]. With a shortlist, its words become columns.
    fn add_sparsely(&mut self, row: usize, base: f32, listed: &[WordScore]) {
        self.expand();
        let Self { logits, rows, additions, listed: columns, .. } = self;
        let score_row = &rows[row];
        let logits = &logits.row(row)[..score_row.words];
        if score_row.shortlist.is_none() {
            return additions.add(row, logits, base, listed);
        }
        columns.clear();
        columns.extend(listed.iter().filter_map(|&WordScore { word, score }| {
            score_row.column(word).map(|column| WordScore { word: WordId::new(column), score })
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
        let _unit = Unit::Top.timed();
        // All rows belong to one sentence, so that the first shows the columns of all.
        let first = self.rows[rows.start].clone();
        self.excluded.clear();
        self.excluded.extend(excluded.iter().filter_map(|&word| Some(first.column(word)? as u32)));
        let candidate =
            |best: &Best| Candidate { row: Row(best.tag), word: first.word(best.column), score: best.value };
        self.top.start(k, &self.excluded);
        if self.is_summarised {
            let question = BestQuestion { rows: rows.clone(), so_far, k, excluded: &self.excluded };
            if question.find(self.summarised.summary(), self.raw, &mut self.best) {
                return out.extend(self.best.iter().map(candidate));
            }
            self.summarised.compute(rows.clone());
        }
        for (number, (row, &so_far)) in rows.zip(so_far).enumerate() {
            let normaliser = self.normaliser(row);
            let Self { logits, rows, additions, top, .. } = self;
            let logits = if self.is_summarised { self.summarised.computed(number) } else { logits.row(row) };
            let logits = &logits[..rows[row].words];
            top.offer_changed(logits, additions.changes(row), normaliser, so_far, Row::new(row).0);
        }
        out.extend(self.top.finish().iter().map(candidate));
    }

    fn score(&mut self, row: Row, word: WordId) -> f32 {
        let row = row.index();
        let Some(column) = self.rows[row].column(word) else { return f32::NEG_INFINITY };
        let logit = if self.is_summarised { self.summarised.logit(row, column) } else { self.logits.row(row)[column] };
        // The same operations as in `TopK`, so that both have the same bits.
        self.additions.changes(row).value(column as u32, logit) - self.normaliser(row)
    }

    fn row(&mut self, row: Row, out: &mut [f32]) {
        let row = row.index();
        let normaliser = self.normaliser(row);
        let logits = self.logits(row);
        let (listed, others) = out.split_at_mut(logits.len());
        listed.copy_from_slice(logits);
        self.additions.changes(row).make(listed);
        listed.iter_mut().for_each(|score| *score -= normaliser);
        others.fill(f32::NEG_INFINITY);
        // From the last word to the first: the column of a word in the list is never greater than its id.
        for column in (0..self.rows[row].words).rev() {
            out.swap(column, self.rows[row].word(column as u32).index());
        }
    }

    fn add(&mut self, row: Row, more: WordScores<'_>) {
        let row = row.index();
        match more {
            WordScores::Sparse { base, listed } => self.add_sparsely(row, base, listed),
            WordScores::Dense(more) => {
                // The normaliser comes first, because the softmax is over the model's own logits.
                self.normaliser(row);
                self.expand();
                let Self { logits, rows, additions, .. } = self;
                let score_row = &rows[row];
                let logits = &mut logits.row_mut(row)[..score_row.words];
                additions.settle(row, logits);
                match &score_row.shortlist {
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
