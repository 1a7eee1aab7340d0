//! From n-grams to a model in memory, order by order: an order needs the finished tables of those below, and
//! otherwise only the numbers and values of its own n-grams.

mod section;

use crate::layout::ModelLayout;
use crate::ngrams::NGrams;
use metaphrase_base::LargeBytes;
use section::Section;
use std::collections::{BTreeSet, HashSet};

/// The back-off weight of an n-gram that nothing extends and whose weight is 1: a history that need not be remembered.
/// Zero has two signs, and the other one is that of a weight of 1 which must be remembered.
pub(crate) const NOTHING_FOLLOWS: f32 = -0.0;

/// Seeds that are tried before giving up: for other keys than those made to defeat us, the first one does.
const SEEDS: u64 = 64;

/// Why n-grams do not make a model.
#[derive(Debug)]
pub(crate) enum BuildFailure {
    /// N-grams number `first` and `second` of order `order` are the same.
    Duplicate { order: usize, first: usize, second: usize },
    /// More n-grams or words than the numbers can hold.
    TooLarge,
}

/// A model's bytes, of which the first ones are left free, with the layout and the seeds of the tables.
#[derive(Debug)]
pub(crate) struct BuiltModel {
    pub(crate) bytes: LargeBytes,
    pub(crate) layout: ModelLayout,
    pub(crate) seeds: Vec<u64>,
}

/// Builds a model of n-grams of orders 1, 2, …, which come in this order.
pub(crate) struct Builder {
    built: BuiltModel,
    start: usize,
    /// Numbers of n-grams by order.
    counts: Vec<usize>,
    /// The numbers of n-grams of all orders, as declared in advance.
    expected: Vec<usize>,
    /// By the number of an n-gram of the highest order so far, from 2 on: the number of the n-gram without its oldest
    /// word, as four bytes.
    suffixes: LargeBytes,
    section: Option<Section>,
    /// All n-grams so far, once one of them was without its history or without the n-gram that lacks its oldest word.
    incomplete: Option<Vec<NGrams>>,
}

impl Builder {
    /// Begins with the unigrams, all words by their ids. `expected` are the numbers of n-grams of all orders as far as
    /// is known: memory that they do not need is not used. The first `start` bytes of the model are left free.
    pub(crate) fn new(unigrams: &NGrams, expected: &[usize], start: usize) -> Result<Self, BuildFailure> {
        let order = expected.len();
        let counts = vec![unigrams.len()];
        let seeds = vec![0; order - 1];
        let layout = ModelLayout::new(order, &counts, &seeds, None, start).ok_or(BuildFailure::TooLarge)?;
        let mut bytes = LargeBytes::default();
        if let Some(whole) = ModelLayout::new(order, expected, &seeds, None, start) {
            // If there is not so much, or if the numbers are false, the model grows as its n-grams come.
            let _ = bytes.reserve(whole.end);
        }
        bytes.resize(layout.end);
        for (word, (&log10, &backoff)) in (0..).zip(unigrams.log10.iter().zip(&unigrams.backoff)) {
            layout.set_log10(&mut bytes, 0, word, log10);
            layout.set_backoff(&mut bytes, 0, word, backoff);
        }
        let built = BuiltModel { bytes, layout, seeds };
        Ok(Self {
            built,
            start,
            counts,
            expected: expected.to_vec(),
            suffixes: LargeBytes::default(),
            section: None,
            incomplete: None,
        })
    }

    /// Begins the next order.
    pub(crate) fn begin(&mut self) -> Result<(), BuildFailure> {
        let k = self.counts.len();
        if let Some(lists) = &mut self.incomplete {
            lists.push(NGrams::new(k + 1));
            self.counts.push(0);
        } else {
            let (limits, has_backoff) = ([self.counts[k - 1], self.counts[0]], self.built.layout.has_backoff(k));
            let section = Section::new(limits, k, self.expected[k], has_backoff).ok_or(BuildFailure::TooLarge)?;
            self.section = Some(section);
        }
        Ok(())
    }

