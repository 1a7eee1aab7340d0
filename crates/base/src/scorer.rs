//! What else than the model may have a say in the next word.

use crate::WordId;
use core::hash::Hash;

/// Adds to the scores of all words, given what was said before: an n-gram language model (shallow fusion), a mask.
///
/// Its state is small and has value semantics, so that hypotheses can share it and be recombined by it.
pub trait Scorer: Send + Sync {
    /// What the next scores depend on.
    type State: Copy + Eq + Hash + Send;

    /// The state before the first word.
    fn start(&self) -> Self::State;

    /// The state after `word`.
    fn after(&self, state: Self::State, word: WordId) -> Self::State;

    /// Adds `weight` times the score of each word to `scores`, which has one for each of the V target words, the end of
    /// sentence included.
    fn add(&self, state: Self::State, weight: f32, scores: &mut [f32]);

    /// Whether no score is above 0, as is true of log-probabilities.
    fn scores_are_log_probs(&self) -> bool {
        true
    }
}
