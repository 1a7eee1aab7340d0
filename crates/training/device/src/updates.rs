//! Updates: gradients change the parameters.

use crate::parameter::Parameter;
use crate::storage::{Host, Storage};
use metaphrase_base::in_parallel;
use metaphrase_kernels::{Matrix, add_assign, dot, vectorised};

/// One update of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// How parameters follow their gradients.
    pub rule: Rule,
    /// η, the learning rate.
    pub rate: f32,
    /// The factor of all gradients.
    pub clip: f32,
    /// A parameter of two or more rows is cut to ±this number; 0: it is not cut.
    pub clip_weights: f32,
    /// The share that a smoothed parameter keeps of itself.
    pub kept: f32,
}

/// How a parameter θ follows its gradient g.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// θ ← θ - η · g.
    Sgd,
    /// Kingma and Ba 2015, algorithm 1.
    Adam(Adam),
    /// Zeiler 2012, algorithm 1.
    Adadelta(Adadelta),
}

/// The numbers of an update by Adam: θ ← θ - η · (m̂ / (√v̂ + ε) + decay · θ).
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)] // kernels read it as it is
pub struct Adam {
    /// Decay of m, the mean of gradients, and of v, the mean of their squares.
    pub beta: [f32; 2],
    /// 1/(1 - βᵗ) of both in update t: m̂ / m and v̂ / v.
    pub correction: [f32; 2],
    /// ε
    pub epsilon: f32,
    /// The decay of weights (Loshchilov and Hutter 2019).
    pub weight_decay: f32,
}

/// The numbers of an update by AdaDelta.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)] // kernels read it as it is
pub struct Adadelta {
    /// Decay of the means of squares.
    pub rho: f32,
    /// ε
    pub epsilon: f32,
}

/// The matrices that an update reads and changes. A list has one matrix per parameter, or is empty if the update has no
/// use for the list. Where the rule of a parameter has no means, its matrices in `first` and `second` have no use, and
/// may have any shape.
pub struct UpdateMatrices<'a, D: Storage> {
    /// θ
    pub parameters: &'a mut [D::Parameter],
    /// g
    pub gradients: &'a [D::Matrix],
    /// Adam: means of gradients; AdaDelta: means of squared steps.
    pub first: &'a mut [D::Matrix],
    /// Means of squared gradients.
    pub second: &'a mut [D::Matrix],
    /// Smoothed parameters: each becomes kept · itself + (1 - kept) · θ.
    pub smoothed: &'a mut [D::Matrix],
}

/// Updates. `shards` are devices that share their memory: threads of the CPU, or a single GPU. All sums have an order
/// that depends on shapes and on the number of lists of gradients alone.
pub trait Updates: Storage + Sized {
    /// The first list of gradients ← the sum of all lists. Returns the sum's norm: the root of the sum of all squares.
    fn sum(shards: &mut [Self], gradients: Vec<&mut [Self::Matrix]>) -> f32;

    /// The norm of each matrix: the root of the sum of its squares.
    fn norms(shards: &mut [Self], matrices: &[&Self::Matrix]) -> Vec<f32>;

