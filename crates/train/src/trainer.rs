//! One update: gradients of a batch by several threads, and what they do to the parameters.

use crate::data::Batch;
use crate::networks::{Dropout, LossSettings, Network, NetworkError};
use crate::on_cuda::{DeviceError, OnCuda};
use crate::optimizer::{Optimizer, OptimizerSettings, Step};
use crate::parameters::{Gradients, Parameters};
use crate::tape::{Tape, WordLosses};
use metaphrase_cuda::{Cuda, CudaError};
use metaphrase_device::{Host, Precision, Storage};
use metaphrase_models::Config;
use serde::{Deserialize, Serialize};

/// Settings of a [`Trainer`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct TrainerSettings {
    /// The precision of products.
    pub precision: Precision,
    /// What is minimised.
    pub loss: LossSettings,
    /// What is dropped at random.
    pub dropout: Dropout,
    /// How parameters follow the gradients.
    pub optimizer: OptimizerSettings,
}

/// A network in training.
///
/// A batch is divided among threads; each computes the gradients of its part, and these are added in the order of the
/// parts. So the same batches give the same bits for the same number of threads. On a [`Cuda`] device a batch is one part;
/// evaluation stays on the CPU.
pub struct Trainer {
    network: Network,
    settings: TrainerSettings,
    seed: u64,
    parameters: Parameters,
    optimizer: Optimizer,
    /// One per thread.
    shards: Vec<Host>,
    gradients: Vec<Gradients>,
    /// Where updates happen, if not here: what is above is then what [`fetch`](Self::fetch) has brought last.
    on_cuda: Option<OnCuda>,
}

/// What an update was like.
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// Losses of all target words.
    pub losses: WordLosses,
    /// Norm of the gradient and learning rate.
    pub step: Step,
}

/// Why an update failed. The parameters are those before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UpdateError {
    /// The loss or a gradient is infinite or not a number.
    #[error("update {update}: {what} is not finite; a smaller learning rate or `clip-norm` may help")]
    NotFinite {
        /// The number of the update, from 1.
        update: u64,
        /// The loss, or the first tensor concerned.
        what: String,
    },
    /// The device has failed.
    #[error(transparent)]
    Device(#[from] CudaError),
}

impl Trainer {
    /// A network with new parameters, drawn from the seed.
    ///
    /// # Errors
    /// If the settings have something that can not be trained.
    pub fn new(config: &Config, settings: TrainerSettings, seed: u64, threads: usize) -> Result<Self, NetworkError> {
        let mut parameters = Parameters::new(seed);
        let network = Network::declare(config, &mut parameters)?;
        let threads = threads.max(1);
        let gradients = (0..threads).map(|_| Gradients::new(&parameters)).collect();
        let optimizer = Optimizer::new(settings.optimizer, &parameters);
        let shards = (0..threads).map(|_| Host::new(settings.precision)).collect();
        Ok(Self { network, settings, seed, parameters, optimizer, shards, gradients, on_cuda: None })
    }

    /// Begins with an output bias that gives target words their shares of `counts` ([`Network::start_from`]).
    ///
    /// # Panics
    /// If there is not one count for each target word.
    pub fn start_from(&mut self, counts: &[u64]) {
        self.network.start_from(counts, &mut self.parameters);
    }

    /// Goes on with updates on a CUDA device, if that computes the same as the CPU. Returns the largest difference seen,
    /// as a share of the largest number.
    ///
    /// # Errors
    /// If it does not, or fails.
    pub fn move_to(&mut self, cuda: Cuda) -> Result<f32, DeviceError> {
        let mut on_cuda = OnCuda::new(cuda, &self.parameters, &self.optimizer)?;
        let difference = on_cuda.try_out((&self.network, &self.settings), &self.parameters)?;
        self.on_cuda = Some(on_cuda);
        Ok(difference)
    }

    #[cfg(test)]
    pub(crate) const fn on_cuda(&mut self) -> Option<&mut OnCuda> {
        self.on_cuda.as_mut()
    }

    /// Brings parameters and the optimizer's state here, if updates happen on another device.
    ///
    /// # Errors
    /// If that has failed.
    pub fn fetch(&mut self) -> Result<(), CudaError> {
        let Some(on_cuda) = &mut self.on_cuda else { return Ok(()) };
        on_cuda.fetch(&mut self.parameters, &mut self.optimizer)?;
        self.parameters.changed(self.shards.len());
        Ok(())
    }

    /// The parameters.
    #[must_use]
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The parameters, to be set.
    pub const fn parameters_mut(&mut self) -> &mut Parameters {
        &mut self.parameters
    }

