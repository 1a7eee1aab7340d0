//! The settings of a Transformer.

use super::{Operation, Operations, Positions, TiedEmbeddings};
use serde::{Deserialize, Serialize};

/// Settings of a Transformer (Vaswani et al. 2017) in Marian's variety.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TransformerConfig {
    /// Size of embeddings and of all layers' outputs, d.
    pub dim_emb: usize,
    /// Attention heads; `dim_emb` is a multiple.
    pub heads: usize,
    /// Numbers of a head; `None`: `dim_emb / heads`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dim_head: Option<usize>,
    /// Layers of the encoder.
    pub encoder_depth: usize,
    /// Layers of the decoder.
    pub decoder_depth: usize,
    /// Feed-forward blocks of the encoder.
    pub encoder_ffn: FeedForward,
    /// Feed-forward blocks of the decoder.
    pub decoder_ffn: FeedForward,
    /// The function between the maps of a feed-forward block.
    pub activation: Activation,
    /// A second map of the input, `_Wg`, gates the inner layer of feed-forward blocks: `f(x · W1) ⊙ (x · Wg)`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gated_ffn: bool,
    /// Before each block. Normalisations here have names that end in `_pre`.
    pub preprocess: Operations,
    /// After each block.
    pub postprocess: Operations,
    /// After the embedding, `{encoder,decoder}_emb_ln_{scale,bias}_pre`.
    pub postprocess_emb: Operations,
    /// After the last layer, `{encoder,decoder}_top_ln_{scale,bias}`; `a` adds the embeddings.
    pub postprocess_top: Operations,
    /// The part that looks at the translation so far.
    pub decoder_layer: DecoderLayer,
    /// Which embedding tables are one.
    pub tied_embeddings: TiedEmbeddings,
    /// Layer `i` (from 1) of the decoder uses the weights of layer `tied_layers[i - 1]`; empty if each has its own.
    pub tied_layers: Vec<usize>,
    /// How the network knows the position of a word.
    pub positions: Positions,
    /// Embeddings are multiplied with √d before positions are added.
    pub scale_embeddings: bool,
    /// The decoder layer, counted from 1, whose attention (first head) is the alignment.
    pub alignment_layer: usize,
    /// Attention ends with a linear projection (`_Wo`, `_bo`).
    pub attention_projection: bool,
    /// Added to the variance in layer normalisation.
    pub layer_norm_epsilon: f32,
    /// The output layer has a bias, `decoder_ff_logit_out_b`.
    pub output_bias: bool,
    /// Where the decoder normalises before self-attention: keys and values are made of normalised inputs also when it
    /// translates, as in training. Marian's translation makes them of raw inputs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub normalised_keys: bool,
    /// The target word whose embedding the decoder reads before the first word of a translation. Without it the decoder
    /// reads zeros there, as Marian's does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_word: Option<u32>,
    /// The source word that the encoder reads before the words of a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_start: Option<u32>,
    /// The encoder reads sentences without their end, as models of OpenNMT do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub source_without_end: bool,
}

impl TransformerConfig {
    /// Numbers of a head.
    #[must_use]
    pub fn head_size(&self) -> usize {
        self.dim_head.unwrap_or(self.dim_emb / self.heads.max(1))
    }
}

/// The network of `marian train --type transformer` without other options.
impl Default for TransformerConfig {
    fn default() -> Self {
        let ffn = FeedForward { dim: 2048, depth: 2 };
        Self {
            dim_emb: 512,
            heads: 8,
            dim_head: None,
            encoder_depth: 1,
            decoder_depth: 1,
            encoder_ffn: ffn,
            decoder_ffn: ffn,
            activation: Activation::Swish,
            gated_ffn: false,
            preprocess: Operations::default(),
            postprocess: Operations(vec![Operation::Add, Operation::LayerNorm]),
            postprocess_emb: Operations::default(),
            postprocess_top: Operations::default(),
            decoder_layer: DecoderLayer::SelfAttention,
            tied_embeddings: TiedEmbeddings::default(),
            tied_layers: Vec::new(),
            positions: Positions::SinusoidalMarian,
            scale_embeddings: true,
            alignment_layer: 1,
            attention_projection: true,
            layer_norm_epsilon: 1e-6,
            output_bias: true,
            normalised_keys: false,
            start_word: None,
            source_start: None,
            source_without_end: false,
        }
    }
}

/// Size of a feed-forward block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct FeedForward {
    /// Size of the inner layers.
    pub dim: usize,
    /// Number of linear maps, `_W1` to `_W{depth}`; 2 in the paper.
    pub depth: usize,
}

/// A function of single numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// max(x, 0)
    Relu,
    /// x · σ(x), Marian's default.
    Swish,
    /// x · Φ(x) = x/2 · (1 + erf(x/√2)).
    Gelu,
    /// x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³))), an approximation of the function before.
    GeluTanh,
    /// σ(x)
    Sigmoid,
}

/// The part of a decoder layer that looks at the translation so far.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecoderLayer {
    /// Attention over all words so far, `decoder_l{n}_self`.
    SelfAttention,
    /// Simpler simple recurrent unit (Kim et al. 2019), `decoder_l{n}_rnn`.
    Ssru {
        /// A linear projection follows (`_Wo`, `_bo`).
        projection: bool,
    },
    /// Running mean of the inputs (Zhang et al. 2018, arXiv:1805.00631), `decoder_l{n}_aan`.
    AverageAttention(AverageAttention),
}

/// Settings of average attention.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AverageAttention {
    /// The feed-forward block after the mean.
    pub ffn: FeedForward,
    /// Its activation.
    pub activation: Activation,
    /// Input and forget gates, `_Wi`, `_Wf`.
    pub gate: bool,
}
