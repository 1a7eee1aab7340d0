//! A model that does what another one does, but for what a test or an experiment changes.

use metaphrase_base::{ModelFacts, Row, SentId, Sentence, Step, StepDemand, StepModel, StepRow};

/// What [`Delegating`] does: what [`model`](Self::model) does, but for the functions that are written anew.
pub trait Delegate: Send + Sync {
    /// The other model.
    type Model: StepModel;

    /// The model that does the work.
    fn model(&self) -> &Self::Model;

    /// See [`StepModel::encode`].
    fn encode(&self, sentences: &[Sentence<'_>], state: &mut <Self::Model as StepModel>::State) {
        self.model().encode(sentences, state);
    }

    /// See [`StepModel::release`].
    fn release(&self, slot: SentId, state: &mut <Self::Model as StepModel>::State) {
        self.model().release(slot, state);
    }

    /// See [`StepModel::step`].
    fn step(
        &self,
        step: Step,
        demand: StepDemand,
        rows: &[StepRow],
        state: &mut <Self::Model as StepModel>::State,
        scores: &mut <Self::Model as StepModel>::Scores,
    ) {
        self.model().step(step, demand, rows, state, scores);
    }

    /// See [`StepModel::lacks_memory`].
    fn lacks_memory(&self, state: &<Self::Model as StepModel>::State) -> bool {
        self.model().lacks_memory(state)
    }
}

/// A delegate as a model.
pub struct Delegating<D>(pub D);

impl<D: Delegate> StepModel for Delegating<D> {
    type State = <D::Model as StepModel>::State;
    type Scores = <D::Model as StepModel>::Scores;

    fn facts(&self) -> ModelFacts {
        self.0.model().facts()
    }

    fn new_state(&self) -> Self::State {
        self.0.model().new_state()
    }

    fn new_scores(&self) -> Self::Scores {
        self.0.model().new_scores()
    }

    fn encode(&self, sentences: &[Sentence<'_>], state: &mut Self::State) {
        self.0.encode(sentences, state);
    }

    fn release(&self, slot: SentId, state: &mut Self::State) {
        self.0.release(slot, state);
    }

    fn step(
        &self,
        step: Step,
        demand: StepDemand,
        rows: &[StepRow],
        state: &mut Self::State,
        scores: &mut Self::Scores,
    ) {
        self.0.step(step, demand, rows, state, scores);
    }

    fn attention<'s>(&self, state: &'s Self::State, row: Row) -> &'s [f32] {
        self.0.model().attention(state, row)
    }

    fn lacks_memory(&self, state: &Self::State) -> bool {
        self.0.lacks_memory(state)
    }
}
