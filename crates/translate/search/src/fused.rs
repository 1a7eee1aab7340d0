//! A model and a scorer as one model: shallow fusion.

use metaphrase_base::{
    ModelFacts, Row, ScoreBuffer, Scorer, SentId, Sentence, Step, StepDemand, StepModel, StepRow, StepScores, Unit,
};
use std::sync::Arc;

/// A model to whose scores a [`Scorer`] adds: `ln p(word) + weight · score(word)`.
///
/// A fused model is a model, so another scorer can be fused with it:
/// `Fused::new(Arc::new(with_language_model), mask, 1.0)`.
/// A dense scorer next to the model and sparse scorers around it cost least, as a dense scorer must write every score.
pub struct Fused<M, S> {
    model: Arc<M>,
    scorer: S,
    weight: f32,
}

/// The mutable state of a batch's search.
pub struct FusedState<M, S> {
    model: M,
    /// By slot: the scorer's state before the first word.
    starts: Vec<S>,
    /// By row of the last step, and by row of the step before it: the scorer's state.
    rows: Vec<S>,
    before: Vec<S>,
    buffer: ScoreBuffer,
}

impl<M: StepModel, S: Scorer> Fused<M, S> {
    /// `model` with `weight` times the scores of `scorer`. A negative weight is possible.
    pub const fn new(model: Arc<M>, scorer: S, weight: f32) -> Self {
        Self { model, scorer, weight }
    }
}

impl<M: StepModel, S: Scorer> StepModel for Fused<M, S> {
    type State = FusedState<M::State, S::State>;
    type Scores = M::Scores;

    fn facts(&self) -> ModelFacts {
        let facts = self.model.facts();
        let log_probs = self.weight >= 0.0 && facts.log_probs && self.scorer.scores_are_log_probs();
        ModelFacts { log_probs, ..facts }
    }

    fn new_state(&self) -> Self::State {
        let (starts, rows, before) = (Vec::new(), Vec::new(), Vec::new());
        FusedState { model: self.model.new_state(), starts, rows, before, buffer: ScoreBuffer::default() }
    }

    fn new_scores(&self) -> Self::Scores {
        self.model.new_scores()
    }

    fn encode(&self, sentences: &[Sentence<'_>], state: &mut Self::State) {
        self.model.encode(sentences, &mut state.model);
        for sentence in sentences {
            let (slot, start) = (sentence.slot.index(), self.scorer.start(sentence));
            if slot >= state.starts.len() {
                state.starts.resize(slot + 1, start);
            }
            state.starts[slot] = start;
        }
    }

    fn release(&self, slot: SentId, state: &mut Self::State) {
        self.model.release(slot, &mut state.model);
    }

    fn step(
        &self,
        step: Step,
        demand: StepDemand,
        rows: &[StepRow],
        state: &mut Self::State,
        scores: &mut Self::Scores,
    ) {
        let demand = StepDemand { whole_rows: true, ..demand };
        self.model.step(step, demand, rows, &mut state.model, scores);
        let _unit = Unit::Scorers.timed();
        if step == Step::New {
            core::mem::swap(&mut state.rows, &mut state.before);
            state.rows.clear();
        }
        for row in rows {
            let state_of_row = match row.parent {
                Some(parent) => self.scorer.after(state.before[parent.row.index()], parent.word),
                None => state.starts[row.sentence.index()],
            };
            scores.add(Row::new(state.rows.len()), self.scorer.scores(state_of_row, self.weight, &mut state.buffer));
            state.rows.push(state_of_row);
        }
    }

    fn attention<'s>(&self, state: &'s Self::State, row: Row) -> &'s [f32] {
        self.model.attention(&state.model, row)
    }

    fn lacks_memory(&self, state: &Self::State) -> bool {
        self.model.lacks_memory(&state.model)
    }
}
