//! Parallel text as word ids.

use metaphrase_base::WordId;
use std::collections::HashMap;

/// The distinct words of one side of a corpus, numbered in the order of their first occurrence.
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
}

/// One side of the text: words and sentences.
#[derive(Debug, Default, Clone)]
struct Side {
    words: Words,
    tokens: Vec<WordId>,
    /// Where each sentence ends in `tokens`.
    ends: Vec<usize>,
}

impl Side {
    fn push(&mut self, line: &str) {
        for word in line.split_ascii_whitespace() {
            let id = self.words.add(word);
            self.tokens.push(id);
        }
        self.ends.push(self.tokens.len());
    }

    fn sentence(&self, index: usize) -> &[WordId] {
        let start = index.checked_sub(1).map_or(0, |previous| self.ends[previous]);
        &self.tokens[start..self.ends[index]]
    }
}

/// A sentence pair.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    /// The words of the source sentence.
    pub source: &'a [WordId],
    /// The words of the target sentence.
    pub target: &'a [WordId],
}

/// Tokenised parallel text.
#[derive(Debug, Default, Clone)]
pub struct Corpus {
    source: Side,
    target: Side,
}

impl Corpus {
    /// Adds a sentence pair; white space separates the words.
    pub fn push(&mut self, source: &str, target: &str) {
        self.source.push(source);
        self.target.push(target);
    }

    /// Number of sentence pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.source.ends.len()
    }

    /// Whether there is no sentence pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.source.ends.is_empty()
    }

    /// A sentence pair, counted from 0.
    #[must_use]
    pub fn pair(&self, index: usize) -> Pair<'_> {
        Pair { source: self.source.sentence(index), target: self.target.sentence(index) }
    }

    /// The words of the source side.
    #[must_use]
    pub fn source_words(&self) -> &Words {
        &self.source.words
    }

    /// The words of the target side.
    #[must_use]
    pub fn target_words(&self) -> &Words {
        &self.target.words
    }
}
