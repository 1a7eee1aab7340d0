//! The Transformer (Vaswani et al. 2017) in Marian's variety: any order of normalisation, skip connection and highway
//! around its blocks, and self-attention, an SSRU or average attention in the decoder.
//!
//! ```text
//! encode:  words ─▶ input ─▶ (self-attention ─▶ feed-forward) × depth ─▶ top ─▶ keys, values of each decoder layer
//! step:    rows  ─▶ input ─▶ (so far ─▶ cross-attention ─▶ feed-forward) × depth ─▶ top ─▶ output layer ─▶ Scores
//! ```
//!
//! Matrices are `words × d` in the encoder (all sentences one after the other) and `rows × d` in the decoder (one row
//! per hypothesis, of any sentence). Nothing is padded: attention runs over the words of the row's own sentence.

mod attention;
mod average_attention;
mod cross_attention;
mod decoder;
mod encoder;
mod feed_forward;
mod history;
mod input;
mod new_rows;
mod operations;
mod positions;
mod relative;
mod self_attention;
mod ssru;

use crate::output::{Lists, Output};
use crate::parts::transformer as parts;
use crate::scores::{DecodedRows, Scores};
use crate::weights::CheckedTensor;
use decoder::{Decoder, DecoderState};
use encoder::{Encoder, EncoderOutput};
use input::Input;
use metaphrase_base::{Row, SentId, Sentence, Step, StepDemand, StepRow};
use operations::Process;
use positions::Positions;
pub use positions::position_vectors;
use std::sync::Arc;

/// A Transformer: weights only, nothing that a sentence changes.
pub struct Transformer {
    encoder: Encoder,
    decoder: Decoder,
    output: Arc<Output>,
    dim: usize,
}

/// Sentences, rows of the last step and work space of a Transformer.
#[derive(Debug, Default)]
pub struct TransformerState {
    encoded: EncoderOutput,
    decoder: DecoderState,
    lists: Lists,
}

impl Transformer {
    /// The Transformer of these tensors.
    pub(crate) fn pack(parts: parts::Transformer<CheckedTensor<'_>>) -> Self {
        let parts::Transformer { settings: network, words, encoder, decoder, order } = parts;
        let dim = network.dim_emb;
        let (source, target, output) = Output::with_embeddings(words);
        let scale = if network.scale_embeddings { (dim as f32).sqrt() } else { 1.0 };
        let input = |embedding, trained: Option<parts::PositionTable<_>>, process| Input {
            embedding,
            positions: Positions::new(network.positions, dim, trained.map(|trained| trained.table)),
            scale,
            process: Process::pack(process),
        };
        let encoder_input = input(source, encoder.positions, encoder.after_embedding);
        let decoder_input = input(target, decoder.positions, decoder.after_embedding);
        Self {
            encoder: Encoder::pack(encoder.layers, encoder.top, encoder_input, &network),
            decoder: Decoder::pack(decoder.layers, decoder.top, order, decoder_input, &network),
            output: Arc::new(output),
            dim,
        }
    }

    pub(crate) fn new_state(&self) -> TransformerState {
        TransformerState { decoder: self.decoder.new_state(), ..TransformerState::default() }
    }

    pub(crate) fn encode(&self, sentences: &[Sentence<'_>], state: &mut TransformerState) {
        state.lists.admit(sentences);
        self.encoder.encode(sentences, self.dim, &mut state.encoded);
        self.decoder.admit(sentences, &state.encoded, &mut state.decoder);
    }

    pub(crate) fn release(&self, slot: SentId, state: &mut TransformerState) {
        state.lists.release(slot);
        state.decoder.release(slot);
    }

    pub(crate) fn step(
        &self,
        step: Step,
        demand: StepDemand,
        rows: &[StepRow],
        state: &mut TransformerState,
        scores: &mut Scores,
    ) {
        self.decoder.step(step, rows, self.dim, &mut state.decoder);
        let rows = DecodedRows { step, rows, outputs: &state.decoder.output };
        scores.compute(&self.output, &mut state.lists, &rows, demand);
    }

    pub(crate) fn attention<'s>(&self, state: &'s TransformerState, row: Row) -> &'s [f32] {
        state.decoder.attention(row)
    }
}
