//! The merges of one word.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::codes::{Codes, SymbolId, WORD_END};

/// Splits words by merging their characters; the buffers are reused from word to word.
#[derive(Default)]
pub(super) struct Merger {
    /// The word and the mark of its end.
    text: String,
    /// Indexed by the place of the first character; merged symbols leave gaps.
    symbols: Vec<Symbol>,
    /// Pairs that can merge: rank, then place of the left symbol. Those whose rank is no longer
    /// that of the symbol are stale.
    queue: BinaryHeap<Reverse<(usize, usize)>>,
    /// The places where the current pair stands.
    places: Vec<usize>,
}

struct Symbol {
    /// Bytes of the text.
    span: Range<usize>,
    /// None if no merge knows the symbol.
    id: Option<SymbolId>,
    /// [`NONE`] at the ends.
    previous: usize,
    next: usize,
    /// Rank of the pair that starts here; [`NONE`] if the pair can not merge.
    rank: usize,
}

const NONE: usize = usize::MAX;

impl Merger {
    /// The pieces of `word`, as spans of the word. Takes n log n time for n characters.
    pub(super) fn split(&mut self, codes: &Codes, word: &str, pieces: &mut Vec<Range<usize>>) {
        self.load(codes, word);
        while let Some(rank) = self.next_pair() {
            // All places first, then the merges: a merge may give rise to a pair of lower rank,
            // which must wait until this pair is done everywhere.
            for i in 0..self.places.len() {
                let at = self.places[i];
                // In `aaa`, the merge at the first place takes the second away.
                if self.symbols[at].rank == rank {
                    self.merge(codes, at);
                }
            }
        }
        let mut at = 0;
        while let Some(symbol) = self.symbols.get(at) {
            let span = symbol.span.start..symbol.span.end.min(word.len());
            if !span.is_empty() {
                pieces.push(span);
            }
            at = symbol.next;
        }
    }

    fn load(&mut self, codes: &Codes, word: &str) {
        self.text.clear();
        self.text.push_str(word);
        self.text.push_str(WORD_END);
        self.symbols.clear();
        let mut ends: usize = 0;
        for c in word.chars() {
            let start = ends;
            ends += c.len_utf8();
            self.push(start..ends);
        }
        match self.symbols.last_mut() {
            Some(last) if !codes.separate_word_end => last.span.end = self.text.len(),
            _ => self.push(ends..self.text.len()),
        }
        if let Some(last) = self.symbols.last_mut() {
            last.next = NONE;
        }
        for symbol in &mut self.symbols {
            symbol.id = codes.id(&self.text[symbol.span.clone()]);
        }
        self.queue.clear();
        for at in 0..self.symbols.len() {
            self.rank(codes, at);
        }
    }

    fn push(&mut self, span: Range<usize>) {
        let at = self.symbols.len();
        let previous = at.checked_sub(1).unwrap_or(NONE);
        self.symbols.push(Symbol { span, id: None, previous, next: at + 1, rank: NONE });
    }

    /// Takes all places of the pair with the lowest rank from the queue, from left to right.
    fn next_pair(&mut self) -> Option<usize> {
        self.places.clear();
        let mut lowest = None;
        while let Some(&Reverse((rank, at))) = self.queue.peek() {
            if lowest.is_some_and(|lowest| lowest != rank) {
                break;
            }
            self.queue.pop();
            if self.symbols[at].rank == rank {
                lowest = Some(rank);
                self.places.push(at);
            }
        }
        lowest
    }

    /// Merges the symbol at `at` with the next.
    fn merge(&mut self, codes: &Codes, at: usize) {
        let Some((_, into)) = self.pair(codes, at) else { return };
        let Symbol { next: right, previous, .. } = self.symbols[at];
        let after = self.symbols[right].next;
        self.symbols[right].rank = NONE;
        self.symbols[at].span.end = self.symbols[right].span.end;
        self.symbols[at].id = Some(into);
        self.symbols[at].next = after;
        if let Some(after) = self.symbols.get_mut(after) {
            after.previous = at;
        }
        self.rank(codes, at);
        if previous != NONE {
            self.rank(codes, previous);
        }
    }

    /// Ranks the pair that starts at `at` anew.
    fn rank(&mut self, codes: &Codes, at: usize) {
        let rank = self.pair(codes, at).map_or(NONE, |(rank, _)| rank);
        self.symbols[at].rank = rank;
        if rank != NONE {
            self.queue.push(Reverse((rank, at)));
        }
    }

    fn pair(&self, codes: &Codes, at: usize) -> Option<(usize, SymbolId)> {
        let left = &self.symbols[at];
        let right = self.symbols.get(left.next)?;
        let merge = codes.merge(left.id?, right.id?)?;
        Some((merge.rank, merge.into))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(codes: &str, word: &str) -> String {
        let codes = Codes::parse(codes.as_bytes(), "codes").expect("valid");
        let mut pieces = Vec::new();
        Merger::default().split(&codes, word, &mut pieces);
        pieces.into_iter().map(|piece| &word[piece]).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn equal_pairs_merge_from_the_left() {
        assert_eq!(split("#version: 0.2\na a", "aaaaab"), "aa aa a b");
    }

    #[test]
    fn a_pair_is_merged_everywhere_before_the_next() {
        // `ab a` ranks higher, but comes to be only after `a b` is done at both places.
        assert_eq!(split("#version: 0.2\nab a\na b\n", "ababc"), "ab ab c");
    }

    #[test]
    fn the_end_of_the_word_counts() {
        assert_eq!(split("#version: 0.2\na b</w>", "abab"), "a b ab");
        assert_eq!(split("a b\nab </w>", "abab"), "ab ab");
        assert_eq!(split("a </w>\nb a</w>", "aba"), "a ba");
    }

    #[test]
    fn long_words_are_no_problem() {
        let word = "ab".repeat(300_000);
        let pieces = split("#version: 0.2\na b\nab ab\nabab abab", &word);
        // The last `b` is another symbol: 299,999 times `ab` are 74,999 times 4, then 2 and 1.
        assert_eq!(pieces.split(' ').count(), 74_999 + 2 + 2);
        assert!(pieces.ends_with("abababab abab ab a b"));
    }
}
