//! What is settled about a sentence's search before it begins.

use crate::bans::{BanFacts, Repeats};
use crate::characters::Character;
use crate::length::{self, Ranking};
use crate::{Constraints, Options, Stop, Strategy, Task, trellis};
use metaphrase_base::{ModelFacts, WordId};
use std::sync::Arc;

/// How the search of a sentence ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Ending {
    /// A finished hypothesis leaves its place in the beam empty: [`Stop::Shrink`].
    #[default]
    Shrink,
    /// The beam is filled up again until no open hypothesis can win: [`Stop::Fill`].
    Fill {
        /// Whether hypotheses that end take no place in the beam.
        ends_beside: bool,
    },
    /// The beam is filled up again until it has finished as a whole: [`Stop::Collect`].
    Collect,
    /// Each draw ends by itself.
    Draws,
}

impl Ending {
    fn new(options: &Options, has_terms: bool) -> Self {
        match options.stop {
            _ if options.sampling.is_some() => Self::Draws,
            Stop::Shrink => Self::Shrink,
            Stop::Collect if options.strategy == Strategy::Beam && !has_terms => Self::Collect,
            Stop::Fill { .. } | Stop::Collect => Self::Fill { ends_beside: options.stop.ends_beside() },
        }
    }
}

/// The constants of a sentence's search.
#[derive(Debug, Default)]
pub(crate) struct SentencePlan {
    pub(crate) options: Arc<Options>,
    pub(crate) source_len: usize,
    pub(crate) prefix: Vec<WordId>,
    pub(crate) ranking: Ranking,
    /// T: the length at which the search ends.
    pub(crate) limit: usize,
    /// B of this sentence.
    pub(crate) beam_size: usize,
    /// Places in the beam at the start.
    pub(crate) width: usize,
    pub(crate) ending: Ending,
    /// Whether the beam is too narrow for banks. Up to two places for each word of the terms, ranking with rest costs
    /// gives more BLEU than banks (docs/results/constraints.md).
    pub(crate) is_narrow: bool,
    /// Whether a group of words may not stand three times in a row. It is where a beam is narrow that terms out of
    /// place lead to loops; a sentence whose source repeats itself is free to do so.
    pub(crate) forbids_loops: bool,
    /// Whether the sentence has a scorer of its own, which may raise scores.
    is_informed: bool,
}

impl SentencePlan {
    /// Plans the search for another sentence.
    pub(crate) fn begin<T>(&mut self, task: &Task<T>) {
        let options = &task.options.0;
        self.options = Arc::clone(options);
        self.source_len = task.source.len();
        self.prefix.clone_from(&task.prefix);
        let written_words = task.constraints.as_ref().map_or(0, Constraints::written_words);
        self.ranking = Ranking::new(options, written_words);
        self.limit = length::limit(options, task.source.len(), task.prefix.len());
        self.beam_size = options.beam_size_constrained.filter(|_| written_words > 0).unwrap_or(options.beam_size);
        self.ending = Ending::new(options, written_words > 0);
        let words = task.constraints.as_ref().map_or(0, Constraints::words);
        self.width = match options.strategy {
            Strategy::Grid => self.beam_size * (words + 1),
            // Where half of the continuations end, the other half fills the beam.
            _ if self.ending == Ending::Collect => 2 * self.beam_size,
            _ => self.beam_size,
        };
        let ranks = options.rest_costs && options.strategy != Strategy::Grid && options.sampling.is_none();
        self.is_narrow = ranks && self.beam_size <= 2 * words;
        self.forbids_loops = self.is_narrow && !trellis::repeats(&task.source);
        self.is_informed = task.scorer.is_some();
    }

    /// The given word after `length` words.
    pub(crate) fn given(&self, length: usize) -> Option<WordId> {
        self.prefix.get(length).copied()
    }

    /// The number of draws; 0 if the search is for the best hypotheses.
    pub(crate) fn draws(&self) -> usize {
        if self.ending == Ending::Draws { self.options.n_best } else { 0 }
    }

    /// Before the search branches there is one hypothesis. The number of rows that stand for it at a length: one per
    /// draw.
    pub(crate) fn copies(&self, length: usize) -> usize {
        if length < self.prefix.len() { 1 } else { self.draws().max(1) }
    }

    /// What decides about bans after `length` words, with the repeats and the characters of the open hypotheses.
    pub(super) fn ban_facts<'a>(
        &'a self,
        repeats: &'a Repeats,
        characters: &'a [Character],
        length: usize,
        end: WordId,
    ) -> BanFacts<'a> {
        BanFacts {
            excluded: &self.options.excluded,
            repeats,
            characters,
            bytes: &self.options.bytes,
            room: self.limit.saturating_sub(length + 1),
            is_short: length < self.options.min_target_length,
            end,
        }
    }

    /// What the search of this sentence must know about the model.
    pub(crate) fn facts(&self, facts: ModelFacts) -> ModelFacts {
        ModelFacts { log_probs: facts.log_probs && !self.is_informed, ..facts }
    }
}
