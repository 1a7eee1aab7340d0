//! The words of one side of a phrase table.

use metaphrase_base::WordId;
use std::collections::HashMap;

/// Words and their numbers, in the order of their first appearance.
#[derive(Debug, Clone, Default)]
pub(crate) struct Words {
    ids: HashMap<Box<str>, WordId>,
    words: Vec<Box<str>>,
}

impl Words {
    /// The number of a word, if it is known.
    pub(crate) fn id(&self, word: &str) -> Option<WordId> {
        self.ids.get(word).copied()
    }

    /// The number of a word, which becomes known by that.
    pub(crate) fn add(&mut self, word: &str) -> WordId {
        if let Some(id) = self.id(word) {
            return id;
        }
        let id = WordId::new(self.words.len());
        self.words.push(word.into());
        self.ids.insert(word.into(), id);
        id
    }

    /// All words, by number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(AsRef::as_ref)
    }
}
