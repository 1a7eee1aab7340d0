//! A list of words with ids, as `.yml`, `.json` and plain text vocabularies hold it.

use super::VocabularyError as Error;
use metaphrase_base::WordId;
use std::collections::HashMap;

/// The largest id. It bounds the memory that a hostile file can make us allocate (16 MB).
pub(super) const MAX_WORDS: usize = 1 << 22;

/// Words by id and ids by word. Ids may have gaps; the text of a gap is empty.
#[derive(Debug, Clone)]
pub(super) struct WordList {
    texts: String,
    /// Where the text of each word ends in `texts`; it starts where the one before ends.
    ends: Vec<u32>,
    ids: HashMap<Box<str>, WordId>,
}

impl WordList {
    pub(super) fn new(mut entries: Vec<(String, u32)>) -> Result<Self, Error> {
        entries.sort_unstable_by_key(|&(_, id)| id);
        let mut list = Self { texts: String::new(), ends: Vec::new(), ids: HashMap::new() };
        entries.into_iter().try_for_each(|(word, id)| list.push(word, id))?;
        Ok(list)
    }

    /// Adds a word; its id must be greater than all others.
    fn push(&mut self, word: String, id: u32) -> Result<(), Error> {
        if id as usize >= MAX_WORDS {
            return Err(Error::IdTooLarge { word, id });
        }
        if self.len() > id as usize {
            return Err(Error::DuplicateId { id, first: self.word(WordId(id)).to_owned(), second: word });
        }
        self.ends.resize(id as usize, self.texts.len() as u32);
        self.texts.push_str(&word);
        let Ok(end) = u32::try_from(self.texts.len()) else {
            return Err(Error::IdTooLarge { word, id });
        };
        self.ends.push(end);
        match self.ids.insert(word.as_str().into(), WordId(id)) {
            Some(first) => Err(Error::DuplicateWord { word, first: first.0, second: id }),
            None => Ok(()),
        }
    }

    /// Adds words with ids from the end of the list on; those that the list has already must have the same id.
    pub(super) fn add(&mut self, words: impl IntoIterator<Item = (String, u32)>) -> Result<(), Error> {
        let mut new: Vec<(String, u32)> = Vec::new();
        for (word, id) in words {
            match self.id(&word) {
                Some(known) if known.0 == id => {}
                Some(known) => return Err(Error::DuplicateWord { word, first: known.0, second: id }),
                None => new.push((word, id)),
            }
        }
        new.sort_unstable_by_key(|&(_, id)| id);
        new.into_iter().try_for_each(|(word, id)| self.push(word, id))
    }

    /// One more than the largest id.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn word(&self, id: WordId) -> &str {
        let Some(&end) = self.ends.get(id.index()) else {
            return "";
        };
        let start = if id.0 == 0 { 0 } else { self.ends[id.index() - 1] };
        &self.texts[start as usize..end as usize]
    }

    pub(super) fn id(&self, word: &str) -> Option<WordId> {
        self.ids.get(word).copied()
    }

    /// Forgets the words with ids from `words` on.
    pub(super) fn truncate(&mut self, words: usize) {
        self.ends.truncate(words);
        self.texts.truncate(self.ends.last().map_or(0, |&end| end as usize));
        self.ids.retain(|_, id| id.index() < words);
    }
}
