//! The units that n-grams count.

use metaphrase_base::WordId;
use std::sync::Arc;

/// The units of n-grams: each word of its own, or written words, of which a sub-word may be only a part.
///
/// With written words, the n-grams that end with a sub-word reach back to where a written word begins: the sub-words of
/// its own word so far, and of up to n - 1 whole words before it. So histories are as long as in a model of whole
/// words.
#[derive(Debug, Clone, Default)]
pub struct Units(Option<Arc<[bool]>>);

impl Units {
    /// Each word is a unit.
    #[must_use]
    pub fn words() -> Self {
        Self(None)
    }

    /// A unit begins with each word that does not continue the word before it; by number, whether a word continues it.
    #[must_use]
    pub fn written_words(continues: Arc<[bool]>) -> Self {
        Self(Some(continues))
    }

    pub(crate) fn are_written_words(&self) -> bool {
        self.0.is_some()
    }

    /// Whether a word belongs to the unit of the word before it.
    pub(crate) fn continues(&self, word: WordId) -> bool {
        self.0.as_ref().is_some_and(|continues| continues.get(word.index()).is_some_and(|continues| *continues))
    }
}
