//! The continuations of a sentence's open hypotheses: lines 11 to 14 of Algorithm 1.

use super::{Beam, Selection, SentenceSearch, StepContext};
use crate::bans::{BanFacts, Progress};
use crate::candidates::{CandidateSpace, Continuation};
use crate::constraints::Automaton;
use crate::guide::{Guide, find_unconstrained};
use crate::plan::{Ending, SentencePlan};
use crate::pruning::Pruning;
use crate::sampling::Sampling;
use metaphrase_base::StepScores;

impl SentenceSearch {
    /// Chooses the continuations: TOPB, the forced word of a prefix, or a draw for each row.
    pub(super) fn choose(&mut self, step: &mut StepContext<'_, impl StepScores>) {
        let Self { plan, beam, constraints, width, .. } = self;
        if let Some(word) = plan.given(beam.length) {
            step.give(word, plan.has_score(beam.length));
        } else if let Some(sampling) = plan.options.sampling {
            self.draw(sampling, step);
        } else {
            BeamQuestion { plan, beam, width: *width, constraints: constraints.as_mut() }.find(step);
            let mut pruning = Pruning { plan, facts: step.facts, beam, constraints: constraints.as_mut() };
            pruning.prune(&mut step.buffers.continuations);
            if plan.ending == Ending::Collect {
                self.keep_full_beam(step.facts.end_of_sentence, &mut step.buffers.continuations);
            }
        }
        self.beam.choose(&self.plan, step, self.constraints.as_mut());
    }

    /// Draws a word for each row.
    fn draw(&mut self, sampling: Sampling, step: &mut StepContext<'_, impl StepScores>) {
        let words = step.facts.target_words;
        let Selection { places, characters, continuations, sampler, .. } = &mut *step.buffers;
        let facts = self.plan.ban_facts(&self.beam.repeats, characters, self.beam.length, step.facts.end_of_sentence);
        for (place, (open, at)) in self.beam.open.iter().zip(&*places).enumerate() {
            step.scores.row(at.row, sampler.row(words));
            let banned = facts.unconstrained_words(place, words);
            if let Some((word, log_prob)) = sampler.draw(sampling, banned, &mut self.draws[open.draw]) {
                continuations.push(Continuation { place, word, score: log_prob + at.so_far });
            }
        }
    }
}

/// The question for the best continuations of a beam.
pub(crate) struct BeamQuestion<'a> {
    pub(crate) plan: &'a SentencePlan,
    pub(crate) beam: &'a Beam,
    /// Places in the beam.
    pub(crate) width: usize,
    pub(crate) constraints: Option<&'a mut Automaton>,
}

impl BeamQuestion<'_> {
    /// Finds the best continuations, with constraints those that each bank keeps.
    pub(crate) fn find(mut self, step: &mut StepContext<'_, impl StepScores>) {
        let Self { plan, beam, width, .. } = self;
        let end = step.facts.end_of_sentence;
        let rows = step.first_row..step.first_row + beam.leaders.len();
        let Selection { places, characters, continuations, candidates, states, excluded, guide, .. } =
            &mut *step.buffers;
        states.clear();
        states.extend(beam.open.iter().map(|open| open.state));
        excluded.clone_from(&plan.options.excluded);
        // If no hypothesis may end yet (the common case), no place in the lists is spent on the end of sentence.
        if let Some(automaton) = &self.constraints
            && !states.iter().any(|&state| automaton.may_end(state))
        {
            excluded.push(end);
        }
        // Where a shortlist has no byte that may follow, break the character rather than leave the sentence without a
        // translation.
        for characters in [&characters[..], &[]] {
            let facts = BanFacts { excluded, ..plan.ban_facts(&beam.repeats, characters, beam.length, end) };
            let scores = &mut *step.scores;
            let mut space = CandidateSpace { places, rows: rows.clone(), scores, buffers: candidates };
            match &mut self.constraints {
                None => find_unconstrained(&mut space, facts, width, plan.ending, continuations),
                Some(automaton) => {
                    let progress = Progress { automaton, states };
                    let left = plan.limit - beam.length;
                    Guide { plan, space, facts, progress, width, left, buffers: guide }.find(continuations);
                }
            }
            if !continuations.is_empty() || characters.is_empty() {
                return;
            }
        }
    }
}
