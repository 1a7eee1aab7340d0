//! The features of the log-linear model.

use crate::table::REORDERING_SCORES;

/// Values of the features of a translation, or their weights: the score is the sum of their products.
///
/// Values are as Moses has them: natural logarithms; the distortion and the word penalty are negative numbers of words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Features {
    /// Lexicalised reordering: monotone, swap, discontinuous, backward and then forward.
    pub reordering: [f32; REORDERING_SCORES],
    /// Minus the number of source words jumped over, forward and back.
    pub distortion: f32,
    /// Natural logarithm of the language model's probability, the end of sentence included.
    pub language_model: f32,
    /// Minus the number of target words.
    pub word_penalty: f32,
    /// The number of phrases.
    pub phrase_penalty: f32,
    /// The scores of the phrase table.
    pub translation: Vec<f32>,
    /// -100 for each source word without a translation.
    pub unknown_word: f32,
}

impl Features {
    /// No translation yet: zeros, `translation_scores` of the phrase table's.
    #[must_use]
    pub fn zeros(translation_scores: usize) -> Self {
        Self { translation: vec![0.0; translation_scores], ..Self::default() }
    }

    /// The sum of the products: the score that these values have with `weights`.
    #[must_use]
    pub fn dot(&self, weights: &Self) -> f32 {
        let products = self.iter().zip(weights.iter()).map(|(value, weight)| f64::from(value) * f64::from(weight));
        products.sum::<f64>() as f32
    }

    /// All values, in the order of Moses' n-best lists, the penalty of unknown words (which they do not have) last.
    pub fn iter(&self) -> impl Iterator<Item = f32> {
        let plain = [self.distortion, self.language_model, self.word_penalty, self.phrase_penalty];
        let translation = self.translation.iter().copied();
        self.reordering.into_iter().chain(plain).chain(translation).chain([self.unknown_word])
    }
}

/// The value of [`Features::unknown_word`] for one word: the floored logarithm of 0.
pub const UNKNOWN_WORD: f32 = crate::text_table::LOWEST_SCORE;

/// The names of the features in `moses.ini` and in n-best lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureNames {
    /// None: the model has no lexicalised reordering.
    pub reordering: Option<String>,
    /// Distance of jumps.
    pub distortion: String,
    /// The language model.
    pub language_model: String,
    /// Number of words.
    pub word_penalty: String,
    /// Number of phrases.
    pub phrase_penalty: String,
    /// The phrase table's scores.
    pub translation: String,
    /// The penalty of unknown words, which n-best lists do not have.
    pub unknown_word: String,
}

impl FeatureNames {
    /// As Moses' training calls them, with a reordering model.
    #[must_use]
    pub fn moses_defaults() -> Self {
        Self {
            reordering: Some("LexicalReordering0".into()),
            distortion: "Distortion0".into(),
            language_model: "LM0".into(),
            word_penalty: "WordPenalty0".into(),
            phrase_penalty: "PhrasePenalty0".into(),
            translation: "TranslationModel0".into(),
            unknown_word: "UnknownWordPenalty0".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_is_the_sum_of_the_products() {
        let values = Features { distortion: -3.0, translation: vec![-2.0, -4.0], ..Features::zeros(2) };
        let weights = Features { distortion: 0.5, translation: vec![0.25, 1.0], ..Features::zeros(2) };
        assert_eq!(values.dot(&weights), -3.0 * 0.5 + -2.0 * 0.25 + -4.0);
    }
}
