//! The networks of `metaphrase_models`, as they are trained: the same structures, whose tensors are parameters.
//!
//! A network declares its parameters once. Its forward pass puts a batch on a [`Tape`]: all words of all sentences at
//! once, with the words so far given. A test per architecture holds each forward pass against inference, word by word.

mod deepen;
mod guided;
mod recurrent;
mod transformer;

use crate::data::{Batch, Sentences};
use crate::new_words::NewWords;
use crate::parameters::{ParameterId, Parameters};
use crate::tape::{OutputLoss, Spans, Tape, Var, WordLoss};
use metaphrase_device::Device;
use metaphrase_kernels::Matrix;
use metaphrase_models::config::{Activation, Cell, LayerNorm, Positions, Problem};
use metaphrase_models::{Architecture, Config, parts};
use serde::{Deserialize, Serialize};

/// A network that can be trained.
pub struct Network {
    parts: parts::Network<ParameterId>,
    /// Words of source and target vocabulary.
    words: (usize, usize),
}

/// Settings that no network has, or that can not be trained.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NetworkError(pub String);

/// Probabilities with which numbers are dropped while training. The defaults of `layer` and `output` are 0.1, of
/// others 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Dropout {
    /// Transformer: of embeddings and of the output of each block, before the skip connection.
    pub layer: f32,
    /// Transformer: of attention weights.
    pub attention: f32,
    /// Transformer: of the inner layers of feed-forward blocks.
    pub feed_forward: f32,
    /// Probability of dropping whole source words.
    pub source_words: f32,
    /// Probability of dropping whole target words.
    pub target_words: f32,
    /// Recurrent: of inputs and states, the same numbers at each word of a sentence (Gal and Ghahramani 2016).
    pub recurrent: f32,
    /// Recurrent: of the layer that the output layer reads (Zhang et al. 2018, §4.3).
    pub output: f32,
}

impl Dropout {
    /// Nothing is dropped.
    pub const NONE: Self = Self {
        layer: 0.0,
        attention: 0.0,
        feed_forward: 0.0,
        source_words: 0.0,
        target_words: 0.0,
        recurrent: 0.0,
        output: 0.0,
    };
}

impl Default for Dropout {
    fn default() -> Self {
        Self { layer: 0.1, output: 0.1, ..Self::NONE }
    }
}

/// The loss, which training makes small. The default is cross-entropy with a label smoothing of 0.1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct LossSettings {
    /// ε of label smoothing: the share of the probability that is asked of all words in equal parts.
    pub label_smoothing: f32,
    /// α of the self-normalised loss (Zhang et al. 2018, eq. 11): the cost of (ln Z)².
    pub self_normalisation: f32,
    /// The cost of the cross-entropy of attention against given alignments (Chen et al. 2016); Marian has 0.1.
    pub guided_alignment: f32,
}

impl LossSettings {
    /// Cross-entropy alone.
    pub const PLAIN: Self = Self { label_smoothing: 0.0, self_normalisation: 0.0, guided_alignment: 0.0 };
}

impl Default for LossSettings {
    fn default() -> Self {
        Self { label_smoothing: 0.1, ..Self::PLAIN }
    }
}

/// The results of a forward pass, but for the output layer.
struct DecoderOutput {
    /// The input of the output layer, a row per target word.
    output: Var,
    /// The words that these rows should predict.
    words: Vec<u32>,
    /// The attention that is the alignment.
    attended: Vec<AttentionRows>,
}

/// Attention of some target words over their source sentences.
struct AttentionRows {
    value: Var,
    /// Sentence and position of each query, in order.
    queries: Vec<(usize, usize)>,
    heads: usize,
}

/// The settings of a network that no network has, and those that training alone does not have.
pub(crate) fn problems(architecture: &Architecture) -> Vec<Problem> {
    let mut problems = architecture.problems();
    match architecture {
        Architecture::Recurrent(network)
            if network.layer_norm != LayerNorm::None
                && [network.encoder_cell, network.decoder_cell].contains(&Cell::Tanh) =>
        {
            let sentence =
                "cells of kind tanh can not be trained with layer normalisation; set `layer-norm` to \"none\"";
            problems.push(Problem { key: "layer-norm", sentence: sentence.into() });
        }
        Architecture::Recurrent(network) if network.attention_heads > 1 => {
            let sentence =
                "several attentions can not be trained: they are those of an ensemble that became one network";
            problems.push(Problem { key: "attention-heads", sentence: sentence.into() });
        }
        Architecture::Transformer(network) => {
            let untrained = [
                (network.gated_ffn, "gated-ffn", "gates of feed-forward blocks"),
                (network.dim_head.is_some(), "dim-head", "heads of a size of their own"),
                (network.activation == Activation::GeluTanh, "activation", "the activation gelu-tanh"),
                (matches!(network.positions, Positions::Buckets { .. }), "positions", "buckets of distances"),
            ];
            for (_, key, what) in untrained.iter().filter(|(found, ..)| *found) {
                let sentence = format!("{what}, as models of T5 have them, can not be trained");
                problems.push(Problem { key, sentence });
            }
        }
        Architecture::Recurrent(_) => {}
    }
    problems
}

/// Checks the settings of a network that is to be trained.
///
/// # Errors
/// A sentence about the first setting that is refused.
pub fn check(architecture: &Architecture) -> Result<(), NetworkError> {
    problems(architecture).into_iter().next().map_or(Ok(()), |problem| Err(NetworkError(problem.sentence)))
}

