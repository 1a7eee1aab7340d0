//! The decoder in one of its forms.

use super::attention_first::AttentionFirst;
use super::cell::Cell;
use super::decoder::{Decoder, Prepared};
use crate::parts::recurrent as parts;
use crate::weights::CheckedTensor;
use metaphrase_kernels::Matrix;

/// A decoder, but for embeddings and the output layer.
pub(super) enum AnyDecoder {
    Conditional(Box<Decoder>),
    AttentionFirst(Box<AttentionFirst>),
}

impl AnyDecoder {
    /// The decoder of these tensors.
    pub(super) fn pack(parts: parts::Decoder<CheckedTensor<'_>>) -> Self {
        match parts {
            parts::Decoder::Conditional(parts) => Self::Conditional(Box::new(Decoder::pack(*parts))),
            parts::Decoder::AttentionFirst(parts) => Self::AttentionFirst(Box::new(AttentionFirst::pack(*parts))),
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