    /// What the updates have left behind.
    #[must_use]
    pub const fn optimizer(&self) -> &Optimizer {
        &self.optimizer
    }

    /// The same, to be set.
    pub const fn optimizer_mut(&mut self) -> &mut Optimizer {
        &mut self.optimizer
    }

    /// Exchanges the parameters with the smoothed ones, if there are any: to measure and to save those. Doing it again
    /// takes it back.
    pub fn swap_smoothed(&mut self) {
        if let Some(smoothed) = self.optimizer.smoothed_mut() {
            self.parameters.values_mut().zip(smoothed).for_each(|(p, s)| std::mem::swap(p, s));
            self.parameters.changed(self.shards.len());
        }
    }

    /// Computes the gradients of a batch and changes the parameters.
    ///
    /// # Errors
    /// If the loss or a gradient is not finite; the parameters are then as before.
    pub fn update(&mut self, batch: &Batch) -> Result<Update, UpdateError> {
        let update = self.optimizer.updates() + 1;
        if let Some(on_cuda) = &mut self.on_cuda {
            let dropout_seed = self.seed ^ (update << 8);
            let losses = on_cuda.differentiate(&self.network, batch, &self.settings, dropout_seed);
            return on_cuda.update(&mut self.optimizer, losses);
        }
        let losses = self.run(batch, Some(update));
        let not_finite = |what: String| Err(UpdateError::NotFinite { update, what });
        if !losses.loss.is_finite() {
            return not_finite(self.first_not_finite().unwrap_or_else(|| "the loss".to_owned()));
        }
        let threads = self.shards.len();
        let norm = Optimizer::sum(&mut self.gradients, threads);
        if !norm.is_finite() {
            return not_finite(self.first_not_finite().unwrap_or_else(|| "the norm of the gradient".to_owned()));
        }
        let step = self.optimizer.update(&mut self.parameters, &self.gradients[0], norm, threads);
        Ok(Update { losses, step })
    }

    /// The losses of a batch, without dropout and without an update.
    pub fn evaluate(&mut self, batch: &Batch) -> WordLosses {
        self.run(batch, None)
    }

    /// Losses, and gradients if this is an update.
    fn run(&mut self, batch: &Batch, update: Option<u64>) -> WordLosses {
        let Self { network, settings, seed, parameters, shards, gradients, .. } = self;
        let parts = batch.split(shards.len());
        let weight = 1.0 / batch.target.words().len().max(1) as f32;
        let losses: Vec<WordLosses> = std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for (i, (part, (shard, gradients))) in parts.iter().zip(shards.iter_mut().zip(&mut *gradients)).enumerate()
            {
                let dropout_seed = update.map(|update| *seed ^ (update << 8) ^ ((i as u64) << 56));
                let (network, parameters, settings) = (&*network, &*parameters, &*settings);
                threads.push(scope.spawn(move || {
                    let gradients = update.is_some().then(|| {
                        gradients.clear();
                        gradients
                    });
                    let mut tape = Tape::new(parameters, gradients, dropout_seed, shard);
                    let losses = network.loss(&mut tape, part, &settings.dropout, &settings.loss, weight);
                    tape.backward();
                    losses
                }));
            }
            threads.into_iter().map(|t| t.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
        });
        if update.is_some() {
            gradients[parts.len()..].iter_mut().for_each(Gradients::clear);
        }
        losses.into_iter().fold(WordLosses::default(), |mut all, part| {
            all.loss += part.loss;
            all.log_probs.extend(part.log_probs);
            all.log_z.extend(part.log_z);
            all
        })
    }

    fn first_not_finite(&self) -> Option<String> {
        let finite = |m: &metaphrase_kernels::Matrix| m.as_slice().iter().all(|v| v.is_finite());
        first_not_finite(&self.parameters, &self.gradients, finite)
    }
}

/// The first parameter that is not finite, or else whose gradient is not.
pub(crate) fn first_not_finite<D: Storage>(
    parameters: &Parameters<D>,
    gradients: &[Gradients<D::Matrix>],
    mut finite: impl FnMut(&D::Matrix) -> bool,
) -> Option<String> {
    let parameter = parameters.iter().find(|(_, value)| !finite(value));
    parameter.map(|(name, _)| format!("tensor `{name}`")).or_else(|| {
        let mut all = gradients.iter().flat_map(|g| parameters.iter().zip(g.matrices()));
        all.find(|(_, gradient)| !finite(gradient)).map(|((name, _), _)| format!("the gradient of tensor `{name}`"))
    })
}
