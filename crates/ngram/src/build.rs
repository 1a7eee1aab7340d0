//! From lists of n-grams to a model in memory.

use crate::layout::ModelLayout;
use crate::ngrams::NGrams;
use crate::table::Table;
use std::collections::{BTreeSet, HashSet};

/// The back-off weight of an n-gram that nothing extends and whose weight is 1: a history that need not be remembered.
/// Zero has two signs, and the other one is that of a weight of 1 which must be remembered.
pub(crate) const NOTHING_FOLLOWS: f32 = -0.0;

/// Seeds that are tried before giving up: for other keys than those made to defeat us, the first one does.
const SEEDS: u64 = 64;

/// Why lists do not make a model.
#[derive(Debug)]
pub(crate) enum Unbuildable {
    /// Two n-grams of order `order` are the same.
    Duplicate { order: usize, first: usize, second: usize },
    /// More n-grams or words than the numbers can hold.
    TooLarge,
}

/// A model's bytes, of which the first `start` are left free, with the layout and the seeds of the tables.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) bytes: Vec<u8>,
    pub(crate) layout: ModelLayout,
    pub(crate) seeds: Vec<u64>,
}

/// Builds a model of n-grams of orders 1, 2, …; the unigrams are all words by their ids.
pub(crate) fn build(mut lists: Vec<NGrams>, start: usize) -> Result<Built, Unbuildable> {
    loop {
        match Builder::new(&lists, start)?.build()? {
            Some(built) => return Ok(built),
            None => close(&mut lists),
        }
    }
}

struct Builder<'l> {
    lists: &'l [NGrams],
    start: usize,
    built: Built,
}

impl<'l> Builder<'l> {
    fn new(lists: &'l [NGrams], start: usize) -> Result<Self, Unbuildable> {
        let seeds = vec![0; lists.len() - 1];
        let layout = layout(lists, &seeds, start)?;
        let bytes = vec![0; layout.end];
        Ok(Self { lists, start, built: Built { bytes, layout, seeds } })
    }

    /// The model; `None` if a history or a lower-order n-gram is missing.
    fn build(mut self) -> Result<Option<Built>, Unbuildable> {
        let unigrams = &self.lists[0];
        for (word, (&log10, &backoff)) in (0..).zip(unigrams.log10.iter().zip(&unigrams.backoff)) {
            self.built.layout.set_log10(&mut self.built.bytes, 0, word, log10);
            self.built.layout.set_backoff(&mut self.built.bytes, 0, word, backoff);
        }
        for k in 1..self.lists.len() {
            let Some(histories) = self.histories(k) else { return Ok(None) };
            self.add(k, &histories)?;
            self.mark(k - 1, &histories);
        }
        self.mark(self.lists.len() - 1, &[]);
        Ok(Some(self.built))
    }

    /// The numbers of the histories of the n-grams of order `k` + 1, if all are there, and all lower-order n-grams too.
    fn histories(&self, k: usize) -> Option<Vec<u32>> {
        let Built { bytes, layout, .. } = &self.built;
        let history = |words: &[u32]| {
            layout.find(bytes, &words[1..])?;
            layout.find(bytes, &words[..k])
        };
        self.lists[k].iter().map(history).collect()
    }

    /// Fills the table and the values of order `k` + 1.
    fn add(&mut self, k: usize, histories: &[u32]) -> Result<(), Unbuildable> {
        let list = &self.lists[k];
        let last = |i: usize| list.words[i * (k + 1) + k];
        for seed in 0..SEEDS {
            self.built.seeds[k - 1] = seed;
            self.built.layout = layout(self.lists, &self.built.seeds, self.start)?;
            let table: Table = self.built.layout.tables[k - 1];
            let image = |i: usize| table.image(histories[i], last(i));
            let mut sorted: Vec<(u64, u32)> = (0..list.len()).map(|i| (image(i), i as u32)).collect();
            sorted.sort_unstable();
            if let Some(pair) = sorted.array_windows().find(|[a, b]| a.0 == b.0) {
                let [first, second] = pair.map(|(_, i)| i as usize);
                return Err(Unbuildable::Duplicate { order: k + 1, first, second });
            }
            let (images, order): (Vec<u64>, Vec<u32>) = sorted.into_iter().unzip();
            if table.fill(&mut self.built.bytes, &images).is_ok() {
                self.set_values(k, &order, histories);
                return Ok(());
            }
        }
        Err(Unbuildable::TooLarge)
    }

    /// Stores the values of order `k` + 1; `order[number]` is the place in the list of n-gram `number`.
    fn set_values(&mut self, k: usize, order: &[u32], histories: &[u32]) {
        let (list, Built { bytes, layout, .. }) = (&self.lists[k], &mut self.built);
        for (number, i) in (0..).zip(order.iter().map(|&i| i as usize)) {
            let mut log10 = list.log10[i];
            if log10.is_nan() {
                let lower = layout.find(bytes, &list.get(i)[1..]).expect("the lists are closed");
                log10 = layout.backoff(bytes, k - 1, histories[i]) + layout.log10(bytes, k - 1, lower);
            }
            layout.set_log10(bytes, k, number, log10);
            layout.set_backoff(bytes, k, number, list.backoff[i]);
        }
    }

    /// Gives the zeros among the back-off weights of order `k` + 1 the sign that says whether they are `histories`.
    fn mark(&mut self, k: usize, histories: &[u32]) {
        let Built { bytes, layout, .. } = &mut self.built;
        if !layout.has_backoff(k) {
            return;
        }
        let mut follows = vec![false; layout.count(k)];
        histories.iter().for_each(|&history| follows[history as usize] = true);
        for (number, follows) in (0..).zip(follows) {
            if layout.backoff(bytes, k, number) == 0.0 {
                layout.set_backoff(bytes, k, number, if follows { 0.0 } else { NOTHING_FOLLOWS });
            }
        }
    }
}

fn layout(lists: &[NGrams], seeds: &[u64], start: usize) -> Result<ModelLayout, Unbuildable> {
    let counts: Vec<usize> = lists.iter().map(NGrams::len).collect();
    ModelLayout::new(&counts, seeds, None, start).ok_or(Unbuildable::TooLarge)
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
