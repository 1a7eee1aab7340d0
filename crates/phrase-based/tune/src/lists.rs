//! N-best lists as plain numbers.

use crate::error::Error;
use metaphrase_metrics::Metric;
use std::collections::HashSet;

/// For each sentence the translations found so far: their feature values and their statistics for a metric.
///
/// Lists grow by merging: a translation with the numbers of one that is there already is not added again, as no weights
/// can distinguish the two.
#[derive(Debug, Clone)]
pub struct NBestLists {
    features: usize,
    statistics: usize,
    sentences: Vec<List>,
}

/// The translations of a sentence.
#[derive(Debug, Clone, Default)]
struct List {
    /// `translations × features`.
    features: Vec<f32>,
    /// `translations × statistics`.
    statistics: Vec<f32>,
    /// The bits of both, of each translation.
    seen: HashSet<Box<[u32]>>,
}

impl NBestLists {
    /// Empty lists for `sentences` sentences. A translation has `features` features and `statistics` statistics, both
    /// at least 1.
    #[must_use]
    pub fn new(sentences: usize, features: usize, statistics: usize) -> Self {
        let (features, statistics) = (features.max(1), statistics.max(1));
        Self { features, statistics, sentences: vec![List::default(); sentences] }
    }

    /// Adds a translation of a sentence, counted from 0; returns whether it is new. Statistics are those of
    /// [`Metric::sentence_stats`], rounded to f32, which leaves counts as they are.
    pub fn add(&mut self, sentence: usize, features: &[f32], statistics: &[f64]) -> Result<bool, Error> {
        check_width(sentence, "feature values", self.features, features.len())?;
        check_width(sentence, "statistics", self.statistics, statistics.len())?;
        if let Some(number) = features.iter().position(|value| !value.is_finite()) {
            return Err(Error::NotFinite { what: "feature value", number, sentence });
        }
        if let Some(number) = statistics.iter().position(|value| !value.is_finite()) {
            return Err(Error::NotFinite { what: "statistic", number, sentence });
        }
        let sentences = self.sentences.len();
        let list = self.sentences.get_mut(sentence).ok_or(Error::Sentence { sentence, sentences })?;
        let statistics = statistics.iter().map(|&value| value as f32);
        // 0 and -0 are the same number and different bits.
        let bits = features.iter().copied().chain(statistics.clone()).map(|value| (value + 0.0).to_bits()).collect();
        let new = list.seen.insert(bits);
        if new {
            list.features.extend_from_slice(features);
            list.statistics.extend(statistics);
        }
        Ok(new)
    }

    /// Number of sentences.
    #[must_use]
    pub fn sentences(&self) -> usize {
        self.sentences.len()
    }

    /// Number of features.
    #[must_use]
    pub fn features(&self) -> usize {
        self.features
    }

    /// Number of statistics.
    #[must_use]
    pub fn statistics(&self) -> usize {
        self.statistics
    }

    /// Number of translations, of all sentences together.
    #[must_use]
    pub fn translations(&self) -> usize {
        self.sentences.iter().map(|list| list.features.len()).sum::<usize>() / self.features
    }

    /// The metric's score of the translations that the weights choose: of each sentence the one with the highest score,
    /// the first of equals.
    #[must_use]
    pub fn score(&self, metric: &dyn Metric, weights: &[f64]) -> f64 {
        let mut sums = vec![0.0; self.statistics];
        for sentence in 0..self.sentences.len() {
            if let Some(best) = self.best(sentence, |number| dot(weights, self.features_of(sentence, number))) {
                add(&mut sums, self.statistics_of(sentence, best));
            }
        }
        metric.value(&sums, metaphrase_metrics::Arithmetic::Double)
    }

