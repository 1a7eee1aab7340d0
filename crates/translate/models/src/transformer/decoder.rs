//! The decoder: one row per hypothesis.

use super::average_attention::{self, AverageAttention, Means};
use super::cross_attention::{self, CrossAttention, SourceMap};
use super::encoder::{EncoderOutput, SourceFrame};
use super::feed_forward::{self, FeedForward};
use super::history::History;
use super::input::Input;
use super::new_rows::NewRows;
use super::operations::{AroundWork, Process};
use super::self_attention::{self, KeySource, SelfAttention};
use super::ssru::{self, Ssru};
use crate::config::TransformerConfig;
use crate::linear::Linear;
use crate::parts::transformer as parts;
use crate::ragged::RaggedArray;
use crate::weights::CheckedTensor;
use metaphrase_base::{Row, SentId, Sentence, Step, StepRow, Unit, WordId};
use metaphrase_kernels::{AttentionWeights, KeysValues, Matrix};

/// The decoder of a Transformer, up to the output layer.
pub(super) struct Decoder {
    pub(super) input: Input,
    /// Layers with weights of their own.
    layers: Vec<Layer>,
    /// Which of them each layer of the network is, as several may share weights.
    order: Vec<usize>,
    /// The place in `order` whose cross-attention is the alignment.
    alignment_layer: usize,
    /// The word before the first one of a translation, if there is one.
    start_word: Option<WordId>,
    frame: SourceFrame,
    /// The default input of a sentence's keys and values.
    key_source: KeySource,
    /// To the keys and values of all layers with weights of their own.
    source: SourceMap,
    top: Process,
}

struct Layer {
    so_far: SoFar,
    context: CrossAttention,
    feed_forward: FeedForward,
}

/// The part that reads the translation so far.
#[expect(clippy::large_enum_variant, reason = "a decoder has a few of them, which stay where they are")]
enum SoFar {
    Attention(SelfAttention),
    Ssru(Ssru),
    Average(AverageAttention),
}

/// The state of a decoder: the sentences in its slots, the rows of the last step, and its work space.
#[derive(Debug, Default)]
pub(super) struct DecoderState {
    /// Per slot.
    sources: Vec<Source>,
    history: History,
    /// Per layer of the network.
    memories: Vec<Memory>,
    /// Attention of the rows of the last step; empty where the sentence is without.
    attention: RaggedArray<f32>,
    /// The decoder's output, `rows × d`.
    pub(super) output: Matrix,
    work: Work,
}

/// A sentence as the decoder sees it.
#[derive(Debug, Default)]
struct Source {
    /// Per layer with weights of its own.
    words: Vec<KeysValues>,
    key_source: KeySource,
    /// The number of its words, those included that the encoder does not read.
    length: usize,
    attention: bool,
}

/// A layer's memory of the words so far.
#[derive(Debug, Default)]
struct Memory {
    /// Self-attention: keys and values of all entries of the history.
    entries: Option<KeysValues>,
    /// Others: the state of each row of the last step, and of the step before.
    now: Matrix,
    before: Matrix,
}

#[derive(Debug, Default)]
struct Work {
    embedded: Matrix,
    /// Keys and values of the encoder's words in all layers.
    encoded: Matrix,
    self_attention: self_attention::Work,
    ssru: ssru::Work,
    average: average_attention::Work,
    context: cross_attention::Work,
    feed_forward: feed_forward::Work,
    around_work: AroundWork,
}

