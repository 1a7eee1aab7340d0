//! Where everything is in the bytes of a model.

use crate::MAX_ORDER;
use crate::bytes::f32_at;
use crate::ngrams::NGrams;
use crate::table::Table;

/// Bytes of a word's probability and its back-off weight.
const PAIR: usize = 8;
/// Bits of a probability or a back-off weight.
const FLOAT: u32 = 32;
/// Bits of a code for a probability and of one for a back-off weight; none: both are floats as they are.
pub(crate) type Quantisation = Option<[u32; 2]>;

/// The sections start at multiples of this.
const ALIGNMENT: usize = 16;

/// The offsets of all sections: the model's bytes are the sections one after the other.
#[derive(Debug, Clone)]
pub(crate) struct ModelLayout {
    /// Words of the longest n-grams.
    order: usize,
    /// Number of words.
    pub(crate) words: usize,
    /// Where the values of the words start.
    unigrams: usize,
    /// The tables of orders 2 and above; while a model is built, of those that are there.
    pub(crate) tables: Vec<Table>,
    /// How their values are stored.
    pub(crate) quantisation: Quantisation,
    /// Where the values of the codes start, order by order.
    codebooks: usize,
    /// Number of bytes.
    pub(crate) end: usize,
}

impl ModelLayout {
    /// The layout of a model with `counts[k]` n-grams of order k + 1, from byte `at`; `seeds` are those of the tables.
    /// The first orders are where they are also without the counts of those above. `None` if it is larger than numbers
    /// can hold.
    pub(crate) fn new(
        order: usize,
        counts: &[usize],
        seeds: &[u64],
        quantisation: Quantisation,
        at: usize,
    ) -> Option<Self> {
        let align = |at: usize| at.checked_next_multiple_of(ALIGNMENT);
        let words = *counts.first()?;
        let unigrams = align(at)?;
        let codebooks = align(unigrams.checked_add(words.checked_mul(PAIR)?)?)?;
        let [log10_bits, backoff_bits] = quantisation.unwrap_or([FLOAT; 2]);
        let mut end = codebooks.checked_add((order - 1) * codebook_size(quantisation))?;
        let mut tables = Vec::with_capacity(order - 1);
        for (k, &seed) in (1..counts.len()).zip(seeds) {
            let value_bits = log10_bits + if k + 1 < order { backoff_bits } else { 0 };
            let table = Table::new(counts[k], [counts[k - 1], words], value_bits, seed, align(end)?)?;
            end = table.end;
            tables.push(table);
        }
        Some(Self { order, words, unigrams, tables, quantisation, codebooks, end: align(end)? })
    }

    pub(crate) fn order(&self) -> usize {
        self.order
    }

    /// Number of n-grams of order `k` + 1.
    pub(crate) fn count(&self, k: usize) -> usize {
        if k == 0 { self.words } else { self.tables[k - 1].count }
    }

    /// Whether n-grams of order `k` + 1 have a back-off weight.
    #[inline]
    pub(crate) fn has_backoff(&self, k: usize) -> bool {
        k + 1 < self.order || k == 0
    }

    /// log10 probability of n-gram `number` of order `k` + 1.
    #[inline]
    pub(crate) fn log10(&self, bytes: &[u8], k: usize, number: u32) -> f32 {
        self.value(bytes, k, number, 0)
    }

    /// log10 back-off weight of n-gram `number` of order `k` + 1, which [has one](Self::has_backoff).
    #[inline]
    pub(crate) fn backoff(&self, bytes: &[u8], k: usize, number: u32) -> f32 {
        self.value(bytes, k, number, 1)
    }

    #[inline]
    fn value(&self, bytes: &[u8], k: usize, number: u32, which: u32) -> f32 {
        match (k, self.quantisation) {
            (0, _) => f32_at(bytes, self.unigram(number, which)),
            (_, None) => f32::from_bits(self.tables[k - 1].value(bytes, number, which * FLOAT, FLOAT) as u32),
            (_, Some(widths)) => {
                let code = self.tables[k - 1].value(bytes, number, which * widths[0], widths[which as usize]);
                f32_at(bytes, self.codebook(k, which) + code as usize * CODE)
            }
        }
    }

    #[inline]
    fn unigram(&self, word: u32, which: u32) -> usize {
        self.unigrams + word as usize * PAIR + which as usize * (PAIR / 2)
    }

    pub(crate) fn set_log10(&self, bytes: &mut [u8], k: usize, number: u32, log10: f32) {
        self.set(bytes, k, number, 0, log10);
    }

    /// Sets a back-off weight where there [is one](Self::has_backoff).
    pub(crate) fn set_backoff(&self, bytes: &mut [u8], k: usize, number: u32, backoff: f32) {
        if self.has_backoff(k) {
            self.set(bytes, k, number, 1, backoff);
        }
    }

    fn set(&self, bytes: &mut [u8], k: usize, number: u32, which: u32, value: f32) {
        match k {
            0 => {
                let at = self.unigram(number, which);
                bytes[at..at + PAIR / 2].copy_from_slice(&value.to_le_bytes());
            }
            _ => self.tables[k - 1].set_value(bytes, number, which * FLOAT, FLOAT, value.to_bits().into()),
        }
    }

    /// Where the values of the codes of order `k` + 1 start: of probabilities (0) or back-off weights (1).
    #[inline]
    pub(crate) fn codebook(&self, k: usize, which: u32) -> usize {
        let log10s = self.quantisation.map_or(0, |widths| CODE << widths[0]);
        self.codebooks + (k - 1) * codebook_size(self.quantisation) + if which == 0 { 0 } else { log10s }
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
            let start = history as usize * k;
            // No writer makes a history that is not there.
            words.extend_from_slice(histories.get(start..start + k).unwrap_or(&[0; MAX_ORDER][..k]));
            words.push(word.min(self.words as u32 - 1));
        }
        words
    }
}

impl ModelLayout {
    /// All n-grams of the orders that are there, one list per order, sorted by their words' ids.
    pub(crate) fn lists(&self, bytes: &[u8]) -> Vec<NGrams> {
        let mut lists: Vec<NGrams> = Vec::with_capacity(self.order);
        // The words of each n-gram of the order before, by its number.
        let mut histories: Vec<u32> = vec![];
        for k in 0..=self.tables.len() {
            let words = if k == 0 { (0..self.words as u32).collect() } else { self.words_of(bytes, k, &histories) };
            // A damaged file may have fewer or more n-grams than it declares.
            let count = self.count(k).min(words.len() / (k + 1));
            let mut numbers: Vec<u32> = (0..count as u32).collect();
            let of = |number: u32| &words[number as usize * (k + 1)..(number as usize + 1) * (k + 1)];
            numbers.sort_unstable_by(|&a, &b| of(a).cmp(of(b)));
            let mut list = NGrams::new(k + 1);
            for number in numbers {
                let backoff = if self.has_backoff(k) { self.backoff(bytes, k, number) } else { 0.0 };
                list.push(of(number), self.log10(bytes, k, number), backoff);
            }
            lists.push(list);
            histories = words;
        }
        lists
    }
}

/// Bytes of the value of a code.
pub(crate) const CODE: usize = 4;

/// Bytes of the values of all codes of one order.
fn codebook_size(quantisation: Quantisation) -> usize {
    quantisation.map_or(0, |widths| (CODE << widths[0]) + (CODE << widths[1]))
}
