//! The seam between search and models: one batched step.
//!
//! Iglesias et al. 2018 write `P_t, S_t = f(S_{t-1}, y_{t-1}, A)`. Here the caller passes *parents*, not a
//! re-ordered state: row `r` of the new state extends row `rows[r].parent` of the previous one by a word.

use crate::{Row, SentId, WordId};
use core::cmp::Ordering;
use core::ops::Range;

/// What a row extends: a row of the previous step by a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent {
    /// A row of the previous step, of the same sentence.
    pub row: Row,
    /// The word that was chosen after it.
    pub word: WordId,
}

/// One row asked of [`StepModel::step`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepRow {
    /// The slot of the sentence that this row translates.
    pub sentence: SentId,
    /// What it extends; `None` at the start of a sentence.
    pub parent: Option<Parent>,
}

/// A continuation: row `row` followed by `word`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The row of the step that is continued.
    pub row: Row,
    /// The word that continues it.
    pub word: WordId,
    /// Log-probability of the whole hypothesis, or of the word where the question is about one row.
    pub score: f32,
}

/// An order of candidates: higher scores first, then the smaller row, then the smaller word.
#[must_use]
pub fn by_score_desc(a: &Candidate, b: &Candidate) -> Ordering {
    b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)).then(a.word.cmp(&b.word))
}

/// A translation model as search sees it. Weights are behind `&self` and never change; everything a
/// sentence changes is in values that the caller owns, so any number of searches can share a model.
///
/// A batch holds sentences in *slots* ([`SentId`]). Sentences may enter ([`encode`](Self::encode)) and
/// leave ([`release`](Self::release)) between any two steps. What a row gets must depend on its own
/// sentence and history alone, to the bit, never on the other rows of the call.
pub trait StepModel: Send + Sync {
    /// All that the search of one batch changes: encoded sentences, decoder states of the last step, work space.
    type State: Send;
    /// The scores of the last step.
    type Scores: StepScores + Send;

    /// Number of words in the target vocabulary, V.
    fn target_words(&self) -> usize;

    /// The word that ends a target sentence.
    fn end_of_sentence(&self) -> WordId;

    /// A state without sentences, with work space that grows as it is used and is kept.
    fn new_state(&self) -> Self::State;

    /// Scores without rows.
    fn new_scores(&self) -> Self::Scores;

    /// Encodes `sentences` (source ids, end of sentence included) into the free slots of the same places in
    /// `slots`. Slots are small numbers; the state makes room for them.
    fn encode(&self, slots: &[SentId], sentences: &[&[WordId]], state: &mut Self::State);

    /// Says that the target words of a slot are given, as in scoring, and not searched for; told after `encode`,
    /// before the first step. For most models this is all the same; Marian's pre-norm Transformers differ.
    fn expect_given_words(&self, _slot: SentId, _state: &mut Self::State) {}

    /// Frees a slot. No row of a later step may name it before it is encoded again.
    fn release(&self, slot: SentId, state: &mut Self::State);

    /// One step: `rows` replaces the rows of the previous step. Rows of one sentence are neighbours.
    fn step(&self, rows: &[StepRow], state: &mut Self::State, scores: &mut Self::Scores);

    /// Adds rows to the last step: like its rows they extend rows of the step before it, and their numbers go on
    /// where those end.
    fn step_more(&self, rows: &[StepRow], state: &mut Self::State, scores: &mut Self::Scores);

    /// Whether no word's score is above 0, as is true of log-probabilities: then search can tell when nothing that is
    /// open can still win.
    fn scores_are_log_probs(&self) -> bool {
        true
    }

    /// Whether [`attention`](Self::attention) can have an answer.
    fn has_attention(&self) -> bool;

    /// Whether the steps that follow keep their attention; off in a new state, as it may cost time.
    fn keep_attention(&self, keep: bool, state: &mut Self::State);

    /// Attention of a row of the last step over the source positions of its sentence (end of sentence
    /// included; sums to one): what the model looked at to score the words that follow the row.
    /// Empty where the model has none or was not told to keep it.
    fn attention<'s>(&self, state: &'s Self::State, row: Row) -> &'s [f32];
}

/// What search may ask about the scores of a step: it asks, it does not read, so that a shortlist, a fused
/// output layer or another device stay invisible to it.
///
/// `excluded` words are never answered; probabilities are *not* renormalised for them (as Marian does).
pub trait StepScores {
    /// The `k` best continuations over `rows` (neighbouring rows of one sentence), best first; among equal ones the
    /// choice must depend on these rows alone: `so_far[i]` is added to the log-probability of every word after row
    /// `rows.start + i`. Candidates with a sum of -infinity are not answered, so there may be fewer than `k`.
    /// `out` is cleared first.
    fn top(&mut self, rows: Range<usize>, so_far: &[f32], k: usize, excluded: &[WordId], out: &mut Vec<Candidate>);

    /// Log-probability of `word` after `row`.
    fn score(&self, row: Row, word: WordId) -> f32;

    /// The log-probabilities of all V words after `row`; `out.len()` is V.
    fn row(&self, row: Row, out: &mut [f32]);

    /// Adds `more` (V numbers) to the scores of all words after `row`. They are not normalised again.
    fn add(&mut self, row: Row, more: &[f32]);
}
