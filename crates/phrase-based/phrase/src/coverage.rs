//! The source words that a hypothesis has translated.

use std::ops::Range;

/// A set of source positions, of any length.
///
/// All positions before the first gap are covered; a bit vector has the positions after the gap. With a distortion
/// limit of `d` no covered position is `d` or more after the first gap, so the vector is one machine word for limits
/// up to 64, however long the sentence is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Coverage {
    first_gap: usize,
    /// Bit `b` of word `w` is position `first_gap + 64 w + b`. Bit 0 is never set, the last word is never 0.
    tail: Vec<u64>,
}

impl Coverage {
    /// The first position that is not covered; the length of the sentence if all are.
    pub(crate) fn first_gap(&self) -> usize {
        self.first_gap
    }

    /// The position after the last covered one.
    pub(crate) fn end(&self) -> usize {
        let Some(last) = self.tail.last() else { return self.first_gap };
        self.first_gap + 64 * self.tail.len() - last.leading_zeros() as usize
    }

    /// Whether a position is covered.
    pub(crate) fn covers(&self, position: usize) -> bool {
        let Some(bit) = position.checked_sub(self.first_gap) else { return true };
        self.tail.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    /// Becomes `before` with the positions of `span`, which `before` does not cover.
    pub(crate) fn set_union(&mut self, before: &Self, span: Range<usize>) {
        self.first_gap = before.first_gap;
        self.tail.clear();
        self.tail.extend_from_slice(&before.tail);
        let bits = span.start - self.first_gap..span.end - self.first_gap;
        self.tail.resize(self.tail.len().max(bits.end.div_ceil(64)), 0);
        for bit in bits.clone() {
            self.tail[bit / 64] |= 1 << (bit % 64);
        }
        if bits.start == 0 {
            self.move_gap();
        }
    }

    /// Moves the first gap past the ones at the start of the vector.
    fn move_gap(&mut self) {
        let ones = self.tail.iter().take_while(|&&word| word == u64::MAX).count();
        let rest = self.tail.get(ones).map_or(0, |word| word.trailing_ones());
        self.first_gap += 64 * ones + rest as usize;
        self.tail.drain(..ones);
        if rest > 0 {
            for w in 0..self.tail.len() {
                let high = self.tail.get(w + 1).map_or(0, |next| next << (64 - rest));
                self.tail[w] = self.tail[w] >> rest | high;
            }
        }
        while self.tail.pop_if(|last| *last == 0).is_some() {}
    }

    /// Mixes the set into 32 bits.
    pub(crate) fn hash(&self) -> u32 {
        let mut mixed = self.first_gap as u64;
        for &word in &self.tail {
            mixed = crate::index::mix(mixed, word);
        }
        crate::index::finish(mixed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_gap_that_is_filled_moves() {
        let mut a = Coverage::default();
        a.set_union(&Coverage::default(), 2..4);
        assert_eq!((a.first_gap(), a.end()), (0, 4));
        assert!(!a.covers(1) && a.covers(2) && a.covers(3) && !a.covers(4));
        let mut b = Coverage::default();
        b.set_union(&a, 0..2);
        assert_eq!(b, Coverage { first_gap: 4, tail: vec![] });
    }

    proptest! {
        #[test]
        fn spans_add_up(spans in proptest::collection::vec((0usize..200, 1usize..80), 1..12)) {
            let mut plain = vec![false; 300];
            let (mut coverage, mut next) = (Coverage::default(), Coverage::default());
            for (start, len) in spans {
                let span = start..start + len;
                if plain[span.clone()].iter().any(|&covered| covered) {
                    continue;
                }
                plain[span.clone()].fill(true);
                next.set_union(&coverage, span);
                std::mem::swap(&mut coverage, &mut next);
            }
            prop_assert_eq!(coverage.first_gap(), plain.iter().position(|&covered| !covered).unwrap());
            prop_assert_eq!(coverage.end(), plain.iter().rposition(|&covered| covered).unwrap() + 1);
            for (position, &covered) in plain.iter().enumerate() {
                prop_assert_eq!(coverage.covers(position), covered);
            }
        }
    }
}
