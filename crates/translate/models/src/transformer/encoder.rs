//! The encoder: all words of all sentences as rows of one matrix, one sentence after the other, without padding.

use super::feed_forward::{self, FeedForward};
use super::input::Input;
use super::operations::{AroundWork, Process};
use super::self_attention::{self, KeySource, SelfAttention};
use crate::config::TransformerConfig;
use crate::parts::transformer as parts;
use crate::weights::CheckedTensor;
use core::ops::Range;
use metaphrase_base::{Sentence, WordId};
use metaphrase_kernels::Matrix;

/// The encoder of a Transformer.
pub(super) struct Encoder {
    pub(super) input: Input,
    pub(super) frame: SourceFrame,
    layers: Vec<Layer>,
    top: Process,
}

/// The words that the encoder reads of a sentence.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SourceFrame {
    /// A word before all others.
    start: Option<WordId>,
    /// The end of sentence is left out, unless there is nothing else.
    without_end: bool,
}

impl SourceFrame {
    /// The frame of these settings.
    pub(super) fn new(config: &TransformerConfig) -> Self {
        Self { start: config.source_start.map(WordId), without_end: config.source_without_end }
    }

    /// The words before those of the sentence.
    pub(super) fn before(self) -> usize {
        usize::from(self.start.is_some())
    }

    /// The words of the sentence that are read.
    fn read(self, words: &[WordId]) -> &[WordId] {
        match words {
            [kept @ .., _] if self.without_end && !kept.is_empty() => kept,
            _ => words,
        }
    }
}

struct Layer {
    attention: SelfAttention,
    feed_forward: FeedForward,
}

/// The encoder's output for some sentences, and its work space.
#[derive(Debug, Default)]
pub(super) struct EncoderOutput {
    /// The encoder's output, `words of all sentences × d`.
    pub(super) words: Matrix,
    /// The rows of each sentence.
    pub(super) sentences: Vec<Range<usize>>,
    embedded: Matrix,
    attention: self_attention::Work,
    feed_forward: feed_forward::Work,
    around_work: AroundWork,
}

impl Encoder {
    /// The encoder of these layers, in this network.
    pub(super) fn pack<'a>(
        layers: Vec<parts::EncoderLayer<CheckedTensor<'a>>>,
        top: parts::Process<CheckedTensor<'a>>,
        input: Input,
        config: &TransformerConfig,
    ) -> Self {
        let layer = |layer: parts::EncoderLayer<_>| Layer {
            attention: SelfAttention::pack(layer.attention, config.heads, KeySource::Normalised),
            feed_forward: FeedForward::pack(layer.feed_forward),
        };
        Self {
            input,
            frame: SourceFrame::new(config),
            layers: layers.into_iter().map(layer).collect(),
            top: Process::pack(top),
        }
    }

    /// Encodes sentences; the end of sentence is one of their words.
    pub(super) fn encode(&self, sentences: &[Sentence<'_>], dim: usize, out: &mut EncoderOutput) {
        let EncoderOutput { words: x, sentences: ranges, embedded, attention, feed_forward, around_work } = out;
        ranges.clear();
        let mut row = 0;
        for sentence in sentences {
            let count = self.frame.before() + self.frame.read(sentence.words).len();
            ranges.push(row..row + count);
            row += count;
        }
        x.resize(row, dim);
        for (sentence, rows) in sentences.iter().zip(ranges.iter()) {
            let words = self.frame.start.iter().chain(self.frame.read(sentence.words));
            for ((position, &word), row) in words.enumerate().zip(rows.clone()) {
                self.input.write(Some(word), position, x.row_mut(row));
            }
        }
        self.input.finish(x, embedded, around_work.highway());
        for layer in &self.layers {
            layer.attention.encode(x, ranges, attention, around_work);
            layer.feed_forward.apply(x, feed_forward, around_work);
        }
        self.top.apply(x, embedded, around_work.highway());
    }
}