impl Network {
    /// The network of these settings; its parameters are declared.
    ///
    /// # Errors
    /// If the settings have something that can not be trained.
    pub fn declare(config: &Config, parameters: &mut Parameters) -> Result<Self, NetworkError> {
        check(&config.architecture)?;
        config.problem().map_or(Ok(()), |problem| Err(NetworkError(problem)))?;
        if let Architecture::Transformer(network) = &config.architecture
            && (network.source_start.is_some() || network.source_without_end)
        {
            let problem =
                "`source-start` and `source-without-end` are not trained: sentences have their words and their end";
            return Err(NetworkError(problem.to_owned()));
        }
        let Ok(parts) = parts::Network::build(config, parameters);
        Ok(Self { parts, words: (config.source_words, config.target_words) })
    }

    /// Words of source and target vocabulary.
    pub(crate) const fn words(&self) -> (usize, usize) {
        self.words
    }

    /// Sets the output layer's bias, if it has one, to the logarithms of the words' shares of `counts`, one added to
    /// each.
    ///
    /// A new network then begins where it would first have to get: at the entropy of single words, and with Z near 1 as
    /// self-normalisation asks for (Devlin et al. 2014, §2.4). Without it, layers near the output take on the shares of
    /// words as large constants, sooner than the bias can, and saturate.
    ///
    /// # Panics
    /// If there is not one count for each target word.
    pub fn start_from(&self, counts: &[u64], parameters: &mut Parameters) {
        if let Some(bias) = self.parts.words().output_bias {
            let sum = counts.iter().map(|&count| count as f64 + 1.0).sum::<f64>();
            let shares = counts.iter().map(|&count| ((count as f64 + 1.0) / sum).ln() as f32).collect();
            parameters
                .set(bias, &Matrix::from_vec(1, self.words.1, shares))
                .expect("a value of the parameter's own shape");
        }
    }

    /// Lets the layers of a Transformer whose parameters' names are `new` pass on what they get. All other parameters
    /// are set.
    pub(crate) fn pass_on(&self, new: impl Fn(&str) -> bool, parameters: &mut Parameters) {
        if let parts::Network::Transformer(network) = &self.parts {
            deepen::pass_on(network, |id, parameters| new(parameters.name(id)), parameters);
        }
    }

    /// Gives words that are new to the parameters, which are all set, rows of their own in the tables of words.
    pub(crate) fn begin_words(&self, source: &NewWords, target: &NewWords, parameters: &mut Parameters) {
        let tables = self.parts.words();
        let rows = [(tables.source, source), (tables.target, target), (tables.output, target)];
        for (number, &(id, words)) in rows.iter().enumerate() {
            let tied = rows[..number].iter().any(|&(before, _)| before == id);
            if !tied {
                change(id, parameters, |table| words.begin_rows(table));
            }
        }
        if let Some(bias) = tables.output_bias {
            change(bias, parameters, |table| target.begin_columns(table));
        }
    }

    /// The losses of a batch's target words, to be read by the device. Their derivatives times `weight` are on the
    /// tape.
    pub fn loss<D: Device>(
        &self,
        tape: &mut Tape<'_, D>,
        batch: &Batch,
        dropout: &Dropout,
        settings: &LossSettings,
        weight: f32,
    ) -> D::Unread {
        let decoded = self.forward(tape, batch, dropout);
        let words = self.parts.words();
        let layer = OutputLoss {
            table: words.output,
            bias: words.output_bias,
            loss: WordLoss {
                smoothing: settings.label_smoothing,
                self_normalisation: settings.self_normalisation,
                weight,
            },
        };
        let guided = guided::guide(tape, batch, &decoded.attended, settings.guided_alignment, weight);
        let mut losses = tape.output_loss(decoded.output, &decoded.words, &layer);
        D::add_loss(guided, &mut losses);
        losses
    }

    fn forward<D: Device>(&self, tape: &mut Tape<'_, D>, batch: &Batch, dropout: &Dropout) -> DecoderOutput {
        match &self.parts {
            parts::Network::Transformer(network) => transformer::forward(network, tape, batch, dropout),
            parts::Network::Recurrent(network) => recurrent::forward(network, tape, batch, dropout),
        }
    }

    /// The output layer's inputs for a batch, a row for each target word, without dropout.
    pub(crate) fn output<D: Device>(&self, tape: &mut Tape<'_, D>, batch: &Batch) -> Var {
        self.forward(tape, batch, &Dropout::NONE).output
    }
}

/// The word before each word; `start` before the first of a sentence.
fn shifted(sentences: &Sentences, start: Option<u32>) -> Vec<Option<u32>> {
    let mut before = Vec::with_capacity(sentences.all().len());
    for i in 0..sentences.len() {
        let words = sentences.get(i);
        before.push(start);
        before.extend(words[..words.len() - 1].iter().map(|word| Some(word.0)));
    }
    before
}

/// Where each sentence lies.
fn spans(sentences: &Sentences) -> Spans {
    (0..sentences.len()).map(|i| sentences.range(i)).collect()
}

fn change(id: ParameterId, parameters: &mut Parameters, change: impl Fn(&mut Matrix)) {
    let mut value = parameters.value(id).clone();
    change(&mut value);
    parameters.set(id, &value).expect("a value of the parameter's own shape");
}

#[cfg(test)]
pub(crate) mod tests;