impl Decoder {
    /// The decoder of these layers; `order[i]` is the index of the layer that layer i of the network uses.
    pub(super) fn pack<'a>(
        layers: Vec<parts::DecoderLayer<CheckedTensor<'a>>>,
        top: parts::Process<CheckedTensor<'a>>,
        order: Vec<usize>,
        input: Input,
        config: &TransformerConfig,
    ) -> Self {
        let normalised = config.normalised_keys || config.positions.has_normalised_keys();
        let key_source = if normalised { KeySource::Normalised } else { KeySource::Raw };
        let (mut packed, mut source_maps) = (Vec::new(), Vec::new());
        for layer in layers {
            let (layer, maps) = Layer::pack(layer, config.heads, key_source);
            packed.push(layer);
            source_maps.extend(maps);
        }
        Self {
            input,
            source: SourceMap::new(packed[0].context.form, &source_maps),
            layers: packed,
            order,
            alignment_layer: config.alignment_layer - 1,
            start_word: config.start_word.map(WordId),
            frame: SourceFrame::new(config),
            key_source,
            top: Process::pack(top),
        }
    }

    /// A state without sentences.
    pub(super) fn new_state(&self) -> DecoderState {
        let memories = self.order.iter().map(|_| Memory::default()).collect();
        DecoderState { memories, ..DecoderState::default() }
    }

    /// Prepares encoded sentences for attention in their slots.
    pub(super) fn admit(&self, sentences: &[Sentence<'_>], encoded: &EncoderOutput, state: &mut DecoderState) {
        for sentence in sentences {
            let source = state.source(sentence.slot);
            source.key_source = if sentence.given_target { KeySource::Normalised } else { self.key_source };
            source.length = sentence.words.len();
            source.attention = sentence.attention;
        }
        let Work { encoded: made, around_work, .. } = &mut state.work;
        self.source.apply(&encoded.words, made, around_work.rows());
        for (sentence, words) in sentences.iter().zip(&encoded.sentences) {
            self.source.fill(made, words.clone(), &mut state.sources[sentence.slot.index()].words);
        }
    }

    /// Takes in the rows of a call: `state.output` becomes the decoder's output for them.
    pub(super) fn step(&self, step: Step, rows: &[StepRow], dim: usize, state: &mut DecoderState) {
        state.history.advance(step, rows);
        if step == Step::New {
            state.attention.clear();
            state.memories.iter_mut().for_each(|memory| std::mem::swap(&mut memory.now, &mut memory.before));
        }
        let first = state.history.rows() - rows.len();
        self.run(NewRows { rows, first }, dim, state);
    }

    fn run(&self, new: NewRows<'_>, dim: usize, state: &mut DecoderState) {
        let DecoderState { sources, history, memories, attention, output: x, work } = state;
        let NewRows { rows, first } = new;
        let unit = Unit::Embedding.timed();
        x.resize(rows.len(), dim);
        for (r, row) in rows.iter().enumerate() {
            let word = row.parent.map_or(self.start_word, |parent| Some(parent.word));
            self.input.write(word, history.position(Row::new(first + r)), x.row_mut(r));
        }
        self.input.finish(x, &mut work.embedded, work.around_work.highway());
        drop(unit);
        for (i, (&own, memory)) in self.order.iter().zip(memories).enumerate() {
            let layer = &self.layers[own];
            layer.so_far.step(x, new, sources, history, memory, work);
            let words = |row: &StepRow| &sources[row.sentence.index()].words[own];
            let keep = |row: &StepRow, weights: &AttentionWeights| {
                if i == self.alignment_layer {
                    attention.begin_row();
                    let source = &sources[row.sentence.index()];
                    if source.attention {
                        let of_words = weights.head(0).skip(self.frame.before());
                        attention.extend(of_words.chain(core::iter::repeat(0.0)).take(source.length));
                    }
                }
            };
            layer.context.apply(x, rows, words, keep, &mut work.context, &mut work.around_work);
            layer.feed_forward.apply(x, &mut work.feed_forward, &mut work.around_work);
        }
        self.top.apply(x, &work.embedded, work.around_work.highway());
    }
}

impl Layer {
    /// The layer, and its maps from the source to keys and to values.
    fn pack(layer: parts::DecoderLayer<CheckedTensor<'_>>, heads: usize, key_source: KeySource) -> (Self, [Linear; 2]) {
        let so_far = match layer.so_far {
            parts::SoFar::Attention(block) => SoFar::Attention(SelfAttention::pack(block, heads, key_source)),
            parts::SoFar::Ssru(block) => SoFar::Ssru(Ssru::pack(block)),
            parts::SoFar::Average(block) => SoFar::Average(AverageAttention::pack(block)),
        };
        let (context, maps) = CrossAttention::pack(layer.context, heads);
        (Self { so_far, context, feed_forward: FeedForward::pack(layer.feed_forward) }, maps)
    }
}

impl SoFar {
    fn step(
        &self,
        x: &mut Matrix,
        new: NewRows<'_>,
        sources: &[Source],
        history: &History,
        memory: &mut Memory,
        work: &mut Work,
    ) {
        let Memory { entries, now, before } = memory;
        let around_work = &mut work.around_work;
        match self {
            Self::Attention(attention) => {
                let key_source = |r: usize| sources[new.rows[r].sentence.index()].key_source;
                let entries = entries.get_or_insert_with(|| attention.no_words());
                attention.step(x, history, entries, key_source, &mut work.self_attention, around_work);
            }
            Self::Ssru(ssru) => ssru.step(x, new, before, now, &mut work.ssru, around_work),
            Self::Average(average) => {
                let position = |r| history.position(Row::new(new.first + r));
                average.step(x, new, position, Means { before, now }, &mut work.average, around_work);
            }
        }
    }
}

impl DecoderState {
    /// Frees what a slot holds; its memory is kept for the next sentence.
    pub(super) fn release(&mut self, slot: SentId) {
        self.history.release(slot.index());
    }

    /// Attention of a row of the last step, empty if it was not kept.
    pub(super) fn attention(&self, row: Row) -> &[f32] {
        self.attention.get(row.index()).unwrap_or_default()
    }

    fn source(&mut self, slot: SentId) -> &mut Source {
        if slot.index() >= self.sources.len() {
            self.sources.resize_with(slot.index() + 1, Source::default);
        }
        &mut self.sources[slot.index()]
    }
}
