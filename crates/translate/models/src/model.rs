//! Any model, by its architecture.

use crate::device::DeviceNetwork;
use crate::ensemble::{Ensemble, EnsembleState};
use crate::on_device::{OnDevice, OnDeviceState};
use crate::parts;
use crate::recurrent::{Optimizations, Recurrent, RecurrentState};
use crate::transformer::{Transformer, TransformerState};
use crate::weights::FromFile;
use crate::{Config, ModelError, Precision, Scores, Weights};
use metaphrase_base::{ModelFacts, Row, SentId, Sentence, Step, StepDemand, StepModel, StepRow, Unit, WordId};
use std::path::Path;

/// A neural translation model: settings and weights, ready to translate.
///
/// It never changes: any number of searches on any number of threads can share it.
pub struct Model {
    config: Config,
    parameters: usize,
    network: Network,
    /// Whether scores are the output layer's own.
    raw_scores: bool,
}

/// The architectures.
enum Network {
    Transformer(Box<Transformer>),
    Recurrent(Box<Recurrent>),
    Ensemble(Box<Ensemble>),
    Device(OnDevice),
}

/// Everything that the search of one batch changes; see [`StepModel::State`].
#[derive(Debug)]
pub enum State {
    /// The state of a Transformer.
    Transformer(Box<TransformerState>),
    /// The state of a recurrent model.
    Recurrent(Box<RecurrentState>),
    /// The states of an ensemble.
    Ensemble(Box<EnsembleState>),
    /// The state of a network on another device.
    Device(Box<OnDeviceState>),
}

impl Model {
    /// Loads the model at `path`, a file or directory of any known format.
    ///
    /// # Errors
    /// If there is no model, if it is damaged, if its tensors do not fit its settings, or if it is of a kind that is
    /// not implemented.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let (config, weights) = crate::load(path)?;
        Self::new(config, &weights)
    }

    /// A model with these settings and weights, which computes in f32.
    ///
    /// # Errors
    /// If the settings make no sense, or if a tensor that they call for is missing or of another shape.
    pub fn new(config: Config, weights: &Weights) -> Result<Self, ModelError> {
        Self::with_precision(config, weights, Precision::F32)
    }

    /// A model with these settings and weights, whose maps, output layer and embeddings have this precision. In other
    /// precisions than f32 the model needs less memory and time, and its scores are close to those of f32. In every
    /// precision they are the same to the bit alone and in any batch.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_precision(config: Config, weights: &Weights, precision: Precision) -> Result<Self, ModelError> {
        config.check(weights.path())?;
        let network = match parts::Network::build(&config, &mut FromFile { weights, precision })? {
            parts::Network::Transformer(parts) => Network::Transformer(Box::new(Transformer::pack(*parts))),
            parts::Network::Recurrent(parts) => Network::Recurrent(Box::new(Recurrent::pack(*parts))),
        };
        let parameters = weights.parameters(&config);
        Ok(Self { config, parameters, network, raw_scores: false })
    }

    /// The model of these settings and weights, whose network is on another device.
    ///
    /// # Errors
    /// If the settings make no sense.
    pub fn on_device(config: Config, weights: &Weights, network: Box<dyn DeviceNetwork>) -> Result<Self, ModelError> {
        config.check(weights.path())?;
        let parameters = weights.parameters(&config);
        let network = Network::Device(OnDevice { network, words: config.target_words });
        Ok(Self { config, parameters, network, raw_scores: false })
    }

    /// An ensemble of models over the same words, of any architectures: a word's score is the sum of `weights[i]`
    /// times its log-probability in model `i`. Its settings and its attention are those of the first model.
    ///
    /// # Errors
    /// [`ModelError::Ensemble`] if the models do not go together, or if there is not a positive weight for each.
    pub fn ensemble(models: Vec<Self>, weights: &[f32]) -> Result<Self, ModelError> {
        let ensemble = Ensemble::new(models, weights)?;
        let (config, parameters) = (ensemble.config().clone(), ensemble.parameters());
        Ok(Self { config, parameters, network: Network::Ensemble(Box::new(ensemble)), raw_scores: false })
    }

    /// The same model with the output layer's logits as scores, without the softmax: for models trained to
    /// normalise themselves (Zhang et al. 2018, eq. 12). An ensemble's members decide for themselves.
    #[must_use]
    pub fn with_raw_scores(mut self) -> Self {
        self.raw_scores = true;
        self
    }

    /// The same model with `word`, one of its target words, as the end of sentence: files of Marian do not name it.
    #[must_use]
    pub fn with_end_of_sentence(mut self, word: WordId) -> Self {
        self.config.end_of_sentence = word.0;
        self
    }

    /// The same model with these optimizations, if it is a recurrent one. An ensemble's members decide for
    /// themselves.
    #[must_use]
    pub fn with_optimizations(mut self, optimizations: Optimizations) -> Self {
        if let Network::Recurrent(network) = &mut self.network {
            network.set_optimizations(optimizations, self.config.target_words);
        }
        self
    }

    /// The settings.
    #[must_use]
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// Why the device of the model, or of a member of an ensemble, has failed: then its scores are NaN.
    #[must_use]
    pub fn device_failure(&self) -> Option<String> {
        match &self.network {
            Network::Device(device) => device.network.failure(),
            Network::Ensemble(ensemble) => ensemble.device_failure(),
            Network::Transformer(_) | Network::Recurrent(_) => None,
        }
    }

    /// How many numbers the model was trained to have.
    #[must_use]
    pub const fn parameters(&self) -> usize {
        self.parameters
    }
}

