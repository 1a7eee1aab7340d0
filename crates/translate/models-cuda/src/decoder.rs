//! The decoder: one row per hypothesis.

use crate::average::AverageAttention;
use crate::blocks::{Block, FeedForward, Process};
use crate::input::{Embedded, Input, PositionTable};
use crate::memory::{Call, Memory};
use metaphrase_cuda::decoding::{AttendedWords, DeviceMap, NO_ID, RowAttention, RowHeads};
use metaphrase_cuda::{Cuda, Matrix};
use metaphrase_device::{Shape, Storage};

/// The decoder of a Transformer, up to the output layer.
pub(crate) struct Decoder {
    pub(crate) input: Input,
    /// Layers with weights of their own.
    pub(crate) layers: Vec<DecoderLayer>,
    /// Which of them each layer of the network is, as several may share weights.
    pub(crate) order: Vec<usize>,
    /// The place in `order` whose cross-attention is the alignment.
    pub(crate) alignment_layer: usize,
    /// The word before the first one of a translation, or [`NO_ID`].
    pub(crate) start_word: u32,
    pub(crate) heads: RowHeads,
    /// Whether keys and values are made of inputs that are not normalised when the model translates
    /// (`self_attention::KeySource` of this CPU's Transformer).
    pub(crate) raw_keys: bool,
    /// To the keys and values of all layers with weights of their own.
    pub(crate) source: DeviceMap,
    pub(crate) top: Process,
}

pub(crate) struct DecoderLayer {
    pub(crate) so_far: SoFar,
    pub(crate) context: Block<CrossAttention>,
    pub(crate) feed_forward: Block<FeedForward>,
}

/// The part that reads the translation so far.
pub(crate) enum SoFar {
    Attention(Block<SelfAttention>),
    Ssru(Block<Ssru>),
    Average(Block<AverageAttention>),
}

/// Attention over words of the same side.
pub(crate) struct SelfAttention {
    /// To queries, keys and values.
    pub(crate) made: DeviceMap,
    /// To keys and values of inputs that are not normalised.
    pub(crate) raw: Option<DeviceMap>,
    pub(crate) projection: Option<DeviceMap>,
}

/// Attention over the source.
pub(crate) struct CrossAttention {
    pub(crate) queries: DeviceMap,
    pub(crate) projection: Option<DeviceMap>,
}

/// The simpler simple recurrent unit (Kim et al. 2019, §3.1).
pub(crate) struct Ssru {
    pub(crate) candidate: DeviceMap,
    pub(crate) forget: DeviceMap,
    pub(crate) projection: Option<DeviceMap>,
}

impl Decoder {
    /// Whether a layer attends to the words so far.
    pub(crate) fn attends(&self) -> bool {
        self.layers.iter().any(|layer| matches!(layer.so_far, SoFar::Attention(_)))
    }

    /// The decoder's output for new rows, rows × d. `memories` has one for each layer of the network; `weights` get the
    /// attention of the layer of the alignment.
    pub(crate) fn step(
        &self,
        cuda: &mut Cuda,
        table: &mut PositionTable,
        call: &Call<'_>,
        memories: &mut [Memory],
        mut weights: Option<&mut Matrix>,
    ) -> Matrix {
        let Embedded { mut x, kept } = self.input.apply(cuda, table, call.words, call.places);
        for (i, (&own, memory)) in self.order.iter().zip(memories).enumerate() {
            let layer = &self.layers[own];
            x = match &layer.so_far {
                SoFar::Attention(block) => self.attend(block, cuda, call, memory, x),
                SoFar::Ssru(block) => block.step(cuda, call, memory, x),
                SoFar::Average(block) => block.step(cuda, call, memory, x),
            };
            let weights = if i == self.alignment_layer { weights.take() } else { None };
            x = self.attend_source(own, cuda, call, x, weights);
            x = layer.feed_forward.apply(cuda, x);
        }
        Embedded::finish(kept, &self.top, cuda, x)
    }

    fn attend(
        &self,
        block: &Block<SelfAttention>,
        cuda: &mut Cuda,
        call: &Call<'_>,
        memory: &mut Memory,
        x: Matrix,
    ) -> Matrix {
        let (rows, d) = (x.rows(), x.cols());
        let SelfAttention { made, raw, projection } = &block.body;
        let begun = block.begin(cuda, &x);
        let mut q = cuda.take(rows, made.outputs());
        cuda.map(made, begun.matrix(), None, &mut q);
        begun.give(cuda);
        let raw = raw.as_ref().filter(|_| call.raw).map(|map| {
            let mut raw = cuda.take(rows, map.outputs());
            cuda.map(map, &x, None, &mut raw);
            raw
        });
        let lines = memory.with_lines(cuda, call.entries, 2 * d);
        cuda.keep_entries(call.new, &q, raw.as_ref(), lines);
        let attention = RowAttention {
            q: &q,
            words: AttendedWords::Lists(lines, call.lists),
            columns: [0, d],
            seen: call.so_far,
            heads: self.heads,
            first_values: raw.is_some().then_some((call.new, 2 * d)),
        };
        let mut h = cuda.take(rows, d);
        cuda.attend_rows(&attention, &mut h, None);
        raw.into_iter().chain([q]).for_each(|matrix| cuda.give(matrix));
        block.end(cuda, projection.as_ref(), h, x)
    }

    fn attend_source(
        &self,
        own: usize,
        cuda: &mut Cuda,
        call: &Call<'_>,
        x: Matrix,
        weights: Option<&mut Matrix>,
    ) -> Matrix {
        let (rows, d) = (x.rows(), x.cols());
        let block = &self.layers[own].context;
        let begun = block.begin(cuda, &x);
        let mut q = cuda.take(rows, d);
        cuda.map(&block.body.queries, begun.matrix(), None, &mut q);
        begun.give(cuda);
        let first = 2 * d * own;
        let attention = RowAttention {
            q: &q,
            words: AttendedWords::Memories(call.sources),
            columns: [first, first + d],
            seen: call.source,
            heads: self.heads,
            first_values: None,
        };
        let mut h = cuda.take(rows, d);
        cuda.attend_rows(&attention, &mut h, weights);
        cuda.give(q);
        block.end(cuda, block.body.projection.as_ref(), h, x)
    }
}

impl Block<Ssru> {
    fn step(&self, cuda: &mut Cuda, call: &Call<'_>, memory: &mut Memory, x: Matrix) -> Matrix {
        let (rows, d) = (x.rows(), x.cols());
        let begun = self.begin(cuda, &x);
        let [mut candidate, mut forget, mut h] = [(); 3].map(|()| cuda.take(rows, d));
        cuda.map(&self.body.candidate, begun.matrix(), None, &mut candidate);
        cuda.map(&self.body.forget, begun.matrix(), None, &mut forget);
        begun.give(cuda);
        let (before, now) = memory.cells(cuda, call.first + rows, call.first, d);
        cuda.ssru_step(call.new, [&forget, &candidate], before, now, &mut h);
        [candidate, forget].into_iter().for_each(|matrix| cuda.give(matrix));
        self.end(cuda, self.body.projection.as_ref(), h, x)
    }
}

/// The word that a row reads first, where the network has none.
pub(crate) const NO_WORD: u32 = NO_ID;
