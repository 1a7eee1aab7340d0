//! The networks of `metaphrase_models`, as they are trained: from the same settings, with the same tensors.
//!
//! A network declares its parameters once and then puts a batch on a [`Tape`]: all words of all sentences at once, the
//! words so far being given. A test per architecture holds each against inference, word by word.

mod guided;
mod recurrent;
mod transformer;

use crate::data::{Batch, Sentences};
use crate::parameters::{Init, ParameterId, Parameters};
use crate::tape::{OutputLoss, Spans, Tape, Var, WordLoss, WordLosses};
use metaphrase_device::Device;
use metaphrase_kernels::Matrix;
use metaphrase_models::config::{DecoderForm, TiedEmbeddings};
use metaphrase_models::{Architecture, Config};
use recurrent::Recurrent;
use serde::{Deserialize, Serialize};
use transformer::Transformer;

/// A network that can be trained.
pub struct Network {
    kind: Kind,
    output: Output,
    /// Words of source and target vocabulary.
    words: (usize, usize),
}

enum Kind {
    Transformer(Box<Transformer>),
    Recurrent(Box<Recurrent>),
}

/// Settings that no trainable network has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NetworkError(pub String);

/// Probabilities with which numbers are dropped while training.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Dropout {
    /// Transformer: of embeddings and of the output of each block, before the skip connection.
    pub layer: f32,
    /// Transformer: of attention weights.
    pub attention: f32,
    /// Transformer: of the inner layers of feed-forward blocks.
    pub feed_forward: f32,
    /// Of whole source words.
    pub source_words: f32,
    /// Of whole target words.
    pub target_words: f32,
    /// Recurrent: of inputs and states, the same numbers at each word of a sentence (Gal and Ghahramani 2016).
    pub recurrent: f32,
    /// Recurrent: of the layer that the output layer reads (Zhang et al. 2018, §4.3).
    pub output: f32,
}

/// What is minimised.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct LossSettings {
    /// ε of label smoothing: so much of a word's probability is asked for in equal parts of all words.
    pub label_smoothing: f32,
    /// α of the self-normalised loss (Zhang et al. 2018, eq. 11): what (ln Z)² costs.
    pub self_normalisation: f32,
    /// What the cross-entropy of attention against given alignments costs (Chen et al. 2016); Marian has 0.1.
    pub guided_alignment: f32,
}

/// What a network makes of a batch.
struct Decoded {
    /// What the output layer reads, a row per target word.
    output: Var,
    /// The words that these rows should predict.
    words: Vec<u32>,
    /// The attention that is the alignment.
    attended: Vec<Attended>,
}

/// Attention of some target words over their source sentences.
struct Attended {
    value: Var,
    /// Sentence and position of each query, in order.
    queries: Vec<(usize, usize)>,
    heads: usize,
}

/// The output layer's parameters.
struct Output {
    /// `words × n`.
    table: ParameterId,
    bias: Option<ParameterId>,
}

impl Output {
    /// The layer `{prefix}_Wt`, `{prefix}_b`, or the table of target words if that is the output layer too.
    fn declare(
        parameters: &mut Parameters,
        prefix: &str,
        (words, inputs): (usize, usize),
        tied: TiedEmbeddings,
        bias: bool,
    ) -> Self {
        let table = match tied.output_table() {
            Some(name) => embedding(parameters, name, words, inputs),
            None => parameters.declare(&format!("{prefix}_Wt"), words, inputs, Init::Glorot),
        };
        let bias = bias.then(|| parameters.declare(&format!("{prefix}_b"), 1, words, Init::Constant(0.0)));
        Self { table, bias }
    }
}

/// A table of word vectors, `words × dim`, uniform in ±√(3 / dim): as for a Glorot map that only has outputs.
fn embedding(parameters: &mut Parameters, name: &str, words: usize, dim: usize) -> ParameterId {
    parameters.declare(name, words, dim, Init::Uniform((3.0 / dim as f32).sqrt()))
}

