//! From gradients to new parameters.

mod schedule;

pub use schedule::{Decay, Schedule};

use crate::parameters::{Gradients, Parameters};
use metaphrase_kernels::{Matrix, vectorised};
use serde::{Deserialize, Serialize};

/// How parameters follow their gradients.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Method {
    /// θ ← θ - η · g.
    Sgd,
    /// Kingma and Ba 2015, algorithm 1: θ ← θ - η · m̂ / (√v̂ + ε).
    Adam {
        /// Decay of the mean of gradients.
        beta1: f32,
        /// Decay of the mean of their squares.
        beta2: f32,
        /// ε
        epsilon: f32,
        /// Each update also takes η times this share from all weights (Loshchilov and Hutter 2019).
        #[serde(default)]
        weight_decay: f32,
    },
    /// Zeiler 2012, algorithm 1; Zhang et al. 2018, §4.3 have ρ 0.95, ε 1e-6. The step is multiplied with η: 1 is the
    /// paper's.
    Adadelta {
        /// Decay of the means of squares.
        rho: f32,
        /// ε
        epsilon: f32,
    },
}

impl Default for Method {
    /// Adam as Vaswani et al. 2017 have it.
    fn default() -> Self {
        Self::Adam { beta1: 0.9, beta2: 0.98, epsilon: 1e-9, weight_decay: 0.0 }
    }
}

/// Settings of an [`Optimizer`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct OptimizerSettings {
    /// How parameters follow their gradients.
    pub method: Method,
    /// The learning rate over time.
    pub schedule: Schedule,
    /// Gradients whose norm is greater are scaled down to this norm; 0: never.
    pub clip_norm: f32,
    /// After each update all weights are cut to ±this (Devlin 2017, §4.1, has 1 for 16-bit decoding); 0: never.
    pub clip_weights: f32,
    /// Exponential smoothing of parameters: each update moves the smoothed ones this share towards the new ones;
    /// faster at first. 0: none.
    pub smoothing: f32,
}

/// Parameters' means of gradients and squares, and the smoothed parameters.
#[derive(Debug, Clone)]
pub struct Optimizer {
    settings: OptimizerSettings,
    /// Updates so far.
    updates: u64,
    /// Adam: the mean of gradients; AdaDelta: the mean of squared steps.
    first: Vec<Matrix>,
    /// The mean of squared gradients.
    second: Vec<Matrix>,
    /// Smoothed parameters.
    smoothed: Vec<Matrix>,
}

/// What an update was like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The norm of the gradient, before it was clipped.
    pub gradient_norm: f32,
    /// The learning rate.
    pub rate: f32,
}

impl Optimizer {
    /// An optimizer before its first update.
    #[must_use]
    pub fn new(settings: OptimizerSettings, parameters: &Parameters) -> Self {
        let zeros = |wanted: bool| {
            parameters.iter().filter(|_| wanted).map(|(_, p)| Matrix::zeros(p.rows(), p.cols())).collect()
        };
        let moments = !matches!(settings.method, Method::Sgd);
        let (first, second) = (zeros(moments), zeros(moments));
        let smoothed = zeros(settings.smoothing > 0.0);
        Self { settings, updates: 0, first, second, smoothed }
    }

    /// Updates so far.
    #[must_use]
    pub const fn updates(&self) -> u64 {
        self.updates
    }

    /// The smoothed parameters in their order, if there are any.
    #[must_use]
    pub fn smoothed(&self) -> Option<&[Matrix]> {
        (!self.smoothed.is_empty() && self.updates > 0).then_some(&self.smoothed)
    }

    /// All state but the number of updates, for checkpoints: a name for each kind, a matrix for each parameter.
    pub fn state(&self) -> impl Iterator<Item = (&'static str, &[Matrix])> {
        [("first", &self.first[..]), ("second", &self.second), ("smoothed", &self.smoothed)].into_iter()
    }

    /// The same to be set, with the number of updates.
    pub fn restore(&mut self, updates: u64) -> impl Iterator<Item = (&'static str, &mut [Matrix])> {
        self.updates = updates;
        [("first", &mut self.first[..]), ("second", &mut self.second), ("smoothed", &mut self.smoothed)].into_iter()
    }

    /// Sums gradients into the first of them and returns its norm. The order of all sums depends on the shapes and the
    /// number of gradients alone.
    pub(crate) fn sum(gradients: &mut [Gradients], threads: usize) -> f32 {
        let Some((sum, others)) = gradients.split_first_mut() else { return 0.0 };
        let mut tasks = Vec::new();
        for (i, sum) in sum.matrices_mut().iter_mut().enumerate() {
            for (start, chunk) in chunks(sum) {
                let end = start + chunk.len();
                let others: Vec<_> = others.iter().map(|o| &o.matrices()[i].as_slice()[start..end]).collect();
                tasks.push((chunk, others));
            }
        }
        let squares = in_parallel(tasks, threads, |(sum, others)| {
            others.iter().for_each(|other| metaphrase_kernels::add_assign(sum, other));
            f64::from(metaphrase_kernels::dot(sum, sum))
        });
        squares.iter().sum::<f64>().sqrt() as f32
    }

