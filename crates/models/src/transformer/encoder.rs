//! The encoder: all words of all sentences as rows of one matrix, one sentence after the other, without padding.

use super::feed_forward::{self, FeedForward};
use super::input::Input;
use super::operations::{Around, End, Process};
use super::self_attention::{self, SelfAttention};
use crate::config::TransformerConfig;
use crate::{ModelError, Weights};
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

/// What the encoder has made of some sentences, and its work space.
#[derive(Debug, Default)]
pub(super) struct Encoded {
    /// The encoder's output, `words of all sentences × d`.
    pub(super) words: Matrix,
    /// The rows of each sentence.
    pub(super) sentences: Vec<Range<usize>>,
    embedded: Matrix,
    attention: self_attention::Work,
    feed_forward: feed_forward::Work,
    end: End,
}

impl Encoder {
    /// Reads the tensors of the encoder.
    ///
    /// # Errors
    /// If a tensor is missing or of another shape.
    pub(super) fn load(weights: &Weights, config: &TransformerConfig, input: Input) -> Result<Self, ModelError> {
        let layer = |n: usize| {
            let prefix = format!("encoder_l{n}_self");
            let around = Around::load(weights, config, &format!("{prefix}_Wo"))?;
            let attention = SelfAttention::load(weights, &prefix, config, around)?;
            let feed_forward = FeedForward::load(weights, &format!("encoder_l{n}_ffn"), config.encoder_ffn, config)?;
            Ok(Layer { attention, feed_forward })
        };
        let layers = (1..=config.encoder_depth).map(layer).collect::<Result<_, ModelError>>()?;
        Ok(Self { input, layers, top: Process::load_top(weights, "encoder", config)? })
    }

    /// Encodes sentences; the end of sentence is one of their words.
    pub(super) fn encode(&self, sentences: &[Sentence<'_>], dim: usize, out: &mut Encoded) {
        let Encoded { words: x, sentences: ranges, embedded, attention, feed_forward, end } = out;
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
        self.input.finish(x, embedded, end.gate());
        for layer in &self.layers {
            layer.attention.encode(x, ranges, attention, end);
            layer.feed_forward.apply(x, feed_forward, end);
        }
        self.top.apply(x, embedded, end.gate());
    }

    /// Memory that the weights take.
    pub(super) fn bytes(&self) -> usize {
        let layers = self.layers.iter().map(|layer| layer.attention.bytes() + layer.feed_forward.bytes());
        self.input.bytes() + layers.sum::<usize>()
    }
}
