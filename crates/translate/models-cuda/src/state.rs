//! The state of a search: sentences, rows of the last step, work space.

use crate::attention_rows::AttentionRows;
use crate::entries::Entries;
use crate::failure::Failure;
use crate::input::PositionTable;
use crate::logits::Logits;
use crate::memory::{Call, Memory};
use crate::network::Network;
use crate::source::{Sources, WeightPlaces};
use crate::units::timed;
use core::any::Any;
use core::fmt;
use metaphrase_base::{Row, SentId, Sentence, Step, StepRow, Unit};
use metaphrase_cuda::decoding::{EntryLists, NewRow, SeenWords};
use metaphrase_cuda::{Cuda, CudaError, Matrix};
use metaphrase_device::{Shape, Storage};
use metaphrase_models::device::{DeviceLogits, DeviceState};
use std::sync::Arc;

/// A state.
pub(crate) struct State {
    network: Arc<Network>,
    cuda: Cuda,
    failure: Arc<Failure>,
    sources: Sources,
    entries: Entries,
    lists: EntryLists,
    /// Per layer of the network.
    memories: Vec<Memory>,
    positions: PositionTable,
    attention: AttentionRows,
}

impl State {
    pub(crate) fn new(network: Arc<Network>, mut cuda: Cuda, failure: Arc<Failure>) -> Self {
        let memories = network.decoder.order.iter().map(|_| Memory::default()).collect();
        Self {
            lists: cuda.entry_lists(),
            network,
            cuda,
            failure,
            sources: Sources::default(),
            entries: Entries::default(),
            memories,
            positions: PositionTable::default(),
            attention: AttentionRows::default(),
        }
    }

    /// The decoder's output for the rows of a call.
    fn decode(&mut self, step: Step, rows: &[StepRow]) -> Matrix {
        let first = if step == Step::New { 0 } else { self.entries.rows() };
        self.entries.advance(step, rows);
        let network = Arc::clone(&self.network);
        let decoder = &network.decoder;
        let attends = decoder.attends();
        if step == Step::New {
            self.cuda.begin_step(&mut self.lists);
            if !attends {
                self.memories.iter_mut().for_each(Memory::begin_step);
            }
        }
        let new_row = |(r, row): (usize, &StepRow)| NewRow {
            parent: row.parent.map_or(0, |parent| parent.row.index()),
            position: self.entries.position(first + r),
            entry: self.entries.entry(first + r),
            raw: decoder.raw_keys && !self.sources.of(row.sentence).given_target,
        };
        let new_rows: Vec<NewRow> = rows.iter().enumerate().map(new_row).collect();
        let words: Vec<u32> =
            rows.iter().map(|row| row.parent.map_or(decoder.start_word, |parent| parent.word.0)).collect();
        let places: Vec<u32> = new_rows.iter().map(|row| row.position as u32).collect();
        let (matrices, numbers) = self.sources.memories();
        let sources = self.cuda.memories(matrices);
        let WeightPlaces { total, seen } = self.sources.seen(rows, &numbers);
        let counts = places.iter().map(|&place| place as usize + 1);
        let so_far = counts.map(|count| SeenWords { memory: 0, first: 0, count, weights: None }).collect();
        let new = self.cuda.new_rows(&new_rows);
        if attends {
            self.cuda.extend_lists(&mut self.lists, &new);
        }
        let (so_far, source) = (self.cuda.seen_rows(so_far), self.cuda.seen_rows(seen));
        let mut weights = (total > 0).then(|| self.cuda.take(1, total));
        let call = Call {
            words: &words,
            places: &places,
            new: &new,
            first,
            entries: self.entries.len(),
            lists: &self.lists,
            so_far: &so_far,
            source: &source,
            sources: &sources,
            raw: new_rows.iter().any(|row| row.raw),
        };
        let x = decoder.step(&mut self.cuda, &mut self.positions, &call, &mut self.memories, weights.as_mut());
        let skipped = network.encoder.frame.before();
        self.attention.take(&mut self.cuda, step, rows, &self.sources, skipped, weights);
        self.cuda.give_rows(new);
        [so_far, source].into_iter().for_each(|seen| self.cuda.give_seen(seen));
        self.cuda.give_memories(sources);
        x
    }
}

impl DeviceState for State {
    fn encode(&mut self, sentences: &[Sentence<'_>]) {
        if sentences.is_empty() {
            return;
        }
        // What was too much for the memory has left.
        if self.sources.is_empty() && self.lacks_memory() {
            self.failure.forget();
            *self = Self::new(Arc::clone(&self.network), self.cuda.another(), Arc::clone(&self.failure));
        }
        let network = Arc::clone(&self.network);
        let encoded = network.encoder.encode(&mut self.cuda, &mut self.positions, sentences);
        let map = &network.decoder.source;
        let mut lines = self.cuda.take(encoded.words.rows(), map.outputs());
        self.cuda.map(map, &encoded.words, None, &mut lines);
        self.sources.admit(&mut self.cuda, sentences, lines, &encoded);
        self.cuda.give(encoded.words);
        timed(&mut self.cuda, Unit::Encoder, |cuda| self.failure.keep(cuda.check()));
    }

    fn release(&mut self, slot: SentId) {
        self.sources.release(&mut self.cuda, slot);
    }

    fn step(&mut self, step: Step, rows: &[StepRow], most: usize, logits: &mut dyn DeviceLogits) {
        let logits = (logits as &mut dyn Any).downcast_mut::<Logits>().expect("logits of the same kind of device");
        let x = self.decode(step, rows);
        let Self { network, cuda, sources, .. } = self;
        logits.compute_rows(cuda, &network.output, &x, rows, sources, most);
        self.cuda.give(x);
    }

    fn attention(&self, row: Row) -> &[f32] {
        self.attention.of(row)
    }

    fn lacks_memory(&self) -> bool {
        matches!(self.cuda.check(), Err(CudaError::OutOfMemory { .. }))
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("rows", &self.entries.rows()).finish_non_exhaustive()
    }
}
