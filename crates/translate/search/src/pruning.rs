//! Drops the chosen continuations that are not worth continuing.

use crate::RestCosts;
use crate::candidates::Continuation;
use crate::constraints::{Automaton, StateId};
use crate::plan::SentencePlan;
use crate::sentence::Beam;
use metaphrase_base::ModelFacts;

/// The search of a sentence as pruning sees it.
pub(crate) struct Pruning<'a> {
    pub(crate) plan: &'a SentencePlan,
    pub(crate) facts: ModelFacts,
    pub(crate) beam: &'a Beam,
    pub(crate) constraints: Option<&'a mut Automaton>,
}

impl Pruning<'_> {
    /// Drops continuations that are too far below the best finished hypothesis or below the best continuation.
    pub(crate) fn prune(&mut self, continuations: &mut Vec<Continuation>) {
        let constrained = self.constraints.as_ref().is_some_and(|automaton| automaton.needed(StateId::START) > 0);
        let default = if constrained { 20.0 } else { f32::INFINITY };
        let threshold = self.plan.options.prune_threshold.unwrap_or(default);
        if threshold < f32::INFINITY {
            let worst = self.beam.finished.best_log_prob - threshold;
            continuations.retain(|continuation| continuation.score >= worst);
            if self.plan.options.rest_costs != RestCosts::Never {
                self.drop_hopeless(continuations);
            }
        }
        if self.plan.options.beam_width > 0.0 {
            self.narrow(continuations);
        }
    }

    /// Where there are terms to meet: drops continuations that can not enter the n-best list any more, even if each
    /// word that they still need comes at the best probability that this word has had so far.
    fn drop_hopeless(&mut self, continuations: &mut Vec<Continuation>) {
        let (Some(automaton), Some(to_beat), true) =
            (&mut self.constraints, self.beam.finished.to_beat(), self.facts.log_probs)
        else {
            return;
        };
        continuations.retain(|continuation| {
            let rest = if continuation.word == self.facts.end_of_sentence {
                0.0
            } else {
                let after = automaton.after(self.beam.open[continuation.place].state, continuation.word);
                automaton.rest(after)
            };
            let score = continuation.score + rest;
            self.plan.ranking.reachable(score, self.beam.length + 1, self.plan.limit) > to_beat
        });
    }

    /// Drops continuations that are less probable than the best of the step times the beam width. With constraints the
    /// best is that of the same bank (the same number of words met), so that hypotheses that can still meet the other
    /// constraints survive.
    fn narrow(&mut self, continuations: &mut Vec<Continuation>) {
        let margin = self.plan.options.beam_width.ln();
        let mut bank = |continuation: &Continuation| match &mut self.constraints {
            Some(automaton) if continuation.word != self.facts.end_of_sentence => {
                automaton.needed_after(self.beam.open[continuation.place].state, continuation.word)
            }
            _ => 0,
        };
        // Best first, so the first of a bank is its best.
        let mut best: Vec<(usize, f32)> = Vec::new();
        continuations.retain(|continuation| {
            let bank = bank(continuation);
            match best.iter().find(|known| known.0 == bank) {
                Some(&(_, best)) => continuation.score >= best + margin,
                None => {
                    best.push((bank, continuation.score));
                    true
                }
            }
        });
    }
}
