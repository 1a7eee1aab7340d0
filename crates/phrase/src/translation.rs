//! Translations as sequences of phrases: their words, alignment and feature values.

use crate::features::{Features, UNKNOWN_WORD};
use crate::model::PhraseModel;
use crate::table::PairId;
use metaphrase_base::WordId;
use std::f32::consts::LN_10;
use std::ops::Range;

/// A translation: the source phrases in the order of their translations.
#[derive(Debug, Clone, PartialEq)]
pub struct Translation {
    /// Weighted sum of the features; natural logarithm, higher is better.
    pub score: f32,
    /// The phrases, in the order of the target.
    pub phrases: Vec<Phrase>,
}

/// A source phrase and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    /// Positions of its source words.
    pub source: Range<usize>,
    /// Its translation.
    pub target: Target,
}

/// The target side of a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// From the phrase table.
    Pair(PairId),
    /// A word without a translation, passed through as it is.
    Unknown,
}

/// How a phrase lies to the one before it in the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Orientation {
    /// Right behind it in the source.
    Monotone,
    /// Right before it in the source.
    Swap,
    /// Elsewhere.
    Discontinuous,
}

impl Orientation {
    /// Of `next` to the phrase `previous` before it in the target; the start of the sentence is 0..0.
    #[inline]
    pub(crate) fn of(previous: &Range<usize>, next: &Range<usize>) -> Self {
        if next.start == previous.end {
            Self::Monotone
        } else if next.end == previous.start {
            Self::Swap
        } else {
            Self::Discontinuous
        }
    }
}

impl PhraseModel {
    /// The words of a translation of `source`.
    #[must_use]
    pub fn words<'a>(&'a self, source: &[&'a str], phrases: &[Phrase]) -> Vec<&'a str> {
        phrases.iter().flat_map(|phrase| self.phrase_words(source, phrase)).collect()
    }

    fn phrase_words<'a>(&'a self, source: &[&'a str], phrase: &Phrase) -> Vec<&'a str> {
        match phrase.target {
            Target::Unknown => source[phrase.source.clone()].to_vec(),
            Target::Pair(pair) => {
                let words = self.table().target_words();
                self.table().target(pair).iter().map(|&word| words.word(word)).collect()
            }
        }
    }

    /// The word alignment of a translation, source and target positions: phrase by phrase in the order of the target.
    #[must_use]
    pub fn alignment(&self, phrases: &[Phrase]) -> Vec<(usize, usize)> {
        let mut points = Vec::new();
        let mut target = 0;
        for phrase in phrases {
            let within: &[(u8, u8)] = match phrase.target {
                Target::Unknown => &[(0, 0)],
                Target::Pair(pair) => self.table().alignment(pair),
            };
            points.extend(within.iter().map(|&(i, j)| (phrase.source.start + usize::from(i), target + usize::from(j))));
            target += self.target_len(phrase);
        }
        points
    }

    /// The values of the features of a translation of `source`.
    #[must_use]
    pub fn features(&self, source: &[&str], phrases: &[Phrase]) -> Features {
        let mut features = Features::zeros(self.table().score_count());
        let mut previous = 0..0;
        let mut forward = [0.0; 3];
        for phrase in phrases {
            let orientation = Orientation::of(&previous, &phrase.source) as usize;
            features.reordering[3 + orientation] += forward[orientation];
            let backward;
            (backward, forward) = self.reordering_of(phrase.target);
            features.reordering[orientation] += backward[orientation];
            features.distortion -= previous.end.abs_diff(phrase.source.start) as f32;
            self.add_phrase(&mut features, phrase);
            previous = phrase.source.clone();
        }
        let model = self.language_model();
        let ids = phrases.iter().flat_map(|phrase| self.lm_words(source, phrase));
        features.language_model = (model.sentence(ids) * f64::from(LN_10)) as f32;
        features
    }

    /// The features that a phrase has by itself.
    fn add_phrase(&self, features: &mut Features, phrase: &Phrase) {
        features.word_penalty -= self.target_len(phrase) as f32;
        features.phrase_penalty += 1.0;
        match phrase.target {
            Target::Unknown => features.unknown_word += UNKNOWN_WORD,
            Target::Pair(pair) => {
                for (sum, score) in features.translation.iter_mut().zip(self.table().scores(pair)) {
                    *sum += score;
                }
            }
        }
    }

    /// Backward and forward reordering scores.
    fn reordering_of(&self, target: Target) -> ([f32; 3], [f32; 3]) {
        let scores = match target {
            Target::Unknown => Default::default(),
            Target::Pair(pair) => self.table().reordering(pair),
        };
        let [bm, bs, bd, fm, fs, fd] = scores;
        ([bm, bs, bd], [fm, fs, fd])
    }

    fn target_len(&self, phrase: &Phrase) -> usize {
        match phrase.target {
            Target::Unknown => phrase.source.len(),
            Target::Pair(pair) => self.table().target(pair).len(),
        }
    }

    fn lm_words(&self, source: &[&str], phrase: &Phrase) -> Vec<WordId> {
        let id = |word: &&str| self.language_model().vocabulary().id(word);
        match phrase.target {
            Target::Unknown => source[phrase.source.clone()].iter().map(id).collect(),
            Target::Pair(pair) => self.lm_targets()[self.table().target_range(pair.index())].to_vec(),
        }
    }
}
