//! What goes into a search and what comes out of it.

use metaphrase_base::WordId;

/// One sentence to search for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Given back with the outcome; also part of the seed when sampling.
    pub id: usize,
    /// Source words, end of sentence included. Not empty.
    pub source: Vec<WordId>,
    /// Words that every hypothesis starts with. May end with the end of sentence: then there is nothing left
    /// to search and the task asks for the score of a given translation.
    pub prefix: Vec<WordId>,
}

impl Task {
    /// Translate `source` freely.
    #[must_use]
    pub fn translate(id: usize, source: Vec<WordId>) -> Self {
        Self { id, source, prefix: Vec::new() }
    }

    /// Score `target` (end of sentence included) as a translation of `source`.
    #[must_use]
    pub fn score(id: usize, source: Vec<WordId>, target: Vec<WordId>) -> Self {
        Self { id, source, prefix: target }
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
pub struct Outcome {
    /// The task's.
    pub id: usize,
    /// Length of the source, the end of sentence included: the width of [`Hypothesis::attention`].
    pub source_len: usize,
    /// Best first. Never more than `n_best`; empty only if the model gives no word a probability.
    pub hypotheses: Vec<Hypothesis>,
}
