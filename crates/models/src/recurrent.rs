//! Recurrent encoder-decoders with attention: Marian's `s2s`, `amun` and `nematus`, and those of Devlin 2017.
//!
//! The parameters are read into one form whatever the kind of cell and normalisation: `cell_weights` knows the names and
//! peculiarities, `cell` the element-wise equations, `encoder` and `decoder` how layers follow each other.

mod any_decoder;
mod attention;
mod attention_first;
mod cell;
mod cell_weights;
mod columns;
mod decoder;
mod encoder;
mod layout;
mod projection;
mod rows;
mod stack;
mod state;

use crate::config::RecurrentConfig;
use crate::embedding::Embedding;
use crate::output::{Output, OutputNames};
use crate::{Config, ModelError, Scores, Weights};
use any_decoder::AnyDecoder;
use attention::Source;
use cell_weights::CellReader;
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
    /// Reads the weights of the network that `recurrent` describes.
    ///
    /// # Errors
    /// If a tensor is missing or has another shape than the settings say, or if the settings combine what can not be
    /// combined.
    pub fn new(config: &Config, recurrent: &RecurrentConfig, weights: &Weights) -> Result<Self, ModelError> {
        check_depths(recurrent, weights)?;
        let (tied, dim_emb) = (recurrent.tied_embeddings, recurrent.dim_emb);
        let reader = |kind| CellReader { weights, kind, norm: recurrent.layer_norm, dim_rnn: recurrent.dim_rnn };
        let encoder = Encoder::read(recurrent, &reader(recurrent.encoder_cell))?;
        let decoder = AnyDecoder::read(recurrent, weights, &reader(recurrent.decoder_cell), encoder.dim())?;
        let target = Embedding::load(weights, tied.target_table(), config.target_words, dim_emb)?;
        let source = if tied.source_target && config.source_words == config.target_words {
            target.clone()
        } else {
            Embedding::load(weights, tied.source_table(), config.source_words, dim_emb)?
        };
        let table = tied.output_table().map(|_| &target);
        let names = OutputNames { table, prefix: "decoder_ff_logit_l2", bias: recurrent.output_bias };
        let output = Output::load(weights, names, decoder.dim_output(), config.target_words)?;
        Ok(Self {
            source,
            target,
            encoder,
            decoder,
            output,
            dim_emb,
            target_words: config.target_words,
            end_of_sentence: WordId(config.end_of_sentence),
        })
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

    /// Memory that the weights take, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let source = if self.source.is(&self.target) { 0 } else { self.source.bytes() };
        source + self.target.bytes() + self.encoder.bytes() + self.decoder.bytes() + self.output.bytes()
    }
}

/// Depths and sizes of which a layer has at least one.
fn check_depths(config: &RecurrentConfig, weights: &Weights) -> Result<(), ModelError> {
    let sizes = [
        ("dim-emb", config.dim_emb),
        ("dim-rnn", config.dim_rnn),
        ("enc-depth", config.encoder_depth),
        ("enc-cell-depth", config.encoder_cell_depth),
        ("dec-depth", config.decoder_depth),
        ("dec-cell-base-depth", config.decoder_cell_base_depth),
        ("dec-cell-high-depth", config.decoder_cell_high_depth),
    ];
    match sizes.iter().find(|(_, size)| *size == 0) {
        Some((name, _)) => {
            Err(ModelError::settings(weights.path(), format!("the setting `{name}` is 0, it must be at least 1")))
        }
        None => Ok(()),
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
