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
mod dense;
mod encoder;
mod feed_forward;
mod history;
mod input;
mod operations;
mod positions;
mod self_attention;
mod ssru;

use crate::config::{Config, Operation, Operations, TransformerConfig};
use crate::embedding::Embedding;
use crate::output::{Output, OutputNames};
use crate::{ModelError, Scores, Weights};
use decoder::{Decoder, DecoderState};
use encoder::{Encoded, Encoder};
use input::Input;
use metaphrase_base::{ModelFacts, Row, SentId, Sentence, Step, StepModel, StepRow, WordId};
use positions::Positions;
pub use positions::position_vectors;
use std::sync::Arc;

/// A Transformer: weights only, nothing that a sentence changes.
pub struct Transformer {
    encoder: Encoder,
    decoder: Decoder,
    output: Output,
    dim: usize,
    target_words: usize,
    end_of_sentence: WordId,
}

/// Sentences, rows of the last step and work space of a [`Transformer`].
#[derive(Debug, Default)]
pub struct TransformerState {
    encoded: Encoded,
    decoder: DecoderState,
}

impl Transformer {
    /// A Transformer with these weights.
    ///
    /// # Errors
    /// If a tensor that the settings call for is missing or of another shape, or the settings contradict themselves.
    pub fn new(config: &Config, network: &TransformerConfig, weights: &Weights) -> Result<Self, ModelError> {
        check(network, weights)?;
        let dim = network.dim_emb;
        let tied = network.tied_embeddings;
        let source = Embedding::load(weights, tied.source_table(), config.source_words, dim)?;
        let target = if tied.source_target && config.source_words == config.target_words {
            source.clone()
        } else {
            Embedding::load(weights, tied.target_table(), config.target_words, dim)?
        };
        let table = tied.output_table().map(|_| &target);
        let names = OutputNames { table, prefix: "decoder_ff_logit_out", bias: network.output_bias };
        let output = Output::load(weights, names, dim, config.target_words)?;
        let positions = Arc::new(Positions::load(weights, network.positions, dim)?);
        let encoder_input = Input::load(weights, "encoder", network, source, Arc::clone(&positions))?;
        let decoder_input = Input::load(weights, "decoder", network, target, positions)?;
        Ok(Self {
            encoder: Encoder::load(weights, network, encoder_input)?,
            decoder: Decoder::load(weights, network, decoder_input)?,
            output,
            dim,
            target_words: config.target_words,
            end_of_sentence: WordId(config.end_of_sentence),
        })
    }

    /// Memory that the weights take, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let shared = self.encoder.input.shares_embedding(&self.decoder.input);
        let twice = if shared { self.encoder.input.bytes() } else { 0 };
        self.encoder.bytes() + self.decoder.bytes() + self.output.bytes() - twice
    }
}

/// What the readers of settings leave open.
fn check(network: &TransformerConfig, weights: &Weights) -> Result<(), ModelError> {
    let refuse = |problem: String| Err(ModelError::settings(weights.path(), problem));
    for (name, operations) in [("before a block", &network.preprocess), ("after embeddings", &network.postprocess_emb)]
    {
        let Operations(operations) = operations;
        if operations.iter().any(|o| matches!(o, Operation::Add | Operation::Highway)) {
            return refuse(format!("only normalisations can stand {name}, there is nothing to skip"));
        }
    }
    if network.encoder_ffn.depth == 0 || network.decoder_ffn.depth == 0 {
        return refuse("a feed-forward block needs a depth of at least 1".into());
    }
    if !network.tied_layers.is_empty() && network.tied_layers.len() != network.decoder_depth {
        let (given, depth) = (network.tied_layers.len(), network.decoder_depth);
        return refuse(format!("tied layers are given for {given} layers, the decoder has {depth}"));
    }
    let layers = 1..=network.decoder_depth;
    if !layers.contains(&network.alignment_layer) || !network.tied_layers.iter().all(|n| layers.contains(n)) {
        return refuse(format!("the decoder has layers 1 to {}, others are referred to", network.decoder_depth));
    }
    if network.heads == 0 || !network.dim_emb.is_multiple_of(network.heads) {
        return refuse(format!("{} numbers can not be cut into {} heads", network.dim_emb, network.heads));
    }
    Ok(())
}

impl StepModel for Transformer {
    type State = TransformerState;
    type Scores = Scores;

    /// Every Transformer has attention: the first head of the layer that guided alignment trains, by default the last
    /// one. Marian shows this head, too, whether the model was trained with alignments or not.
    fn facts(&self) -> ModelFacts {
        let Self { target_words, end_of_sentence, .. } = *self;
        ModelFacts { target_words, end_of_sentence, log_probs: true, attention: true }
    }

    fn new_state(&self) -> TransformerState {
        TransformerState { decoder: self.decoder.new_state(), ..TransformerState::default() }
    }

    fn new_scores(&self) -> Scores {
        Scores::new()
    }

    fn encode(&self, sentences: &[Sentence<'_>], state: &mut TransformerState) {
        self.encoder.encode(sentences, self.dim, &mut state.encoded);
        self.decoder.admit(sentences, &state.encoded, &mut state.decoder);
    }

    fn release(&self, slot: SentId, state: &mut TransformerState) {
        state.decoder.release(slot);
    }

    fn step(&self, step: Step, rows: &[StepRow], state: &mut TransformerState, scores: &mut Scores) {
        self.decoder.step(step, rows, self.dim, &mut state.decoder);
        scores.compute(step, &self.output, &state.decoder.output);
    }

    fn attention<'s>(&self, state: &'s TransformerState, row: Row) -> &'s [f32] {
        state.decoder.attention(row)
    }
}
