//! Recurrent encoder-decoders with attention: Marian's `s2s`, `amun` and `nematus`, and those of Devlin 2017.
//!
//! `parts::recurrent` knows the names and peculiarities of all kinds of cells and normalisations. Here they are brought
//! to one form: `columns` merges products, `cell` has the element-wise equations, `encoder` and `decoder` connect
//! the layers.

mod any_decoder;
mod attention;
mod attention_first;
mod cell;
mod columns;
mod decoder;
mod encoder;
mod layout;
mod optimizations;
mod projection;
mod rows;
mod stack;
mod state;

use crate::embedding::Embedding;
use crate::output::Output;
use crate::parts::recurrent as parts;
use crate::scores::{DecodedRows, Scores};
use crate::weights::CheckedTensor;
use any_decoder::{AnyDecoder, Inputs};
use attention::Source;
use attention_first::AttentionFirst;
use decoder::Decoder;
use encoder::Encoder;
use metaphrase_base::{Row, SentId, Sentence, Step, StepDemand, StepRow, Unit};
pub use optimizations::Optimizations;
pub use state::RecurrentState;
use std::sync::Arc;

/// A recurrent encoder-decoder with attention.
pub struct Recurrent {
    source: Embedding,
    target: Embedding,
    encoder: Encoder,
    decoder: Box<dyn AnyDecoder>,
    output: Arc<Output>,
    dim_emb: usize,
    merged_states: bool,
}

impl Recurrent {
    /// The network of these tensors.
    pub(crate) fn pack(parts: parts::Recurrent<CheckedTensor<'_>>) -> Self {
        let dim_emb = parts.words.source.cols();
        let (source, target, output) = Output::with_embeddings(parts.words);
        Self {
            source,
            target,
            encoder: Encoder::pack(parts.encoder),
            decoder: match parts.decoder {
                parts::Decoder::Conditional(parts) => Box::new(Decoder::pack(*parts)),
                parts::Decoder::AttentionFirst(parts) => Box::new(AttentionFirst::pack(*parts)),
            },
            output: Arc::new(output),
            dim_emb,
            merged_states: true,
        }
    }

    /// Applies these optimizations.
    pub(crate) fn set_optimizations(&mut self, optimizations: Optimizations, words: usize) {
        self.merged_states = optimizations.merged_states;
        let frequent_words = optimizations.frequent_words.min(words);
        self.decoder.set_optimizations(Optimizations { frequent_words, ..optimizations }, &self.target, self.dim_emb);
    }

    /// Computes `rows`: the states in `state.layers`, and `state.hidden`.
    fn run(&self, rows: &[StepRow], state: &mut RecurrentState) {
        let unit = Unit::Embedding.timed();
        state.look_up(rows, self.merged_states, &*self.decoder, &self.target, self.dim_emb);
        drop(unit);
        let RecurrentState { layers, attention, .. } = state;
        let inputs = Inputs {
            rows,
            words: &state.words,
            slots: &state.slots,
            parent_of: &state.parent_of,
            parents: &state.parents,
            sources: &state.sources,
        };
        let mut keep = |source: &Source, weights: &[f32]| {
            attention.begin_row();
            attention.extend(if source.attention { weights } else { &[] }.iter().copied());
        };
        self.decoder.step(&inputs, layers, &mut state.hidden, &mut state.decoder_work, &mut keep);
    }

    pub(crate) fn encode(&self, sentences: &[Sentence<'_>], state: &mut RecurrentState) {
        state.lists.admit(sentences);
        state.arrange(sentences, &self.source, self.dim_emb);
        self.encoder.run(&state.layout, &state.embeddings, &mut state.annotations, &mut state.encoder_work);
        state.average();
        self.decoder.prepare(&state.annotations, &state.means, &mut state.prepared);
        state.fill(sentences);
    }

    pub(crate) fn release(&self, slot: SentId, state: &mut RecurrentState) {
        // The rest of a slot's memory waits for the next sentence.
        state.lists.release(slot);
    }

    pub(crate) fn step(
        &self,
        step: Step,
        demand: StepDemand,
        rows: &[StepRow],
        state: &mut RecurrentState,
        scores: &mut Scores,
    ) {
        state.begin(step, &*self.decoder);
        self.run(rows, state);
        state.end(step);
        let rows = DecodedRows { step, rows, outputs: &state.hidden };
        scores.compute(&self.output, &mut state.lists, &rows, demand);
    }

    pub(crate) fn attention<'s>(&self, state: &'s RecurrentState, row: Row) -> &'s [f32] {
        state.attention.get(row.index()).unwrap_or_default()
    }
}
