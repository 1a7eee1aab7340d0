//! The encoder: all words of all sentences as rows of one matrix, one sentence after the other, without padding.

use super::feed_forward::{self, FeedForward};
use super::input::Input;
use super::operations::{AroundWork, Process};
use super::self_attention::{self, KeySource, SelfAttention};
use crate::parts::transformer as parts;
use crate::weights::CheckedTensor;
use core::ops::Range;
use metaphrase_base::Sentence;
use metaphrase_kernels::Matrix;

/// The encoder of a Transformer.
pub(super) struct Encoder {
    pub(super) input: Input,
    layers: Vec<Layer>,
    top: Process,
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
    /// The encoder of these layers, with `heads` heads.
    pub(super) fn pack<'a>(
        layers: Vec<parts::EncoderLayer<CheckedTensor<'a>>>,
        top: parts::Process<CheckedTensor<'a>>,
        input: Input,
        heads: usize,
    ) -> Self {
        let layer = |layer: parts::EncoderLayer<_>| Layer {
            attention: SelfAttention::pack(layer.attention, heads, KeySource::Normalised),
            feed_forward: FeedForward::pack(layer.feed_forward),
        };
        Self { input, layers: layers.into_iter().map(layer).collect(), top: Process::pack(top) }
    }

    /// Encodes sentences; the end of sentence is one of their words.
    pub(super) fn encode(&self, sentences: &[Sentence<'_>], dim: usize, out: &mut EncoderOutput) {
        let EncoderOutput { words: x, sentences: ranges, embedded, attention, feed_forward, around_work } = out;
        x.resize(sentences.iter().map(|s| s.words.len()).sum(), dim);
        ranges.clear();
        let mut row = 0;
        for sentence in sentences {
            ranges.push(row..row + sentence.words.len());
            for (position, &word) in sentence.words.iter().enumerate() {
                self.input.write(Some(word), position, x.row_mut(row));
                row += 1;
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
