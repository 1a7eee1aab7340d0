//! The scout: a free greedy search before the search of a narrow beam with terms.
//!
//! A beam with fewer places than banks cannot keep hypotheses that lack a term until the term's place comes: the term
//! is forced too early, and the rest of the translation degrades. So at each step the scout notes the
//! log-probabilities of the words that begin a term; the best one is the term's rest cost. Then the beam is searched,
//! its hypotheses ranked with the rest costs of their terms: a term is put where it is about as probable as anywhere.

use super::{Beam, BeamBuffers, BeamQuestion, StepContext};
use crate::Constraints;
use crate::constraints::{Automaton, RestCosts, StateId};
use crate::plan::SentencePlan;
use crate::trellis::repeats;
use metaphrase_base::{Row, StepDemand, StepScores, WordId};

/// The free search of one sentence.
#[derive(Debug)]
pub(crate) struct Scout {
    /// One hypothesis.
    beam: Beam,
    automaton: Automaton,
}

impl Scout {
    /// Begins a search.
    pub(crate) fn new(plan: &SentencePlan, constraints: Constraints) -> Self {
        let mut beam = Beam::default();
        beam.begin(plan);
        Self { beam, automaton: Automaton::new(constraints) }
    }

    pub(crate) fn beam(&self) -> &Beam {
        &self.beam
    }

    /// The questions of the next selection.
    pub(crate) fn demand(&self, plan: &SentencePlan) -> StepDemand {
        let mut demand = self.beam.demand(plan, 1);
        if self.beam.looks_for_best(plan) {
            demand.words += self.automaton.next(StateId::START).len();
        }
        demand
    }

    /// Chooses the best continuation without regard to the constraints.
    pub(crate) fn select(&mut self, plan: &SentencePlan, step: &mut StepContext<'_, impl StepScores>) {
        if let Some(word) = plan.given(self.beam.length) {
            step.give(word, plan.has_score(self.beam.length));
        } else {
            self.look_ahead(step);
            BeamQuestion { plan, beam: &self.beam, width: 1, constraints: None }.find(step);
        }
        self.beam.choose(plan, step, Some(&mut self.automaton));
    }

    /// Notes the log-probabilities of the words that can begin a term.
    fn look_ahead(&mut self, step: &mut StepContext<'_, impl StepScores>) {
        let row = step.buffers.places[0].row;
        for number in 0..self.automaton.next(StateId::START).len() {
            let word = self.automaton.next(StateId::START)[number];
            self.automaton.rest_costs.saw(word, step.scores.score(row, word));
        }
    }

    /// Continues the hypothesis by the word that was chosen. Returns whether the search is over.
    pub(crate) fn advance<'a>(
        &mut self,
        plan: &SentencePlan,
        end: WordId,
        attention: impl Fn(Row) -> &'a [f32],
        buffers: &mut BeamBuffers,
    ) -> bool {
        self.beam.advance(plan, end, attention, buffers);
        self.beam.is_at_its_end(plan)
    }

    /// Whether the translation is one that a beam of one would find: it ended, has all terms and no loops. Avoided
    /// phrases were not checked.
    pub(crate) fn is_what_the_beam_would_find(&self, plan: &SentencePlan, end: WordId) -> bool {
        let Some(hypothesis) = self.beam.hypotheses(plan, end).next() else { return false };
        let loops = plan.forbids_loops && repeats(&hypothesis.words);
        self.beam.open.is_empty() && self.beam.has_met(&self.automaton) && !self.automaton.avoids() && !loops
    }

    /// The hypotheses of the search.
    pub(crate) fn into_beam(self) -> Beam {
        self.beam
    }

    /// The rest costs that the search found.
    pub(crate) fn into_rest_costs(self) -> RestCosts {
        self.automaton.rest_costs
    }
}
