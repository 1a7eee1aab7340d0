//! Translations as sequences of phrases: their words, alignment and feature values.

use crate::features::{Features, UNKNOWN_WORD};
use crate::model::PhraseModel;
use crate::source::Source;
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

/// A source phrase and its translation.
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
    /// A word without a translation, left out.
    Dropped,
    /// The translation of this number in [`Source::forced`].
    Forced(u32),
}

/// How a phrase lies to the one before it in the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Orientation {
    /// Immediately after it in the source.
    Monotone,
    /// Right before it in the source.
    Swap,
    /// Elsewhere.
    Discontinuous,
}

impl Orientation {
    /// The orientation of `next` to the phrase `previous` before it in the target; the start of the sentence is 0..0.
    #[inline]
    pub(crate) fn between(previous: &Range<usize>, next: &Range<usize>) -> Self {
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
    pub fn words<'a>(&'a self, source: impl Into<Source<'a>>, phrases: &[Phrase]) -> Vec<&'a str> {
        let source = source.into();
        phrases.iter().flat_map(|phrase| self.phrase_words(source, phrase)).collect()
    }

    fn phrase_words<'a>(&'a self, source: Source<'a>, phrase: &Phrase) -> Vec<&'a str> {
        match phrase.target {
            Target::Unknown => source.words[phrase.source.clone()].to_vec(),
            Target::Dropped => Vec::new(),
            Target::Forced(number) => source.forced[number as usize].words.clone(),
            Target::Pair(pair) => self.table().target(pair).map(|word| self.table().target_word(word)).collect(),
        }
    }

    /// The word alignment of a translation, source and target positions: phrase by phrase in the order of the target.
    #[must_use]
    pub fn alignment<'a>(&self, source: impl Into<Source<'a>>, phrases: &[Phrase]) -> Vec<(usize, usize)> {
        let source = source.into();
        let mut points = Vec::new();
        let mut target = 0;
        for phrase in phrases {
            let place = |(i, j)| (phrase.source.start + usize::from(i), target + usize::from(j));
            match phrase.target {
                Target::Unknown => points.push(place((0, 0))),
                // As Moses has it.
                Target::Dropped | Target::Forced(_) => {}
                Target::Pair(pair) => points.extend(self.table().alignment(pair).map(place)),
            }
            target += self.target_len(source, phrase);
        }
        points
    }

    /// The values of the features of a translation of `source`.
    #[must_use]
    pub fn features<'a>(&self, source: impl Into<Source<'a>>, phrases: &[Phrase]) -> Features {
        let source = source.into();
        let mut features = Features::zeros(self.table().score_count());
        let mut previous = 0..0;
        let mut forward = [0.0; 3];
        for phrase in phrases {
            let orientation = Orientation::between(&previous, &phrase.source) as usize;
            features.reordering[3 + orientation] += forward[orientation];
            let backward;
            (backward, forward) = self.reordering_of(phrase.target);
            features.reordering[orientation] += backward[orientation];
            features.distortion -= previous.end.abs_diff(phrase.source.start) as f32;
            self.add_phrase(&mut features, source, phrase);
            previous = phrase.source.clone();
        }
        let model = self.language_model();
        let ids = phrases.iter().flat_map(|phrase| self.lm_words(source, phrase));
        features.language_model = (model.sentence(ids) * f64::from(LN_10)) as f32;
        features
    }

    /// The features that a phrase has by itself.
    fn add_phrase(&self, features: &mut Features, source: Source, phrase: &Phrase) {
        features.word_penalty -= self.target_len(source, phrase) as f32;
        features.phrase_penalty += 1.0;
        match phrase.target {
            Target::Unknown | Target::Dropped => features.unknown_word += UNKNOWN_WORD,
            Target::Forced(number) => {
                let share = source.forced[number as usize].score(self);
                features.translation.iter_mut().for_each(|sum| *sum += share);
            }
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
            Target::Unknown | Target::Dropped | Target::Forced(_) => Default::default(),
            Target::Pair(pair) => self.table().reordering(pair),
        };
        let [bm, bs, bd, fm, fs, fd] = scores;
        ([bm, bs, bd], [fm, fs, fd])
    }

    fn target_len(&self, source: Source, phrase: &Phrase) -> usize {
        match phrase.target {
            Target::Unknown => phrase.source.len(),
            Target::Dropped => 0,
            Target::Forced(number) => source.forced[number as usize].words.len(),
            Target::Pair(pair) => self.table().target(pair).len(),
        }
    }

    fn lm_words(&self, source: Source, phrase: &Phrase) -> Vec<WordId> {
        match phrase.target {
            Target::Pair(pair) => self.table().target(pair).map(|word| self.lm_id(word)).collect(),
            _ => self.lm_ids(&self.phrase_words(source, phrase)).collect(),
        }
    }
}
