//! One update: the gradients of a batch by all shards, and the change of the parameters.

use crate::data::Batch;
use crate::networks::{Dropout, LossSettings, Network, NetworkError};
use crate::optimizer::{Optimizer, OptimizerSettings, Step};
use crate::parameters::{Gradients, Parameters};
use crate::tape::{Tape, WordLosses};
use metaphrase_base::in_parallel;
use metaphrase_device::{Device, Failure, Host, Shape as _, TrainingPrecision};
use metaphrase_kernels::Matrix;
use metaphrase_models::Config;
use serde::{Deserialize, Serialize};

/// Settings of a [`Trainer`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct TrainerSettings {
    /// The precision of products.
    pub precision: TrainingPrecision,
    /// The loss.
    pub loss: LossSettings,
    /// The probabilities with which numbers are dropped at random.
    pub dropout: Dropout,
    /// The number of batches whose gradients are added up for an update. The order of sums aside, the result is that of
    /// one large batch, and the memory that of a small one.
    pub accumulate: u32,
    /// How parameters follow the gradients.
    pub optimizer: OptimizerSettings,
}

impl Default for TrainerSettings {
    fn default() -> Self {
        Self {
            precision: TrainingPrecision::default(),
            loss: LossSettings::default(),
            dropout: Dropout::default(),
            accumulate: 1,
            optimizer: OptimizerSettings::default(),
        }
    }
}

impl TrainerSettings {
    /// Cross-entropy alone, without dropout and clipping.
    #[must_use]
    pub fn plain() -> Self {
        let optimizer = OptimizerSettings { clip_norm: 0.0, ..OptimizerSettings::default() };
        Self { loss: LossSettings::PLAIN, dropout: Dropout::NONE, optimizer, ..Self::default() }
    }
}

/// A network in training on a device. Parameters, gradients and the optimizer's state are in the memory of the device.
///
/// A batch is divided among shards: the threads of the CPU, or a single GPU. Each shard computes the gradients of its
/// part, and these are added in the order of the parts. So the same batches give the same bits for the same number of
/// shards.
pub struct Trainer<D: Device = Host> {
    network: Network,
    settings: TrainerSettings,
    seed: u64,
    shards: Vec<D>,
    parameters: Parameters<D>,
    optimizer: Optimizer<D>,
    /// One per shard.
    gradients: Vec<Gradients<D::Matrix>>,
}

/// The numbers of an update.
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
    Device(#[from] Failure),
}

impl Trainer {
    /// A network with new parameters, drawn from the seed, on threads of the CPU.
    ///
    /// # Errors
    /// If the settings have something that can not be trained.
    pub fn new(config: &Config, settings: TrainerSettings, seed: u64, threads: usize) -> Result<Self, NetworkError> {
        let mut parameters = Parameters::new(seed);
        let network = Network::declare(config, &mut parameters)?;
        Ok(Self::on(Host::threads(threads), network, &parameters, settings, seed))
    }
}

impl<D: Device> Trainer<D> {
    /// A network with these parameters, on shards of one device; dropout is drawn from the seed.
    ///
    /// # Panics
    /// If there is no shard.
    #[must_use]
    pub fn on(
        mut shards: Vec<D>,
        network: Network,
        parameters: &Parameters,
        settings: TrainerSettings,
        seed: u64,
    ) -> Self {
        shards.iter_mut().for_each(|shard| shard.set_precision(settings.precision));
        let parameters = parameters.on(&mut shards[0]);
        let gradients = shards.iter_mut().map(|shard| Gradients::on(shard, &parameters)).collect();
        let optimizer = Optimizer::new(settings.optimizer, &parameters, &mut shards[0]);
        Self { network, settings, seed, shards, parameters, optimizer, gradients }
    }

    /// The device: its first shard.
    #[must_use]
    pub fn device(&self) -> &D {
        &self.shards[0]
    }

    /// The parameters.
    #[must_use]
    pub const fn parameters(&self) -> &Parameters<D> {
        &self.parameters
    }

    /// Copies of the parameters in the memory of the CPU, with their names.
    ///
    /// # Errors
    /// If the device has failed.
    pub fn download(&mut self) -> Result<Vec<(String, Matrix)>, Failure> {
        let device = &mut self.shards[0];
        let all = self.parameters.iter().map(|(name, value)| (name.to_owned(), device.download(value))).collect();
        device.check()?;
        Ok(all)
    }

    /// The device, and all matrices of a checkpoint with a name for each. [`resume`](Self::resume) has to follow a
    /// change.
    pub(crate) fn checkpoint(&mut self) -> (&mut D, Vec<(String, &mut D::Matrix)>) {
        let names: Vec<String> = self.parameters.iter().map(|(name, _)| name.to_owned()).collect();
        let named = |kind: &str| names.iter().map(|name| format!("{kind}:{name}")).collect::<Vec<_>>();
        let mut all: Vec<_> = named("parameter").into_iter().zip(self.parameters.values_mut()).collect();
        for (kind, matrices) in self.optimizer.state_mut() {
            let of_kind = named(kind).into_iter().zip(matrices);
            all.extend(of_kind.filter(|(_, matrix)| matrix.rows() > 0));
        }
        (&mut self.shards[0], all)
    }

    /// Goes on after this number of updates.
    pub(crate) fn resume(&mut self, updates: u64) {
        self.optimizer.resume(updates);
        self.parameters.renew(&mut self.shards);
    }

