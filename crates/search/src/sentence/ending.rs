//! The end of a sentence's search: when it comes, and the hypotheses that it leaves.

use super::{Open, SentenceSearch};
use crate::candidates::Continuation;
use crate::finished::LostEnd;
use crate::trellis::HypId;
use crate::{Explored, Hypothesis, Stop};
use metaphrase_base::{ModelFacts, WordId};

impl SentenceSearch {
    /// Whether no open hypothesis can win any more, or the limit is reached.
    pub(super) fn is_done(&self, facts: ModelFacts) -> bool {
        let options = &self.options;
        if self.open.is_empty() || self.length >= self.limit {
            return true;
        }
        if self.collects {
            // Without normalisation no later hypothesis can be better than one that ended ahead of all others.
            let (early, count) = (options.normalize == 0.0, self.finished.count);
            return if early { self.finished.first_ended && count >= options.n_best } else { count >= self.beam_size };
        }
        let (None, Some(to_beat)) = (options.sampling, self.finished.to_beat()) else { return false };
        let log_probs = || self.open.iter().filter_map(|open| open.hyp).map(|hyp| self.trellis.log_prob(hyp));
        if log_probs().all(|log_prob| log_prob < self.finished.best_log_prob - options.stop_margin) {
            return true;
        }
        // No open hypothesis can enter the n-best list any more.
        let reachable = |log_prob| self.ranking.reachable(log_prob, self.length + 1, self.limit);
        facts.log_probs && log_probs().all(|log_prob| reachable(log_prob) <= to_beat)
    }

    /// Of the best continuations, twice as many as the beam holds, those that end are kept if the beam holds them, and as many of
    /// the others as the beam holds. At the length limit the beam takes no others.
    pub(super) fn keep_full_beam(&self, end: WordId, continuations: &mut Vec<Continuation>) {
        if self.length == 0 && self.prefix.is_empty() {
            continuations.retain(|continuation| continuation.word != end);
        }
        if self.length + 1 >= self.limit {
            return continuations.truncate(self.beam_size);
        }
        let (mut rank, mut open) = (0, 0);
        continuations.retain(|continuation| {
            rank += 1;
            if continuation.word == end {
                return rank <= self.beam_size;
            }
            open += 1;
            open <= self.beam_size
        });
    }

    /// Line 17 of Algorithm 1, GETBESTHYPOTHESIS, for the `n_best` best.
    pub(crate) fn hypotheses(&mut self, end: WordId) -> Vec<Hypothesis> {
        if let Some(LostEnd { parent, log_prob, score }) = self.finished.last_resort() {
            // Its attention was not kept: it shows that of the word before it.
            let hyp = self.trellis.add_like_parent(parent, end, log_prob, self.source_len);
            self.finished.add(hyp, score);
        } else if self.cut_off_counts() {
            self.finish_cut_off();
        }
        let trace = |(hyp, score)| self.trellis.trace_back(hyp, end, score, self.source_len);
        self.finished.iter().map(trace).collect()
    }

    /// The hypotheses that the search kept, if they were asked for. [`hypotheses`](Self::hypotheses) comes first.
    pub(crate) fn explored(&self, end: WordId) -> Vec<Explored> {
        if !self.options.explored {
            return Vec::new();
        }
        let finished: Vec<HypId> = self.finished.iter().map(|(hyp, _)| hyp).collect();
        self.trellis.explored(end, &finished)
    }

    /// Adds the hypotheses that the length limit cut off to F: those that meet all constraints or, if there are none, those
    /// that come nearest.
    fn finish_cut_off(&mut self) {
        let needed = |open: &Open| self.constraints.as_ref().map_or(0, |automaton| automaton.needed(open.state));
        let least = if self.finished.is_empty() { self.open.iter().map(needed).min().unwrap_or(0) } else { 0 };
        let cut_off: Vec<HypId> =
            self.open.iter().filter(|open| needed(open) == least).filter_map(|open| open.hyp).collect();
        cut_off.into_iter().for_each(|hyp| self.finish(hyp));
    }

    /// Whether hypotheses that the length limit cut off are results. In Marian and CTranslate2 they compete with the finished
    /// ones; in Algorithm 1 they are the last resort.
    fn cut_off_counts(&self) -> bool {
        let compete = self.options.stop == Stop::Shrink || self.options.sampling.is_some() || self.collects;
        self.length >= self.limit && (compete || self.finished.is_empty())
    }
}
