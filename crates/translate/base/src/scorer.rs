//! Scorers: influences on the next word in addition to the model.

use crate::{Sentence, WordId};
use core::fmt::Debug;
use core::hash::Hash;
use std::sync::Arc;

/// A number for each of the V target words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WordScores<'a> {
    /// One number per word.
    Dense(&'a [f32]),
    /// One number for nearly all words, and the exceptions. It costs what its exceptions cost, however large V is.
    ///
    /// A mask is sparse, too: base 0 and -∞ for each forbidden word, or base -∞ and 0 for each allowed word.
    Sparse {
        /// The number of every word that is not listed.
        base: f32,
        /// The exceptions, by ascending word, each word once. Their numbers are in place of `base`, not added to it.
        listed: &'a [WordScore],
    },
}

/// The score of one word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WordScore {
    /// A target word.
    pub word: WordId,
    /// Its score.
    pub score: f32,
}

impl WordScores<'_> {
    /// The number of `word`.
    ///
    /// # Panics
    /// If there is no such word in a dense row.
    #[must_use]
    pub fn get(self, word: WordId) -> f32 {
        match self {
            Self::Dense(scores) => scores[word.index()],
            Self::Sparse { base, listed } => {
                listed.binary_search_by_key(&word, |listed| listed.word).map_or(base, |found| listed[found].score)
            }
        }
    }

    /// Adds the number of each word to that of the word in `scores`: the plain form of all that adds sparsely.
    pub fn add_to(self, scores: &mut [f32]) {
        scores.iter_mut().enumerate().for_each(|(word, score)| *score += self.get(WordId::new(word)));
    }
}

/// Storage for the answers of a [`Scorer`], kept from row to row. Its content means nothing between two answers.
#[derive(Debug, Default)]
pub struct ScoreBuffer {
    /// For [`WordScores::Dense`].
    pub dense: Vec<f32>,
    /// For [`WordScores::Sparse`].
    pub listed: Vec<WordScore>,
}

/// Scores all words, given the words before: an n-gram language model (shallow fusion), n-gram posteriors of other
/// systems, a mask.
///
/// Its state is small and has value semantics, so that hypotheses can share it and be recombined by it.
pub trait Scorer: Send + Sync {
    /// The state on which the next scores depend.
    type State: Copy + Eq + Hash + Send;

    /// The state before the first word of a translation of `sentence`.
    fn start(&self, sentence: &Sentence<'_>) -> Self::State;

    /// The state after `word`.
    fn after(&self, state: Self::State, word: WordId) -> Self::State;

    /// `weight` times the score of each target word, the end of sentence included; a mask ignores `weight`.
    /// The answer borrows from the scorer, or from `buffer`, where it is written first.
    fn scores<'a>(&'a self, state: Self::State, weight: f32, buffer: &'a mut ScoreBuffer) -> WordScores<'a>;

    /// Whether no score is above 0, as is true of log-probabilities.
    fn scores_are_log_probs(&self) -> bool {
        true
    }
}

impl<S: Scorer> Scorer for Arc<S> {
    type State = S::State;

    fn start(&self, sentence: &Sentence<'_>) -> S::State {
        (**self).start(sentence)
    }

    fn after(&self, state: S::State, word: WordId) -> S::State {
        (**self).after(state, word)
    }

    fn scores<'a>(&'a self, state: S::State, weight: f32, buffer: &'a mut ScoreBuffer) -> WordScores<'a> {
        (**self).scores(state, weight, buffer)
    }

    fn scores_are_log_probs(&self) -> bool {
        (**self).scores_are_log_probs()
    }
}

/// Scores all words of the translation of one sentence, given the words before: the evidence of other systems.
///
/// A task of a search brings it, so that each sentence of a batch has its own or none. Its states are small numbers, so
/// that hypotheses can share them.
pub trait SentenceScorer: Send + Sync + Debug {
    /// The state before the first word.
    fn start(&self) -> u32;

    /// The state after `word`.
    fn after(&self, state: u32, word: WordId) -> u32;

    /// Words with a score of their own, which a shortlist of the sentence has to include. Order and duplicates do not
    /// matter.
    fn words(&self) -> &[WordId] {
        &[]
    }

    /// The score of each target word, the end of sentence included. The answer borrows from the scorer, or from
    /// `buffer`, where it is written first. The scores may be above 0.
    fn scores<'a>(&'a self, state: u32, buffer: &'a mut ScoreBuffer) -> WordScores<'a>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_are_in_place_of_the_base() {
        let listed = [(1, 0.5), (3, f32::NEG_INFINITY)].map(|(word, score)| WordScore { word: WordId(word), score });
        let (mut sparse, mut dense) = ([10.0; 4], [10.0; 4]);
        WordScores::Sparse { base: -2.0, listed: &listed }.add_to(&mut sparse);
        WordScores::Dense(&[-2.0, 0.5, -2.0, f32::NEG_INFINITY]).add_to(&mut dense);
        assert_eq!(sparse, [8.0, 10.5, 8.0, f32::NEG_INFINITY]);
        assert_eq!(sparse, dense);
    }
}