    /// Exchanges the parameters with the smoothed ones, if there are any: to measure and to save the smoothed ones. A
    /// second call takes the first back.
    pub fn swap_smoothed(&mut self) {
        if let Some(smoothed) = self.optimizer.smoothed_mut() {
            self.parameters.values_mut().zip(smoothed).for_each(|(p, s)| std::mem::swap(p, s));
            self.parameters.renew(&mut self.shards);
        }
    }

    /// The next update is at this share of the run, for schedules that end with it.
    pub const fn go_to(&mut self, over: f64) {
        self.optimizer.go_to(over);
    }

    /// Computes the gradients of a batch and changes the parameters.
    ///
    /// # Errors
    /// If the device has failed, or the loss or a gradient is not finite; the parameters are then as before.
    pub fn update(&mut self, batch: &Batch) -> Result<Update, UpdateError> {
        self.update_by(std::slice::from_ref(batch))
    }

    /// As [`update`](Self::update), by the sum of the gradients of all batches: each word of them has the same weight.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub fn update_by(&mut self, batches: &[Batch]) -> Result<Update, UpdateError> {
        let update = self.optimizer.updates() + 1;
        let weight = word_weight(batches);
        let unread: Vec<_> =
            batches.iter().enumerate().map(|(i, batch)| self.run(batch, weight, Some((update, i)))).collect();
        // Both are read after the device has been given all work, so that it is waited for once.
        let norm = Optimizer::sum(&mut self.shards, &mut self.gradients);
        let losses = unread.into_iter().fold(WordLosses::default(), |all, unread| joined(all, self.read(unread)));
        self.shards[0].check()?;
        if !losses.loss.is_finite() || !norm.is_finite() {
            let whole = if losses.loss.is_finite() { "the norm of the gradient" } else { "the loss" };
            let what = self.first_not_finite()?.unwrap_or_else(|| whole.to_owned());
            return Err(UpdateError::NotFinite { update, what });
        }
        let step = self.optimizer.update(&mut self.shards, &mut self.parameters, &mut self.gradients[0], norm);
        Ok(Update { losses, step })
    }

    /// The losses of a batch, without dropout and without an update.
    ///
    /// # Errors
    /// If the device has failed.
    pub fn evaluate(&mut self, batch: &Batch) -> Result<WordLosses, Failure> {
        let unread = self.run(batch, word_weight(std::slice::from_ref(batch)), None);
        let losses = self.read(unread);
        self.shards[0].check()?;
        Ok(losses)
    }

    /// Losses of each shard; and gradients if this is for an update, of which this number and the batch's number in it
    /// are given.
    fn run(&mut self, batch: &Batch, weight: f32, update: Option<(u64, usize)>) -> Vec<D::Unread> {
        let Self { network, settings, seed, parameters, shards, gradients, .. } = self;
        let parts = batch.split(shards.len());
        let (network, parameters, settings) = (&*network, &*parameters, &*settings);
        let one = |i: usize, shard: &mut D, gradients: &mut Gradients<D::Matrix>| {
            if matches!(update, Some((_, 0))) {
                gradients.clear(shard);
            }
            let Some(part) = parts.get(i) else { return D::Unread::default() };
            let dropout_seed =
                update.map(|(update, batch)| *seed ^ (update << 8) ^ ((batch as u64) << 48) ^ ((i as u64) << 56));
            let gradients = update.is_some().then_some(gradients);
            let mut tape = Tape::new(parameters, gradients, dropout_seed, shard);
            let losses = network.loss(&mut tape, part, &settings.dropout, &settings.loss, weight);
            tape.backward();
            losses
        };
        // A single shard stays on this thread, as a GPU needs to.
        let shards = shards.iter_mut().zip(gradients).enumerate();
        in_parallel(shards.len(), shards, |(i, (shard, gradients))| one(i, shard, gradients))
    }

    /// The losses of all shards.
    fn read(&mut self, unread: Vec<D::Unread>) -> WordLosses {
        let losses = self.shards.iter_mut().zip(unread).map(|(shard, losses)| shard.read_losses(losses));
        losses.fold(WordLosses::default(), joined)
    }

    /// The first parameter that is not finite, or else the first one whose gradient is not.
    fn first_not_finite(&mut self) -> Result<Option<String>, Failure> {
        let Self { shards, parameters, gradients, .. } = self;
        let device = &mut shards[0];
        let mut finite = |matrix: &D::Matrix| device.download(matrix).as_slice().iter().all(|v| v.is_finite());
        let tensor = parameters.iter().find(|(_, value)| !finite(value)).map(|(name, _)| format!("tensor `{name}`"));
        let what = tensor.or_else(|| {
            let mut all = gradients.iter().flat_map(|g| parameters.iter().zip(g.matrices()));
            all.find(|(_, gradient)| !finite(gradient)).map(|((name, _), _)| format!("the gradient of tensor `{name}`"))
        });
        device.check()?;
        Ok(what)
    }
}

/// The factor of each word's loss: the mean of all words is minimised.
pub(crate) fn word_weight(batches: &[Batch]) -> f32 {
    1.0 / batches.iter().map(|batch| batch.target.all().len()).sum::<usize>().max(1) as f32
}

/// The losses of words, then those of more words.
fn joined(mut all: WordLosses, more: WordLosses) -> WordLosses {
    all.loss += more.loss;
    all.log_probs.extend(more.log_probs);
    all.log_z.extend(more.log_z);
    all
}

#[cfg(test)]
mod tests;
