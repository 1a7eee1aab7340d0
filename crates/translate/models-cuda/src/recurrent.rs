//! Recurrent encoder-decoders with attention on a device.
//!
//! ```text
//! encode:  words ─▶ embed ─▶ stacks of cells in both directions ─▶ annotations ─▶ keys, values; their mean ─▶ start
//! step:    rows  ─▶ embed ─▶ cell ─▶ attention ─▶ cells ─▶ deep output ─▶ logits ─▶ summaries
//! ```
//!
//! The structure is that of `metaphrase_models::parts::recurrent`, the order of the operations that of this CPU's
//! recurrent networks; tests hold the two together.

mod attention_first;
mod cell;
mod columns;
mod conditional;
mod encoder;
mod state;

use crate::pack::{Packer, Tensor};
use attention_first::AttentionFirst;
use cell::LayerState;
use conditional::Conditional;
use encoder::Encoder;
use metaphrase_cuda::decoding::DeviceMap;
use metaphrase_cuda::{Cuda, Matrix};
use metaphrase_models::parts::recurrent as parts;
use state::Call;
pub(crate) use state::RecurrentState;
use std::sync::Arc;

/// The weights; nothing that a sentence changes.
pub(crate) struct Recurrent {
    target: Arc<DeviceMap>,
    encoder: Encoder,
    decoder: Decoder,
    output: Arc<DeviceMap>,
}

/// The decoder in one of its forms.
enum Decoder {
    Conditional(Box<Conditional>),
    AttentionFirst(Box<AttentionFirst>),
}

impl Recurrent {
    /// The network of these tensors.
    pub(crate) fn pack(parts: parts::Recurrent<Tensor>, packer: &mut Packer) -> Self {
        let [source, target, output] = packer.tables(parts.words);
        let encoder = Encoder::pack(source, parts.encoder, packer);
        let decoder = match parts.decoder {
            parts::Decoder::Conditional(parts) => Decoder::Conditional(Box::new(Conditional::pack(*parts, packer))),
            parts::Decoder::AttentionFirst(parts) => {
                Decoder::AttentionFirst(Box::new(AttentionFirst::pack(*parts, packer)))
            }
        };
        Self { target, encoder, decoder, output }
    }
}

impl Decoder {
    /// For each layer whether it has a memory.
    fn memories(&self) -> Vec<bool> {
        match self {
            Self::Conditional(decoder) => decoder.memories(),
            Self::AttentionFirst(decoder) => decoder.memories(),
        }
    }

    /// The keys and values of annotations, side by side.
    fn lines(&self, cuda: &mut Cuda, annotations: &Matrix) -> Matrix {
        match self {
            Self::Conditional(decoder) => decoder.lines(cuda, annotations),
            Self::AttentionFirst(decoder) => decoder.lines(cuda, annotations),
        }
    }

    /// The states before the first word, of mean annotations.
    fn starts(&self, cuda: &mut Cuda, means: &Matrix) -> Matrix {
        match self {
            Self::Conditional(decoder) => decoder.starts(cuda, means),
            Self::AttentionFirst(decoder) => decoder.starts(cuda, means),
        }
    }

    /// The input of the output layer for rows whose last words have the embeddings `y`, and the next states of all
    /// layers.
    fn step(
        &self,
        cuda: &mut Cuda,
        call: &Call<'_>,
        y: &Matrix,
        weights: Option<&mut Matrix>,
    ) -> (Matrix, Vec<LayerState>) {
        match self {
            Self::Conditional(decoder) => decoder.step(cuda, call, y, weights),
            Self::AttentionFirst(decoder) => decoder.step(cuda, call, y, weights),
        }
    }
}
