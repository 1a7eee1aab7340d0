//! Updates on a CUDA device, and whether it can be trusted with them.

use crate::data::{Batch, Sentences};
use crate::networks::Network;
use crate::optimizer::{Method, Optimizer, Rule, Step};
use crate::parameters::{Gradients, Parameters};
use crate::tape::{Tape, WordLosses};
use crate::trainer::{TrainerSettings, Update, UpdateError};
use metaphrase_base::WordId;
use metaphrase_cuda::{Adadelta, Adam, Cuda, CudaError, Matrix};
use metaphrase_device::{Device, Elementwise, Host, Precision, Storage};
use metaphrase_kernels as kernels;

/// Why a device is not used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DeviceError {
    /// It can not be used, or fails.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// It computes something else than the CPU.
    #[error(
        "{device} does not compute what the CPU does: {what} differs by {difference:e}, at most {allowed:e} was \
         expected; nothing was trained, `--device cpu` can be used"
    )]
    Differs {
        /// The device's name.
        device: String,
        /// The loss, or the first tensor whose gradient differs.
        what: String,
        /// By how much.
        difference: f32,
        /// What rounding can explain.
        allowed: f32,
    },
}

/// What updates change, on the device.
pub(crate) struct OnCuda {
    cuda: Cuda,
    parameters: Parameters<Cuda>,
    gradients: Gradients<Matrix>,
    /// Of each kind of the optimizer's state, a matrix per parameter or none.
    state: [Vec<Matrix>; 3],
}

impl OnCuda {
    pub(crate) fn new(mut cuda: Cuda, parameters: &Parameters, optimizer: &Optimizer) -> Result<Self, CudaError> {
        let gradients = Gradients::on(&mut cuda, parameters);
        let mut state = [const { Vec::new() }; 3];
        for (own, (_, matrices)) in state.iter_mut().zip(optimizer.state()) {
            own.extend(matrices.iter().map(|matrix| cuda.upload(matrix)));
        }
        let parameters = Parameters::on(&mut cuda, parameters);
        cuda.check()?;
        Ok(Self { cuda, parameters, gradients, state })
    }

    /// Losses of a batch, and the gradients of their mean.
    pub(crate) fn differentiate(
        &mut self,
        network: &Network,
        batch: &Batch,
        settings: &TrainerSettings,
        dropout_seed: u64,
    ) -> WordLosses {
        let Self { cuda, parameters, gradients, .. } = self;
        gradients.matrices_mut().iter_mut().for_each(|gradient| cuda.clear(gradient));
        differentiate((cuda, parameters, gradients), network, batch, settings, dropout_seed)
    }

    /// Changes the parameters by the gradients of these losses.
    pub(crate) fn update(&mut self, optimizer: &mut Optimizer, losses: WordLosses) -> Result<Update, UpdateError> {
        let norm = self.cuda.norm(self.gradients.matrices());
        self.cuda.check()?;
        if !losses.loss.is_finite() || !norm.is_finite() {
            let whole = if losses.loss.is_finite() { "the norm of the gradient" } else { "the loss" };
            let what = self.first_not_finite()?.unwrap_or_else(|| whole.to_owned());
            return Err(UpdateError::NotFinite { update: optimizer.updates() + 1, what });
        }
        if optimizer.updates() == 0 {
            for (smoothed, (_, parameter)) in self.state[2].iter_mut().zip(self.parameters.iter()) {
                self.cuda.copy(parameter, smoothed);
            }
        }
        let (rule, kept) = optimizer.next(norm);
        self.follow(rule, kept);
        Ok(Update { losses, step: Step { gradient_norm: norm, rate: rule.rate } })
    }

    /// Lets parameters follow the gradients, and smoothed ones the parameters.
    fn follow(&mut self, rule: Rule, kept: f32) {
        let Self { cuda, parameters, gradients, state: [first, second, smoothed] } = self;
        let Rule { rate, clip, .. } = rule;
        let mut moments = first.iter_mut().zip(second);
        let mut smoothed = smoothed.iter_mut();
        for (parameter, gradient) in parameters.matrices_mut().iter_mut().zip(gradients.matrices()) {
            let moments = moments.next().map(|(first, second)| [first, second]);
            match (rule.method, moments) {
                (Method::Adam { beta1, beta2, epsilon, weight_decay }, Some(moments)) => {
                    let beta = [beta1, beta2];
                    let correction = beta.map(|beta| rule.correction(beta));
                    let numbers = Adam { beta, correction, epsilon, weight_decay };
                    cuda.adam(parameter, gradient, moments, rate, clip, numbers);
                }
                (Method::Adadelta { rho, epsilon }, Some(moments)) => {
                    cuda.adadelta(parameter, gradient, moments, rate, clip, Adadelta { rho, epsilon });
                }
                _ => cuda.sgd(parameter, gradient, rate, clip),
            }
            if rule.clip_weights > 0.0 {
                cuda.cut(parameter, rule.clip_weights);
            }
            if let Some(smoothed) = smoothed.next() {
                cuda.smooth(smoothed, parameter, kept);
            }
        }
    }

    /// Brings everything back.
    pub(crate) fn fetch(&mut self, parameters: &mut Parameters, optimizer: &mut Optimizer) -> Result<(), CudaError> {
        for (value, (_, own)) in parameters.values_mut().zip(self.parameters.iter()) {
            *value = self.cuda.download(own);
        }
        for ((_, matrices), own) in optimizer.restore(optimizer.updates()).zip(&self.state) {
            matrices.iter_mut().zip(own).for_each(|(matrix, own)| *matrix = self.cuda.download(own));
        }
        self.cuda.check()
    }