    /// One update. `norm` is that of the gradients, as [`sum`](Self::sum) returns it.
    pub(crate) fn update(
        &mut self,
        parameters: &mut Parameters,
        gradients: &Gradients,
        norm: f32,
        threads: usize,
    ) -> Step {
        self.updates += 1;
        let OptimizerSettings { method, schedule, clip_norm, clip_weights, smoothing } = self.settings;
        let rate = schedule.rate(self.updates);
        let clip = if clip_norm > 0.0 && norm > clip_norm { clip_norm / norm } else { 1.0 };
        let rule = Rule { method, rate, clip, clip_weights, updates: self.updates };
        // Faster at first, so that the start is soon forgotten: Marian's rule.
        let t = self.updates as f32;
        let kept = (1.0 - smoothing).min((t + 1.0) / (t + 10.0));
        let mut tasks = Vec::new();
        let mut moments = [&mut self.first, &mut self.second, &mut self.smoothed].map(|all| all.iter_mut());
        for (parameter, gradient) in parameters.values_mut().iter_mut().zip(gradients.matrices()) {
            let mut moments =
                moments.each_mut().map(|all| all.next().map_or(Vec::new(), |m| chunks(m).collect()).into_iter());
            for (start, chunk) in chunks(parameter) {
                let gradient = &gradient.as_slice()[start..start + chunk.len()];
                let [first, second, smoothed] = moments.each_mut().map(|m| m.next().map_or(&mut [][..], |(_, m)| m));
                tasks.push((chunk, gradient, first, second, smoothed));
            }
        }
        in_parallel(tasks, threads, |(parameter, gradient, first, second, smoothed)| {
            vectorised(|| rule.apply(parameter, gradient, first, second));
            let pairs = smoothed.iter_mut().zip(&*parameter);
            vectorised(|| pairs.for_each(|(smoothed, &p)| *smoothed = kept * *smoothed + (1.0 - kept) * p));
        });
        parameters.changed(threads);
        Step { gradient_norm: norm, rate }
    }
}

/// One update of some numbers.
#[derive(Clone, Copy)]
struct Rule {
    method: Method,
    rate: f32,
    /// What gradients are multiplied with.
    clip: f32,
    clip_weights: f32,
    /// This one included.
    updates: u64,
}

impl Rule {
    #[inline(always)]
    fn apply(self, parameters: &mut [f32], gradients: &[f32], first: &mut [f32], second: &mut [f32]) {
        let Self { method, rate, clip, clip_weights, updates } = self;
        match method {
            Method::Sgd => parameters.iter_mut().zip(gradients).for_each(|(p, &g)| *p -= rate * clip * g),
            Method::Adam { beta1, beta2, epsilon, weight_decay } => {
                let correction = |beta: f32| (1.0 / (1.0 - f64::from(beta).powf(updates as f64))) as f32;
                let (correction1, correction2) = (correction(beta1), correction(beta2));
                for (((p, &g), m), v) in parameters.iter_mut().zip(gradients).zip(first).zip(second) {
                    let g = clip * g;
                    *m = beta1 * *m + (1.0 - beta1) * g;
                    *v = beta2 * *v + (1.0 - beta2) * g * g;
                    let step = *m * correction1 / ((*v * correction2).sqrt() + epsilon);
                    *p -= rate * (step + weight_decay * *p);
                }
            }
            Method::Adadelta { rho, epsilon } => {
                for (((p, &g), steps), squares) in parameters.iter_mut().zip(gradients).zip(first).zip(second) {
                    let g = clip * g;
                    *squares = rho * *squares + (1.0 - rho) * g * g;
                    let step = ((*steps + epsilon) / (*squares + epsilon)).sqrt() * g;
                    *steps = rho * *steps + (1.0 - rho) * step * step;
                    *p -= rate * step;
                }
            }
        }
        if clip_weights > 0.0 {
            parameters.iter_mut().for_each(|p| *p = p.max(-clip_weights).min(clip_weights));
        }
    }
}

/// Numbers that one thread works on at a time.
const CHUNK: usize = 1 << 16;

/// A matrix in chunks, with the place where each begins.
fn chunks(matrix: &mut Matrix) -> impl Iterator<Item = (usize, &mut [f32])> {
    matrix.as_mut_slice().chunks_mut(CHUNK).enumerate().map(|(i, chunk)| (i * CHUNK, chunk))
}

