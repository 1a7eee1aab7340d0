//! Where the positions of the sentences of one call lie: time by time, without padding.

use core::ops::Range;

/// Sentences by falling length; the rows of a position `t` are those of all sentences that have a word there, so
/// sentence `rank` is row `start(t) + rank`, and the sentences that are still running are always the first ones.
#[derive(Debug, Default)]
pub(super) struct TimeMajor {
    /// Which sentence of the call has a rank.
    order: Vec<usize>,
    /// Length by rank, falling.
    lengths: Vec<usize>,
    /// First row by position, and the number of rows at the end.
    starts: Vec<usize>,
}

impl TimeMajor {
    /// Lays out sentences of these lengths.
    pub(super) fn arrange(&mut self, lengths: impl Iterator<Item = usize> + Clone) {
        self.order.clear();
        self.order.extend(0..lengths.clone().count());
        self.lengths.clear();
        self.lengths.extend(lengths);
        self.order.sort_by_key(|&sentence| core::cmp::Reverse(self.lengths[sentence]));
        self.lengths.sort_by_key(|&length| core::cmp::Reverse(length));
        self.starts.clear();
        self.starts.push(0);
        let (mut row, mut running) = (0, self.lengths.len());
        for position in 0..self.lengths.first().copied().unwrap_or(0) {
            while running > 0 && self.lengths[running - 1] <= position {
                running -= 1;
            }
            row += running;
            self.starts.push(row);
        }
    }

    /// Number of rows: the words of all sentences.
    pub(super) fn rows(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The length of the longest sentence.
    pub(super) fn positions(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows of a position.
    pub(super) fn at(&self, position: usize) -> Range<usize> {
        self.starts[position]..self.starts[position + 1]
    }

    /// Rank, place in the call and length of each sentence.
    pub(super) fn sentences(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let ranked = self.order.iter().zip(&self.lengths).enumerate();
        ranked.map(|(rank, (&sentence, &length))| (rank, sentence, length))
    }

    /// The row of a position of the sentence of this rank.
    pub(super) fn row(&self, rank: usize, position: usize) -> usize {
        self.starts[position] + rank
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_sentences_are_a_prefix_of_each_position() {
        let mut layout = TimeMajor::default();
        layout.arrange([2, 3, 0, 1].into_iter());
        assert_eq!((layout.rows(), layout.positions()), (6, 3));
        assert_eq!([layout.at(0), layout.at(1), layout.at(2)], [0..3, 3..5, 5..6]);
        let sentences: Vec<_> = layout.sentences().collect();
        assert_eq!(sentences, [(0, 1, 3), (1, 0, 2), (2, 3, 1), (3, 2, 0)]);
        assert_eq!(layout.row(1, 1), 4);
        layout.arrange([].into_iter());
        assert_eq!((layout.rows(), layout.positions()), (0, 0));
    }
}
