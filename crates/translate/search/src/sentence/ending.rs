//! The end of a sentence's search: when it comes, and the hypotheses that it leaves.

use super::{OpenHypothesis, SentenceSearch, StepContext};
use crate::bans::{Bans, ENDS, Progress};
use crate::candidates::Continuation;
use crate::finished::LostEnd;
use crate::plan::Ending;
use crate::trellis::HypId;
use crate::{Explored, Hypothesis};
use metaphrase_base::{ModelFacts, StepScores, WordId};

impl SentenceSearch {
    /// Whether no open hypothesis can win any more, or the limit is reached.
    pub(super) fn is_done(&self, facts: ModelFacts) -> bool {
        let Self { plan, beam, .. } = self;
        if beam.is_at_its_end(plan) {
            return true;
        }
        match plan.ending {
            Ending::Draws | Ending::Wait => return false,
            // Without normalisation no later hypothesis can be better than one that ended ahead of all others.
            Ending::Collect if plan.options.normalize == 0.0 => {
                return beam.finished.first_ended && beam.finished.count >= plan.options.n_best;
            }
            Ending::Collect => return beam.finished.count >= plan.beam_size,
            Ending::Shrink | Ending::Fill { .. } => {}
        }
        let Some(to_beat) = beam.finished.to_beat() else { return false };
        let worst = beam.finished.best_log_prob - plan.options.stop_margin;
        if beam.log_probs().all(|log_prob| log_prob < worst) {
            return true;
        }
        // No open hypothesis can enter the n-best list any more.
        let reachable = |log_prob| plan.ranking.reachable(log_prob, beam.length + 1, plan.limit);
        facts.log_probs && beam.log_probs().all(|log_prob| reachable(log_prob) <= to_beat)
    }

    /// Examines the 2B best continuations for a beam of B places. Keeps those that end if they are among the B best,
    /// and the B best of the others. At the length limit it keeps no others.
    pub(super) fn keep_full_beam(&self, end: WordId, continuations: &mut Vec<Continuation>) {
        let Self { plan, beam, .. } = self;
        if beam.length == 0 && plan.prefix.is_empty() {
            continuations.retain(|continuation| continuation.word != end);
        }
        if beam.length + 1 >= plan.limit {
            return continuations.truncate(plan.beam_size);
        }
        let mut rank = 0;
        let mut open = 0;
        continuations.retain(|continuation| {
            rank += 1;
            if continuation.word == end {
                return rank <= plan.beam_size;
            }
            open += 1;
            open <= plan.beam_size
        });
    }

    /// Remark 5 of Algorithm 1: the best of the end-of-sentence candidates that TOPB did not take.
    pub(super) fn keep_lost_ends(&mut self, step: &mut StepContext<'_, impl StepScores>) {
        let Self { plan, beam, constraints, .. } = self;
        let end = step.facts.end_of_sentence;
        let facts = plan.ban_facts(&beam.repeats, &step.buffers.characters, beam.length, end);
        let states = &step.buffers.states;
        let progress = constraints.as_mut().map(|automaton| Progress { automaton, states });
        let mut bans = Bans { list: ENDS, facts, progress };
        for (place, (open, at)) in beam.open.iter().zip(&step.buffers.places).enumerate() {
            let taken = beam.choices.iter().any(|choice| choice.place == place && choice.word == end);
            if taken || bans.ban(place, end) {
                continue;
            }
            let log_prob = step.scores.score(at.row, end) + at.so_far;
            let score = plan.ranking.score(log_prob, beam.length + 1);
            if log_prob > f32::NEG_INFINITY {
                beam.finished.lose(LostEnd { parent: open.hyp, log_prob, score });
            }
        }
    }

    /// Line 17 of Algorithm 1, GETBESTHYPOTHESIS, for the `n_best` best.
    pub(crate) fn hypotheses(&mut self, end: WordId) -> Vec<Hypothesis> {
        let Self { plan, beam, .. } = self;
        if let Some(LostEnd { parent, log_prob, score }) = beam.finished.last_resort() {
            // Its attention was not kept: the attention of the word before it stands in.
            let hyp = beam.trellis.add_like_parent(parent, end, log_prob, plan.source_len);
            beam.finished.add(hyp, score);
        } else if self.cut_off_counts() {
            self.finish_cut_off();
        }
        self.beam.hypotheses(&self.plan, end).collect()
    }

    /// The hypotheses that the search kept, if the options request them. [`hypotheses`](Self::hypotheses) must be
    /// called first.
    pub(crate) fn explored(&self, end: WordId) -> Vec<Explored> {
        if !self.plan.options.explored {
            return Vec::new();
        }
        let finished: Vec<HypId> = self.beam.finished.iter().map(|(hyp, _)| hyp).collect();
        self.beam.trellis.explored(end, &finished, self.plan.language_words)
    }

    /// Adds the hypotheses that the length limit cut off to F: those that meet all constraints or, if there are none,
    /// those that come nearest.
    fn finish_cut_off(&mut self) {
        let Self { plan, beam, constraints, .. } = self;
        let needed = |open: &OpenHypothesis| constraints.as_ref().map_or(0, |automaton| automaton.needed(open.state));
        let least = if beam.finished.is_empty() { beam.open.iter().map(needed).min().unwrap_or(0) } else { 0 };
        let nearest = beam.open.iter().filter(|open| needed(open) == least);
        let cut_off: Vec<HypId> = nearest.filter_map(|open| open.hyp).collect();
        for hyp in cut_off {
            beam.finish(plan, hyp);
        }
    }

    /// Whether hypotheses that the length limit cut off are results. In Marian and CTranslate2 they compete with the
    /// finished ones; in Algorithm 1 they are the last resort.
    fn cut_off_counts(&self) -> bool {
        let Self { plan, beam, .. } = self;
        let compete = !matches!(plan.ending, Ending::Fill { .. });
        beam.length >= plan.limit && (compete || beam.finished.is_empty())
    }
}
