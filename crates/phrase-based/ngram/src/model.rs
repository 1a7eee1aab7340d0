//! Questions to a model.

use crate::build::{BuiltModel, NOTHING_FOLLOWS};
use crate::layout::ModelLayout;
use crate::table::Bucket;
use crate::vocabulary::{BEGIN, UNKNOWN, Vocabulary};
use crate::{LmError, MAX_ORDER, State, arpa, binary};
use metaphrase_base::{Bytes, WordId};
use std::io::{self, Write};
use std::path::Path;

/// A back-off n-gram model. It never changes. A sentence changes a [`State`] that the caller owns.
#[derive(Debug)]
pub struct Model {
    pub(crate) bytes: Bytes,
    pub(crate) layout: ModelLayout,
    pub(crate) seeds: Vec<u64>,
    vocabulary: Vocabulary,
}

/// The score of a word after a history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NgramScore {
    /// log10 probability.
    pub log10: f32,
    /// Words of the longest n-gram found, the word itself included: 1 is the word alone.
    pub order: usize,
    /// The history of the next word.
    pub state: State,
}

impl Model {
    pub(crate) fn new(built: BuiltModel, vocabulary: Vocabulary) -> Self {
        let BuiltModel { bytes, layout, seeds } = built;
        Self::from_parts(Bytes::Large(bytes), layout, seeds, vocabulary)
    }

    pub(crate) fn from_parts(bytes: Bytes, layout: ModelLayout, seeds: Vec<u64>, vocabulary: Vocabulary) -> Self {
        Self { bytes, layout, seeds, vocabulary }
    }

    /// The number of words of the longest n-grams.
    #[must_use]
    pub fn order(&self) -> usize {
        self.layout.order()
    }

    /// Numbers of n-grams by order, from words on.
    #[must_use]
    pub fn counts(&self) -> Vec<usize> {
        (0..self.order()).map(|k| self.layout.count(k)).collect()
    }

    /// Words and their ids.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Bytes in memory, but for the vocabulary.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.layout.end
    }

    /// Reads a model: a file of this crate, which is mapped into memory, or an ARPA file, plain or gzip.
    ///
    /// # Errors
    /// If the file can not be read, is damaged, cut off or of another program.
    pub fn open(path: &Path) -> Result<Self, LmError> {
        // A pipe is read once, and only ARPA text can be: `--lm <(zcat lm.arpa.gz)`.
        let is_stream = std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir());
        if !is_stream && binary::is_binary(path)? { binary::open(path) } else { arpa::read(path) }
    }

    /// Writes the binary form, which [`open`](Self::open) uses in place.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
        binary::write(self, writer)
    }

    /// The state at the start of a sentence: after `<s>`.
    #[must_use]
    pub fn begin(&self) -> State {
        self.scored(&self.null(), BEGIN).state
    }

    /// The state without a history, as before a phrase that is looked at alone.
    #[must_use]
    pub fn null(&self) -> State {
        State::default()
    }

    /// log10 probability of `word` after `state`, and the state after it.
    #[inline]
    #[must_use]
    pub fn score(&self, state: &State, word: WordId) -> (f32, State) {
        let scored = self.scored(state, word);
        (scored.log10, scored.state)
    }

    /// The same with the order of the n-gram that was found. A word that is not in the vocabulary is `<unk>`.
    #[inline]
    #[must_use]
    pub fn scored(&self, state: &State, word: WordId) -> NgramScore {
        let bytes = &self.bytes[..];
        let word = self.known(word);
        let mut scored = NgramScore { log10: self.layout.log10(bytes, 0, word), order: 1, state: State::default() };
        self.remember(&mut scored.state, 0, word);
        let tables = &self.layout.tables[..];
        let mut buckets = [Bucket::default(); MAX_ORDER - 1];
        for ((bucket, table), &history) in buckets.iter_mut().zip(tables).zip(state.histories()) {
            *bucket = table.bucket_of(bytes, history, word);
        }
        let mut touched = 0;
        for (bucket, table) in buckets.iter().zip(tables).take(state.length()) {
            touched |= table.touch(bytes, bucket);
        }
        std::hint::black_box(touched);
        for (k, (bucket, table)) in buckets.into_iter().zip(tables).take(state.length()).enumerate() {
            let Some(number) = table.search(bytes, bucket) else {
                scored.log10 += backoff(state, k);
                break;
            };
            scored.log10 = self.layout.log10(bytes, k + 1, number);
            scored.order = k + 2;
            self.remember(&mut scored.state, k + 1, number);
        }
        scored
    }

    /// The handle of a history of which many words are asked (Wuebker et al. 2012, §2.2).
    #[must_use]
    pub fn context(&self, state: &State) -> Context<'_> {
        let mut backoffs = [0.0; MAX_ORDER];
        for k in (0..state.length()).rev() {
            backoffs[k] = backoffs[k + 1] + state.backoffs[k];
        }
        Context { model: self, state: *state, backoffs }
    }

    /// log10 probability of a sentence: its words after `<s>`, and `</s>` after them.
    #[must_use]
    pub fn sentence(&self, words: impl IntoIterator<Item = WordId>) -> f64 {
        let words = words.into_iter().chain([crate::vocabulary::END]);
        let (log10, _) = words.fold((0.0, self.begin()), |(sum, state), word| {
            let (log10, state) = self.score(&state, word);
            (sum + f64::from(log10), state)
        });
        log10
    }

    /// Takes n-gram `number` of order `k` + 1 into a state, if a longer n-gram or a back-off weight asks for it.
    #[inline]
    fn remember(&self, state: &mut State, k: usize, number: u32) {
        if k + 1 < self.order() {
            let backoff = self.layout.backoff(&self.bytes, k, number);
            (state.numbers[k], state.backoffs[k]) = (number, backoff);
            if backoff.to_bits() != NOTHING_FOLLOWS.to_bits() {
                state.length = k as u32 + 1;
            }
        }
    }

    #[inline]
    fn known(&self, word: WordId) -> u32 {
        if word.index() < self.layout.words { word.0 } else { UNKNOWN.0 }
    }
}

