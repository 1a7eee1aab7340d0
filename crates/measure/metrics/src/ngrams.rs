//! All n-grams of a sequence up to an order, and the number of n-grams that two sequences share.
//!
//! The n-grams are kept as the sorted suffixes of the sequence. Equal n-grams of any order are then neighbours, so one
//! sort serves all orders, and merging finds shared n-grams without hashing or copying.

use std::cmp::Ordering;

/// The n-grams of one sequence of symbols (characters, or numbers of words), 1 <= n <= order.
pub(crate) struct Ngrams {
    symbols: Vec<u32>,
    /// Start of every suffix, sorted by its first `order` symbols.
    suffixes: Vec<u32>,
    /// The number of symbols that a suffix and the suffix before it have in common, at most `order`.
    common: Vec<u32>,
}

impl Ngrams {
    /// Sorts the suffixes of `symbols`; a line has fewer than 2^32 symbols.
    pub(crate) fn new(symbols: Vec<u32>, order: usize) -> Self {
        let head = |start: u32| {
            let rest = &symbols[start as usize..];
            &rest[..order.min(rest.len())]
        };
        let mut suffixes: Vec<u32> = (0..symbols.len() as u32).collect();
        suffixes.sort_unstable_by(|&a, &b| head(a).cmp(head(b)));
        let mut common = vec![0; suffixes.len()];
        for (pair, common) in suffixes.windows(2).zip(common.iter_mut().skip(1)) {
            *common = head(pair[0]).iter().zip(head(pair[1])).take_while(|(a, b)| a == b).count() as u32;
        }
        Self { symbols, suffixes, common }
    }

    /// Number of symbols.
    pub(crate) fn len(&self) -> usize {
        self.symbols.len()
    }

    /// Number of n-grams of order `n`, n >= 1.
    pub(crate) fn count(&self, n: usize) -> usize {
        (self.len() + 1).saturating_sub(n)
    }

    /// Calls `f(place, own, others)` for each distinct n-gram of order `n` that `other` has too: a number below `len()`
    /// that identifies the n-gram, and the number of its occurrences on either side.
    pub(crate) fn shared(&self, other: &Self, n: usize, mut f: impl FnMut(usize, usize, usize)) {
        let (mut i, mut j) = (0, 0);
        while let (Some(own), Some(others)) = (self.ngram(i, n), other.ngram(j, n)) {
            match own.cmp(others) {
                Ordering::Less => i = self.next(i, n),
                Ordering::Greater => j = other.next(j, n),
                Ordering::Equal => {
                    let (next_i, next_j) = (self.next(i, n), other.next(j, n));
                    // A suffix shorter than n sorts before those it is the head of, so it is never inside such a run.
                    if own.len() == n {
                        f(i, next_i - i, next_j - j);
                    }
                    (i, j) = (next_i, next_j);
                }
            }
        }
    }

    /// The first `n` symbols (fewer at the end of the sequence) of the suffix at `place` in the sorted order.
    fn ngram(&self, place: usize, n: usize) -> Option<&[u32]> {
        let start = *self.suffixes.get(place)? as usize;
        let rest = &self.symbols[start..];
        Some(&rest[..n.min(rest.len())])
    }

    /// The place after the run of equal n-grams that begins at `place`.
    fn next(&self, place: usize, n: usize) -> usize {
        let run = self.common[place + 1..].iter().take_while(|&&common| common as usize >= n).count();
        place + 1 + run
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn counts(symbols: &[u32], n: usize) -> HashMap<&[u32], usize> {
        let mut counts = HashMap::new();
        for ngram in symbols.windows(n) {
            *counts.entry(ngram).or_default() += 1;
        }
        counts
    }

    proptest! {
        #[test]
        fn shared_ngrams_are_those_of_two_hash_tables(
            a in prop::collection::vec(0u32..4, 0..30),
            b in prop::collection::vec(0u32..4, 0..30),
            order in 1usize..8,
        ) {
            let (left, right) = (Ngrams::new(a.clone(), order), Ngrams::new(b.clone(), order));
            for n in 1..=order {
                let (left_counts, right_counts) = (counts(&a, n), counts(&b, n));
                let mut expected: Vec<_> = left_counts
                    .iter()
                    .filter_map(|(ngram, &count)| Some((count, *right_counts.get(ngram)?)))
                    .collect();
                let mut found = Vec::new();
                left.shared(&right, n, |_, own, others| found.push((own, others)));
                expected.sort_unstable();
                found.sort_unstable();
                prop_assert_eq!(found, expected);
                prop_assert_eq!(left.count(n), left_counts.values().sum::<usize>());
            }
        }
    }
}
