//! What goes into a search and what comes out of it.

use crate::{CheckedOptions, Constraints};
use metaphrase_base::WordId;

/// One sentence to search for.
#[derive(Debug, Clone)]
pub struct Task<T> {
    /// Given back with the outcome.
    pub tag: T,
    /// Source words, end of sentence included. Not empty.
    pub source: Vec<WordId>,
    /// Words that every hypothesis starts with. May end with the end of sentence: then there is nothing left
    /// to search and the task asks for the score of a given translation.
    pub prefix: Vec<WordId>,
    /// What translations must and must not contain.
    pub constraints: Option<Constraints>,
    /// How to search.
    pub options: CheckedOptions,
    /// What the draws of this sentence start from, when sampling.
    pub seed: u64,
}

impl<T> Task<T> {
    /// Translate `source` freely.
    #[must_use]
    pub fn new(tag: T, source: Vec<WordId>, options: &CheckedOptions) -> Self {
        Self { tag, source, prefix: Vec::new(), constraints: None, options: options.clone(), seed: 0 }
    }
}

/// A translation found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hypothesis {
    /// Target words without the end of sentence.
    pub words: Vec<WordId>,
    /// Whether it ended with the end of sentence; otherwise the length limit cut it off.
    pub complete: bool,
    /// What orders the list: the normalised score.
    pub score: f32,
    /// Sum of the log-probabilities of its words, end of sentence included.
    pub log_prob: f32,
    /// Log-probability of each word, and of the end of sentence if it is complete.
    pub word_log_probs: Vec<f32>,
    /// Attention when each of these words was chosen, `word_log_probs.len() × source length`, row-major; empty unless asked for.
    pub attention: Vec<f32>,
}

/// What the search of a task gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome<T> {
    /// The task's.
    pub tag: T,
    /// Length of the source, the end of sentence included: the width of [`Hypothesis::attention`].
    pub source_len: usize,
    /// Best first. Never more than `n_best`; empty only if the model gives no word a probability. All meet all
    /// constraints, or none does: then the length limit came first, and those that lack least come first.
    pub hypotheses: Vec<Hypothesis>,
    /// How much work it was.
    pub counts: Counts,
}

/// The work of a search. Counts of several sentences can be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Steps in time.
    pub steps: usize,
    /// Open hypotheses that steps continued (N_w of Zhang et al. 2018, eq. 15).
    pub hypotheses: usize,
    /// Groups of them that shared scores (N_c); the average merging rate is `hypotheses / groups`.
    pub groups: usize,
    /// Rows that the model computed: groups, and what cube pruning scores again.
    pub rows: usize,
}

impl core::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.hypotheses += other.hypotheses;
        self.groups += other.groups;
        self.rows += other.rows;
    }
}
