//! The target words that may translate a sentence.

use crate::WordId;
use std::sync::Arc;

/// The target words among which the translation of a sentence is looked for: ascending, each once. Cheap to clone.
///
/// A model scores these words alone, and normalises over them. The list belongs to one sentence, so it does not change
/// with the batch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shortlist(Arc<[WordId]>);

impl Shortlist {
    /// The list of these words. Their order and duplicates do not matter.
    #[must_use]
    pub fn new(mut words: Vec<WordId>) -> Self {
        words.sort_unstable();
        words.dedup();
        Self(words.into())
    }

    /// The words.
    #[must_use]
    pub fn words(&self) -> &[WordId] {
        &self.0
    }

    /// The place of a word in the list.
    #[must_use]
    pub fn place(&self, word: WordId) -> Option<usize> {
        self.0.binary_search(&word).ok()
    }

    /// The list with these words, too.
    #[must_use]
    pub fn with(&self, words: impl IntoIterator<Item = WordId>) -> Self {
        let new: Vec<WordId> = words.into_iter().filter(|&word| self.place(word).is_none()).collect();
        if new.is_empty() { self.clone() } else { Self::new([&*self.0, &new].concat()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_ascend_and_stand_once() {
        let words = |words: &[u32]| words.iter().copied().map(WordId).collect::<Vec<_>>();
        let list = Shortlist::new(words(&[7, 2, 7, 4]));
        assert_eq!(list.words(), words(&[2, 4, 7]));
        assert_eq!([2, 3, 7].map(|word| list.place(WordId(word))), [Some(0), None, Some(2)]);
        assert_eq!(list.with(words(&[4, 2])), list);
        assert_eq!(list.with(words(&[9, 3, 9])).words(), words(&[2, 3, 4, 7, 9]));
    }
}
