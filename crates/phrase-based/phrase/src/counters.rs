//! The work of a search in numbers.

use std::ops::AddAssign;

/// Counts of the work of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Translation options that were looked at as the next phrase of a hypothesis.
    pub considered: u64,
    /// Hypothesis expansions: hypotheses that were above the thresholds when they came up.
    pub expansions: u64,
    /// Words whose language model score was requested: each word of an expansion once, computed or remembered.
    pub lm_requests: u64,
    /// Words whose score was not remembered.
    pub lm_computations: u64,
    /// Words of the source.
    pub source_words: u64,
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.considered += other.considered;
        self.expansions += other.expansions;
        self.lm_requests += other.lm_requests;
        self.lm_computations += other.lm_computations;
        self.source_words += other.source_words;
    }
}

impl Counters {
    /// A score that is not remembered for another expansion.
    pub(crate) fn add_computation(&mut self) {
        self.lm_requests += 1;
        self.lm_computations += 1;
    }
}
