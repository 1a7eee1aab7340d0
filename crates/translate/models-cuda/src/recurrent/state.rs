//! The state of a search of a recurrent network: sentences, states of the last rows.

use super::Recurrent;
use super::cell::LayerState;
use crate::attention_rows::AttentionRows;
use crate::decoder::NO_WORD;
use crate::encoder::Encoded;
use crate::failure::Failure;
use crate::logits::Logits;
use crate::source::{Sources, WeightPlaces};
use crate::units::timed;
use core::any::Any;
use core::fmt;
use core::ops::Range;
use metaphrase_base::{Row, SentId, Sentence, Step, StepRow, Unit};
use metaphrase_cuda::decoding::{Memories, RowIds, SeenRows};
use metaphrase_cuda::{Cuda, CudaError, Matrix};
use metaphrase_device::{Block, Rows, Shape, Spans, Storage};
use metaphrase_models::device::{DeviceLogits, DeviceState};
use std::sync::Arc;

/// The rows of a call.
pub(super) struct Call<'a> {
    /// By layer: the states that rows follow, each once.
    pub(super) parents: &'a [LayerState],
    /// The parent of each row.
    pub(super) parent_of: &'a RowIds,
    pub(super) sources: &'a Memories,
    /// The words of the source that each row sees.
    pub(super) source: &'a SeenRows,
}

/// A state.
pub(crate) struct RecurrentState {
    network: Arc<Recurrent>,
    cuda: Cuda,
    failure: Arc<Failure>,
    sources: Sources,
    /// By slot: the state of every layer before the first word.
    starts: Matrix,
    /// By layer: the states after the last step, and after the step before; none before the first one.
    now: Vec<LayerState>,
    before: Vec<LayerState>,
    attention: AttentionRows,
}

/// The parents of rows, each once.
#[derive(Default)]
struct Parents {
    /// The row of the step before, or its number of rows and a slot.
    origins: Vec<u32>,
    /// For each row its place there.
    of: Vec<u32>,
}

impl Parents {
    /// The parents of rows, where the step before had `rows_before` rows.
    fn new(rows: &[StepRow], rows_before: usize) -> Self {
        let mut parents = Self::default();
        let mut places = vec![None; rows_before];
        for row in rows {
            let next = parents.origins.len() as u32;
            let place = match row.parent {
                None => {
                    parents.origins.push((rows_before + row.sentence.index()) as u32);
                    next
                }
                Some(parent) => *places[parent.row.index()].get_or_insert_with(|| {
                    parents.origins.push(parent.row.0);
                    next
                }),
            };
            parents.of.push(place);
        }
        parents
    }
}

impl RecurrentState {
    pub(crate) fn new(network: Arc<Recurrent>, mut cuda: Cuda, failure: Arc<Failure>) -> Self {
        let starts = cuda.take(0, 0);
        let (sources, attention) = (Sources::default(), AttentionRows::default());
        Self { network, cuda, failure, sources, starts, now: Vec::new(), before: Vec::new(), attention }
    }

