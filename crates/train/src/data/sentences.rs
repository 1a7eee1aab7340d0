//! Sentences of word ids, and pairs of them.

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

/// Sentence pairs that are seen together: sentence `i` of `target` translates sentence `i` of `source`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// Source sentences, each with its end of sentence.
    pub source: Sentences,
    /// Target sentences, each with its end of sentence.
    pub target: Sentences,
    /// For guided alignment, per pair the links (source position, target position), counted from 0; empty if there
    /// are none.
    pub alignments: Vec<Vec<(u32, u32)>>,
}

impl Batch {
    /// Cuts the batch into at most `count` parts of about equal work, in words, in order. No part is empty; a batch
    /// without pairs has no parts.
    #[must_use]
    pub fn split(&self, count: usize) -> Vec<Self> {
        let work = |i: usize| self.source.range(i).len() + self.target.range(i).len();
        let total: usize = (0..self.source.len()).map(work).sum();
        let mut parts: Vec<Self> = Vec::new();
        let mut done = 0;
        for i in 0..self.source.len() {
            // The part in whose share of the work the middle of this pair lies.
            let part = (done + work(i) / 2) * count.max(1) / total.max(1);
            if parts.is_empty() || (part >= parts.len() && parts.len() < count) {
                parts.push(Self::default());
            }
            if let Some(last) = parts.last_mut() {
                last.source.push(self.source.sentence(i));
                last.target.push(self.target.sentence(i));
                last.alignments.extend(self.alignments.get(i).cloned());
            }
            done += work(i);
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_the_work() {
        let mut batch = Batch::default();
        for length in [1, 9, 2, 3, 1, 4] {
            batch.source.push(&vec![WordId(1); length]);
            batch.target.push(&vec![WordId(2); length]);
        }
        let parts = batch.split(2);
        assert_eq!(parts.iter().map(|p| p.source.words().len()).collect::<Vec<_>>(), [10, 10]);
        assert_eq!(batch.split(1), [batch.clone()]);
        for count in 1..9 {
            let parts = batch.split(count);
            assert!(parts.len() <= count && parts.iter().all(|p| !p.source.is_empty()));
            let words: Vec<_> = parts.iter().flat_map(|p| p.target.words()).copied().collect();
            assert_eq!(words, batch.target.words());
        }
        assert!(Batch::default().split(3).is_empty());
    }
}
