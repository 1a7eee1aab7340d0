//! The order in which a corpus is seen.

use super::{Batch, Corpus, DataError};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::ops::Range;

/// How large a batch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BatchSize {
    /// The approximate number of target words, ends of sentence counted. A batch may exceed it by less than one
    /// sentence.
    Words(NonZeroUsize),
    /// The number of sentence pairs.
    Sentences(NonZeroUsize),
}

/// How batches are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct BatchSettings {
    /// Size of a batch.
    pub size: BatchSize,
    /// From how many batches together pairs of like length are chosen (Marian's `--maxi-batch`).
    pub window: NonZeroUsize,
}

impl Default for BatchSettings {
    fn default() -> Self {
        const WORDS: NonZeroUsize = NonZeroUsize::new(2000).expect("not zero");
        const WINDOW: NonZeroUsize = NonZeroUsize::new(100).expect("not zero");
        Self { size: BatchSize::Words(WORDS), window: WINDOW }
    }
}

/// How far training has come in its data. The default is the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Position {
    /// Epochs that are complete.
    pub epoch: u64,
    /// Batches of this epoch that were given out, fewer than it has.
    pub batch: usize,
}

/// Batches of a corpus without end, in an order that depends on the seed alone.
///
/// An epoch sees every pair as often as its file asks for. Its pairs are shuffled and cut into windows of some batches;
/// within a window they are sorted by target and source length, cut into batches, and the batches are shuffled. Windows
/// and batches are cut in about equal shares, so that none is a remnant: where losses are averaged over the words of
/// a batch, the words of a small one would count for more.
///
/// The order of an epoch is a function of the seed and of the number of the epoch, so that a [`Position`] is all that
/// has to be saved in order to continue.
#[derive(Debug, Clone)]
pub struct Batches {
    corpus: Corpus,
    settings: BatchSettings,
    seed: u64,
    position: Position,
    plan: Plan,
}

impl Batches {
    /// Batches of `corpus` from the start.
    #[must_use]
    pub fn new(corpus: Corpus, settings: BatchSettings, seed: u64) -> Self {
        let plan = Plan::new(&corpus, &settings, seed, 0);
        Self { corpus, settings, seed, position: Position::default(), plan }
    }

    /// Where the next batch lies.
    #[must_use]
    pub fn position(&self) -> Position {
        self.position
    }

    /// Continues at a position of [`position`](Self::position).
    ///
    /// # Errors
    /// If the epoch has no such batch, because the position is one of other data, settings or seed.
    pub fn seek(&mut self, position: Position) -> Result<(), DataError> {
        let plan = Plan::new(&self.corpus, &self.settings, self.seed, position.epoch);
        if position.batch >= plan.batches.len() {
            let Position { epoch, batch } = position;
            return Err(DataError::Position { epoch, batch, batches: plan.batches.len() });
        }
        (self.position, self.plan) = (position, plan);
        Ok(())
    }

    /// The next batch; after the last one of an epoch comes the first one of the next epoch.
    pub fn next_batch(&mut self) -> Batch {
        let range = self.plan.batches[self.position.batch].clone();
        let batch = self.corpus.batch(&self.plan.order[range]);
        self.position.batch += 1;
        if self.position.batch == self.plan.batches.len() {
            self.position = Position { epoch: self.position.epoch + 1, batch: 0 };
            self.plan = Plan::new(&self.corpus, &self.settings, self.seed, self.position.epoch);
        }
        batch
    }
}

impl Corpus {
    /// Each pair once, sorted by length: to measure the loss of a development set.
    pub fn once(&self, size: BatchSize) -> impl Iterator<Item = Batch> {
        let mut order: Vec<u32> = (0..self.len()).map(|pair| pair as u32).collect();
        let batches = sort_and_cut(self, &mut order, size);
        batches.into_iter().map(move |range| self.batch(&order[range]))
    }
}

