//! Sentence pairs in memory.

use super::lists::Links;
use super::{Batch, DataError, Sentences};

/// Sentence pairs in memory, at least one. Some may be seen more than once in an epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Corpus {
    pub(super) source: Sentences,
    pub(super) target: Sentences,
    /// The links of all pairs, if any file has alignments.
    pub(super) links: Option<Links>,
    /// Where each file ends, and how often its pairs are seen in an epoch.
    repeats: Vec<(usize, u32)>,
}

impl Corpus {
    /// These pairs, each once in an epoch.
    ///
    /// # Panics
    /// If there are none, if there are not as many source sentences as target sentences, or if only some have
    /// alignments.
    #[must_use]
    pub fn new(pairs: Batch) -> Self {
        assert!(!pairs.is_empty(), "a corpus without sentence pairs");
        assert_eq!(pairs.source.len(), pairs.target.len(), "source and target sentences of a corpus");
        let links = (!pairs.alignments.is_empty()).then(|| {
            assert_eq!(pairs.alignments.len(), pairs.target.len(), "alignments of a corpus");
            let mut links = Links::default();
            pairs.alignments.iter().for_each(|pair| links.push(pair));
            links
        });
        Self { repeats: vec![(pairs.target.len(), 1)], source: pairs.source, target: pairs.target, links }
    }

    /// A corpus to be filled.
    pub(super) fn empty(with_links: bool) -> Self {
        let (source, target) = (Sentences::default(), Sentences::default());
        Self { source, target, links: with_links.then(Links::default), repeats: Vec::new() }
    }

    /// The pairs that were added since the last file ended are those of a file that is seen `repeat` times in an epoch.
    pub(super) fn end_file(&mut self, repeat: u32) -> Result<(), DataError> {
        self.repeats.push((self.len(), repeat));
        let shown = self
            .files()
            .try_fold(0, |sum: usize, (pairs, repeat)| sum.checked_add(pairs.len().checked_mul(repeat as usize)?));
        if shown.is_none_or(|shown| u32::try_from(shown).is_err()) {
            return Err(DataError::TooManyPairs);
        }
        Ok(())
    }

    /// Which pairs come from one file, and how often they are seen in an epoch.
    fn files(&self) -> impl Iterator<Item = (std::ops::Range<usize>, u32)> {
        let starts = [0].into_iter().chain(self.repeats.iter().map(|&(end, _)| end));
        starts.zip(&self.repeats).map(|(start, &(end, repeat))| (start..end, repeat))
    }

    /// Number of sentence pairs, without repetitions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.target.len()
    }

    /// Whether the corpus is empty, which a corpus that was read never is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.target.is_empty()
    }

    /// Lengths of a pair, source and target, ends of sentence counted.
    pub(super) fn lengths(&self, pair: u32) -> (usize, usize) {
        (self.source.range(pair as usize).len(), self.target.range(pair as usize).len())
    }

    /// The pairs of an epoch in the order of the files.
    pub(super) fn epoch(&self) -> Vec<u32> {
        let mut order = Vec::new();
        for (pairs, repeat) in self.files() {
            (0..repeat).for_each(|_| order.extend(pairs.clone().map(|pair| pair as u32)));
        }
        order
    }

    /// How often an epoch has each of `words` target words.
    ///
    /// # Panics
    /// If there are others.
    #[must_use]
    pub fn target_counts(&self, words: usize) -> Vec<u64> {
        let mut counts = vec![0; words];
        for (pairs, repeat) in self.files() {
            for word in pairs.flat_map(|pair| self.target.get(pair)) {
                counts[word.0 as usize] += u64::from(repeat);
            }
        }
        counts
    }

    /// These pairs as a batch.
    ///
    /// # Panics
    /// If there is no such pair.
    #[must_use]
    pub fn batch(&self, pairs: &[u32]) -> Batch {
        let mut batch = Batch::default();
        for &pair in pairs {
            batch.source.push(self.source.get(pair as usize));
            batch.target.push(self.target.get(pair as usize));
            batch.alignments.extend(self.links.as_ref().map(|links| links.get(pair as usize).to_vec()));
        }
        batch
    }

    /// A number that other data would hardly have: a checkpoint keeps it, to be continued with its own data only.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let words = [&self.source, &self.target]
            .into_iter()
            .flat_map(|side| (0..side.len()).map(|i| side.range(i).len() as u32).chain(side.all().iter().map(|w| w.0)));
        let links = self.links.iter().flat_map(Links::all).flat_map(|&(i, j)| [i, j]);
        let repeats = self.repeats.iter().flat_map(|&(end, repeat)| [end as u32, repeat]);
        // FNV-1a on 32-bit units.
        let start = 0xcbf2_9ce4_8422_2325_u64;
        words
            .chain(links)
            .chain(repeats)
            .fold(start, |hash, x| (hash ^ u64::from(x)).wrapping_mul(0x0000_0100_0000_01b3))
    }
}
