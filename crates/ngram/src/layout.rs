//! Where everything is in the bytes of a model.

use crate::MAX_ORDER;
use crate::bytes::f32_at;
use crate::table::Table;

/// Bytes of a probability with its back-off weight.
pub(crate) const PAIR: usize = 8;
/// Bytes of a probability.
const SINGLE: usize = 4;
/// The sections start at multiples of this.
const ALIGNMENT: usize = 16;

/// Numbers that say where everything is: the model's bytes are the sections one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// Number of words.
    pub(crate) words: usize,
    /// Where the values of each order start; order 1 is the first.
    values: [usize; MAX_ORDER],
    /// The tables of orders 2 and above.
    pub(crate) tables: Vec<Table>,
    /// Number of bytes.
    pub(crate) end: usize,
}

impl Layout {
    /// The layout of a model with `counts[k]` n-grams of order k + 1, from byte `at`; `seeds` are those of the tables.
    /// `None` if it is larger than numbers can hold.
    pub(crate) fn new(counts: &[usize], seeds: &[u64], at: usize) -> Option<Self> {
        let align = |at: usize| at.checked_next_multiple_of(ALIGNMENT);
        let (words, order) = (*counts.first()?, counts.len());
        let size = |k: usize| counts[k].checked_mul(if k + 1 == order && k > 0 { SINGLE } else { PAIR });
        let mut values = [align(at)?; MAX_ORDER];
        let mut end = values[0].checked_add(size(0)?)?;
        let mut tables = Vec::with_capacity(order - 1);
        for k in 1..order {
            let table = Table::new(counts[k], counts[k - 1], words, seeds[k - 1], align(end)?)?;
            values[k] = align(table.end)?;
            end = values[k].checked_add(size(k)?)?;
            tables.push(table);
        }
        Some(Self { words, values, tables, end })
    }

    pub(crate) fn order(&self) -> usize {
        self.tables.len() + 1
    }

    /// Number of n-grams of order `k` + 1.
    pub(crate) fn count(&self, k: usize) -> usize {
        if k == 0 { self.words } else { self.tables[k - 1].count }
    }

    /// Whether n-grams of order `k` + 1 have a back-off weight.
    #[inline]
    pub(crate) fn has_backoff(&self, k: usize) -> bool {
        k < self.tables.len() || k == 0
    }

    #[inline]
    fn value(&self, k: usize, number: u32) -> usize {
        self.values[k] + number as usize * if self.has_backoff(k) { PAIR } else { SINGLE }
    }

    /// log10 probability of n-gram `number` of order `k` + 1.
    #[inline]
    pub(crate) fn log10(&self, bytes: &[u8], k: usize, number: u32) -> f32 {
        f32_at(bytes, self.value(k, number))
    }

    /// log10 back-off weight of n-gram `number` of order `k` + 1, which [has one](Self::has_backoff).
    #[inline]
    pub(crate) fn backoff(&self, bytes: &[u8], k: usize, number: u32) -> f32 {
        f32_at(bytes, self.value(k, number) + SINGLE)
    }

    pub(crate) fn set(&self, bytes: &mut [u8], k: usize, number: u32, log10: f32, backoff: f32) {
        let at = self.value(k, number);
        bytes[at..at + SINGLE].copy_from_slice(&log10.to_le_bytes());
        if self.has_backoff(k) {
            bytes[at + SINGLE..at + PAIR].copy_from_slice(&backoff.to_le_bytes());
        }
    }

    /// The number of the n-gram `words` if it is in the model.
    pub(crate) fn find(&self, bytes: &[u8], words: &[u32]) -> Option<u32> {
        let (&first, rest) = words.split_first()?;
        rest.iter().zip(&self.tables).try_fold(first, |history, (&word, table)| table.find(bytes, history, word))
    }

    /// The words of all n-grams of order `k` + 1 by their numbers, from those of their histories.
    pub(crate) fn words_of(&self, bytes: &[u8], k: usize, histories: &[u32]) -> Vec<u32> {
        let mut words = Vec::with_capacity(self.count(k) * (k + 1));
        for (history, word) in self.tables[k - 1].keys(bytes) {
            words.extend_from_slice(&histories[history as usize * k..(history as usize + 1) * k]);
            words.push(word);
        }
        words
    }
}