    /// The translation of a sentence with the highest value, the first of equals.
    pub(crate) fn best(&self, sentence: usize, mut value: impl FnMut(usize) -> f64) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        for number in 0..self.len_of(sentence) {
            let value = value(number);
            if best.is_none_or(|(_, highest)| value > highest) {
                best = Some((number, value));
            }
        }
        best.map(|(number, _)| number)
    }

    /// Number of translations of a sentence.
    pub(crate) fn len_of(&self, sentence: usize) -> usize {
        self.sentences[sentence].features.len() / self.features
    }

    /// Feature values of a translation.
    pub(crate) fn features_of(&self, sentence: usize, translation: usize) -> &[f32] {
        &self.sentences[sentence].features[translation * self.features..][..self.features]
    }

    /// Feature values of all translations of a sentence in turn.
    pub(crate) fn all_features_of(&self, sentence: usize) -> impl Iterator<Item = &[f32]> {
        self.sentences[sentence].features.chunks_exact(self.features)
    }

    /// Statistics of a translation.
    pub(crate) fn statistics_of(&self, sentence: usize, translation: usize) -> &[f32] {
        &self.sentences[sentence].statistics[translation * self.statistics..][..self.statistics]
    }

    /// Checks that there are translations to learn from, and a weight for each feature.
    pub(crate) fn check(&self, weights: &[f64]) -> Result<(), Error> {
        if weights.len() != self.features {
            return Err(Error::Weights { features: self.features, weights: weights.len() });
        }
        if self.translations() == 0 { Err(Error::Empty) } else { Ok(()) }
    }
}

fn check_width(sentence: usize, what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if found == expected { Ok(()) } else { Err(Error::Width { sentence, what, expected, found }) }
}

/// `weights · features`.
pub(crate) fn dot(weights: &[f64], features: &[f32]) -> f64 {
    weights.iter().zip(features).map(|(weight, &value)| weight * f64::from(value)).sum()
}

/// Adds statistics to their sums.
pub(crate) fn add(sums: &mut [f64], statistics: &[f32]) {
    for (sum, &value) in sums.iter_mut().zip(statistics) {
        *sum += f64::from(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use metaphrase_metrics::{Bleu, BleuOptions};

    #[test]
    fn the_same_numbers_are_added_once() {
        let mut lists = NBestLists::new(2, 2, 1);
        assert_eq!(lists.add(0, &[1.0, 0.0], &[3.0]), Ok(true));
        assert_eq!(lists.add(0, &[1.0, -0.0], &[3.0]), Ok(false));
        assert_eq!(lists.add(0, &[1.0, 0.0], &[4.0]), Ok(true));
        assert_eq!(lists.add(1, &[1.0, 0.0], &[3.0]), Ok(true));
        assert_eq!((lists.translations(), lists.len_of(0), lists.len_of(1)), (3, 2, 1));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut lists = NBestLists::new(2, 2, 1);
        let message = |result: Result<bool, Error>| result.unwrap_err().to_string();
        assert_eq!(
            message(lists.add(0, &[1.0], &[3.0])),
            "sentence 0 has a translation with 1 feature values, expected 2; all need the same model and metric"
        );
        assert_eq!(
            message(lists.add(1, &[1.0, f32::NAN], &[3.0])),
            "feature value 1 of a translation of sentence 1 is not finite"
        );
        assert_eq!(
            message(lists.add(2, &[1.0, 2.0], &[3.0])),
            "there is no sentence 2, the lists are of 2 sentences, counted from 0"
        );
        assert_eq!(lists.check(&[1.0]), Err(Error::Weights { features: 2, weights: 1 }));
        assert_eq!(lists.check(&[1.0, 1.0]), Err(Error::Empty));
    }

    #[test]
    fn the_score_is_of_what_the_weights_choose() {
        let bleu = Bleu::new(BleuOptions::default()).unwrap();
        let mut lists = NBestLists::new(1, 1, bleu.stats_len());
        for (feature, translation) in [(-1.0, "a b c d x"), (-2.0, "a b c d e")] {
            let mut statistics = vec![0.0; bleu.stats_len()];
            bleu.sentence_stats(translation, &["a b c d e"], &mut statistics);
            lists.add(0, &[feature], &statistics).unwrap();
        }
        // 4/5 · 3/4 · 2/3 · 1/2 = 1/5.
        assert!((lists.score(&bleu, &[1.0]) - 100.0 * 0.2f64.powf(0.25)).abs() < 1e-9);
        assert!((lists.score(&bleu, &[-1.0]) - 100.0).abs() < 1e-9);
    }
}
