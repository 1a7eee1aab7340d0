//! The optimizer: from gradients to new parameters.

mod check;
mod method;
mod muon;
mod schedule;

pub use check::SettingError;
pub use method::Method;
pub use schedule::{Decay, Schedule};

use crate::parameters::{Gradients, Parameters, Role};
use metaphrase_device::{Change, Device, Host, Rule, Shape as _, UpdateMatrices};
use muon::Orthogonaliser;
use serde::{Deserialize, Serialize};

/// Settings of an [`Optimizer`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct OptimizerSettings {
    /// How parameters follow their gradients.
    pub method: Method,
    /// The learning rate over time.
    pub schedule: Schedule,
    /// Gradients whose norm is greater are scaled down to this norm; 0: never. The default is 1.
    pub clip_norm: f32,
    /// Each update cuts all weights to ±this (Devlin 2017, §4.1: 1, for decoding with 16 bits), but not biases and
    /// other vectors, which are added in `f32`; 0: never.
    pub clip_weights: f32,
    /// Exponential smoothing of parameters (Marian's `--exponential-smoothing`): each update moves the smoothed
    /// parameters by this share towards the new ones, and faster at first. 0: no smoothing.
    pub smoothing: f32,
}

impl Default for OptimizerSettings {
    fn default() -> Self {
        let (method, schedule) = (Method::default(), Schedule::default());
        Self { method, schedule, clip_norm: 1.0, clip_weights: 0.0, smoothing: 0.0 }
    }
}

/// The state of the optimizer: means of gradients and squares, and the smoothed parameters, in the memory of a device.
pub struct Optimizer<D: Device = Host> {
    settings: OptimizerSettings,
    /// Updates so far.
    updates: u64,
    /// The share of the run that is over.
    over: f64,
    /// Adam and Muon: means of gradients; AdaDelta: means of squared steps.
    first: Vec<D::Matrix>,
    /// Means of squared gradients; an empty matrix for a map that follows Muon.
    second: Vec<D::Matrix>,
    /// Smoothed parameters.
    smoothed: Vec<D::Matrix>,
    /// Muon alone.
    orthogonaliser: Option<Orthogonaliser<D>>,
}

/// The numbers of an update.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The norm of the gradient, before it was clipped.
    pub gradient_norm: f32,
    /// The learning rate.
    pub rate: f32,
}

impl<D: Device> Optimizer<D> {
    /// An optimizer before its first update.
    #[must_use]
    pub fn new(settings: OptimizerSettings, parameters: &Parameters<D>, device: &mut D) -> Self {
        let mut zeros = |wanted: bool| -> Vec<D::Matrix> {
            parameters.iter().filter(|_| wanted).map(|(_, p)| device.zeros(p.rows(), p.cols())).collect()
        };
        let moments = !matches!(settings.method, Method::Sgd);
        let (first, mut second) = (zeros(moments), zeros(moments));
        let smoothed = zeros(settings.smoothing > 0.0);
        let orthogonaliser = settings.method.muon(1.0).map(|_| Orthogonaliser::new(parameters));
        let roles = orthogonaliser.iter().flat_map(|of| of.roles());
        for (second, _) in second.iter_mut().zip(roles).filter(|(_, role)| **role != Role::Other) {
            *second = device.take(0, 0);
        }
        Self { settings, updates: 0, over: 0.0, first, second, smoothed, orthogonaliser }
    }

    /// Updates so far.
    #[must_use]
    pub const fn updates(&self) -> u64 {
        self.updates
    }

    /// The smoothed parameters in their order, if there are any.
    pub(crate) fn smoothed_mut(&mut self) -> Option<&mut [D::Matrix]> {
        (!self.smoothed.is_empty() && self.updates > 0).then_some(&mut self.smoothed)
    }

    /// All state but the number of updates: a name for each kind, and one matrix per parameter, or an empty list. A
    /// parameter without state of this kind has an empty matrix.
    pub fn state_mut(&mut self) -> [(&'static str, &mut [D::Matrix]); 3] {
        [("first", &mut self.first[..]), ("second", &mut self.second), ("smoothed", &mut self.smoothed)]
    }

    /// The next update is at this share of the run.
    pub(crate) const fn go_to(&mut self, over: f64) {
        self.over = over;
    }

    /// Goes on after this number of updates.
    pub(crate) const fn resume(&mut self, updates: u64) {
        self.updates = updates;
    }

    /// Sums gradients into the first of them and returns the norm of the sum.
    pub(crate) fn sum(shards: &mut [D], gradients: &mut [Gradients<D::Matrix>]) -> f32 {
        D::sum(shards, gradients.iter_mut().map(Gradients::matrices_mut).collect())
    }

    /// One update. `norm` is that of the gradients, as [`sum`](Self::sum) returns it; they may be overwritten.
    pub(crate) fn update(
        &mut self,
        shards: &mut [D],
        parameters: &mut Parameters<D>,
        gradients: &mut Gradients<D::Matrix>,
        norm: f32,
    ) -> Step {
        if self.updates == 0 {
            let start = self.smoothed.iter_mut().zip(parameters.iter());
            start.for_each(|(smoothed, (_, p))| shards[0].copy(p, smoothed));
        }
        let change = self.next(norm);
        let Self { settings, first, second, smoothed, orthogonaliser, .. } = self;
        let other = Change { rate: change.rate * settings.method.share(), ..change };
        let mut changes = vec![other; parameters.len()];
        if let (Some(orthogonaliser), Some(muon)) = (orthogonaliser, settings.method.muon(change.clip)) {
            orthogonaliser.directions(shards, muon, gradients.matrices_mut(), first);
            let all = changes.iter_mut().zip(orthogonaliser.roles()).zip(parameters.iter());
            for ((own, role), (_, map)) in all {
                let Role::Map { parts } = *role else { continue };
                let ratio = map.cols() as f32 / (map.rows() * parts) as f32;
                *own = Change { rule: Rule::Sgd, rate: change.rate * ratio.max(1.0).sqrt(), clip: 1.0, ..change };
            }
        }
        let (parameters, gradients) = (parameters.all_mut(), gradients.matrices());
        D::update(shards, &changes, UpdateMatrices { parameters, gradients, first, second, smoothed });
        Step { gradient_norm: norm, rate: change.rate }
    }

    /// The change of the next update, for gradients of this norm.
    fn next(&mut self, norm: f32) -> Change {
        // The smoothed parameters keep less at first, so that the start is soon forgotten: Marian's rule.
        let t = self.updates as f32;
        let kept = (1.0 - self.settings.smoothing).min((t + 1.0) / (t + 10.0));
        self.updates += 1;
        let OptimizerSettings { method, schedule, clip_norm, clip_weights, .. } = self.settings;
        let clip = if clip_norm > 0.0 && norm > clip_norm { clip_norm / norm } else { 1.0 };
        Change {
            rule: method.rule(self.updates),
            rate: schedule.rate(self.updates, self.over),
            clip,
            clip_weights,
            kept,
        }
    }
}

#[cfg(test)]
mod tests;
