//! The rules by which parameters follow their gradients.

use serde::{Deserialize, Serialize};

/// How parameters follow their gradients.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub enum Method {
    /// θ ← θ - η · g.
    Sgd,
    /// Kingma and Ba 2015, algorithm 1: θ ← θ - η · m̂ / (√v̂ + ε). Left out, numbers are those of Vaswani et al. 2017.
    Adam {
        /// Decay of the mean of gradients.
        #[serde(default = "usual::beta1")]
        beta1: f32,
        /// Decay of the mean of their squares.
        #[serde(default = "usual::beta2")]
        beta2: f32,
        /// ε
        #[serde(default = "usual::adam_epsilon")]
        epsilon: f32,
        /// Each update also takes η times this share from all weights (Loshchilov and Hutter 2019).
        #[serde(default)]
        weight_decay: f32,
    },
    /// Zeiler 2012, algorithm 1. Left out, numbers are those of Zhang et al. 2018, §4.3. The step is multiplied with η:
    /// 1 is the papers'.
    Adadelta {
        /// Decay of the means of squares.
        #[serde(default = "usual::rho")]
        rho: f32,
        /// ε
        #[serde(default = "usual::adadelta_epsilon")]
        epsilon: f32,
    },
}

/// Numbers that a recipe may leave out.
mod usual {
    pub(super) const fn beta1() -> f32 {
        0.9
    }

    pub(super) const fn beta2() -> f32 {
        0.98
    }

    pub(super) const fn adam_epsilon() -> f32 {
        1e-9
    }

    pub(super) const fn rho() -> f32 {
        0.95
    }

    pub(super) const fn adadelta_epsilon() -> f32 {
        1e-6
    }
}

impl Default for Method {
    fn default() -> Self {
        Self::Adam { beta1: usual::beta1(), beta2: usual::beta2(), epsilon: usual::adam_epsilon(), weight_decay: 0.0 }
    }
}

/// One update of some numbers.
#[derive(Clone, Copy)]
pub(crate) struct Rule {
    pub(crate) method: Method,
    /// η
    pub(crate) rate: f32,
    /// What gradients are multiplied with.
    pub(crate) clip: f32,
    /// Weights are cut to ±this; 0: not.
    pub(crate) clip_weights: f32,
    /// This one included.
    pub(super) updates: u64,
}

impl Rule {
    /// The rule for a parameter of so many rows: vectors are not cut.
    pub(crate) const fn of_rows(self, rows: usize) -> Self {
        Self { clip_weights: if rows == 1 { 0.0 } else { self.clip_weights }, ..self }
    }

    /// 1/(1 - βᵗ) for update t: what makes a mean that began at 0 one of the numbers so far.
    pub(crate) fn correction(self, beta: f32) -> f32 {
        (1.0 / (1.0 - f64::from(beta).powf(self.updates as f64))) as f32
    }

    /// Changes parameters and moments; `first` and `second` as in [`Optimizer`](super::Optimizer).
    #[inline(always)] // into the code for the widest instruction set
    pub(super) fn apply(self, parameters: &mut [f32], gradients: &[f32], first: &mut [f32], second: &mut [f32]) {
        let Self { method, rate, clip, clip_weights, .. } = self;
        match method {
            Method::Sgd => parameters.iter_mut().zip(gradients).for_each(|(p, &g)| *p -= rate * clip * g),
            Method::Adam { beta1, beta2, epsilon, weight_decay } => {
                let (correction1, correction2) = (self.correction(beta1), self.correction(beta2));
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
            parameters.iter_mut().for_each(|p| *p = p.clamp(-clip_weights, clip_weights));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A parameter of 0.5 after gradients, one after the other, at this rate.
    fn after(method: Method, rate: f32, gradients: &[f32]) -> f32 {
        let (mut p, mut first, mut second) = ([0.5], [0.0], [0.0]);
        for (i, &gradient) in gradients.iter().enumerate() {
            let rule = Rule { method, rate, clip: 1.0, clip_weights: 0.0, updates: i as u64 + 1 };
            rule.apply(&mut p, &[gradient], &mut first, &mut second);
        }
        p[0]
    }

    fn assert_near(a: f32, b: f32) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }

    #[test]
    fn sgd_goes_down_the_gradient() {
        assert_near(after(Method::Sgd, 0.1, &[2.0]), 0.5 - 0.2);
        assert_near(after(Method::Sgd, 0.1, &[2.0, -1.0]), 0.5 - 0.2 + 0.1);
    }

    #[test]
    fn adam_corrects_its_means() {
        let adam = |weight_decay| Method::Adam { beta1: 0.9, beta2: 0.98, epsilon: 1e-9, weight_decay };
        // m̂ = g and v̂ = g²: the first step is the rate.
        assert_near(after(adam(0.0), 0.1, &[2.0]), 0.5 - 0.1);
        // m̂ = (0.9 · 0.2 - 0.1) / (1 - 0.81) = 0.08 / 0.19, v̂ = (0.98 · 0.08 + 0.02) / (1 - 0.9604) = 0.0984 / 0.0396
        let second = 0.1 * (0.08 / 0.19) / (0.0984_f32 / 0.0396).sqrt();
        assert_near(after(adam(0.0), 0.1, &[2.0, -1.0]), 0.4 - second);
        // Weight decay takes 0.1 · 0.01 · 0.5 beside the first step.
        assert_near(after(adam(0.01), 0.1, &[2.0]), 0.5 - 0.1 - 0.0005);
        // ε counts where gradients are small: 1e-3 / (1e-3 + 1e-3) of the rate.
        let large = Method::Adam { beta1: 0.9, beta2: 0.98, epsilon: 1e-3, weight_decay: 0.0 };
        assert_near(after(large, 0.1, &[1e-3]), 0.5 - 0.05);
        assert_near(after(adam(0.0), 0.1, &[0.0]), 0.5);
    }

    #[test]
    fn adadelta_needs_no_rate() {
        let adadelta = Method::Adadelta { rho: 0.95, epsilon: 1e-6 };
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
        let rule = Rule { method: Method::Sgd, rate: 0.1, clip: 1.0, clip_weights: 0.25, updates: 1 };
        rule.apply(&mut p, &[0.0; 3], &mut [], &mut []);
        assert_eq!(p[..2], [0.25, -0.25]);
        assert!(p[2].is_nan());
    }
}