    /// Changes parameters, means and smoothed parameters: each parameter by its own change.
    fn update(shards: &mut [Self], changes: &[Change], trained: UpdateMatrices<'_, Self>);

    /// Lets products read the new values of parameters that were changed otherwise.
    fn renew(shards: &mut [Self], parameters: &mut [Self::Parameter]);
}

impl Change {
    /// Changes numbers of a parameter; `first` and `second` are those of [`UpdateMatrices`].
    #[inline(always)] // into the code for the widest instruction set
    fn apply(self, parameters: &mut [f32], gradients: &[f32], first: &mut [f32], second: &mut [f32]) {
        let Self { rule, rate, clip, clip_weights, .. } = self;
        match rule {
            Rule::Sgd => parameters.iter_mut().zip(gradients).for_each(|(p, &g)| *p -= rate * clip * g),
            Rule::Adam(Adam { beta: [beta1, beta2], correction, epsilon, weight_decay }) => {
                for (((p, &g), m), v) in parameters.iter_mut().zip(gradients).zip(first).zip(second) {
                    let g = clip * g;
                    *m = beta1 * *m + (1.0 - beta1) * g;
                    *v = beta2 * *v + (1.0 - beta2) * g * g;
                    let step = *m * correction[0] / ((*v * correction[1]).sqrt() + epsilon);
                    *p -= rate * (step + weight_decay * *p);
                }
            }
            Rule::Adadelta(Adadelta { rho, epsilon }) => {
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
            parameters.iter_mut().for_each(|p| *p = p.clamp(-clip_weights, clip_weights));
        }
    }
}

/// The part of a [`UpdateMatrices`] that a thread works on at a time.
struct Chunk<'a> {
    change: Change,
    parameter: &'a mut [f32],
    gradient: &'a [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
    smoothed: &'a mut [f32],
}

impl Chunk<'_> {
    fn update(self) {
        let Self { change, parameter, gradient, first, second, smoothed } = self;
        vectorised(
            #[inline(always)]
            // being long it may be compiled portably otherwise: Adam takes 0.70 ns a number, not 0.37
            || change.apply(parameter, gradient, first, second),
        );
        let (kept, pairs) = (change.kept, smoothed.iter_mut().zip(&*parameter));
        vectorised(|| pairs.for_each(|(smoothed, &p)| *smoothed = kept * *smoothed + (1.0 - kept) * p));
    }
}

impl Updates for Host {
    fn sum(shards: &mut [Self], mut gradients: Vec<&mut [Matrix]>) -> f32 {
        let Some((sum, others)) = gradients.split_first_mut() else { return 0.0 };
        let mut tasks = Vec::new();
        for (i, sum) in sum.iter_mut().enumerate() {
            for (start, chunk) in chunks(sum) {
                let end = start + chunk.len();
                let others: Vec<_> = others.iter().map(|other| &other[i].as_slice()[start..end]).collect();
                tasks.push((chunk, others));
            }
        }
        let squares = in_parallel(shards.len(), tasks, |(sum, others)| {
            others.iter().for_each(|other| add_assign(sum, other));
            f64::from(dot(sum, sum))
        });
        squares.iter().sum::<f64>().sqrt() as f32
    }

    fn norms(shards: &mut [Self], matrices: &[&Matrix]) -> Vec<f32> {
        let squares = |matrix: &&Matrix| {
            let chunks = matrix.as_slice().chunks(CHUNK).map(|chunk| f64::from(dot(chunk, chunk)));
            chunks.sum::<f64>()
        };
        in_parallel(shards.len(), matrices, |matrix| squares(matrix).sqrt() as f32)
    }

    fn update(shards: &mut [Self], changes: &[Change], trained: UpdateMatrices<'_, Self>) {
        let UpdateMatrices { parameters, gradients, first, second, smoothed } = trained;
        let mut tasks = Vec::new();
        let mut state = [first, second, smoothed].map(|all| all.iter_mut());
        for ((parameter, gradient), &change) in parameters.iter_mut().zip(gradients).zip(changes) {
            let parameter = parameter.value_mut();
            let clip_weights = if parameter.rows() == 1 { 0.0 } else { change.clip_weights };
            let change = Change { clip_weights, ..change };
            let mut state =
                state.each_mut().map(|all| all.next().map_or(Vec::new(), |m| chunks(m).collect()).into_iter());
            for (start, parameter) in chunks(parameter) {
                let gradient = &gradient.as_slice()[start..start + parameter.len()];
                let [first, second, smoothed] = state.each_mut().map(|m| m.next().map_or(&mut [][..], |(_, m)| m));
                tasks.push(Chunk { change, parameter, gradient, first, second, smoothed });
            }
        }
        in_parallel(shards.len(), tasks, Chunk::update);
        Self::renew(shards, parameters);
    }

    fn renew(shards: &mut [Self], parameters: &mut [Parameter]) {
        let mut stale: Vec<(usize, _)> = Vec::new();
        for parameter in parameters {
            let size = parameter.value().as_slice().len();
            stale.extend(parameter.stale().map(|renew| (size, renew)));
        }
        stale.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
        in_parallel(shards.len(), stale, |(_, renew)| renew());
    }
}

