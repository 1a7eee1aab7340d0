//! Several models that vote: a log-linear mixture of their word probabilities.

use crate::model::State;
use crate::{Config, Model, ModelError, Scores};
use metaphrase_base::{Row, SentId, Sentence, Step, StepDemand, StepModel, StepRow};

/// Models over the same words, of any architectures. The score of a word is `Σ wᵢ ln pᵢ`, which is not normalised
/// again (as in Marian).
pub(crate) struct Ensemble {
    members: Vec<Member>,
}

struct Member {
    weight: f32,
    model: Model,
}

/// Everything that the search of an ensemble changes: a state and scores for each member.
#[derive(Debug)]
pub struct EnsembleState(Vec<(State, Scores)>);

/// Says which model translates between other languages than the first model that names its languages.
fn other_languages(models: &[Model]) -> Option<String> {
    let languages = |(number, model): (usize, &Model)| Some((number + 1, model.config().languages.clone()?));
    let mut named = models.iter().enumerate().filter_map(languages);
    let (first, expected) = named.next()?;
    let (number, [source, target]) = named.find(|(_, languages)| *languages != expected)?;
    let [from, to] = expected;
    Some(format!("model {number} translates from {source} to {target}, model {first} from {from} to {to}"))
}

impl Ensemble {
    /// # Errors
    /// If there are no models, if their languages differ or their vocabularies in size or in their end of sentence, or
    /// if a model has no positive weight.
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
        // Other languages mostly come with other words, and are the more useful message.
        if let Some(problem) = other_languages(&models) {
            return refuse(problem);
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

    pub(crate) fn parameters(&self) -> usize {
        self.members.iter().map(|member| member.model.parameters()).sum()
    }

    pub(crate) fn device_failure(&self) -> Option<String> {
        self.members.iter().find_map(|member| member.model.device_failure())
    }

    pub(crate) fn new_state(&self) -> EnsembleState {
        EnsembleState(self.members.iter().map(|member| (member.model.new_state(), member.model.new_scores())).collect())
    }

    /// Whether all members score words by log-probabilities.
    pub(crate) fn log_probs(&self) -> bool {
        self.members.iter().all(|member| member.model.facts().log_probs)
    }

    pub(crate) fn encode(&self, sentences: &[Sentence<'_>], state: &mut EnsembleState) {
        let without: Vec<_> = sentences.iter().map(|&sentence| Sentence { attention: false, ..sentence }).collect();
        let sentences = core::iter::once(sentences).chain(core::iter::repeat(&without[..]));
        for ((member, (state, _)), sentences) in self.members.iter().zip(&mut state.0).zip(sentences) {
            member.model.encode(sentences, state);
        }
    }

    pub(crate) fn release(&self, slot: SentId, state: &mut EnsembleState) {
        for (member, (state, _)) in self.members.iter().zip(&mut state.0) {
            member.model.release(slot, state);
        }
    }

    /// The scores of an ensemble are sums over all words, so members compute all theirs.
    pub(crate) fn step(
        &self,
        step: Step,
        demand: StepDemand,
        rows: &[StepRow],
        state: &mut EnsembleState,
        scores: &mut Scores,
    ) {
        let demand = StepDemand { whole_rows: true, ..demand };
        for (member, (state, scores)) in self.members.iter().zip(&mut state.0) {
            member.model.step(step, demand, rows, state, scores);
        }
        let of_members = self.members.iter().zip(&mut state.0).map(|(member, (_, scores))| (member.weight, scores));
        scores.sum(step, of_members);
    }

    pub(crate) fn attention<'s>(&self, state: &'s EnsembleState, row: Row) -> &'s [f32] {
        self.members[0].model.attention(&state.0[0].0, row)
    }

    /// Whether a member's device has too little memory for the sentences.
    pub(crate) fn lacks_memory(&self, state: &EnsembleState) -> bool {
        self.members.iter().zip(&state.0).any(|(member, (state, _))| member.model.lacks_memory(state))
    }
}
