//! From adjusted counts to probabilities: interpolated modified Kneser-Ney smoothing.

use super::adjust::PRUNED;
use super::discounts::Discounts;
use super::record::{Key, Record, pack, unpack};
use super::sort::{MergedRecords, Room, Sorter};
use crate::LmError;
use crate::vocabulary::BEGIN;

/// One order before it is interpolated with the one below.
#[derive(Debug)]
pub(crate) struct DiscountedOrder {
    /// Per n-gram, last word first: the discounted probability and the weight of the order below.
    pub(crate) ngrams: Sorter,
    /// Per history, last word first: the weight of the order below, which is its back-off weight.
    pub(crate) histories: Sorter,
}

/// Discounts the counts of n-grams of `order` words, history by history. The counts of pruned n-grams go to the order
/// below.
pub(crate) fn discount(
    mut by_history: MergedRecords,
    order: usize,
    discounts: &Discounts,
    room: &Room,
) -> Result<DiscountedOrder, LmError> {
    let mut discounted = DiscountedOrder { ngrams: Sorter::new(room), histories: Sorter::new(room) };
    let mut group: Vec<(u32, u64)> = Vec::new();
    let mut next = by_history.next()?;
    while let Some(first) = next {
        let history = first.key.first(order - 1);
        group.clear();
        while let Some(Record { key, payload }) = next.filter(|record| record.key.first(order - 1) == history) {
            group.push((key.word(order - 1), payload));
            next = by_history.next()?;
        }
        discounted.add(order, &history, &group, discounts)?;
    }
    Ok(discounted)
}

impl DiscountedOrder {
    /// Takes all n-grams of a history: their words and counts.
    fn add(&mut self, order: usize, history: &Key, group: &[(u32, u64)], discounts: &Discounts) -> Result<(), LmError> {
        let sum: u64 = group.iter().map(|(_, count)| count & !PRUNED).sum();
        let is_kept = |count: u64| count & PRUNED == 0;
        let freed = |&(_, count): &(u32, u64)| match is_kept(count) {
            true => discounts.get(count),
            false => (count & !PRUNED) as f64,
        };
        let weight = group.iter().map(freed).sum::<f64>() / sum as f64;
        self.histories.push(*history, pack(weight as f32, 0.0))?;
        for &(word, count) in group.iter().filter(|&&(_, count)| is_kept(count)) {
            let key = Key::new([word].into_iter().chain(history.words(order - 1)));
            let probability = (count as f64 - discounts.get(count)) / sum as f64;
            // `<s>` is given, so that its own probability does not matter; that of lmplz is 1.
            let payload =
                if order == 1 && word == BEGIN.0 { pack(1.0, 0.0) } else { pack(probability as f32, weight as f32) };
            self.ngrams.push(key, payload)?;
        }
        Ok(())
    }
}

/// Interpolates one order with the one below, n-gram by n-gram in the order of their last words.
#[derive(Debug)]
pub(crate) struct Interpolation {
    ngrams: MergedRecords,
    order: usize,
    /// The probabilities of the order below, and the next one; a word's is the uniform one.
    below: Option<MergedRecords>,
    lower: (Key, f32),
    /// The weights of these n-grams as histories, and the next one.
    histories: Option<MergedRecords>,
    backoff: Option<Record>,
}

/// An n-gram of the model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Estimate {
    /// Last word first.
    pub(crate) key: Key,
    pub(crate) probability: f32,
    /// The weight of the order below after this n-gram: 1 if it is no history.
    pub(crate) backoff: f32,
}

impl Interpolation {
    /// `uniform` is the probability that a word's is interpolated with; `below` is missing for words, `histories` for
    /// the highest order.
    pub(crate) fn new(
        ngrams: MergedRecords,
        order: usize,
        uniform: f32,
        below: Option<MergedRecords>,
        mut histories: Option<MergedRecords>,
    ) -> Result<Self, LmError> {
        let backoff = next(&mut histories)?;
        Ok(Self { ngrams, order, below, lower: (Key::default(), uniform), histories, backoff })
    }

    pub(crate) fn next(&mut self) -> Result<Option<Estimate>, LmError> {
        let Some(Record { key, payload }) = self.ngrams.next()? else { return Ok(None) };
        let (discounted, weight) = unpack(payload);
        let suffix = key.first(self.order - 1);
        while self.lower.0 < suffix {
            let Some(record) = next(&mut self.below)? else { break };
            self.lower = (record.key, unpack(record.payload).0);
        }
        while self.backoff.is_some_and(|record| record.key < key) {
            self.backoff = next(&mut self.histories)?;
        }
        let backoff = self.backoff.filter(|record| record.key == key).map_or(1.0, |record| unpack(record.payload).0);
        Ok(Some(Estimate { key, probability: discounted + weight * self.lower.1, backoff }))
    }
}

fn next(sorted: &mut Option<MergedRecords>) -> Result<Option<Record>, LmError> {
    sorted.as_mut().map_or(Ok(None), MergedRecords::next)
}
