//! Sentences of word ids.

use metaphrase_base::WordId;
use std::ops::Range;

/// Sentences one after the other in one buffer. Each ends with the end of sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sentences {
    words: Vec<WordId>,
    /// Where each sentence ends.
    ends: Vec<usize>,
}

impl Sentences {
    /// Adds a sentence.
    pub fn push(&mut self, words: &[WordId]) {
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len());
    }

    /// Adds sentences.
    pub(super) fn append(&mut self, sentences: &Self) {
        let start = self.words.len();
        self.words.extend_from_slice(&sentences.words);
        self.ends.extend(sentences.ends.iter().map(|end| start + end));
    }

    /// Gives back storage that is not used.
    pub(super) fn shrink_to_fit(&mut self) {
        self.words.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// Number of sentences.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All words, sentence after sentence.
    #[must_use]
    pub fn words(&self) -> &[WordId] {
        &self.words
    }

    /// Where in [`words`](Self::words) sentence `i` lies.
    ///
    /// # Panics
    /// If there is no such sentence.
    #[must_use]
    pub fn range(&self, i: usize) -> Range<usize> {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        start..self.ends[i]
    }

    /// The words of sentence `i`.
    ///
    /// # Panics
    /// If there is no such sentence.
    #[must_use]
    pub fn sentence(&self, i: usize) -> &[WordId] {
        &self.words[self.range(i)]
    }
}
