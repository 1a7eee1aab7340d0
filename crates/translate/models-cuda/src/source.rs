//! The sentences in the slots of a state.

use crate::encoder::Encoded;
use metaphrase_base::{SentId, Sentence, Shortlist, StepRow};
use metaphrase_cuda::decoding::SeenWords;
use metaphrase_cuda::{Cuda, Matrix};
use metaphrase_device::Storage;

/// A sentence as the decoder sees it.
#[derive(Debug)]
pub(crate) struct Source {
    /// The batch that has its keys and values.
    batch: usize,
    /// Its lines there.
    first: usize,
    pub(crate) count: usize,
    /// The number of its words, those included that the encoder does not read.
    pub(crate) length: usize,
    /// Whether the words are given, as in scoring.
    pub(crate) given_target: bool,
    pub(crate) attention: bool,
    pub(crate) shortlist: Option<Shortlist>,
}

/// The keys and values of sentences that were encoded together.
struct Batch {
    /// Words of all sentences × keys and values of all layers.
    lines: Matrix,
    /// The sentences that are still in a slot.
    sentences: usize,
}

/// The sentences by slot, and their keys and values.
#[derive(Default)]
pub(crate) struct Sources {
    slots: Vec<Option<Source>>,
    batches: Vec<Option<Batch>>,
}

/// Where the weights of rows go: their number, and the words of each row.
pub(crate) struct WeightPlaces {
    pub(crate) total: usize,
    pub(crate) seen: Vec<SeenWords>,
}

impl Sources {
    /// Takes sentences into their slots.
    pub(crate) fn admit(&mut self, cuda: &mut Cuda, sentences: &[Sentence<'_>], lines: Matrix, encoded: &Encoded) {
        let batch = self.batches.iter().position(Option::is_none).unwrap_or_else(|| {
            self.batches.push(None);
            self.batches.len() - 1
        });
        self.batches[batch] = Some(Batch { lines, sentences: sentences.len() });
        for (sentence, words) in sentences.iter().zip(&encoded.sentences) {
            self.release(cuda, sentence.slot);
            let slot = sentence.slot.index();
            if slot >= self.slots.len() {
                self.slots.resize_with(slot + 1, || None);
            }
            self.slots[slot] = Some(Source {
                batch,
                first: words.start,
                count: words.len(),
                length: sentence.words.len(),
                given_target: sentence.given_target,
                attention: sentence.attention,
                shortlist: sentence.shortlist.cloned(),
            });
        }
    }

    /// Frees a slot. The memory of a batch is free when its last sentence has left.
    pub(crate) fn release(&mut self, cuda: &mut Cuda, slot: SentId) {
        let Some(source) = self.slots.get_mut(slot.index()).and_then(Option::take) else { return };
        let batch = &mut self.batches[source.batch];
        if let Some(left) = batch {
            left.sentences -= 1;
            if left.sentences == 0
                && let Some(free) = batch.take()
            {
                cuda.give(free.lines);
            }
        }
    }

    /// Whether no slot has a sentence.
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.iter().all(Option::is_none)
    }

    /// The sentence in a slot.
    ///
    /// # Panics
    /// If there is none.
    pub(crate) fn of(&self, slot: SentId) -> &Source {
        let source = self.slots.get(slot.index()).and_then(Option::as_ref);
        source.expect("a row of a sentence that was encoded and not released")
    }

    /// The words of the source that each row sees, and where its attention goes; `numbers` are those of
    /// [`memories`](Self::memories).
    pub(crate) fn seen(&self, rows: &[StepRow], numbers: &[usize]) -> WeightPlaces {
        let mut total = 0;
        let seen = rows.iter().map(|row| {
            let source = self.of(row.sentence);
            let weights = source.attention.then(|| {
                total += source.count;
                total - source.count
            });
            SeenWords { memory: numbers[source.batch], first: source.first, count: source.count, weights }
        });
        let seen = seen.collect();
        WeightPlaces { total, seen }
    }

    /// The keys and values of all batches, and for each batch its number among them.
    pub(crate) fn memories(&self) -> (impl Iterator<Item = &Matrix>, Vec<usize>) {
        let mut next = 0;
        let number = |batch: &Option<Batch>| {
            next += usize::from(batch.is_some());
            next.saturating_sub(1)
        };
        let numbers = self.batches.iter().map(number).collect();
        (self.batches.iter().flatten().map(|batch| &batch.lines), numbers)
    }
}
