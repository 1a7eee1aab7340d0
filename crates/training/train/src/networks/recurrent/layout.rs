//! Words position by position, the longest sentences first, so that those which go on are always the first rows.

use crate::data::Sentences;
use crate::tape::Spans;
use std::cmp::Reverse;
use std::ops::Range;
use std::rc::Rc;

/// Where the words of some sentences lie: sentence of rank k has its word t in row `starts[t] + k`.
pub(super) struct TimeMajor {
    /// By rank the number of the sentence.
    order: Vec<usize>,
    starts: Vec<usize>,
}

impl TimeMajor {
    pub(super) fn new(sentences: &Sentences) -> Self {
        let length = |i: &usize| sentences.range(*i).len();
        let mut order: Vec<usize> = (0..sentences.len()).collect();
        order.sort_by_key(|i| Reverse(length(i)));
        let mut starts = vec![0];
        let longest = order.first().map_or(0, length);
        for t in 0..longest {
            let running = order.partition_point(|i| length(i) > t);
            starts.push(starts[t] + running);
        }
        Self { order, starts }
    }

    /// Length of the longest sentence.
    pub(super) fn positions(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of sentences.
    pub(super) fn sentences(&self) -> usize {
        self.order.len()
    }

    /// The rows of position t.
    pub(super) fn at(&self, t: usize) -> Range<usize> {
        self.starts[t]..self.starts[t + 1]
    }

    /// By rank the number of the sentence.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    /// For each row the rank of its sentence.
    pub(super) fn ranks(&self) -> Vec<u32> {
        (0..self.positions()).flat_map(|t| 0..self.at(t).len() as u32).collect()
    }

    /// For each row its word, of words that lie sentence after sentence.
    pub(super) fn arrange<T: Copy>(&self, sentences: &Sentences, words: &[T]) -> Vec<T> {
        let place = |t: usize| move |&i: &usize| words[sentences.range(i).start + t];
        (0..self.positions()).flat_map(|t| self.order[..self.at(t).len()].iter().map(place(t))).collect()
    }

    /// The rows of the words sentence after sentence, in the sentences' own order.
    pub(super) fn by_sentence(&self, sentences: &Sentences) -> Rc<[u32]> {
        let mut rows = vec![0; sentences.all().len()];
        for t in 0..self.positions() {
            for (rank, row) in self.at(t).enumerate() {
                rows[sentences.range(self.order[rank]).start + t] = row as u32;
            }
        }
        rows.into()
    }

    /// For the rows of position t, the sentence and t.
    pub(super) fn places(&self, t: usize) -> Vec<(usize, usize)> {
        self.order[..self.at(t).len()].iter().map(|&i| (i, t)).collect()
    }

    /// For the rows of position t, the words of these sentences in another text.
    pub(super) fn spans(&self, t: usize, other: &Sentences) -> Spans {
        self.order[..self.at(t).len()].iter().map(|&i| other.range(i)).collect()
    }
}
