//! Counts of phrase pairs and of their target phrases.

use super::links::PhraseLinks;
use super::orientation::KINDS;
use super::phrases::LinkLists;
use super::ranks::Ranks;
use super::smoothing::{CountCounts, Marginal};
use super::sorter::{Merge, Record, Sorter};
use crate::{Alignment, Corpus};
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;

/// The folder, memory and threads for sorting.
pub(crate) struct Space<'a> {
    pub folder: &'a Path,
    /// Bytes, about.
    pub memory: usize,
    pub threads: NonZeroUsize,
}

/// The different phrase pairs.
pub(crate) struct DistinctPairs {
    /// Each pair, by source phrase: key `source ||| target |||`, values as [`PairCounts`] has them.
    pub pairs: Merge,
    pub counts: CountCounts,
}

/// The counts and links of a phrase pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairCounts {
    /// Its most frequent links.
    pub links: PhraseLinks,
    /// How often it occurs.
    pub count: u32,
    /// The target phrase alone.
    pub target: Marginal,
    pub orientations: [u32; KINDS],
}

/// Numbers that a [`PairCounts`] is kept as.
const VALUES: usize = 7 + KINDS;

impl PairCounts {
    fn to_values(self) -> [u32; VALUES] {
        let mut values = [0; VALUES];
        values[..2].copy_from_slice(&self.links.to_words());
        values[2] = self.count;
        for (place, number) in [(3, self.target.count), (5, self.target.distinct)] {
            (values[place], values[place + 1]) = ((number >> 32) as u32, number as u32);
        }
        values[7..].copy_from_slice(&self.orientations);
        values
    }

    pub fn from_values(values: &[u32]) -> Self {
        let number = |place: usize| u64::from(values[place]) << 32 | u64::from(values[place + 1]);
        let mut orientations = [0; KINDS];
        orientations.copy_from_slice(&values[7..VALUES]);
        Self {
            links: PhraseLinks::from_words([values[0], values[1]]),
            count: values[2],
            target: Marginal { count: number(3), distinct: number(5) },
            orientations,
        }
    }
}

/// Counts all phrase pairs of a corpus.
pub(crate) fn count(
    corpus: &Corpus,
    alignments: &[Alignment],
    ranks: &[Ranks; 2],
    longest: usize,
    space: &Space<'_>,
) -> io::Result<DistinctPairs> {
    let mut occurrences = Sorter::new(space.folder, 1 + KINDS, space.memory, space.threads);
    for (at, alignment) in alignments.iter().enumerate() {
        add_occurrences(corpus, at, alignment, ranks, longest, &mut occurrences)?;
    }
    let mut pairs = Sorter::new(space.folder, VALUES, space.memory, space.threads);
    let mut counts = CountCounts::default();
    let mut by_target = TargetGroup { separator: ranks[1].separator(), ..TargetGroup::default() };
    let (mut occurrences, mut record) = (occurrences.finish()?, Record::default());
    while occurrences.next(&mut record)? {
        if !by_target.has_target_of(&record) {
            by_target.flush(&mut pairs, &mut counts)?;
        }
        by_target.add(&record);
    }
    by_target.flush(&mut pairs, &mut counts)?;
    Ok(DistinctPairs { pairs: pairs.finish()?, counts })
}

/// Adds the phrase pairs of a sentence pair: key `target ||| source ||| links`, values: 1 and the orientations.
fn add_occurrences(
    corpus: &Corpus,
    at: usize,
    alignment: &Alignment,
    [source_ranks, target_ranks]: &[Ranks; 2],
    longest: usize,
    occurrences: &mut Sorter<'_>,
) -> io::Result<()> {
    let pair = corpus.pair(at);
    let mut result = Ok(());
    LinkLists::new(pair, alignment).for_each_phrase_pair(longest, |found| {
        if result.is_err() {
            return;
        }
        let target = pair.target[found.target.clone()].iter().map(|&word| target_ranks.rank(word));
        let source = pair.source[found.source.clone()].iter().map(|&word| source_ranks.rank(word));
        let key = target.chain([target_ranks.separator()]).chain(source).chain([source_ranks.separator()]);
        let mut values = [1; 1 + KINDS];
        values[1..].copy_from_slice(&found.orientations.counts());
        result = occurrences.push(key.chain(found.links.to_words()), &values);
    });
    result
}

/// The phrase pairs of one target phrase.
#[derive(Default)]
struct TargetGroup {
    separator: u32,
    /// With the separator.
    target: Vec<u32>,
    count: u64,
    /// Source phrases with the separator, one after the other.
    sources: Vec<u32>,
    pairs: Vec<TargetPair>,
}

/// A phrase pair as its occurrences come.
struct TargetPair {
    /// Where its source phrase begins in [`TargetGroup::sources`].
    start: usize,
    links: PhraseLinks,
    /// How often it has these links.
    with_links: u32,
    count: u32,
    orientations: [u32; KINDS],
}

impl TargetGroup {
    fn has_target_of(&self, record: &Record) -> bool {
        record.key.starts_with(&self.target) && !self.target.is_empty()
    }

    /// Adds the occurrences of a phrase pair with the same links; those of one pair follow each other.
    fn add(&mut self, record: &Record) {
        if self.pairs.is_empty() {
            let end = record.key.iter().position(|&rank| rank == self.separator).map_or(0, |at| at + 1);
            self.target.clear();
            self.target.extend_from_slice(&record.key[..end]);
        }
        let (source, links) = record.key[self.target.len()..].split_at(record.key.len() - self.target.len() - 2);
        let (links, count) = (PhraseLinks::from_words([links[0], links[1]]), record.values[0]);
        self.count += u64::from(count);
        let same = self.pairs.last().is_some_and(|last| &self.sources[last.start..] == source);
        match self.pairs.last_mut().filter(|_| same) {
            Some(last) => {
                if (count, links) > (last.with_links, last.links) {
                    (last.with_links, last.links) = (count, links);
                }
                last.count = last.count.saturating_add(count);
                for (sum, more) in last.orientations.iter_mut().zip(&record.values[1..]) {
                    *sum = sum.saturating_add(*more);
                }
            }
            None => {
                let mut orientations = [0; KINDS];
                orientations.copy_from_slice(&record.values[1..]);
                self.pairs.push(TargetPair {
                    start: self.sources.len(),
                    links,
                    with_links: count,
                    count,
                    orientations,
                });
                self.sources.extend_from_slice(source);
            }
        }
    }

    /// All pairs of the target phrase are there.
    fn flush(&mut self, pairs: &mut Sorter<'_>, counts: &mut CountCounts) -> io::Result<()> {
        let target = Marginal { count: self.count, distinct: self.pairs.len() as u64 };
        let ends = self.pairs.iter().skip(1).map(|pair| pair.start).chain([self.sources.len()]);
        for (pair, end) in self.pairs.iter().zip(ends) {
            counts.add(pair.count);
            let TargetPair { links, count, orientations, .. } = *pair;
            let values = PairCounts { links, count, target, orientations }.to_values();
            let source = self.sources[pair.start..end].iter();
            pairs.push(source.chain(&self.target).copied(), &values)?;
        }
        self.count = 0;
        self.sources.clear();
        self.pairs.clear();
        Ok(())
    }
}