    /// Takes an n-gram of the order that was begun. NaN as probability stands for the back-off probability.
    pub(crate) fn push(&mut self, words: &[u32], log10: f32, backoff: f32) {
        if let Some(section) = &mut self.section {
            section.push(words, log10, backoff);
            if section.is_full() && !section.look_up(&self.built, &self.suffixes) {
                self.fall_back();
            }
        } else if let Some(list) = self.incomplete.as_mut().and_then(|lists| lists.last_mut()) {
            list.push(words, log10, backoff);
        }
    }

    /// Ends the order that was begun.
    pub(crate) fn end(&mut self) -> Result<(), BuildFailure> {
        if self.section.as_mut().is_some_and(|section| !section.look_up(&self.built, &self.suffixes)) {
            self.fall_back();
        }
        self.section.take().map_or(Ok(()), |section| self.add(section))
    }

    /// The model.
    pub(crate) fn finish(mut self) -> Result<BuiltModel, BuildFailure> {
        let Some(mut lists) = self.incomplete else {
            if self.counts.len() == 1 {
                mark(&mut self.built, 0, |_| false);
            }
            return Ok(self.built);
        };
        drop(self.built);
        close(&mut lists);
        let counts: Vec<usize> = lists.iter().map(NGrams::len).collect();
        let mut builder = Self::new(&lists[0], &counts, self.start)?;
        for list in &lists[1..] {
            builder.begin()?;
            (0..list.len()).for_each(|i| builder.push(list.get(i), list.log10[i], list.backoff[i]));
            builder.end()?;
        }
        builder.finish()
    }

    /// Makes the table of an order, its n-grams having been looked up.
    fn add(&mut self, mut section: Section) -> Result<(), BuildFailure> {
        let k = self.counts.len();
        self.counts.push(section.len());
        for seed in 0..SEEDS {
            self.built.seeds[k - 1] = seed;
            section.shuffle(seed)?;
            let seeds = &self.built.seeds;
            let order = self.built.layout.order();
            let layout =
                ModelLayout::new(order, &self.counts, seeds, None, self.start).ok_or(BuildFailure::TooLarge)?;
            self.built.layout = layout;
            self.built.bytes.resize(self.built.layout.end);
            let table = self.built.layout.tables[k - 1];
            if table.fill(&mut self.built.bytes, section.images()).is_ok() {
                mark(&mut self.built, k - 1, |history| section.follows(history));
                self.suffixes = section.set_values(&mut self.built);
                return Ok(());
            }
        }
        Err(BuildFailure::TooLarge)
    }

    /// Some n-gram is not complete: takes all n-grams so far as lists, to be completed when all are there.
    fn fall_back(&mut self) {
        let Some(section) = self.section.take() else { return };
        let mut lists = self.built.layout.lists(&self.built.bytes);
        lists.push(section.into_list(&self.built));
        self.counts.push(0);
        self.incomplete = Some(lists);
    }
}

/// Gives the zeros among the back-off weights of order `k` + 1 the sign that marks whether a longer n-gram follows.
fn mark(built: &mut BuiltModel, k: usize, follows: impl Fn(u32) -> bool) {
    let BuiltModel { bytes, layout, .. } = built;
    if !layout.has_backoff(k) {
        return;
    }
    for number in 0..layout.count(k) as u32 {
        if layout.backoff(bytes, k, number) == 0.0 {
            layout.set_backoff(bytes, k, number, if follows(number) { 0.0 } else { NOTHING_FOLLOWS });
        }
    }
}

/// Adds the histories and lower-order n-grams that a list lacks, as pruning can leave it, to the list below. They get
/// the probability that backing off gives them, so nothing changes but that a search may stop at the first n-gram that
/// is not there.
fn close(lists: &mut [NGrams]) {
    for k in (1..lists.len()).rev() {
        let (below, above) = lists.split_at_mut(k);
        let (below, above) = (&mut below[k - 1], &above[0]);
        let present: HashSet<&[u32]> = below.iter().collect();
        let needed = above.iter().flat_map(|words| [&words[1..], &words[..k]]);
        let missing: BTreeSet<&[u32]> = needed.filter(|&words| !present.contains(words)).collect();
        let missing: Vec<Vec<u32>> = missing.into_iter().map(<[u32]>::to_vec).collect();
        missing.iter().for_each(|words| below.push(words, f32::NAN, 0.0));
    }
}
