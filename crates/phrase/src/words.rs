//! The words of one side of a phrase table.

use metaphrase_base::WordId;
use std::collections::HashMap;

/// Words and their numbers, in the order of their first appearance.
#[derive(Debug, Clone, Default)]
pub struct Words {
    ids: HashMap<Box<str>, WordId>,
    words: Vec<Box<str>>,
}

impl Words {
    /// The number of a word, if it is known.
    #[must_use]
    pub fn id(&self, word: &str) -> Option<WordId> {
        self.ids.get(word).copied()
    }

    /// The word of a number.
    ///
    /// # Panics
    /// If there is no such word.
    #[must_use]
    pub fn word(&self, id: WordId) -> &str {
        &self.words[id.index()]
    }

    /// The number of a word, which becomes known by that.
    pub fn add(&mut self, word: &str) -> WordId {
        if let Some(id) = self.id(word) {
            return id;
        }
        let id = WordId::new(self.words.len());
        self.words.push(word.into());
        self.ids.insert(word.into(), id);
        id
    }

    /// All words, by number.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(AsRef::as_ref)
    }
}
