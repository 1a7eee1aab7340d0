//! Phrase pairs of a sentence pair.

use super::links::PhraseLinks;
use super::orientation::{Orientation, Orientations};
use crate::{Alignment, Pair};
use std::ops::RangeInclusive;

/// A phrase pair in its place: links from each side stay inside (Och and Ney 2004), at least one is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PhrasePair {
    /// Source positions.
    pub source: RangeInclusive<usize>,
    /// Target positions.
    pub target: RangeInclusive<usize>,
    /// The links inside.
    pub links: PhraseLinks,
    /// Where the previous target phrase and the next one come from.
    pub orientations: Orientations,
}

/// The links of a sentence pair by word.
pub(crate) struct LinkLists {
    /// Linked target positions of each source word, ascending.
    by_source: Vec<Vec<usize>>,
    /// Linked source positions of each target word, ascending.
    by_target: Vec<Vec<usize>>,
}

impl LinkLists {
    /// The links, which are inside the pair.
    pub fn new(pair: Pair<'_>, alignment: &Alignment) -> Self {
        let mut by_source = vec![Vec::new(); pair.source.len()];
        let mut by_target = vec![Vec::new(); pair.target.len()];
        for link in alignment.links() {
            by_source[link.source as usize].push(link.target as usize);
            by_target[link.target as usize].push(link.source as usize);
        }
        Self { by_source, by_target }
    }

    /// Calls `found` with each phrase pair of at most `longest` words a side. Words without links at the edges of a
    /// phrase may belong to it or not.
    pub fn for_each_phrase_pair(&self, longest: usize, mut found: impl FnMut(&PhrasePair)) {
        let targets = self.by_target.len();
        for first in 0..targets {
            let mut tight: Option<(usize, usize)> = None;
            for last in first..targets.min(first + longest) {
                if let (Some(&low), Some(&high)) = (self.by_target[last].first(), self.by_target[last].last()) {
                    tight = Some(tight.map_or((low, high), |(l, h)| (l.min(low), h.max(high))));
                }
                let Some((low, high)) = tight else { continue };
                if high - low >= longest {
                    break;
                }
                let inside = |target: &usize| (first..=last).contains(target);
                if self.by_source[low..=high].iter().flatten().all(inside) {
                    self.with_edges(first..=last, low..=high, longest, &mut found);
                }
            }
        }
    }

    /// The phrase pairs of a target phrase: with its tight source phrase, and with unlinked words around that.
    fn with_edges(
        &self,
        target: RangeInclusive<usize>,
        tight: RangeInclusive<usize>,
        longest: usize,
        found: &mut impl FnMut(&PhrasePair),
    ) {
        let (low, high) = tight.into_inner();
        let free = |at: usize| self.by_source[at].is_empty();
        for first in (0..=low).rev().take_while(|&at| at == low || free(at)) {
            for last in (high..self.by_source.len()).take_while(|&at| at == high || free(at)) {
                if last - first >= longest {
                    break;
                }
                let source = first..=last;
                let links = target
                    .clone()
                    .enumerate()
                    .flat_map(|(row, t)| self.by_target[t].iter().map(move |&s| (s - first, row)));
                found(&PhrasePair {
                    links: links.collect(),
                    orientations: self.orientations(&source, &target),
                    source,
                    target: target.clone(),
                });
            }
        }
    }

    /// Word-based orientations: whether the words at the phrase pair's corners are linked.
    fn orientations(&self, source: &RangeInclusive<usize>, target: &RangeInclusive<usize>) -> Orientations {
        // Positions from 1, so that 0 is the start of the sentence.
        let (left, right) = (*source.start(), *source.end() + 2);
        let (above, below) = (*target.start(), *target.end() + 2);
        Orientations {
            previous: Orientation::from_corners(self.is_linked(left, above), self.is_linked(right, above)),
            next: Orientation::from_corners(self.is_linked(right, below), self.is_linked(left, below)),
        }
    }

