//! The state of a search: sentences, rows of the last step, work space.

use crate::entries::Entries;
use crate::failure::Failure;
use crate::input::PositionTable;
use crate::logits::Logits;
use crate::memory::{Call, Memory};
use crate::network::Network;
use crate::source::Sources;
use core::any::Any;
use core::fmt;
use metaphrase_base::{Row, SentId, Sentence, Step, StepRow};
use metaphrase_cuda::decoding::{EntryLists, ListedRows, NewRow, SeenWords};
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
    /// All words, as a list.
    all_words: Vec<u32>,
}

/// Attention of the rows of the last step; empty where the sentence is without.
#[derive(Default)]
struct AttentionRows {
    values: Vec<f32>,
    /// Where each row begins, and the end of the last one.
    starts: Vec<usize>,
}

/// Where the weights of rows go: their number, and the words of each row.
struct WeightPlaces {
    total: usize,
    seen: Vec<SeenWords>,
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
            all_words: Vec::new(),
        }
    }

    /// The words of the source that each row sees, and where its attention goes.
    fn seen_sources(&self, rows: &[StepRow], numbers: &[usize]) -> WeightPlaces {
        let mut total = 0;
        let seen = rows.iter().map(|row| {
            let source = self.sources.of(row.sentence);
            let weights = source.attention.then(|| {
                total += source.count;
                total - source.count
            });
            SeenWords { memory: source.memory(numbers), first: source.first, count: source.count, weights }
        });
        let seen = seen.collect();
        WeightPlaces { total, seen }
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
        let WeightPlaces { total, seen } = self.seen_sources(rows, &numbers);
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
        self.take_attention(step, rows, weights);
        self.cuda.give_rows(new);
        [so_far, source].into_iter().for_each(|seen| self.cuda.give_seen(seen));
        self.cuda.give_memories(sources);
        x
    }

    fn take_attention(&mut self, step: Step, rows: &[StepRow], weights: Option<Matrix>) {
        let AttentionRows { values, starts } = &mut self.attention;
        if step == Step::New {
            values.clear();
            starts.clear();
            starts.push(0);
        }
        let copied = weights.as_ref().map(|weights| self.cuda.download(weights));
        let mut left = copied.as_ref().map_or(&[][..], |copied| copied.as_slice());
        for row in rows {
            let source = self.sources.of(row.sentence);
            if source.attention {
                let (own, others) = left.split_at(source.count);
                left = others;
                let of_words = own.iter().copied().skip(self.network.encoder.frame.before());
                values.extend(of_words.chain(std::iter::repeat(0.0)).take(source.length));
            }
            starts.push(values.len());
        }
        weights.into_iter().for_each(|weights| self.cuda.give(weights));
    }
}

impl DeviceState for State {
    fn encode(&mut self, sentences: &[Sentence<'_>]) {
        if sentences.is_empty() {
            return;
        }
        // What was too much for the memory has left.
        if self.sources.is_empty() && matches!(self.cuda.check(), Err(CudaError::OutOfMemory { .. })) {
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
        self.failure.keep(self.cuda.check());
    }

    fn release(&mut self, slot: SentId) {
        self.sources.release(&mut self.cuda, slot);
    }

    fn step(&mut self, step: Step, rows: &[StepRow], most: usize, logits: &mut dyn DeviceLogits) {
        let logits = (logits as &mut dyn Any).downcast_mut::<Logits>().expect("logits of the same kind of device");
        let x = self.decode(step, rows);
        let Self { network, cuda, sources, all_words, .. } = self;
        let has_list = |row: &StepRow| sources.of(row.sentence).shortlist.is_some();
        if rows.iter().any(has_list) {
            all_words.clear();
            all_words.extend(0..network.output.outputs() as u32);
            let lists: Vec<Option<Vec<u32>>> = rows
                .chunk_by(|a, b| a.sentence == b.sentence)
                .map(|of_sentence| {
                    let shortlist = sources.of(of_sentence[0].sentence).shortlist.as_ref()?;
                    Some(shortlist.words().iter().map(|word| word.0).collect())
                })
                .collect();
            let mut end = 0;
            let listed = rows.chunk_by(|a, b| a.sentence == b.sentence).zip(&lists).map(|(of_sentence, list)| {
                let first = end;
                end += of_sentence.len();
                ListedRows { rows: first..end, outputs: list.as_ref().unwrap_or(all_words) }
            });
            let listed: Vec<_> = listed.collect();
            logits.compute(cuda, &network.output, &x, Some(&listed), most);
        } else {
            logits.compute(cuda, &network.output, &x, None, most);
        }
        self.cuda.give(x);
    }

    fn attention(&self, row: Row) -> &[f32] {
        let AttentionRows { values, starts } = &self.attention;
        match (starts.get(row.index()), starts.get(row.index() + 1)) {
            (Some(&start), Some(&end)) => &values[start..end],
            _ => &[],
        }
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("rows", &self.entries.rows()).finish_non_exhaustive()
    }
}
