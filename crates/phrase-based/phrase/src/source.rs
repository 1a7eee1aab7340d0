//! The input of a search: words, and translations that come with them.

use crate::model::PhraseModel;
use crate::text_table::log_score;
use std::ops::Range;

/// A sentence to translate.
#[derive(Debug, Clone, Copy)]
pub struct Source<'s> {
    /// The words of the sentence.
    pub words: &'s [&'s str],
    /// Translations of parts of the sentence, which compete with those of the table. See [`ForcedTranslation::fits`].
    pub forced: &'s [ForcedTranslation<'s>],
    /// Whether the translations in `forced` are the only ones of their parts.
    pub exclusive: bool,
}

/// A translation that comes with a sentence instead of from the table.
#[derive(Debug, Clone, PartialEq)]
pub struct ForcedTranslation<'s> {
    /// The source words that it translates.
    pub span: Range<usize>,
    /// Its words.
    pub words: Vec<&'s str>,
    /// The probability of the translation; the scores of the table get equal shares of its logarithm, as in Moses.
    pub probability: f32,
}

/// Source words that a translation in [`Source::forced`] may have: the memory of a search grows with its longest
/// phrase.
pub const LONGEST_FORCED: usize = 100;

impl ForcedTranslation<'_> {
    /// The value of each score of the phrase table.
    pub(crate) fn score(&self, model: &PhraseModel) -> f32 {
        log_score(self.probability) / model.table().score_count().max(1) as f32
    }

    /// Whether the translation has words, and a span of at most [`LONGEST_FORCED`] words inside `words` words.
    #[must_use]
    pub fn fits(&self, words: usize) -> bool {
        let Range { start, end } = self.span;
        start < end && end <= words && end - start <= LONGEST_FORCED && !self.words.is_empty()
    }
}

impl<'s> From<&'s [&'s str]> for Source<'s> {
    fn from(words: &'s [&'s str]) -> Self {
        Self { words, forced: &[], exclusive: false }
    }
}

impl<'s> From<&&'s [&'s str]> for Source<'s> {
    fn from(words: &&'s [&'s str]) -> Self {
        (*words).into()
    }
}

impl<'s> From<&'s Vec<&'s str>> for Source<'s> {
    fn from(words: &'s Vec<&'s str>) -> Self {
        words.as_slice().into()
    }
}

impl<'s, const N: usize> From<&'s [&'s str; N]> for Source<'s> {
    fn from(words: &'s [&'s str; N]) -> Self {
        words.as_slice().into()
    }
}
