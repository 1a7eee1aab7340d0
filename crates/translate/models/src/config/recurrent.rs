//! The settings of a recurrent model.

use super::TiedEmbeddings;
use serde::{Deserialize, Serialize};

/// Settings of an encoder-decoder of recurrent cells with one attention (Bahdanau et al. 2015), in the
/// varieties of Nematus and Marian (`s2s`, `amun`, `nematus`) and of Devlin 2017.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RecurrentConfig {
    /// Size of embeddings.
    pub dim_emb: usize,
    /// Size of a cell's state.
    pub dim_rnn: usize,
    /// Size of the state of the encoder's cells, where it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dim_encoder: Option<usize>,
    /// Which way the layers of the encoder run.
    pub encoder_type: EncoderType,
    /// The encoder's cells.
    pub encoder_cell: Cell,
    /// Cells per layer of the encoder: one that reads, the others transitions without input.
    pub encoder_cell_depth: usize,
    /// Layers of the encoder.
    pub encoder_depth: usize,
    /// The decoder's cells.
    pub decoder_cell: Cell,
    /// Cells of the first decoder layer: the first reads the word, then attention, the second reads the
    /// context, the others are transitions.
    pub decoder_cell_base_depth: usize,
    /// Cells per higher layer of the decoder.
    pub decoder_cell_high_depth: usize,
    /// Layers of the decoder.
    pub decoder_depth: usize,
    /// Layers after the first add their input to their output.
    pub skip: bool,
    /// Normalisation in cells, attention and the feed-forward layers.
    pub layer_norm: LayerNorm,
    /// Which embedding tables are one.
    pub tied_embeddings: TiedEmbeddings,
    /// The output layer has a bias, `decoder_ff_logit_l2_b`.
    pub output_bias: bool,
    /// The number of parallel attentions, as in a network that was an ensemble: each sees its part of the states of
    /// both directions, and all read the state of the decoder. The decoder is a [conditional](DecoderForm::Conditional)
    /// one without normalisation.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub attention_heads: usize,
    /// The form of a step of the decoder.
    #[serde(default, skip_serializing_if = "DecoderForm::is_conditional")]
    pub decoder: DecoderForm,
}

/// The network of `marian train --type amun` without other options.
impl Default for RecurrentConfig {
    fn default() -> Self {
        Self {
            dim_emb: 512,
            dim_rnn: 1024,
            dim_encoder: None,
            encoder_type: EncoderType::Bidirectional,
            encoder_cell: Cell::Gru,
            encoder_cell_depth: 1,
            encoder_depth: 1,
            decoder_cell: Cell::Gru,
            decoder_cell_base_depth: 2,
            decoder_cell_high_depth: 1,
            decoder_depth: 1,
            skip: false,
            layer_norm: LayerNorm::None,
            tied_embeddings: TiedEmbeddings::default(),
            output_bias: true,
            attention_heads: 1,
            decoder: DecoderForm::Conditional,
        }
    }
}

impl RecurrentConfig {
    /// Width of the annotations: both directions, unless layers that run forward follow.
    #[must_use]
    pub fn dim_annotations(&self) -> usize {
        let one_way = self.encoder_type == EncoderType::BiUnidirectional && self.encoder_depth > 1;
        let dim = self.dim_encoder.unwrap_or(self.dim_rnn);
        if one_way { dim } else { 2 * dim }
    }
}

const fn one() -> usize {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_one(heads: &usize) -> bool {
    *heads == 1
}

/// The form of a step of a recurrent decoder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecoderForm {
    /// A cell reads the word, then attention, then a cell reads the context (Nematus, Marian).
    #[default]
    Conditional,
    /// Attention sees the state before the word, and one cell reads word and context; fully-connected layers follow
    /// (Devlin 2017, §4 and §5).
    AttentionFirst(AttentionFirst),
}

impl DecoderForm {
    const fn is_conditional(&self) -> bool {
        matches!(self, Self::Conditional)
    }
}

/// Settings of [`DecoderForm::AttentionFirst`]. The decoder has one layer of cells of kind `gru` and no normalisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AttentionFirst {
    /// Size of the keys and queries of attention.
    pub dim_attention: usize,
    /// Fully-connected layers on top of the cell, with skip connections around each two after the first.
    pub layers: usize,
    /// Their size.
    pub dim_layers: usize,
    /// The highest layer, which the output layer reads.
    pub top: Top,
}

/// The highest layer of a decoder that begins with attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Top {
    /// The layer below is the highest.
    None,
    /// tanh(x · W + b)
    Tanh {
        /// Its size.
        dim: usize,
    },
    /// A gated recurrent unit with a state of `dim-rnn`.
    Gru,
}

impl AttentionFirst {
    /// The number of inputs of the output layer, where the cell's state has `dim_rnn` numbers.
    #[must_use]
    pub const fn dim_output(&self, dim_rnn: usize) -> usize {
        match self.top {
            Top::Tanh { dim } => dim,
            Top::None if self.layers > 0 => self.dim_layers,
            Top::None | Top::Gru => dim_rnn,
        }
    }
}

/// Which way the layers of a recurrent encoder run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EncoderType {
    /// Two stacks, one per direction; their tops are joined.
    Bidirectional,
    /// A first layer in both directions, then layers that run forward.
    BiUnidirectional,
    /// Two stacks; every other layer runs the other way.
    Alternating,
    /// Each layer runs in both directions over the joined outputs of both directions below (Devlin 2017, §4.6).
    Joined,
}

/// A recurrent cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cell {
    /// Gated recurrent unit.
    Gru,
    /// Gated recurrent unit with Nematus' way of normalisation.
    GruNematus,
    /// Long short-term memory.
    Lstm,
    /// Multiplicative long short-term memory.
    Mlstm,
    /// Multiplicative gated recurrent unit.
    Mgru,
    /// tanh of a sum.
    Tanh,
    /// Rectifier of a sum.
    Relu,
    /// Simple recurrent unit.
    Sru,
    /// Simpler simple recurrent unit.
    Ssru,
}

/// Layer normalisation of a recurrent model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LayerNorm {
    /// None.
    None,
    /// Marian's: scales only (`_gamma…`), ε = 1e-9. Cells of kind [`Cell::GruNematus`] have Nematus' all the same.
    Marian,
    /// Nematus': scales and biases (`_lns`, `_lnb`, `_ln_s…`, `_ln_b…`), ε = 1e-5.
    Nematus,
}
