//! The seam between search and models: one batched step.
//!
//! Iglesias et al. 2018 write `P_t, S_t = f(S_{t-1}, y_{t-1}, A)`. Here the caller passes *parents*, not a
//! re-ordered state: row `r` of the new state extends row `rows[r].parent` of the previous one by a word.

use crate::{Row, SentId, SentenceScorer, Shortlist, WordId, WordScores};
use core::cmp::Ordering;
use core::ops::Range;
use std::sync::Arc;

/// A sentence to be encoded, and what the search wants to know about it.
#[derive(Debug, Clone, Copy)]
pub struct Sentence<'a> {
    /// The free slot that the sentence enters. Slots are small numbers; the state makes room for them.
    pub slot: SentId,
    /// Source words, end of sentence included. Not empty.
    pub words: &'a [WordId],
    /// Whether the target words are given, as in scoring, and not searched for. Most models make no difference;
    /// Marian's pre-norm Transformers do.
    pub given_target: bool,
    /// Whether [`StepModel::attention`] will be asked about rows of this sentence.
    pub attention: bool,
    /// The words that may translate the sentence; `None`: all words. The log-probability of any other word is
    /// -infinity, and probabilities are normalised over the list.
    pub shortlist: Option<&'a Shortlist>,
    /// Adds to the scores of this sentence's words. A network takes no notice of it; who fuses it with the network
    /// does.
    pub scorer: Option<&'a Arc<dyn SentenceScorer>>,
}

impl<'a> Sentence<'a> {
    /// A sentence whose translation is searched for, without attention.
    #[must_use]
    pub const fn new(slot: SentId, words: &'a [WordId]) -> Self {
        Self { slot, words, given_target: false, attention: false, shortlist: None, scorer: None }
    }
}

/// The parent of a row, and the word that the row adds to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent {
    /// A row of the previous step, of the same sentence.
    pub row: Row,
    /// The word that was chosen after that row.
    pub word: WordId,
}

/// One row asked of [`StepModel::step`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepRow {
    /// The slot of the sentence that this row translates.
    pub sentence: SentId,
    /// The row that this row extends; `None` at the start of a sentence.
    pub parent: Option<Parent>,
}

/// The step that the rows of a call belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A new step: the rows replace those of the last step, and their parents are rows of the last step.
    New,
    /// The last step again: the rows are numbered after those that the step has, and their parents are rows of the step
    /// before it, too.
    Same,
}

/// What search will ask about the scores of a step, so that a model prepares what is asked for and no more. A question
/// that was not announced has the same answer, to the bit; it may take longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepDemand {
    /// The most continuations that one question about the best ones asks for: `k` of [`StepScores::top`].
    pub best: usize,
    /// The number of rows that are asked for `best` continuations each. Where a question is about several rows, hardly
    /// any row has all of the best continuations.
    pub rows_alone: usize,
    /// The most words that one question about the best continuations excludes.
    pub excluded: usize,
    /// The number of questions about single words, of all rows together: [`StepScores::score`].
    pub words: usize,
    /// Whether whole rows are read ([`StepScores::row`]) or added to ([`StepScores::add`]).
    pub whole_rows: bool,
    /// Whether rows will be added to the step: [`Step::Same`].
    pub more_rows: bool,
}

impl StepDemand {
    /// Anything may be asked.
    pub const ANYTHING: Self = Self {
        best: usize::MAX,
        rows_alone: usize::MAX,
        excluded: usize::MAX,
        words: usize::MAX,
        whole_rows: true,
        more_rows: true,
    };

    /// What two sentences of a batch demand together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            best: self.best.max(other.best),
            rows_alone: self.rows_alone.saturating_add(other.rows_alone),
            excluded: self.excluded.max(other.excluded),
            words: self.words.saturating_add(other.words),
            whole_rows: self.whole_rows || other.whole_rows,
            more_rows: self.more_rows || other.more_rows,
        }
    }
}

/// A continuation: row `row` followed by `word`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The row of the step that is continued.
    pub row: Row,
    /// The word that continues the row.
    pub word: WordId,
    /// Log-probability of the whole hypothesis, or of the word where the question is about one row.
    pub score: f32,
}

