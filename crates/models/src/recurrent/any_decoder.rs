//! The decoder in one of its forms.

use super::attention_first::AttentionFirst;
use super::cell::Cell;
use super::cell_weights::CellReader;
use super::decoder::{Decoder, Prepared};
use crate::config::{DecoderForm, RecurrentConfig};
use crate::{ModelError, Weights};
use metaphrase_kernels::Matrix;

/// A decoder, but for embeddings and the output layer.
pub(super) enum AnyDecoder {
    Conditional(Box<Decoder>),
    AttentionFirst(Box<AttentionFirst>),
}

impl AnyDecoder {
    /// Reads a decoder over annotations of width `dim`.
    pub(super) fn read(
        config: &RecurrentConfig,
        weights: &Weights,
        reader: &CellReader<'_>,
        dim: usize,
    ) -> Result<Self, ModelError> {
        Ok(match &config.decoder {
            DecoderForm::Conditional => Self::Conditional(Box::new(Decoder::read(config, weights, reader, dim)?)),
            DecoderForm::AttentionFirst(form) => {
                let decoder = AttentionFirst::read(config, form, weights, reader, dim)?;
                Self::AttentionFirst(Box::new(decoder))
            }
        })
    }

    /// Memory that the weights take.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Conditional(decoder) => decoder.bytes(),
            Self::AttentionFirst(decoder) => decoder.bytes(),
        }
    }

    /// Size of what the output layer reads.
    pub(super) fn dim_output(&self) -> usize {
        match self {
            Self::Conditional(decoder) => decoder.dim_output(),
            Self::AttentionFirst(decoder) => decoder.dim_output(),
        }
    }

    /// Number of layers that have a state.
    pub(super) fn layers(&self) -> usize {
        match self {
            Self::Conditional(decoder) => decoder.layers(),
            Self::AttentionFirst(decoder) => decoder.layers(),
        }
    }

    /// The kind of cell of all layers.
    pub(super) fn cell(&self) -> &Cell {
        match self {
            Self::Conditional(decoder) => decoder.cell(),
            Self::AttentionFirst(decoder) => decoder.cell(),
        }
    }

    /// What depends on the source alone.
    pub(super) fn prepare(&self, annotations: &Matrix, means: &Matrix, prepared: &mut Prepared) {
        match self {
            Self::Conditional(decoder) => decoder.prepare(annotations, means, prepared),
            Self::AttentionFirst(decoder) => decoder.prepare(annotations, means, prepared),
        }
    }
}
