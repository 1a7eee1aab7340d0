//! Recurrent encoder-decoders with attention: Marian's `s2s`, `amun` and `nematus`, and those of Devlin 2017.
//!
//! `parts::recurrent` knows the names and peculiarities of all kinds of cells and normalisations. Here they are brought to
//! one form: `columns` merges products, `cell` has the element-wise equations, `encoder` and `decoder` say how layers
//! follow each other.

mod any_decoder;
mod attention;
mod attention_first;
mod cell;
mod columns;
mod decoder;
mod encoder;
mod layout;
mod projection;
mod rows;
mod stack;
mod state;

use crate::embedding::Embedding;
use crate::output::Output;
use crate::parts::recurrent as parts;
use crate::weights::CheckedTensor;
use crate::{Config, Scores};
use any_decoder::AnyDecoder;
use attention::Source;
use decoder::Inputs;
use encoder::Encoder;
use metaphrase_base::{ModelFacts, Row, SentId, Sentence, Step, StepModel, StepRow, WordId};
pub use state::RecurrentState;

/// A recurrent encoder-decoder with attention.
pub struct Recurrent {
    source: Embedding,
    target: Embedding,
    encoder: Encoder,
    decoder: AnyDecoder,
    output: Output,
    dim_emb: usize,
    target_words: usize,
    end_of_sentence: WordId,
}

impl Recurrent {
    /// The network of these tensors.
    pub(crate) fn pack(parts: parts::Recurrent<CheckedTensor<'_>>, config: &Config) -> Self {
        let dim_emb = parts.words.source.cols();
        let (source, target, output) = Output::with_embeddings(parts.words);
        Self {
            source,
            target,
            encoder: Encoder::pack(parts.encoder),
            decoder: AnyDecoder::pack(parts.decoder),
            output,
            dim_emb,
            target_words: config.target_words,
            end_of_sentence: WordId(config.end_of_sentence),
        }
    }

    /// Computes `rows`: the states in `state.layers`, and `state.hidden`.
    fn run(&self, rows: &[StepRow], state: &mut RecurrentState) {
        state.look_up(rows, &self.decoder, &self.target, self.dim_emb);
        let RecurrentState { layers, attention, .. } = state;
        let inputs = Inputs {
            words: &state.words,
            slots: &state.slots,
            parent_of: &state.parent_of,
            parents: &state.parents,
            sources: &state.sources,
        };
        let keep = |source: &Source, weights: &[f32]| {
            attention.begin_row();
            attention.extend(if source.attention { weights } else { &[] });
        };
        let hidden = &mut state.hidden;
        match &self.decoder {
            AnyDecoder::Conditional(decoder) => decoder.step(&inputs, layers, hidden, &mut state.decoder_work, keep),
            AnyDecoder::AttentionFirst(decoder) => {
                decoder.step(&inputs, layers, hidden, &mut state.attention_first_work, keep);
            }
        }
    }
}

impl StepModel for Recurrent {
    type State = RecurrentState;
    type Scores = Scores;

    fn facts(&self) -> ModelFacts {
        let Self { target_words, end_of_sentence, .. } = *self;
        ModelFacts { target_words, end_of_sentence, log_probs: true, attention: true }
    }

    fn new_state(&self) -> RecurrentState {
        RecurrentState::default()
    }

    fn new_scores(&self) -> Scores {
        Scores::new()
    }

    fn encode(&self, sentences: &[Sentence<'_>], state: &mut RecurrentState) {
        state.arrange(sentences, &self.source, self.dim_emb);
        self.encoder.run(&state.layout, &state.embeddings, &mut state.annotations, &mut state.encoder_work);
        state.average();
        self.decoder.prepare(&state.annotations, &state.means, &mut state.prepared);
        state.fill(sentences);
    }

    fn release(&self, _slot: SentId, _state: &mut RecurrentState) {
        // A slot's memory waits for the next sentence.
    }

    fn step(&self, step: Step, rows: &[StepRow], state: &mut RecurrentState, scores: &mut Scores) {
        state.begin(step, &self.decoder);
        self.run(rows, state);
        state.end(step);
        scores.compute(step, &self.output, &state.hidden);
    }

    fn attention<'s>(&self, state: &'s RecurrentState, row: Row) -> &'s [f32] {
        state.attention.get(row.index()).unwrap_or_default()
    }
}
