//! Words and their ids.

use crate::WordId;
use std::collections::HashMap;

/// Distinct words, numbered in the order in which they were added first.
#[derive(Debug, Default, Clone)]
pub struct Words {
    ids: HashMap<Box<str>, WordId>,
    texts: Vec<Box<str>>,
}

impl Words {
    /// The id of a word, a new one if it was never seen.
    pub fn add(&mut self, word: &str) -> WordId {
        if let Some(&id) = self.ids.get(word) {
            return id;
        }
        let id = WordId::new(self.texts.len());
        self.ids.insert(word.into(), id);
        self.texts.push(word.into());
        id
    }

    /// The id of a word that was seen.
    #[must_use]
    pub fn id(&self, word: &str) -> Option<WordId> {
        self.ids.get(word).copied()
    }

    /// The word with this id.
    #[must_use]
    pub fn text(&self, id: WordId) -> &str {
        &self.texts[id.index()]
    }

    /// Number of distinct words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether no word was seen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// All words, by id.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(AsRef::as_ref)
    }
}