/// Results of all tasks, in their order.
fn in_parallel<T: Send, R: Send>(tasks: Vec<T>, threads: usize, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let share = tasks.len().div_ceil(threads.max(1)).max(1);
    let mut tasks = tasks.into_iter();
    std::thread::scope(|scope| {
        let mut running = Vec::new();
        loop {
            let part: Vec<T> = tasks.by_ref().take(share).collect();
            if part.is_empty() {
                break;
            }
            let work = &work;
            running.push(scope.spawn(move || part.into_iter().map(work).collect::<Vec<R>>()));
        }
        running.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::Init;

    fn one_number(settings: OptimizerSettings, gradients: &[f32]) -> (f32, Optimizer) {
        let mut parameters = Parameters::new(0);
        let id = parameters.declare("p", 1, 1, Init::Constant(0.5));
        let mut optimizer = Optimizer::new(settings, &parameters);
        for &g in gradients {
            let mut all = [Gradients::new(&parameters)];
            all[0].matrices_mut()[0].as_mut_slice()[0] = g;
            let norm = Optimizer::sum(&mut all, 1);
            optimizer.update(&mut parameters, &all[0], norm, 2);
        }
        (parameters.value(id).as_slice()[0], optimizer)
    }

    fn settings(method: Method, rate: f32) -> OptimizerSettings {
        OptimizerSettings { method, schedule: Schedule { rate, ..Schedule::default() }, ..OptimizerSettings::default() }
    }

    fn assert_near(a: f32, b: f32) {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }

    #[test]
    fn steps_are_those_of_the_papers() {
        assert_near(one_number(settings(Method::Sgd, 0.1), &[2.0]).0, 0.5 - 0.2);
        let adam = Method::Adam { beta1: 0.9, beta2: 0.98, epsilon: 1e-9, weight_decay: 0.0 };
        // m̂ = g, v̂ = g²: the first step is the rate; then m̂ = (0.9·0.2 - 0.1)/(1 - 0.81) = 0.08/0.19, and
        // v̂ = (0.98·0.08 + 0.02)/(1 - 0.9604) = 0.0984/0.0396.
        assert_near(one_number(settings(adam, 0.1), &[2.0]).0, 0.4);
        let second = 0.1 * (0.08 / 0.19) / (0.0984_f32 / 0.0396).sqrt();
        assert_near(one_number(settings(adam, 0.1), &[2.0, -1.0]).0, 0.4 - second);
        let adadelta = Method::Adadelta { rho: 0.95, epsilon: 1e-6 };
        // √(1e-6 / (0.05·4 + 1e-6)) · 2
        assert_near(one_number(settings(adadelta, 1.0), &[2.0]).0, 0.5 - (1e-6_f32 / 0.200_001).sqrt() * 2.0);
    }

    #[test]
    fn norms_and_weights_are_cut() {
        let sgd = OptimizerSettings { clip_norm: 1.0, ..settings(Method::Sgd, 0.1) };
        assert_near(one_number(sgd, &[2.0]).0, 0.5 - 0.1);
        let cut = OptimizerSettings { clip_weights: 0.25, ..settings(Method::Sgd, 0.1) };
        assert_near(one_number(cut, &[0.0]).0, 0.25);
    }

    #[test]
    fn smoothed_parameters_follow() {
        let (value, optimizer) =
            one_number(OptimizerSettings { smoothing: 0.5, ..settings(Method::Sgd, 0.1) }, &[1.0, 1.0]);
        assert_near(value, 0.3);
        // Kept: min(0.5, 2/11) = 2/11 of 0 (nothing before), then min(0.5, 3/12).
        let first = 9.0 / 11.0 * 0.4;
        assert_near(optimizer.smoothed().unwrap()[0].as_slice()[0], 0.25 * first + 0.75 * 0.3);
    }

    #[test]
    fn the_sum_does_not_hang_on_threads() {
        let mut parameters = Parameters::new(0);
        parameters.declare("p", 500, 500, Init::Glorot);
        let gradients = |seed: u64| {
            let mut other = Parameters::new(seed);
            other.declare("p", 500, 500, Init::Glorot);
            let mut gradients = Gradients::new(&other);
            gradients.matrices_mut()[0].as_mut_slice().copy_from_slice(other.values_mut()[0].as_slice());
            gradients
        };
        let (mut one, mut three) = ([gradients(1), gradients(2)], [gradients(1), gradients(2)]);
        assert_eq!(Optimizer::sum(&mut one, 1).to_bits(), Optimizer::sum(&mut three, 3).to_bits());
        assert_eq!(one[0].matrices(), three[0].matrices());
    }
}