    /// Puts the states before the first word into the slots of their sentences.
    fn admit_starts(&mut self, sentences: &[Sentence<'_>], encoded: &Encoded) {
        let Self { network, cuda, starts, .. } = self;
        let spans = Spans::from(&encoded.sentences[..]);
        let mut means = cuda.take(sentences.len(), encoded.words.cols());
        cuda.means(&encoded.words, &spans, &mut means);
        let new = network.decoder.starts(cuda, &means);
        cuda.give(means);
        let had = starts.rows();
        let slots = sentences.iter().map(|sentence| sentence.slot.index() + 1).max().unwrap_or(0);
        // Slots that are not in use get any row.
        let mut ids: Vec<u32> = (0..had.max(slots)).map(|slot| if slot < had { slot as u32 } else { 0 }).collect();
        for (i, sentence) in sentences.iter().enumerate() {
            ids[sentence.slot.index()] = (had + i) as u32;
        }
        let ids = cuda.row_ids(&ids);
        let mut all = cuda.take(had.max(slots), new.cols());
        cuda.choose_rows(starts, &new, &ids, &mut all);
        cuda.give_ids(ids);
        cuda.give(std::mem::replace(starts, all));
        cuda.give(new);
    }

    /// The states that rows follow, by layer.
    fn gather(&mut self, origins: &[u32]) -> Vec<LayerState> {
        let Self { network, cuda, before, starts, .. } = self;
        let ids = cuda.row_ids(origins);
        let none = cuda.take(0, 0);
        let dim = starts.cols();
        let layers = network.decoder.memories().into_iter().enumerate().map(|(layer, has_memory)| {
            let mut parents = LayerState::take(cuda, origins.len(), dim, has_memory);
            let before = before.get(layer);
            // A memory starts with the same state as the output.
            cuda.choose_rows(before.map_or(&none, |before| &before.output), starts, &ids, &mut parents.output);
            if let Some(memory) = &mut parents.memory {
                let before = before.and_then(|before| before.memory.as_ref());
                cuda.choose_rows(before.unwrap_or(&none), starts, &ids, memory);
            }
            parents
        });
        let layers = layers.collect();
        cuda.give_ids(ids);
        cuda.give(none);
        layers
    }

    /// The decoder's output for the rows of a call.
    fn decode(&mut self, step: Step, rows: &[StepRow]) -> Matrix {
        if step == Step::New {
            std::mem::swap(&mut self.now, &mut self.before);
            self.now.drain(..).for_each(|layer| layer.give(&mut self.cuda));
        }
        let rows_before = self.before.first().map_or(0, |layer| layer.output.rows());
        let parents = Parents::new(rows, rows_before);
        let gathered = self.gather(&parents.origins);
        let network = Arc::clone(&self.network);
        let words: Vec<u32> = rows.iter().map(|row| row.parent.map_or(NO_WORD, |parent| parent.word.0)).collect();
        let mut y = self.cuda.take(rows.len(), network.target.inputs());
        self.cuda.embed(&network.target, &words, 1.0, None, &mut y);
        let parent_of = self.cuda.row_ids(&parents.of);
        let (matrices, numbers) = self.sources.memories();
        let sources = self.cuda.memories(matrices);
        let WeightPlaces { total, seen } = self.sources.seen(rows, &numbers);
        let source = self.cuda.seen_rows(seen);
        let mut weights = (total > 0).then(|| self.cuda.take(1, total));
        let call = Call { parents: &gathered, parent_of: &parent_of, sources: &sources, source: &source };
        let (x, next) = network.decoder.step(&mut self.cuda, &call, &y, weights.as_mut());
        self.append(next);
        self.attention.take(&mut self.cuda, step, rows, &self.sources, 0, weights);
        gathered.into_iter().for_each(|layer| layer.give(&mut self.cuda));
        self.cuda.give(y);
        self.cuda.give_ids(parent_of);
        self.cuda.give_seen(source);
        self.cuda.give_memories(sources);
        x
    }

    /// Adds the states of the rows of a call to those of the step.
    fn append(&mut self, next: Vec<LayerState>) {
        let Self { cuda, now, .. } = self;
        if now.is_empty() {
            *now = next;
            return;
        }
        for (now, next) in now.iter_mut().zip(next) {
            append_rows(cuda, &mut now.output, next.output);
            if let (Some(now), Some(next)) = (&mut now.memory, next.memory) {
                append_rows(cuda, now, next);
            }
        }
    }
}

fn append_rows(cuda: &mut Cuda, now: &mut Matrix, next: Matrix) {
    let (first, cols) = (now.rows(), next.cols());
    let mut all = cuda.take(first + next.rows(), cols);
    let block = |rows: Range<usize>| Block { rows: rows.len(), cols, from: (0, 0), to: (rows.start, 0) };
    cuda.copy_block(now, &mut all, block(0..first));
    cuda.copy_block(&next, &mut all, block(first..first + next.rows()));
    cuda.give(std::mem::replace(now, all));
    cuda.give(next);
}

impl DeviceState for RecurrentState {
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
        let encoded = network.encoder.encode(&mut self.cuda, sentences);
        self.admit_starts(sentences, &encoded);
        let lines = network.decoder.lines(&mut self.cuda, &encoded.words);
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

impl fmt::Debug for RecurrentState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.now.first().map_or(0, |layer| layer.output.rows());
        f.debug_struct("RecurrentState").field("rows", &rows).finish_non_exhaustive()
    }
}
