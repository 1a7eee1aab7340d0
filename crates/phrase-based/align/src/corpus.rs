//! Parallel text as word ids.

use metaphrase_base::{WordId, Words};

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
