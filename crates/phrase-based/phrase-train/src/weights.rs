//! Weights of features as the numbers that are tuned.

use metaphrase_phrase::{Features, PhraseModel, REORDERING_SCORES};

/// Features of a model in addition to reordering and translation scores: distortion, language model, word penalty,
/// phrase penalty.
const PLAIN: usize = 4;

/// Which features of a model are tuned: all but the penalty of unknown words. That one is the same for nearly all
/// translations of a sentence, so that its weight can not be learnt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tunable {
    reordering: usize,
    translation: usize,
}

impl Tunable {
    /// The tunable weights of a model.
    pub(crate) fn new(model: &PhraseModel) -> Self {
        let reordering = if model.names().reordering.is_some() { REORDERING_SCORES } else { 0 };
        Self { reordering, translation: model.table().score_count() }
    }

    /// How many there are.
    pub(crate) fn count(self) -> usize {
        self.reordering + PLAIN + self.translation
    }

    /// Their values or weights.
    pub(crate) fn numbers(self, features: &Features) -> Vec<f32> {
        features.iter().skip(REORDERING_SCORES - self.reordering).take(self.count()).collect()
    }

    /// Puts them back.
    pub(crate) fn set(self, features: &mut Features, numbers: &[f64]) {
        let mut numbers = numbers.iter().map(|&number| number as f32);
        let plain = [
            &mut features.distortion,
            &mut features.language_model,
            &mut features.word_penalty,
            &mut features.phrase_penalty,
        ];
        let reordering = features.reordering.iter_mut().take(self.reordering);
        let all = reordering.chain(plain).chain(&mut features.translation);
        all.zip(&mut numbers).for_each(|(feature, number)| *feature = number);
    }
}

/// The weights with which Moses' training begins.
pub(crate) fn moses_defaults() -> Features {
    Features {
        reordering: [0.3; REORDERING_SCORES],
        distortion: 0.3,
        language_model: 0.5,
        word_penalty: -1.0,
        phrase_penalty: 0.2,
        translation: vec![0.2; 4],
        unknown_word: 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_put_back_where_they_were() {
        for reordering in [0, REORDERING_SCORES] {
            let tunable = Tunable { reordering, translation: 4 };
            let before = moses_defaults();
            let numbers: Vec<f64> = tunable.numbers(&before).into_iter().map(f64::from).collect();
            assert_eq!(numbers.len(), tunable.count());
            let mut after = Features { reordering: before.reordering, unknown_word: 1.0, ..Features::zeros(4) };
            tunable.set(&mut after, &numbers);
            assert_eq!(after, before);
        }
    }
}