    /// Whether two positions, counted from 1, are linked. The starts of both sentences are, and the ends.
    fn is_linked(&self, source: usize, target: usize) -> bool {
        let (sources, targets) = (self.by_source.len(), self.by_target.len());
        match (source, target) {
            (0, _) | (_, 0) => source == target,
            _ if source > sources || target > targets => source > sources && target > targets,
            _ => self.by_target[target - 1].contains(&(source - 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Orientation::{Discontinuous, Monotone, Swap};
    use metaphrase_base::WordId;
    use std::collections::BTreeSet;

    fn phrase_pairs(source: usize, target: usize, links: &str, longest: usize) -> Vec<(String, Orientations)> {
        let (source, target) = (vec![WordId(0); source], vec![WordId(0); target]);
        let pair = Pair { source: &source, target: &target };
        let mut all = Vec::new();
        LinkLists::new(pair, &links.parse().unwrap()).for_each_phrase_pair(longest, |found| {
            let [s, t] = [&found.source, &found.target].map(|side| format!("{}{}", side.start(), side.end()));
            all.push((format!("{s}={t} {}", found.links), found.orientations));
        });
        all
    }

    fn names(source: usize, target: usize, links: &str, longest: usize) -> Vec<String> {
        phrase_pairs(source, target, links, longest).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn links_stay_inside() {
        assert_eq!(names(2, 2, "0-0 1-1", 7), ["00=00 0-0", "01=01 0-0 1-1", "11=11 0-0"]);
        // Two source words for target word 1: neither of them goes without the other.
        assert_eq!(names(2, 2, "0-1 1-1 1-0", 7), ["01=01 1-0 0-1 1-1"]);
        assert_eq!(names(3, 3, "0-0 1-1 2-2", 2).len(), 5);
        assert_eq!(names(3, 3, "", 7), [""; 0]);
    }

    /// The definition, span by span, on made-up alignments.
    #[test]
    fn what_the_definition_allows_is_found_and_nothing_else() {
        let mut random = 1u32;
        let mut below = |limit: usize| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 16) as usize % limit
        };
        for _ in 0..300 {
            let (sources, targets, longest) = (1 + below(7), 1 + below(7), 1 + below(7));
            let links: BTreeSet<_> = (0..below(9)).map(|_| (below(sources), below(targets))).collect();
            let mut expected = Vec::new();
            for (s, t) in spans(sources, longest).flat_map(|s| spans(targets, longest).map(move |t| (s.clone(), t))) {
                let inside = |link: &&(usize, usize)| s.contains(&link.0) && t.contains(&link.1);
                let leaves = links.iter().any(|link| s.contains(&link.0) != t.contains(&link.1));
                if !leaves && links.iter().any(|link| inside(&link)) {
                    let shift = |&(source, target): &(usize, usize)| (source - s.start(), target - t.start());
                    let links: PhraseLinks = links.iter().filter(inside).map(shift).collect();
                    expected.push(format!("{}{}={}{} {links}", s.start(), s.end(), t.start(), t.end()));
                }
            }
            let text: Vec<String> = links.iter().map(|(s, t)| format!("{s}-{t}")).collect();
            let mut found = names(sources, targets, &text.join(" "), longest);
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{text:?} of {sources} and {targets} words, {longest} at most");
        }
    }

    fn spans(words: usize, longest: usize) -> impl Iterator<Item = RangeInclusive<usize>> {
        (0..words).flat_map(move |first| (first..words.min(first + longest)).map(move |last| first..=last))
    }

    #[test]
    fn words_without_links_may_belong_to_a_phrase() {
        let expected = ["00=00 0-0", "01=00 0-0", "02=00 0-0", "00=01 0-0", "01=01 0-0", "02=01 0-0"];
        assert_eq!(names(3, 2, "0-0", 7), expected);
        assert_eq!(names(3, 2, "0-0", 1), expected[..1]);
    }

    #[test]
    fn orientations_look_at_the_corners() {
        let orientation = |links: &str, name: &str| {
            let all = phrase_pairs(3, 3, links, 7);
            let (_, found) = all.into_iter().find(|(n, _)| n.starts_with(name)).unwrap();
            (found.previous, found.next)
        };
        assert_eq!(orientation("0-0 1-1 2-2", "11=11"), (Monotone, Monotone));
        assert_eq!(orientation("0-0 1-1 2-2", "02=02"), (Monotone, Monotone));
        assert_eq!(orientation("0-2 1-1 2-0", "11=11"), (Swap, Swap));
        assert_eq!(orientation("0-2 1-1 2-0", "22=00"), (Discontinuous, Swap));
        assert_eq!(orientation("0-1 1-0 2-2", "22=22"), (Discontinuous, Monotone));
    }
}
