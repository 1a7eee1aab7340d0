//! From counts of the longest n-grams to adjusted counts of all orders.

use super::record::{Key, Record};
use super::sort::{MergedRecords, Room, Sorter};
use crate::vocabulary::{BEGIN, UNKNOWN};
use crate::{LmError, MAX_ORDER};

/// The bit of a payload that marks a pruned n-gram; the others are its adjusted count.
pub(crate) const PRUNED: u64 = 1 << 63;

/// The n-grams of one order with adjusted counts.
#[derive(Debug)]
pub(crate) struct AdjustedOrder {
    /// By their histories, the newest word of these first: the n-grams of a history are neighbours.
    pub(crate) by_history: Sorter,
    /// Number of n-grams.
    pub(crate) count: u64,
    /// N-grams that are left after pruning.
    pub(crate) kept: u64,
    /// `of[c]` is how many have the adjusted count c, for c below 5.
    pub(crate) of: [u64; 5],
}

impl AdjustedOrder {
    fn new(room: &Room) -> Self {
        Self { by_history: Sorter::new(room), count: 0, kept: 0, of: [0; 5] }
    }

    /// Takes an n-gram whose key has its last word first.
    fn add(&mut self, order: usize, key: &Key, count: u64, pruned: bool) -> Result<(), LmError> {
        self.count += 1;
        self.kept += u64::from(!pruned);
        if let Some(of) = usize::try_from(count).ok().and_then(|count| self.of.get_mut(count)) {
            *of += 1;
        }
        let by_history = Key::new(key.words(order).skip(1).chain([key.word(0)]));
        self.by_history.push(by_history, count | if pruned { PRUNED } else { 0 })
    }
}

/// Adjusts the counts of n-grams of `order` words: an n-gram of a lower order counts how many different words stand
/// before it, but if it starts with `<s>`, how often it occurs. Those that occur at most `prune[k]` times are marked.
pub(crate) fn adjust(
    mut ngrams: MergedRecords,
    order: usize,
    prune: &[u64],
    room: &Room,
) -> Result<Vec<AdjustedOrder>, LmError> {
    let mut adjuster = Adjuster {
        orders: (0..order).map(|_| AdjustedOrder::new(room)).collect(),
        prune,
        open: [OpenNgram::default(); MAX_ORDER],
        depth: 0,
        last: Key::default(),
    };
    // `<unk>` and `<s>` follow nothing, but the model has them.
    for word in [UNKNOWN, BEGIN] {
        adjuster.orders[0].add(1, &Key::new([word.0]), 0, false)?;
    }
    while let Some(record) = ngrams.next()? {
        adjuster.add(&record)?;
    }
    adjuster.close(0)?;
    Ok(adjuster.orders)
}

/// An n-gram whose longer n-grams are still coming.
#[derive(Debug, Clone, Copy, Default)]
struct OpenNgram {
    adjusted: u64,
    occurs: u64,
}

struct Adjuster<'p> {
    orders: Vec<AdjustedOrder>,
    prune: &'p [u64],
    /// `open[k]` is the n-gram of the first k + 1 words of `last`.
    open: [OpenNgram; MAX_ORDER],
    /// How many are open.
    depth: usize,
    last: Key,
}

impl Adjuster<'_> {
    /// Takes the next n-gram in the order of keys.
    fn add(&mut self, record: &Record) -> Result<(), LmError> {
        let order = self.orders.len();
        let common = record.key.common(&self.last).min(self.depth);
        self.close(common)?;
        self.open[..common].iter_mut().for_each(|open| open.occurs += record.payload);
        if common > 0 {
            self.open[common - 1].adjusted += 1;
        }
        // Before the first word of a sentence there is nothing to count but more `<s>`.
        let start = record.key.words(order).position(|word| word == BEGIN.0);
        self.depth = start.map_or(order, |start| start + 1);
        for k in common..self.depth {
            let counts = k + 1 == order || start == Some(k);
            self.open[k] = OpenNgram { adjusted: if counts { record.payload } else { 1 }, occurs: record.payload };
        }
        self.last = record.key;
        Ok(())
    }

    /// Hands on the open n-grams of more than `length` words.
    fn close(&mut self, length: usize) -> Result<(), LmError> {
        for k in (length..self.depth).rev() {
            let OpenNgram { adjusted, occurs } = self.open[k];
            let pruned = k > 0 && occurs <= self.prune[k];
            self.orders[k].add(k + 1, &self.last, adjusted, pruned)?;
        }
        self.depth = self.depth.min(length);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_words_before_and_sentence_starts() {
        let folder = tempfile::tempdir().unwrap();
        let room = Room { records: 100, threads: 1, folder: folder.path().into() };
        let text = "a b\nc b\nc b\nb\n";
        let counts = super::super::count::count(&mut text.as_bytes(), "text".as_ref(), 3, false, &room).unwrap();
        let id = |word: &str| counts.vocabulary.id(word).0;
        let (a, b, c) = (id("a"), id("b"), id("c"));
        let mut orders = adjust(counts.ngrams, 3, &[0, 1, 1], &room).unwrap().into_iter();
        let mut list = |order: usize| {
            let mut sorted = orders.next().unwrap().by_history.finish().unwrap();
            let mut list = Vec::new();
            while let Some(Record { key, payload }) = sorted.next().unwrap() {
                list.push((key.words(order).collect::<Vec<_>>(), payload & !PRUNED, payload & PRUNED != 0));
            }
            list
        };
        // Before `b` there are a, c and <s>; before `</s>` only b.
        let expected = [(0, 0), (1, 0), (2, 1), (a, 1), (b, 3), (c, 1)];
        assert_eq!(list(1), expected.map(|(word, count)| (vec![word], count, false)));
        // Keys: the history, then the word. `<s> c` occurs twice, which is what it counts; `a b` and `<s> b` occur
        // once.
        let expected =
            [(1, a, 1, true), (1, b, 1, true), (1, c, 2, false), (a, b, 1, true), (b, 2, 3, false), (c, b, 1, false)];
        assert_eq!(list(2), expected.map(|(history, word, count, pruned)| (vec![history, word], count, pruned)));
        let expected = [(a, 1, b, 1), (b, 1, 2, 1), (b, a, 2, 1), (b, c, 2, 2), (c, 1, b, 2)];
        assert_eq!(list(3), expected.map(|(newest, oldest, word, n)| (vec![newest, oldest, word], n, n < 2)));
    }
}
