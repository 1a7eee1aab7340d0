//! Updates on a CUDA device.

mod trial;

pub use trial::DeviceError;

use crate::data::Batch;
use crate::networks::Network;
use crate::optimizer::{Method, Optimizer, Rule, Step};
use crate::parameters::{Gradients, Parameters};
use crate::tape::{Tape, WordLosses};
use crate::trainer::{TrainerSettings, Update, UpdateError, first_not_finite};
use metaphrase_cuda::{Adadelta, Adam, Cuda, CudaError, Matrix};
use metaphrase_device::{Device, Elementwise, Shape, Storage};

/// A device, and what is trained there.
pub(crate) struct OnCuda {
    cuda: Cuda,
    trained: Trained,
}

/// What updates read and change, on the device.
struct Trained {
    parameters: Parameters<Cuda>,
    gradients: Gradients<Matrix>,
    /// Of each kind of the optimizer's state, a matrix per parameter or none.
    state: [Vec<Matrix>; 3],
}

impl OnCuda {
    pub(crate) fn new(mut cuda: Cuda, parameters: &Parameters, optimizer: &Optimizer) -> Result<Self, CudaError> {
        let trained = Trained::on(&mut cuda, parameters, optimizer);
        cuda.check()?;
        Ok(Self { cuda, trained })
    }

    /// Losses of a batch, and the gradients of their mean.
    pub(crate) fn differentiate(
        &mut self,
        network: &Network,
        batch: &Batch,
        settings: &TrainerSettings,
        dropout_seed: u64,
    ) -> WordLosses {
        let Self { cuda, trained: Trained { parameters, gradients, .. } } = self;
        gradients.matrices_mut().iter_mut().for_each(|gradient| cuda.clear(gradient));
        differentiate((cuda, parameters, gradients), network, batch, settings, dropout_seed)
    }

    /// Changes the parameters by the gradients of these losses.
    pub(crate) fn update(&mut self, optimizer: &mut Optimizer, losses: WordLosses) -> Result<Update, UpdateError> {
        let norm = self.cuda.norm(self.trained.gradients.matrices());
        self.cuda.check()?;
        if !losses.loss.is_finite() || !norm.is_finite() {
            let whole = if losses.loss.is_finite() { "the norm of the gradient" } else { "the loss" };
            let what = self.first_not_finite()?.unwrap_or_else(|| whole.to_owned());
            return Err(UpdateError::NotFinite { update: optimizer.updates() + 1, what });
        }
        Ok(Update { losses, step: self.trained.follow(&mut self.cuda, optimizer, norm) })
    }

    /// Brings everything back.
    pub(crate) fn fetch(&mut self, parameters: &mut Parameters, optimizer: &mut Optimizer) -> Result<(), CudaError> {
        self.trained.fetch(&mut self.cuda, parameters, optimizer)
    }

    fn first_not_finite(&mut self) -> Result<Option<String>, CudaError> {
        let Self { cuda, trained: Trained { parameters, gradients, .. } } = self;
        let finite = |matrix: &Matrix| cuda.download(matrix).as_slice().iter().all(|v| v.is_finite());
        let what = first_not_finite(parameters, std::slice::from_ref(gradients), finite);
        cuda.check()?;
        Ok(what)
    }
}

impl Trained {
    fn on(cuda: &mut Cuda, parameters: &Parameters, optimizer: &Optimizer) -> Self {
        let mut state = [const { Vec::new() }; 3];
        for (own, (_, matrices)) in state.iter_mut().zip(optimizer.state()) {
            own.extend(matrices.iter().map(|matrix| cuda.upload(matrix)));
        }
        Self { gradients: Gradients::on(cuda, parameters), parameters: Parameters::on(cuda, parameters), state }
    }

    fn fetch(&self, cuda: &mut Cuda, parameters: &mut Parameters, optimizer: &mut Optimizer) -> Result<(), CudaError> {
        for (value, (_, own)) in parameters.values_mut().zip(self.parameters.iter()) {
            *value = cuda.download(own);
        }
        for ((_, matrices), own) in optimizer.restore(optimizer.updates()).zip(&self.state) {
            matrices.iter_mut().zip(own).for_each(|(matrix, own)| *matrix = cuda.download(own));
        }
        cuda.check()
    }

    /// Lets parameters follow gradients of this norm, and smoothed ones the parameters.
    fn follow(&mut self, cuda: &mut Cuda, optimizer: &mut Optimizer, norm: f32) -> Step {
        let Self { parameters, gradients, state: [first, second, smoothed] } = self;
        if optimizer.updates() == 0 {
            smoothed.iter_mut().zip(parameters.iter()).for_each(|(smoothed, (_, p))| cuda.copy(p, smoothed));
        }
        let (rule, kept) = optimizer.begin(norm);
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
                (Method::Sgd, _) | (_, None) => cuda.sgd(parameter, gradient, rate, clip),
            }
            let cut = rule.of_rows(parameter.rows()).clip_weights;
            if cut > 0.0 {
                cuda.cut(parameter, cut);
            }
            if let Some(smoothed) = smoothed.next() {
                cuda.smooth(smoothed, parameter, kept);
            }
        }
        Step { gradient_norm: norm, rate }
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

#[cfg(test)]
mod tests;
