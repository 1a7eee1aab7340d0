//! The finished hypotheses of a sentence: F of Algorithm 1, and its second stack.

use crate::trellis::HypId;

/// The best finished hypotheses of a sentence, and its best end of sentence that was lost. [`start`](Self::start)
/// begins a sentence; the memory is reused.
#[derive(Debug, Default)]
pub(crate) struct FinishedList {
    /// The hypotheses with their normalised scores, best first; at most `n_best`.
    list: Vec<(HypId, f32)>,
    /// The most hypotheses of the list.
    n_best: usize,
    /// The log-probability of the best hypothesis that ended, in the list or not.
    pub(crate) best_log_prob: f32,
    /// Number of hypotheses that were added, in the list or not.
    pub(crate) count: usize,
    /// Whether the best continuation of a step was an end of sentence.
    pub(crate) first_ended: bool,
    lost_end: Option<LostEnd>,
}

/// An end of sentence that did not survive TOPB (Algorithm 1, remark 5). It has no place in the trellis yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LostEnd {
    pub(crate) parent: Option<HypId>,
    pub(crate) log_prob: f32,
    /// The normalised score.
    pub(crate) score: f32,
}

impl FinishedList {
    /// Begins a sentence.
    pub(crate) fn start(&mut self, n_best: usize) {
        self.list.clear();
        (self.n_best, self.best_log_prob, self.lost_end) = (n_best, f32::NEG_INFINITY, None);
        (self.count, self.first_ended) = (0, false);
    }

    /// Adds a hypothesis, if it is among the best; of equal ones the first comes first.
    pub(crate) fn add(&mut self, hyp: HypId, score: f32) {
        self.count += 1;
        let place = self.list.partition_point(|other| other.1 >= score);
        if place < self.n_best {
            self.list.truncate(self.n_best - 1);
            self.list.insert(place, (hyp, score));
        }
    }

    /// Keeps an end of sentence on the second stack, if it is the best so far.
    pub(crate) fn lose(&mut self, end: LostEnd) {
        if self.lost_end.is_none_or(|best| end.score > best.score) {
            self.lost_end = Some(end);
        }
    }

    /// The best of the second stack, where it is the only result.
    pub(crate) fn last_resort(&self) -> Option<LostEnd> {
        self.lost_end.filter(|_| self.is_empty())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The score that a hypothesis must exceed to enter the list, if the list is full.
    pub(crate) fn to_beat(&self) -> Option<f32> {
        self.list.last().filter(|_| self.list.len() == self.n_best).map(|worst| worst.1)
    }

    /// The hypotheses and their normalised scores, best first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (HypId, f32)> {
        self.list.iter().copied()
    }
}