impl Network {
    /// The network of these settings; its parameters are declared.
    ///
    /// # Errors
    /// If the settings have something that can not be trained.
    pub fn declare(config: &Config, parameters: &mut Parameters) -> Result<Self, NetworkError> {
        let vocabularies = (config.source_words, config.target_words);
        match &config.architecture {
            Architecture::Transformer(settings) => {
                let words = (config.target_words, settings.dim_emb);
                let output = "decoder_ff_logit_out";
                let output = Output::declare(parameters, output, words, settings.tied_embeddings, settings.output_bias);
                let transformer = Transformer::declare(config, settings, parameters)?;
                Ok(Self { kind: Kind::Transformer(Box::new(transformer)), output, words: vocabularies })
            }
            Architecture::Recurrent(settings) => {
                let dim = match &settings.decoder {
                    DecoderForm::Conditional => settings.dim_emb,
                    DecoderForm::AttentionFirst(form) => form.dim_output(settings.dim_rnn),
                };
                let words = (config.target_words, dim);
                let output = "decoder_ff_logit_l2";
                let output = Output::declare(parameters, output, words, settings.tied_embeddings, settings.output_bias);
                let recurrent = Recurrent::declare(config, settings, parameters)?;
                Ok(Self { kind: Kind::Recurrent(Box::new(recurrent)), output, words: vocabularies })
            }
        }
    }

    /// Words of source and target vocabulary.
    pub(crate) const fn words(&self) -> (usize, usize) {
        self.words
    }

    /// Sets the output layer's bias, if it has one, to the logarithms of the words' shares of `counts`, one added to each.
    ///
    /// A new network then begins where it would first have to get: at the entropy of single words, and with Z near 1 as
    /// self-normalisation asks for (Devlin et al. 2014, §2.4). Without it, layers near the output take on the shares of
    /// words as large constants, sooner than the bias can, and saturate.
    ///
    /// # Panics
    /// If there is not one count for each target word.
    pub fn start_from(&self, counts: &[u64], parameters: &mut Parameters) {
        if let Some(bias) = self.output.bias {
            let sum = counts.iter().map(|&count| count as f64 + 1.0).sum::<f64>();
            let shares = counts.iter().map(|&count| ((count as f64 + 1.0) / sum).ln() as f32).collect();
            parameters
                .set(bias, &Matrix::from_vec(1, self.words.1, shares))
                .expect("a value of the parameter's own shape");
        }
    }

    /// The losses of a batch's target words; their derivatives times `weight` are on the tape.
    pub fn loss<D: Device>(
        &self,
        tape: &mut Tape<'_, D>,
        batch: &Batch,
        dropout: &Dropout,
        settings: &LossSettings,
        weight: f32,
    ) -> WordLosses {
        let decoded = match &self.kind {
            Kind::Transformer(network) => network.forward(tape, batch, dropout),
            Kind::Recurrent(network) => network.forward(tape, batch, dropout),
        };
        let layer = OutputLoss {
            table: self.output.table,
            bias: self.output.bias,
            loss: WordLoss {
                smoothing: settings.label_smoothing,
                self_normalisation: settings.self_normalisation,
                weight,
            },
        };
        let guided = guided::guide(tape, batch, &decoded.attended, settings.guided_alignment, weight);
        let mut losses = tape.output_loss(decoded.output, &decoded.words, &layer);
        losses.loss += guided;
        losses
    }
}

/// The word before each word; none before the first of a sentence.
fn shifted(sentences: &Sentences) -> Vec<Option<u32>> {
    let mut before = Vec::with_capacity(sentences.words().len());
    for i in 0..sentences.len() {
        let words = sentences.sentence(i);
        before.push(None);
        before.extend(words[..words.len() - 1].iter().map(|word| Some(word.0)));
    }
    before
}

/// Where each sentence lies.
fn spans(sentences: &Sentences) -> Spans {
    (0..sentences.len()).map(|i| sentences.range(i)).collect()
}

#[cfg(test)]
pub(crate) mod architectures;
#[cfg(test)]
pub(crate) mod tests;
