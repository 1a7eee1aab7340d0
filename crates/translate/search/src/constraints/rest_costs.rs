//! The estimated cost of the words that a hypothesis still needs for its terms: the rest cost of phrase-based search.

use foldhash::HashMap;
use metaphrase_base::WordId;

/// Estimates of the log-probabilities of words that are still needed: each as good as it has been so far, in any
/// context.
#[derive(Debug, Default)]
pub(crate) struct RestCosts {
    /// By word that makes progress: its best log-probability.
    words: HashMap<WordId, f32>,
    /// By last word of a term: the best log-probability of a word after it that continues no written word.
    after: HashMap<WordId, f32>,
}

impl RestCosts {
    /// Notes the log-probability of a word that makes progress.
    pub(crate) fn saw(&mut self, word: WordId, log_prob: f32) {
        let best = self.words.entry(word).or_insert(f32::NEG_INFINITY);
        *best = best.max(log_prob);
    }

    /// Notes the log-probability of a word that continues no written word, after the last word of a term.
    pub(crate) fn saw_after(&mut self, last: WordId, log_prob: f32) {
        let best = self.after.entry(last).or_insert(f32::NEG_INFINITY);
        *best = best.max(log_prob);
    }

    /// The cost of `words`, and of a word after each of `ends`, the last words of terms. Words not seen yet cost
    /// nothing.
    pub(super) fn sum(&self, words: &[WordId], ends: &[WordId]) -> f32 {
        let word_costs: f32 = words.iter().filter_map(|word| self.words.get(word)).sum();
        word_costs + ends.iter().filter_map(|last| self.after.get(last)).sum::<f32>()
    }
}