/// Numbers that one thread works on at a time.
const CHUNK: usize = 1 << 16;

/// A matrix in chunks, with the place where each begins.
fn chunks(matrix: &mut Matrix) -> impl Iterator<Item = (usize, &mut [f32])> {
    matrix.as_mut_slice().chunks_mut(CHUNK).enumerate().map(|(i, chunk)| (i * CHUNK, chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A parameter of 0.5 after gradients, one after the other, with these rules at this rate.
    fn after(rule: impl Fn(i32) -> Rule, rate: f32, gradients: &[f32]) -> f32 {
        let (mut p, mut first, mut second) = ([0.5], [0.0], [0.0]);
        for (update, &gradient) in (1..).zip(gradients) {
            let change = Change { rule: rule(update), rate, clip: 1.0, clip_weights: 0.0, kept: 0.0 };
            change.apply(&mut p, &[gradient], &mut first, &mut second);
        }
        p[0]
    }

    fn assert_near(a: f32, b: f32) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }

    #[test]
    fn sgd_goes_down_the_gradient() {
        assert_near(after(|_| Rule::Sgd, 0.1, &[2.0]), 0.5 - 0.2);
        assert_near(after(|_| Rule::Sgd, 0.1, &[2.0, -1.0]), 0.5 - 0.2 + 0.1);
    }

    #[test]
    fn adam_corrects_its_means() {
        let adam = |weight_decay, epsilon| {
            let beta = [0.9_f32, 0.98];
            move |t| Rule::Adam(Adam { beta, correction: beta.map(|b| 1.0 / (1.0 - b.powi(t))), epsilon, weight_decay })
        };
        // m̂ = g and v̂ = g²: the first step is the rate.
        assert_near(after(adam(0.0, 1e-9), 0.1, &[2.0]), 0.5 - 0.1);
        // m̂ = (0.9 · 0.2 - 0.1) / (1 - 0.81) = 0.08 / 0.19, v̂ = (0.98 · 0.08 + 0.02) / (1 - 0.9604) = 0.0984 / 0.0396
        let second = 0.1 * (0.08 / 0.19) / (0.0984_f32 / 0.0396).sqrt();
        assert_near(after(adam(0.0, 1e-9), 0.1, &[2.0, -1.0]), 0.4 - second);
        // Weight decay takes 0.1 · 0.01 · 0.5 in addition to the first step.
        assert_near(after(adam(0.01, 1e-9), 0.1, &[2.0]), 0.5 - 0.1 - 0.0005);
        // ε counts where gradients are small: 1e-3 / (1e-3 + 1e-3) of the rate.
        assert_near(after(adam(0.0, 1e-3), 0.1, &[1e-3]), 0.5 - 0.05);
        assert_near(after(adam(0.0, 1e-9), 0.1, &[0.0]), 0.5);
    }

    #[test]
    fn adadelta_needs_no_rate() {
        let adadelta = |_| Rule::Adadelta(Adadelta { rho: 0.95, epsilon: 1e-6 });
        // E[g²] = 0.05 · 4; the step is √((0 + ε) / (0.2 + ε)) · 2, about 0.00447.
        let first = (1e-6_f32 / 0.200_001).sqrt() * 2.0;
        assert_near(after(adadelta, 1.0, &[2.0]), 0.5 - first);
        // E[Δ²] = 0.05 · first², E[g²] = 0.95 · 0.2 + 0.05 · 1 = 0.24
        let second = ((0.05 * first * first + 1e-6) / 0.240_001).sqrt();
        assert_near(after(adadelta, 1.0, &[2.0, -1.0]), 0.5 - first + second);
        assert_near(after(adadelta, 0.5, &[2.0]), 0.5 - 0.5 * first);
    }

    #[test]
    fn cut_weights_do_not_hide_what_is_no_number() {
        let mut p = [0.5, -7.0, f32::NAN];
        let change = Change { rule: Rule::Sgd, rate: 0.1, clip: 1.0, clip_weights: 0.25, kept: 0.0 };
        change.apply(&mut p, &[0.0; 3], &mut [], &mut []);
        assert_eq!(p[..2], [0.25, -0.25]);
        assert!(p[2].is_nan());
    }
}
