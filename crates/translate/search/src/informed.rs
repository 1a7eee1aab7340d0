//! A model and each sentence's own scorer as one model.

use metaphrase_base::{
    ModelFacts, Row, ScoreBuffer, SentId, Sentence, SentenceScorer, Step, StepDemand, StepModel, StepRow, StepScores,
    Unit,
};
use std::sync::Arc;

/// A model to whose scores the [`SentenceScorer`] of each sentence adds, where the sentence has one: lines 9 and 10 of
/// Algorithm 1 of Iglesias et al. 2018, with the row of the history of each hypothesis.
///
/// A model that is informed is a model. Sentences without a scorer are searched as if it were not.
pub struct Informed<M> {
    model: Arc<M>,
}

/// The mutable state of a batch's search.
pub struct InformedState<M> {
    model: M,
    /// By slot: the scorer of its sentence, if it has one.
    scorers: Vec<Option<Arc<dyn SentenceScorer>>>,
    /// By row of the last step, and by row of the step before it: the state of the scorer.
    rows: Vec<u32>,
    before: Vec<u32>,
    buffer: ScoreBuffer,
}

impl<M: StepModel> Informed<M> {
    /// `model` with the scorers of its sentences.
    pub const fn new(model: Arc<M>) -> Self {
        Self { model }
    }
}

impl<M: StepModel> StepModel for Informed<M> {
    type State = InformedState<M::State>;
    type Scores = M::Scores;

    /// The facts of the model: the search itself knows which sentences have scorers.
    fn facts(&self) -> ModelFacts {
        self.model.facts()
    }

    fn new_state(&self) -> Self::State {
        let (scorers, rows, before) = (Vec::new(), Vec::new(), Vec::new());
        InformedState { model: self.model.new_state(), scorers, rows, before, buffer: ScoreBuffer::default() }
    }

    fn new_scores(&self) -> Self::Scores {
        self.model.new_scores()
    }

    fn encode(&self, sentences: &[Sentence<'_>], state: &mut Self::State) {
        self.model.encode(sentences, &mut state.model);
        for sentence in sentences {
            let slot = sentence.slot.index();
            if slot >= state.scorers.len() {
                state.scorers.resize(slot + 1, None);
            }
            state.scorers[slot] = sentence.scorer.cloned();
        }
    }

    fn release(&self, slot: SentId, state: &mut Self::State) {
        self.model.release(slot, &mut state.model);
        state.scorers[slot.index()] = None;
    }

    fn step(
        &self,
        step: Step,
        demand: StepDemand,
        rows: &[StepRow],
        state: &mut Self::State,
        scores: &mut Self::Scores,
    ) {
        let adds = rows.iter().any(|row| state.scorers[row.sentence.index()].is_some());
        let demand = StepDemand { whole_rows: demand.whole_rows || adds, ..demand };
        self.model.step(step, demand, rows, &mut state.model, scores);
        let _unit = Unit::Scorers.timed();
        if step == Step::New {
            core::mem::swap(&mut state.rows, &mut state.before);
            state.rows.clear();
        }
        for row in rows {
            let mut history = 0;
            if let Some(scorer) = &state.scorers[row.sentence.index()] {
                history = match row.parent {
                    Some(parent) => scorer.after(state.before[parent.row.index()], parent.word),
                    None => scorer.start(),
                };
                scores.add(Row::new(state.rows.len()), scorer.scores(history, &mut state.buffer));
            }
            state.rows.push(history);
        }
    }

    fn attention<'s>(&self, state: &'s Self::State, row: Row) -> &'s [f32] {
        self.model.attention(&state.model, row)
    }

    fn lacks_memory(&self, state: &Self::State) -> bool {
        self.model.lacks_memory(&state.model)
    }
}
