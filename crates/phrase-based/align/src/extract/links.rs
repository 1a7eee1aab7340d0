//! The links inside a phrase pair.

use std::cmp::Ordering;
use std::fmt;

/// Words that a phrase can have: eight rows of eight bits are one number.
pub(crate) const LONGEST: usize = 8;

/// Links between the words of a phrase pair: byte `t` has bit `s` where source word `s` and target word `t` are linked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PhraseLinks([u8; LONGEST]);

impl PhraseLinks {
    /// As two numbers.
    pub fn to_words(self) -> [u32; 2] {
        let all = u64::from_le_bytes(self.0);
        [(all >> 32) as u32, all as u32]
    }

    /// The inverse of [`to_words`](Self::to_words).
    pub fn from_words([high, low]: [u32; 2]) -> Self {
        Self((u64::from(high) << 32 | u64::from(low)).to_le_bytes())
    }

    /// Source words linked with a target word, ascending.
    pub fn sources(self, target: usize) -> impl Iterator<Item = usize> + Clone {
        (0..LONGEST).filter(move |source| self.0[target] >> source & 1 == 1)
    }

    /// Target words linked with a source word, ascending.
    pub fn targets(self, source: usize) -> impl Iterator<Item = usize> + Clone {
        (0..LONGEST).filter(move |&target| self.0[target] >> source & 1 == 1)
    }
}

impl FromIterator<(usize, usize)> for PhraseLinks {
    /// From source and target positions below [`LONGEST`].
    fn from_iter<I: IntoIterator<Item = (usize, usize)>>(links: I) -> Self {
        let mut rows = [0; LONGEST];
        for (source, target) in links {
            rows[target] |= 1 << source;
        }
        Self(rows)
    }
}

impl fmt::Display for PhraseLinks {
    /// `s-t`, by target word as Moses has them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for target in 0..LONGEST {
            for source in self.sources(target) {
                write!(f, "{separator}{source}-{target}")?;
                separator = " ";
            }
        }
        Ok(())
    }
}

impl Ord for PhraseLinks {
    /// Lists of source words, target word by target word. Among alignments that were seen equally often Moses takes the
    /// greatest in this order.
    fn cmp(&self, other: &Self) -> Ordering {
        let rows = (0..LONGEST).map(|target| self.sources(target).cmp(other.sources(target)));
        rows.fold(Ordering::Equal, Ordering::then)
    }
}

impl PartialOrd for PhraseLinks {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_kept_printed_and_ordered() {
        let links = |all: &[(usize, usize)]| all.iter().copied().collect::<PhraseLinks>();
        let some = links(&[(7, 7), (1, 0), (0, 4), (2, 0)]);
        assert_eq!(some.to_string(), "1-0 2-0 0-4 7-7");
        assert_eq!(PhraseLinks::from_words(some.to_words()), some);
        assert_eq!(some.targets(0).collect::<Vec<_>>(), [4]);
        let ordered = [links(&[]), links(&[(0, 1)]), links(&[(0, 0)]), links(&[(0, 0), (2, 0)]), links(&[(1, 0)])];
        assert!(ordered.is_sorted_by(|a, b| a < b));
    }
}
