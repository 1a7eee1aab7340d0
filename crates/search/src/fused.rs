//! A model and a scorer as one model: shallow fusion.

use metaphrase_base::{Row, Scorer, SentId, StepModel, StepRow, StepScores, WordId};
use std::sync::Arc;

/// A model to whose scores a [`Scorer`] adds: `ln p(word) + weight · score(word)`.
pub struct Fused<M, S> {
    model: Arc<M>,
    scorer: S,
    weight: f32,
}

/// What the search of a batch changes.
pub struct FusedState<M, S> {
    model: M,
    /// The scorer's states of the rows of the last step, and of the step before.
    rows: Vec<S>,
    before: Vec<S>,
    /// What the scorer adds to a row.
    more: Vec<f32>,
}

impl<M: StepModel, S: Scorer> Fused<M, S> {
    /// `model` with `weight` times the scores of `scorer`. A negative weight is possible.
    pub const fn new(model: Arc<M>, scorer: S, weight: f32) -> Self {
        Self { model, scorer, weight }
    }

    /// Scores `rows`, which are those of the step from row `first` on.
    fn add(&self, rows: &[StepRow], first: usize, state: &mut FusedState<M::State, S::State>, scores: &mut M::Scores) {
        for (number, row) in rows.iter().enumerate() {
            let of_row = match row.parent {
                Some(parent) => self.scorer.after(state.before[parent.row.index()], parent.word),
                None => self.scorer.start(),
            };
            state.rows.push(of_row);
            state.more.clear();
            state.more.resize(self.model.target_words(), 0.0);
            self.scorer.add(of_row, self.weight, &mut state.more);
            scores.add(Row::new(first + number), &state.more);
        }
    }
}

impl<M: StepModel, S: Scorer> StepModel for Fused<M, S> {
    type State = FusedState<M::State, S::State>;
    type Scores = M::Scores;

    fn target_words(&self) -> usize {
        self.model.target_words()
    }

    fn end_of_sentence(&self) -> WordId {
        self.model.end_of_sentence()
    }

    fn new_state(&self) -> Self::State {
        FusedState { model: self.model.new_state(), rows: Vec::new(), before: Vec::new(), more: Vec::new() }
    }

    fn new_scores(&self) -> Self::Scores {
        self.model.new_scores()
    }

    fn encode(&self, slots: &[SentId], sentences: &[&[WordId]], state: &mut Self::State) {
        self.model.encode(slots, sentences, &mut state.model);
    }

    fn expect_given_words(&self, slot: SentId, state: &mut Self::State) {
        self.model.expect_given_words(slot, &mut state.model);
    }

    fn release(&self, slot: SentId, state: &mut Self::State) {
        self.model.release(slot, &mut state.model);
    }

    fn step(&self, rows: &[StepRow], state: &mut Self::State, scores: &mut Self::Scores) {
        self.model.step(rows, &mut state.model, scores);
        core::mem::swap(&mut state.rows, &mut state.before);
        state.rows.clear();
        self.add(rows, 0, state, scores);
    }

    fn step_more(&self, rows: &[StepRow], state: &mut Self::State, scores: &mut Self::Scores) {
        self.model.step_more(rows, &mut state.model, scores);
        self.add(rows, state.rows.len(), state, scores);
    }

    fn scores_are_log_probs(&self) -> bool {
        self.weight >= 0.0 && self.model.scores_are_log_probs() && self.scorer.scores_are_log_probs()
    }

    fn has_attention(&self) -> bool {
        self.model.has_attention()
    }

    fn keep_attention(&self, keep: bool, state: &mut Self::State) {
        self.model.keep_attention(keep, &mut state.model);
    }

    fn attention<'s>(&self, state: &'s Self::State, row: Row) -> &'s [f32] {
        self.model.attention(&state.model, row)
    }
}