/// An order of candidates: higher scores first, then the smaller row, then the smaller word.
#[must_use]
pub fn by_score_desc(a: &Candidate, b: &Candidate) -> Ordering {
    b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)).then(a.word.cmp(&b.word))
}

/// The facts about a model that search must know before the first sentence. They never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelFacts {
    /// Number of words in the target vocabulary, V.
    pub target_words: usize,
    /// The word that ends a target sentence.
    pub end_of_sentence: WordId,
    /// Whether no word's score is above 0, as is true of log-probabilities: then search knows when no open
    /// hypothesis can still win.
    pub log_probs: bool,
    /// Whether [`StepModel::attention`] can have an answer.
    pub attention: bool,
}

/// A translation model as search sees it. Weights are read through `&self` and never change; everything a
/// sentence changes is in values that the caller owns, so any number of searches can share a model.
///
/// A batch holds sentences in *slots* ([`SentId`]). Sentences may enter ([`encode`](Self::encode)) and
/// leave ([`release`](Self::release)) between any two steps. What a row gets must depend on its own
/// sentence and history alone, to the bit, never on the other rows of the call.
pub trait StepModel: Send + Sync {
    /// Everything that the search of one batch changes: encoded sentences, decoder states of the last step, work space.
    type State: Send;
    /// The scores of the last step.
    type Scores: StepScores + Send;

    /// The constants of the model.
    fn facts(&self) -> ModelFacts;

    /// A state without sentences, with work space that grows as it is used and is kept.
    fn new_state(&self) -> Self::State;

    /// Scores without rows.
    fn new_scores(&self) -> Self::Scores;

    /// Encodes sentences into their slots, which are free.
    fn encode(&self, sentences: &[Sentence<'_>], state: &mut Self::State);

    /// Frees a slot. No row of a later step may name it before it is encoded again.
    fn release(&self, slot: SentId, state: &mut Self::State);

    /// Scores the words that may follow each of `rows`. Rows of one sentence are neighbours. The questions of `demand`
    /// will be asked about the scores; a model may take no notice of it.
    fn step(
        &self,
        step: Step,
        demand: StepDemand,
        rows: &[StepRow],
        state: &mut Self::State,
        scores: &mut Self::Scores,
    );

    /// Attention of a row of the last step over the source positions of its sentence (end of sentence
    /// included; sums to one): what the model looked at to score the words that follow the row.
    /// Empty where the model has none, or where the sentence was encoded without.
    fn attention<'s>(&self, state: &'s Self::State, row: Row) -> &'s [f32];

    /// Whether the sentences of `state` needed more memory than their device has. The scores of the last step are NaN
    /// then; released and encoded anew, fewer sentences at a time may have room.
    fn lacks_memory(&self, _state: &Self::State) -> bool {
        false
    }
}

/// The questions that search may ask about the scores of a step: it asks, it does not read, so that a shortlist, a
/// fused output layer or another device stay invisible to it. An answer may be computed when it is requested, so
/// questions borrow the scores mutably.
///
/// `excluded` words are never answered; probabilities are *not* renormalised for them (as Marian does).
pub trait StepScores {
    /// The `k` best continuations over `rows` (neighbouring rows of one sentence), best first; among equal ones the
    /// choice must depend on these rows alone: `so_far[i]` is added to the log-probability of every word after row
    /// `rows.start + i`. Candidates with a sum of -infinity are not answered, so there may be fewer than `k`.
    /// `out` is cleared first.
    fn top(&mut self, rows: Range<usize>, so_far: &[f32], k: usize, excluded: &[WordId], out: &mut Vec<Candidate>);

    /// Log-probability of `word` after `row`.
    fn score(&mut self, row: Row, word: WordId) -> f32;

    /// The log-probabilities of all V words after `row`; `out.len()` is V.
    fn row(&mut self, row: Row, out: &mut [f32]);

    /// Adds `more` to the scores of all words after `row`. They are not normalised again. The answers are those of
    /// [`WordScores::add_to`] on the row, to the bit.
    fn add(&mut self, row: Row, more: WordScores<'_>);
}
