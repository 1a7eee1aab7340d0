//! N-grams with their posteriors.

use metaphrase_base::WordId;
use std::collections::HashMap;
use std::ops::Range;

/// The beliefs of a system about the translation of one sentence: n-grams with their posteriors, in order of their
/// lengths and words.
#[derive(Debug, Clone, Default)]
pub struct Posteriors {
    words: Vec<WordId>,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    words: Range<u32>,
    order: u32,
    posterior: f32,
    expected: f32,
}

/// An n-gram of a [`Posteriors`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NGram<'a> {
    /// Its words; the first may be [`BEGIN`](crate::BEGIN), the last the end of sentence.
    pub words: &'a [WordId],
    /// Number of its units, n.
    pub order: usize,
    /// The probability that a translation contains it at least once.
    pub posterior: f32,
    /// The number of times that a translation contains it, on average.
    pub expected: f32,
}

impl PartialEq for Posteriors {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Posteriors {
    /// Adds an n-gram. A posterior that rounding made larger than 1 becomes 1.
    pub(crate) fn push(&mut self, words: &[WordId], order: usize, posterior: f64, expected: f64) {
        let start = self.words.len() as u32;
        self.words.extend_from_slice(words);
        let words = start..WordId::new(self.words.len()).0;
        let entry =
            Entry { words, order: order as u32, posterior: posterior.min(1.0) as f32, expected: expected as f32 };
        self.entries.push(entry);
    }

    /// Puts the n-grams into their order.
    pub(crate) fn sort(&mut self) {
        let words = &self.words;
        let of = |entry: &Entry| &words[entry.words.start as usize..entry.words.end as usize];
        self.entries.sort_unstable_by(|a, b| (a.order, of(a).len(), of(a)).cmp(&(b.order, of(b).len(), of(b))));
    }

    /// The n-grams.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = NGram<'_>> {
        self.entries.iter().map(|entry| NGram {
            words: &self.words[entry.words.start as usize..entry.words.end as usize],
            order: entry.order as usize,
            posterior: entry.posterior,
            expected: entry.expected,
        })
    }

    /// For each order the sum of the posteriors of the n-grams in some words, each as often as it is there: what Θ1 to
    /// Θ4 weigh in the score of a translation.
    #[must_use]
    pub fn sums(&self, words: &[WordId]) -> [f64; crate::MAX_ORDER] {
        let said: Vec<WordId> = std::iter::once(crate::BEGIN).chain(words.iter().copied()).collect();
        let known: HashMap<&[WordId], NGram<'_>> = self.iter().map(|gram| (gram.words, gram)).collect();
        let longest = self.iter().map(|gram| gram.words.len()).max().unwrap_or(0);
        let mut sums = [0.0; crate::MAX_ORDER];
        for end in 1..said.len() {
            for start in (end + 1).saturating_sub(longest)..=end {
                if let Some(gram) = known.get(&said[start..=end]) {
                    sums[gram.order - 1] += f64::from(gram.posterior);
                }
            }
        }
        sums
    }

    /// Number of n-grams.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no n-grams: no evidence.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Bytes that the n-grams take.
    #[must_use]
    pub fn size(&self) -> usize {
        self.words.capacity() * size_of::<WordId>() + self.entries.capacity() * size_of::<Entry>()
    }
}
