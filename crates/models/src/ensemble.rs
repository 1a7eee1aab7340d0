//! Several models that vote: a log-linear mixture of their word probabilities.

use crate::model::State;
use crate::{Config, Model, ModelError, Scores};
use metaphrase_base::{Row, SentId, StepModel, StepRow, WordId};

/// Models over the same words, of any architectures. The score of a word is `Σ wᵢ ln pᵢ`, which is not normalised
/// again (as in Marian).
pub(crate) struct Ensemble {
    members: Vec<Member>,
}

struct Member {
    weight: f32,
    model: Model,
}

/// What an ensemble's search changes: a state and scores for each member.
#[derive(Debug)]
pub struct EnsembleState(Vec<(State, Scores)>);

impl Ensemble {
    /// # Errors
    /// If there are no models, if their vocabularies differ in size or in their end of sentence, or if there is not a
    /// positive weight for each.
    pub(crate) fn new(models: Vec<Model>, weights: &[f32]) -> Result<Self, ModelError> {
        let refuse = |problem: String| Err(ModelError::Ensemble { problem });
        let Some(first) = models.first().map(Model::config) else {
            return refuse("there are none".into());
        };
        if weights.len() != models.len() {
            return refuse(format!("there are {} weights for {} models", weights.len(), models.len()));
        }
        if let Some(weight) = weights.iter().find(|weight| !(weight.is_finite() && **weight > 0.0)) {
            return refuse(format!("a weight is {weight}, it must be a positive number"));
        }
        for (number, config) in models.iter().map(Model::config).enumerate() {
            for (side, words, expected) in [
                ("source", config.source_words, first.source_words),
                ("target", config.target_words, first.target_words),
                ("end-of-sentence", config.end_of_sentence as usize, first.end_of_sentence as usize),
            ] {
                if words != expected {
                    let number = number + 1;
                    return refuse(format!("model {number} has {words} as {side} words, the first one {expected}"));
                }
            }
        }
        let members = models.into_iter().zip(weights).map(|(model, &weight)| Member { weight, model });
        Ok(Self { members: members.collect() })
    }

    /// Settings of the first member.
    pub(crate) fn config(&self) -> &Config {
        self.members[0].model.config()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.members.iter().map(|member| member.model.bytes()).sum()
    }

    pub(crate) fn parameters(&self) -> usize {
        self.members.iter().map(|member| member.model.parameters()).sum()
    }

    pub(crate) fn new_state(&self) -> EnsembleState {
        EnsembleState(self.members.iter().map(|member| (member.model.new_state(), member.model.new_scores())).collect())
    }

    pub(crate) fn encode(&self, slots: &[SentId], sentences: &[&[WordId]], state: &mut EnsembleState) {
        self.each(state, |model, state, _| model.encode(slots, sentences, state));
    }

    pub(crate) fn expect_given_words(&self, slot: SentId, state: &mut EnsembleState) {
        self.each(state, |model, state, _| model.expect_given_words(slot, state));
    }

    pub(crate) fn release(&self, slot: SentId, state: &mut EnsembleState) {
        self.each(state, |model, state, _| model.release(slot, state));
    }

    pub(crate) fn step(&self, rows: &[StepRow], state: &mut EnsembleState, scores: &mut Scores) {
        self.each(state, |model, state, scores| model.step(rows, state, scores));
        self.sum(state, 0, scores);
    }

    pub(crate) fn step_more(&self, rows: &[StepRow], state: &mut EnsembleState, scores: &mut Scores) {
        let first = scores.rows();
        self.each(state, |model, state, scores| model.step_more(rows, state, scores));
        self.sum(state, first, scores);
    }

    /// Adds up the members' scores from row `first` on.
    fn sum(&self, state: &EnsembleState, first: usize, scores: &mut Scores) {
        scores.begin_sum(&state.0[0].1, first);
        for (member, (_, of_member)) in self.members.iter().zip(&state.0) {
            scores.add_member(member.weight, of_member, first);
        }
    }

    pub(crate) fn scores_are_log_probs(&self) -> bool {
        self.members.iter().all(|member| member.model.scores_are_log_probs())
    }

    /// Attention is that of the first member.
    pub(crate) fn has_attention(&self) -> bool {
        self.members[0].model.has_attention()
    }

    pub(crate) fn keep_attention(&self, keep: bool, state: &mut EnsembleState) {
        self.members[0].model.keep_attention(keep, &mut state.0[0].0);
    }

    pub(crate) fn attention<'s>(&self, state: &'s EnsembleState, row: Row) -> &'s [f32] {
        self.members[0].model.attention(&state.0[0].0, row)
    }

    fn each(&self, state: &mut EnsembleState, mut act: impl FnMut(&Model, &mut State, &mut Scores)) {
        for (member, (state, scores)) in self.members.iter().zip(&mut state.0) {
            act(&member.model, state, scores);
        }
    }
}