    /// The first parameter that is not finite, or else whose gradient is not.
    fn first_not_finite(&mut self) -> Result<Option<String>, CudaError> {
        let Self { cuda, parameters, gradients, .. } = self;
        let mut finite = |matrix: &Matrix| cuda.download(matrix).as_slice().iter().all(|v| v.is_finite());
        let parameter = parameters.iter().find(|(_, value)| !finite(value));
        let what = parameter.map(|(name, _)| format!("tensor `{name}`")).or_else(|| {
            let gradient = parameters.iter().zip(gradients.matrices()).find(|(_, gradient)| !finite(gradient));
            gradient.map(|((name, _), _)| format!("the gradient of tensor `{name}`"))
        });
        cuda.check()?;
        Ok(what)
    }

    /// Compares loss and gradients of a batch with the CPU's. Returns the largest difference, as a share of the largest
    /// number; `allowed` of it is too little to be a mistake.
    ///
    /// Rounding is not the same everywhere, and networks differ in what they make of it: a normalised state of zeros makes
    /// a difference of one in 10⁷ to one in 10³. So the CPU computes twice, with two instruction sets, and what it differs
    /// from itself is allowed to the device as well, ten times.
    pub(crate) fn compare(
        &mut self,
        (network, settings): (&Network, &TrainerSettings),
        parameters: &Parameters,
        batch: &Batch,
        allowed: f32,
    ) -> Result<f32, DeviceError> {
        let on_cpu = || {
            let (mut host, mut gradients) = (Host::new(settings.precision), Gradients::new(parameters));
            let losses = differentiate((&mut host, parameters, &mut gradients), network, batch, settings, 1);
            (losses.loss as f32, gradients)
        };
        let (loss, expected) = on_cpu();
        let (other_loss, other) = kernels::with_instruction_set(kernels::InstructionSet::Portable, on_cpu);
        self.cuda.set_precision(settings.precision);
        let got_loss = self.differentiate(network, batch, settings, 1).loss as f32;
        let got: Vec<_> = self.gradients.matrices().iter().map(|gradient| self.cuda.download(gradient)).collect();
        self.cuda.check()?;
        let device = self.cuda.name();
        let check = |what: &str, difference: f32, scale: f32, rounding: f32| {
            let allowed = allowed * scale + 10.0 * rounding;
            let fine = difference <= allowed; // not if it is no number
            let (device, what) = (device.to_owned(), what.to_owned());
            if fine { Ok(difference / scale) } else { Err(DeviceError::Differs { device, what, difference, allowed }) }
        };
        let mut seen = check("the loss", (got_loss - loss).abs(), loss.abs(), (other_loss - loss).abs())?;
        // A gradient that is 0 but for rounding, as that of the biases of keys, is held against the others.
        let least = 0.01 * expected.matrices().iter().map(largest).fold(0.0, f32::max);
        let tensors = got.iter().zip(expected.matrices()).zip(other.matrices());
        for ((name, _), ((got, expected), other)) in parameters.iter().zip(tensors) {
            let (difference, rounding) = (largest_difference(got, expected), largest_difference(other, expected));
            let scale = largest(expected).max(least);
            seen = seen.max(check(&format!("the gradient of tensor `{name}`"), difference, scale, rounding)?);
        }
        Ok(seen)
    }

    /// The same for a batch of its own: whether the device can be trusted. In `f32`, and then with products in the
    /// precision of the settings, where only a mistake would be a third of the largest number.
    pub(crate) fn try_out(
        &mut self,
        (network, settings): (&Network, &TrainerSettings),
        parameters: &Parameters,
    ) -> Result<f32, DeviceError> {
        let batch = probe(network.words());
        let exact = TrainerSettings { precision: Precision::F32, ..*settings };
        let seen = self.compare((network, &exact), parameters, &batch, 1e-3)?;
        if settings.precision != Precision::F32 {
            self.compare((network, settings), parameters, &batch, 0.3)?;
        }
        Ok(seen)
    }
}

/// Losses of a batch, and the gradients of their mean, which are added.
fn differentiate<D: Device>(
    (device, parameters, gradients): (&mut D, &Parameters<D>, &mut Gradients<D::Matrix>),
    network: &Network,
    batch: &Batch,
    settings: &TrainerSettings,
    dropout_seed: u64,
) -> WordLosses {
    let weight = 1.0 / batch.target.words().len().max(1) as f32;
    let mut tape = Tape::new(parameters, Some(gradients), Some(dropout_seed), device);
    let losses = network.loss(&mut tape, batch, &settings.dropout, &settings.loss, weight);
    tape.backward();
    losses
}

/// Four pairs of sentences of different lengths, with words from all of both vocabularies, and some links.
fn probe((source_words, target_words): (usize, usize)) -> Batch {
    let sentences = |lengths: [usize; 4], words: usize| {
        let mut sentences = Sentences::default();
        for (i, length) in lengths.into_iter().enumerate() {
            let words: Vec<_> = (0..length).map(|t| WordId(((7919 * (i + 1) * (t + 1)) % words) as u32)).collect();
            sentences.push(&words);
        }
        sentences
    };
    Batch {
        source: sentences([5, 1, 9, 3], source_words),
        target: sentences([4, 2, 1, 7], target_words),
        alignments: vec![vec![(0, 0), (3, 2)], vec![], vec![(8, 0)], vec![(1, 0), (2, 0)]],
    }
}

fn largest(matrix: &kernels::Matrix) -> f32 {
    matrix.as_slice().iter().map(|v| v.abs()).fold(0.0, f32::max)
}

/// Not a number if one of them is not.
fn largest_difference(a: &kernels::Matrix, b: &kernels::Matrix) -> f32 {
    let differences = a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |largest: f32, d| if d > largest || d.is_nan() { d } else { largest })
}

#[cfg(test)]
mod tests;