/// `$body` with the network and its own kind of state: a line per architecture.
macro_rules! with_network {
    ($model:ident, $state:expr, |$network:ident, $network_state:ident| $body:expr) => {
        match (&$model.network, $state) {
            (Network::Transformer($network), State::Transformer($network_state)) => $body,
            (Network::Recurrent($network), State::Recurrent($network_state)) => $body,
            (Network::Ensemble($network), State::Ensemble($network_state)) => $body,
            (Network::Device($network), State::Device($network_state)) => $body,
            _ => panic!("the state was made by a model of another architecture"),
        }
    };
}

impl StepModel for Model {
    type State = State;
    type Scores = Scores;

    /// Every model has attention. A Transformer's is the first head of the layer that guided alignment trains, by
    /// default the last one; Marian shows this head, too, whether the model was trained with alignments or not.
    fn facts(&self) -> ModelFacts {
        let log_probs = match &self.network {
            Network::Ensemble(model) => model.log_probs(),
            Network::Transformer(_) | Network::Recurrent(_) | Network::Device(_) => !self.raw_scores,
        };
        let (target_words, end_of_sentence) = (self.config.target_words, WordId(self.config.end_of_sentence));
        ModelFacts { target_words, end_of_sentence, log_probs, attention: true }
    }

    fn new_state(&self) -> State {
        match &self.network {
            Network::Transformer(model) => State::Transformer(Box::new(model.new_state())),
            Network::Recurrent(_) => State::Recurrent(Box::default()),
            Network::Ensemble(model) => State::Ensemble(Box::new(model.new_state())),
            Network::Device(model) => State::Device(Box::new(model.new_state())),
        }
    }

    fn new_scores(&self) -> Scores {
        let raw = self.raw_scores || matches!(self.network, Network::Ensemble(_));
        let scores = if raw { Scores::raw() } else { Scores::new() };
        match &self.network {
            Network::Device(device) => scores.on_device(device.network.new_logits()),
            _ => scores,
        }
    }

    fn encode(&self, sentences: &[Sentence<'_>], state: &mut State) {
        let _unit = Unit::Encoder.timed();
        with_network!(self, state, |model, state| model.encode(sentences, state))
    }

    fn release(&self, slot: SentId, state: &mut State) {
        with_network!(self, state, |model, state| model.release(slot, state))
    }

    fn step(&self, step: Step, demand: StepDemand, rows: &[StepRow], state: &mut State, scores: &mut Scores) {
        let _unit = Unit::Decoder.timed();
        with_network!(self, state, |model, state| model.step(step, demand, rows, state, scores))
    }

    fn attention<'s>(&self, state: &'s State, row: Row) -> &'s [f32] {
        with_network!(self, state, |model, state| model.attention(state, row))
    }

    fn lacks_memory(&self, state: &State) -> bool {
        match (&self.network, state) {
            (Network::Device(_), State::Device(state)) => state.lacks_memory(),
            (Network::Ensemble(model), State::Ensemble(state)) => model.lacks_memory(state),
            _ => false,
        }
    }
}
