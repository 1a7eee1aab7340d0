//! Sentences with terms in a narrow beam.
//!
//! A beam with fewer places than banks can not keep hypotheses that lack a term until the term's place comes: the term comes
//! first, and after it the model is lost. So a free greedy search goes first. At each step it notes the log-probability of the
//! words that begin a term: the best one is the term's rest cost. Then the beam is searched, its hypotheses ranked with the
//! rest costs of their terms: a term is put where it is about as probable as anywhere.

use super::SentenceSearch;
use crate::Strategy;
use crate::constraints::StateId;
use crate::trellis::repeats;
use metaphrase_base::{ModelFacts, WordId};

impl SentenceSearch {
    /// Whether the beam is too narrow for banks. Up to two places for each word of the terms, ranking with rest costs gives
    /// more BLEU than banks (docs/results/constraints.md).
    pub(super) fn is_narrow(&self) -> bool {
        let words = self.constraints.as_ref().map_or(0, |automaton| automaton.needed(StateId::START));
        let options = &self.options;
        let ranked = options.rest_costs && options.strategy != Strategy::Grid && options.sampling.is_none();
        ranked && self.beam_size <= 2 * words
    }

    /// After a step of the free search. At its end the search of the beam begins, unless the free translation is what a beam
    /// of one would find: it meets all terms. Returns whether the sentence is done.
    pub(super) fn end_scouting(&mut self, facts: ModelFacts) -> bool {
        if !self.open.is_empty() && self.length < self.limit {
            return false;
        }
        self.scouting = false;
        if self.beam_size == 1 && self.free_translation_will_do(facts.end_of_sentence) {
            return true;
        }
        self.begin();
        false
    }

    /// Whether the free translation ended, has all terms and no loops. What is to be avoided was not looked at.
    fn free_translation_will_do(&self, end: WordId) -> bool {
        let (Some(automaton), Some((hyp, score))) = (&self.constraints, self.finished.iter().next()) else {
            return false;
        };
        let met = self.choices.iter().all(|choice| automaton.may_end(choice.state));
        let words = self.trellis.trace_back(hyp, end, score, self.source_len).words;
        self.open.is_empty() && met && !automaton.avoids() && (self.may_repeat || !repeats(&words))
    }
}
