//! The decisions about a sentence's search that are made before it begins.

use crate::bans::{BanFacts, Repeats};
use crate::characters::Character;
use crate::length::{self, Ranking};
use crate::{Constraints, Options, RestCosts, Stop, Strategy, Task, trellis};
use metaphrase_base::{ModelFacts, WordId};
use std::sync::Arc;

/// How the search of a sentence ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Ending {
    /// A finished hypothesis leaves its place in the beam empty: [`Stop::Shrink`].
    #[default]
    Shrink,
    /// As `Shrink`, until the beam is empty: [`Stop::Wait`].
    Wait,
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
            Stop::Wait => Self::Wait,
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
    /// The words at the start of the prefix that carry no score.
    pub(crate) language_words: usize,
    pub(crate) ranking: Ranking,
    /// T: the length at which the search ends.
    pub(crate) limit: usize,
    /// B of this sentence.
    pub(crate) beam_size: usize,
    /// Places in the beam at the start.
    pub(crate) width: usize,
    pub(crate) ending: Ending,
    /// Whether hypotheses are ranked with rest costs, in banks of terms. A beam that has no place for each bank of
    /// words loses hypotheses in the middle of a term.
    pub(crate) has_rest_costs: bool,
    /// Whether a group of words may not stand three times in a row: terms out of place lead to loops. A wide beam
    /// finds its way out of them, and a sentence whose source repeats itself is free to do so.
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
        self.language_words = task.language_words.min(task.prefix.len());
        let written_words = task.constraints.as_ref().map_or(0, Constraints::written_words);
        self.ranking = Ranking::new(options, written_words);
        self.limit = length::limit(options, task.source.len(), task.prefix.len());
        let (terms, words) = task.constraints.as_ref().map_or((0, 0), |given| (given.terms(), given.words()));
        self.beam_size = Self::beam_size(options, terms, words);
        self.ending = Ending::new(options, written_words > 0);
        self.width = match options.strategy {
            Strategy::Grid => self.beam_size * (words + 1),
            Strategy::States => {
                let states = task.constraints.as_ref().map_or(1, Constraints::states);
                self.beam_size.saturating_mul(states).min(Options::MOST_PLACES)
            }
            // Where half of the continuations end, the other half fills the beam.
            _ if self.ending == Ending::Collect => 2 * self.beam_size,
            _ => self.beam_size,
        };
        self.has_rest_costs = Self::has_rest_costs(options, words, self.beam_size);
        let may_go_wrong = Self::may_have_rest_costs(options) && self.beam_size <= 2 * words;
        self.forbids_loops = may_go_wrong && !trellis::repeats(&task.source);
        self.is_informed = task.scorer.is_some();
    }

    /// B of a sentence with terms.
    fn beam_size(options: &Options, terms: usize, words: usize) -> usize {
        if terms == 0 {
            return options.beam_size;
        }
        if let Some(least) = options.beam_size_constrained {
            let grows = !options.strategy.has_whole_banks() && options.sampling.is_none();
            return if grows { least.max((words + 1).min(Options::MOST_GROWN)) } else { least };
        }
        // A beam without a place for each bank of terms finds less than the best hypothesis alone does
        // (docs/results/constraints.md).
        let has_banks = options.beam_size > terms || !Self::has_rest_costs(options, words, options.beam_size);
        if has_banks { options.beam_size } else { options.n_best }
    }

    /// Whether hypotheses of terms of this number of words are ranked with rest costs.
    fn has_rest_costs(options: &Options, words: usize, beam_size: usize) -> bool {
        let is_asked_for = words > 0 && (options.rest_costs == RestCosts::Always || beam_size <= words);
        is_asked_for && Self::may_have_rest_costs(options)
    }

    fn may_have_rest_costs(options: &Options) -> bool {
        options.rest_costs != RestCosts::Never && !options.strategy.has_whole_banks() && options.sampling.is_none()
    }

    /// The given word after `length` words.
    pub(crate) fn given(&self, length: usize) -> Option<WordId> {
        self.prefix.get(length).copied()
    }

    /// Whether the word after `length` words has a score.
    pub(crate) fn has_score(&self, length: usize) -> bool {
        length >= self.language_words
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

    /// The facts that decide about bans after `length` words, with the repeats and the characters of the open
    /// hypotheses.
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
            is_short: length < self.options.min_target_length.saturating_add(self.language_words),
            end,
        }
    }

    /// The model's facts for the search of this sentence.
    pub(crate) fn facts(&self, facts: ModelFacts) -> ModelFacts {
        ModelFacts { log_probs: facts.log_probs && !self.is_informed, ..facts }
    }
}