/// The order of an epoch.
#[derive(Debug, Clone)]
struct Plan {
    order: Vec<u32>,
    /// Which part of `order` each batch is.
    batches: Vec<Range<usize>>,
}

impl Plan {
    fn new(corpus: &Corpus, settings: &BatchSettings, seed: u64, epoch: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(epoch);
        let mut order = corpus.epoch();
        order.shuffle(&mut random);
        let mut batches = Vec::new();
        for window in cut(corpus, &order, settings.size, settings.window.get()) {
            let start = window.start;
            let mut window_batches = sort_and_cut(corpus, &mut order[window], settings.size);
            window_batches.shuffle(&mut random);
            batches.extend(window_batches.into_iter().map(|batch| start + batch.start..start + batch.end));
        }
        Self { order, batches }
    }
}

/// Sorts pairs by target and source length and cuts them into batches.
fn sort_and_cut(corpus: &Corpus, pairs: &mut [u32], size: BatchSize) -> Vec<Range<usize>> {
    pairs.sort_by_key(|&pair| {
        let (source, target) = corpus.lengths(pair);
        (target, source)
    });
    cut(corpus, pairs, size, 1)
}

/// Cuts pairs into as few parts as the size of `batches` batches allows, all about equally large. A part ends with the
/// pair that fills its share, so it may be larger than its share by less than that pair.
fn cut(corpus: &Corpus, pairs: &[u32], size: BatchSize, batches: usize) -> Vec<Range<usize>> {
    let cost = |pair: u32| match size {
        BatchSize::Words(_) => corpus.lengths(pair).1,
        BatchSize::Sentences(_) => 1,
    };
    let (BatchSize::Words(budget) | BatchSize::Sentences(budget)) = size;
    let total: usize = pairs.iter().map(|&pair| cost(pair)).sum();
    let parts = total.div_ceil(budget.get().saturating_mul(batches));
    let (mut start, mut sum, mut ended) = (0, 0, 0);
    let mut out = Vec::with_capacity(parts);
    for (i, &pair) in pairs.iter().enumerate() {
        sum += cost(pair);
        // In 128 bits, as windows as small as batches make many parts of a large corpus.
        let filled = (sum as u128 * parts as u128 / total as u128) as usize;
        if filled > ended {
            out.push(start..i + 1);
            (start, ended) = (i + 1, filled);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;
    use metaphrase_base::WordId;

    /// Pair `i` has the words `i` and no end of sentence; lengths repeat.
    fn corpus(pairs: usize) -> Corpus {
        let mut batch = Batch::default();
        for i in 0..pairs {
            batch.source.push(&vec![WordId::new(i); 1 + i * 7 % 10]);
            batch.target.push(&vec![WordId::new(i); 1 + i * 11 % 13]);
        }
        Corpus::new(batch)
    }

    fn settings(text: &str) -> BatchSettings {
        metaphrase_settings::from_toml(text).unwrap()
    }

    fn pairs(batch: &Batch) -> Vec<usize> {
        (0..batch.len()).map(|i| batch.target.get(i)[0].index()).collect()
    }

    fn epoch(batches: &mut Batches) -> Vec<Batch> {
        let epoch = batches.position().epoch;
        let mut out = Vec::new();
        while batches.position().epoch == epoch {
            out.push(batches.next_batch());
        }
        out
    }

    #[test]
    fn an_epoch_sees_each_pair_once_in_batches_of_like_length() {
        let mut batches = Batches::new(corpus(1000), settings("size = { words = 50 }\nwindow = 10"), 1);
        for _ in 0..2 {
            assert_eq!(batches.plan.batches.len(), epoch(&mut batches.clone()).len());
            let epoch = epoch(&mut batches);
            let mut seen: Vec<usize> = epoch.iter().flat_map(pairs).collect();
            assert_ne!(seen, (0..1000).collect::<Vec<_>>());
            seen.sort_unstable();
            assert_eq!(seen, (0..1000).collect::<Vec<_>>());
            for batch in &epoch {
                let lengths: Vec<usize> = (0..batch.len()).map(|i| batch.target.get(i).len()).collect();
                assert!(lengths.is_sorted());
                let (words, longest) = (batch.target.all().len(), *lengths.last().unwrap());
                // Shares of a window are at most 50 words and, with ten to a window, at least 45.
                assert!(words < 50 + longest && words > 45 - longest, "{words}");
                assert!(lengths[0] + 5 >= longest, "a tenth of a window with lengths 1 to 13: {lengths:?}");
            }
        }
    }

    #[test]
    fn the_order_depends_on_seed_and_epoch() {
        let of = |seed| Batches::new(corpus(300), settings("size = { sentences = 8 }\nwindow = 4"), seed);
        let (mut a, mut b) = (of(7), of(7));
        let first = epoch(&mut a);
        assert_eq!(first, epoch(&mut b));
        assert_eq!(epoch(&mut a), epoch(&mut b));
        assert_ne!(first, epoch(&mut a));
        assert_ne!(first, epoch(&mut of(8)));
        assert!(first.iter().all(|batch| (6..=8).contains(&batch.len())), "38 even shares of 300");
    }

    #[test]
    fn a_position_continues_with_the_same_batch() {
        let settings = settings("size = { words = 40 }");
        let mut whole = Batches::new(corpus(120), settings, 3);
        for _ in 0..60 {
            let position = whole.position();
            let mut resumed = Batches::new(corpus(120), settings, 3);
            resumed
                .seek(metaphrase_settings::from_toml(&metaphrase_settings::to_toml(&position).unwrap()).unwrap())
                .unwrap();
            assert_eq!(resumed.position(), position);
            let expected = whole.next_batch();
            assert_eq!(resumed.next_batch(), expected);
            assert_eq!(resumed.next_batch(), whole.clone().next_batch());
        }
        assert!(whole.position().epoch > 1);
    }

    #[test]
    fn a_position_of_other_data_is_refused() {
        let mut batches = Batches::new(corpus(10), settings("size = { sentences = 2 }"), 3);
        let error = batches.seek(Position { epoch: 4, batch: 5 }).unwrap_err();
        let expected =
            "can not continue with batch 5 of epoch 4, which has 5: the data are not those of the checkpoint";
        assert_eq!(error.to_string(), expected);
        assert_eq!(batches.position(), Position::default());
    }

    #[test]
    fn a_sentence_longer_than_a_batch_is_a_batch() {
        let mut pairs = Batch::default();
        for length in [1, 1, 90, 1, 1] {
            pairs.source.push(&[WordId(0)]);
            pairs.target.push(&vec![WordId(0); length]);
        }
        let mut batches = Batches::new(Corpus::new(pairs), settings("size = { words = 10 }"), 1);
        let words: Vec<usize> = epoch(&mut batches).iter().map(|batch| batch.target.all().len()).collect();
        assert_eq!(words, [94], "one of 90 words is beyond every share");
    }

    #[test]
    fn once_is_sorted_and_whole() {
        let corpus = corpus(57);
        let words = NonZeroUsize::new(64).unwrap();
        let batches: Vec<Batch> = corpus.once(BatchSize::Words(words)).collect();
        let mut seen: Vec<usize> = batches.iter().flat_map(pairs).collect();
        let length = |&pair: &usize| corpus.lengths(pair as u32).1;
        assert!(seen.is_sorted_by_key(length));
        seen.sort_unstable();
        assert_eq!(seen, (0..57).collect::<Vec<_>>());
    }

    #[test]
    fn settings_are_checked() {
        assert_eq!(settings(""), BatchSettings::default());
        for bad in ["size = { words = 0 }", "window = 0", "size = { tokens = 5 }", "maxi-batch = 3"] {
            assert!(metaphrase_settings::from_toml::<BatchSettings>(bad).is_err(), "{bad}");
        }
    }
}