/// Sum of the log10 back-off weights of the histories of more than `k` words.
#[inline]
fn backoff(state: &State, k: usize) -> f32 {
    // From the longest on, as the context handle adds them: both give the same bits.
    state.backoffs[k..state.length()].iter().rev().fold(0.0, |sum, backoff| sum + backoff)
}

/// A history, ready for many words: its n-grams and those of its lower orders are known, and the sums of their back-off
/// weights. Each word is then one direct look-up per order that it is found in, and one more.
#[derive(Debug, Clone, Copy)]
pub struct Context<'m> {
    model: &'m Model,
    state: State,
    /// `backoffs[k]` is the log10 weight of a word whose longest n-gram has k + 1 words.
    backoffs: [f32; MAX_ORDER],
}

/// A word that was looked up after a history: its score, and the n-grams from which the next history follows.
#[derive(Debug, Clone, Copy)]
pub struct Lookup {
    /// log10 probability: the same bits as [`Model::score`] gives.
    pub log10: f32,
    /// The n-gram of the word alone, of the word after the last one, …; nothing from `order` on.
    numbers: [u32; MAX_ORDER],
    order: u32,
}

impl Context<'_> {
    /// log10 probability of `word`: the same bits as [`Model::score`] gives.
    #[inline]
    #[must_use]
    pub fn score(&self, word: WordId) -> f32 {
        self.look_up(word).log10
    }

    /// Looks a word up; [`after`](Self::after) then gives the next history without another look-up.
    #[inline]
    #[must_use]
    pub fn look_up(&self, word: WordId) -> Lookup {
        let (bytes, layout) = (&self.model.bytes[..], &self.model.layout);
        let word = self.model.known(word);
        let (mut numbers, mut order) = ([0; MAX_ORDER], 0);
        numbers[0] = word;
        // From the shortest on: most words end after one look-up, and an n-gram of one order is also in the orders
        // below.
        for (table, &history) in layout.tables.iter().zip(self.state.histories()) {
            let Some(found) = table.find(bytes, history, word) else { break };
            order += 1;
            numbers[order] = found;
        }
        let log10 = layout.log10(bytes, order, numbers[order]) + self.backoffs[order];
        Lookup { log10, numbers, order: order as u32 + 1 }
    }

    /// The history after a word that was looked up in this context: the same as [`Model::score`] gives.
    #[inline]
    #[must_use]
    pub fn after(&self, found: &Lookup) -> State {
        let mut state = State::default();
        for (k, &number) in found.numbers[..found.order as usize].iter().enumerate() {
            self.model.remember(&mut state, k, number);
        }
        state
    }

    /// The history.
    #[must_use]
    pub fn state(&self) -> State {
        self.state
    }
}
