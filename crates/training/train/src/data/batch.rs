//! Sentence pairs that are seen together.

use super::Sentences;

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
    /// Number of sentence pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.target.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.target.is_empty()
    }

    /// Cuts the batch into at most `count` parts of about equal work, in words, in order. No part is empty; a batch
    /// without pairs has no parts.
    #[must_use]
    pub fn split(&self, count: usize) -> Vec<Self> {
        let work = |i: usize| self.source.range(i).len() + self.target.range(i).len();
        let total: usize = (0..self.len()).map(work).sum();
        let mut parts: Vec<Self> = Vec::new();
        let mut done = 0;
        for i in 0..self.len() {
            // The part in whose share of the work the middle of this pair lies.
            let part = (done + work(i) / 2) * count.max(1) / total.max(1);
            if parts.is_empty() || (part >= parts.len() && parts.len() < count) {
                parts.push(Self::default());
            }
            if let Some(last) = parts.last_mut() {
                last.source.push(self.source.get(i));
                last.target.push(self.target.get(i));
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
    use metaphrase_base::WordId;

    /// Pairs of these lengths; the words of pair i are i, its link is (i, i).
    fn batch(lengths: &[(usize, usize)]) -> Batch {
        let mut batch = Batch::default();
        for (i, &(source, target)) in lengths.iter().enumerate() {
            batch.source.push(&vec![WordId::new(i); source]);
            batch.target.push(&vec![WordId::new(i); target]);
            batch.alignments.push(vec![(i as u32, i as u32)]);
        }
        batch
    }

    fn words(batch: &Batch) -> usize {
        batch.source.all().len() + batch.target.all().len()
    }

    #[test]
    fn parts_share_the_work_in_order() {
        let lengths: Vec<(usize, usize)> = (0..50).map(|i| (1 + i * 7 % 13, 1 + i * 5 % 11)).collect();
        let whole = batch(&lengths);
        for count in 1..8 {
            let parts = whole.split(count);
            assert_eq!(parts.len(), count);
            let share = words(&whole) / count;
            assert!(parts.iter().all(|part| words(part).abs_diff(share) <= 24), "at most one pair off");
            let mut joined = Batch::default();
            for part in &parts {
                joined.source.append(&part.source);
                joined.target.append(&part.target);
                joined.alignments.extend_from_slice(&part.alignments);
            }
            assert_eq!(joined, whole);
        }
        assert_eq!(
            batch(&[(1, 1), (9, 9), (2, 2), (3, 3), (1, 1), (4, 4)]).split(2).iter().map(words).collect::<Vec<_>>(),
            [20, 20]
        );
    }

    #[test]
    fn few_pairs_make_few_parts() {
        let two = batch(&[(3, 4), (1, 1)]);
        for count in 0..9 {
            let parts = two.split(count);
            assert!(parts.len() <= count.max(1) && parts.iter().all(|part| !part.is_empty()));
            assert_eq!(parts.iter().map(Batch::len).sum::<usize>(), 2);
        }
        assert!(Batch::default().split(3).is_empty());
    }
}
