//! The rules by which parameters follow their gradients.

use super::muon::Muon;
use metaphrase_device::{Adadelta, Adam, Rule};
use serde::{Deserialize, Serialize};

/// How parameters follow their gradients.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub enum Method {
    /// θ ← θ - η · g.
    Sgd,
    /// Kingma and Ba 2015, algorithm 1: θ ← θ - η · m̂ / (√v̂ + ε). The defaults are the numbers of Vaswani et
    /// al. 2017.
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
    /// Zeiler 2012, algorithm 1. The defaults are the numbers of Zhang et al. 2018, §4.3. The step is multiplied with
    /// η, which is 1 in both papers.
    Adadelta {
        /// Decay of the means of squares.
        #[serde(default = "usual::rho")]
        rho: f32,
        /// ε
        #[serde(default = "usual::adadelta_epsilon")]
        epsilon: f32,
    },
    /// Jordan et al. 2024, for the maps of layers: θ ← θ - η · √max(1, outputs / inputs) · O, where O is the momentum
    /// of the gradient with all singular values made nearly 1. Maps of one input that stand in one matrix, such as the
    /// gates of a GRU, are each a map of their own. Tables of words and positions, the output layer, biases and other
    /// vectors follow Adam with its default numbers.
    Muon {
        /// Decay of the mean of gradients, into which each gradient goes once more than it did (Nesterov).
        #[serde(default = "usual::momentum")]
        momentum: f32,
        /// Steps of Newton and Schulz.
        #[serde(default = "usual::steps")]
        steps: u32,
        /// The learning rate of Adam, as a share of η.
        #[serde(default = "usual::adam_share")]
        adam_share: f32,
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

    pub(super) const fn momentum() -> f32 {
        0.95
    }

    pub(super) const fn steps() -> u32 {
        5
    }

    pub(super) const fn adam_share() -> f32 {
        0.2
    }
}

impl Default for Method {
    fn default() -> Self {
        Self::Adam { beta1: usual::beta1(), beta2: usual::beta2(), epsilon: usual::adam_epsilon(), weight_decay: 0.0 }
    }
}

impl Method {
    /// The rule of this update, counted from 1, for all parameters but those that follow Muon.
    pub(super) fn rule(self, update: u64) -> Rule {
        // Makes a mean that began at 0 one of the numbers so far.
        let correction = |beta: f32| (1.0 / (1.0 - f64::from(beta).powf(update as f64))) as f32;
        match self {
            Self::Sgd => Rule::Sgd,
            Self::Muon { .. } => Self::default().rule(update),
            Self::Adam { beta1, beta2, epsilon, weight_decay } => {
                let beta = [beta1, beta2];
                Rule::Adam(Adam { beta, correction: beta.map(correction), epsilon, weight_decay })
            }
            Self::Adadelta { rho, epsilon } => Rule::Adadelta(Adadelta { rho, epsilon }),
        }
    }

    /// What maps follow, if it is Muon, with this factor of all gradients.
    pub(super) const fn muon(self, clip: f32) -> Option<Muon> {
        match self {
            Self::Muon { momentum, steps, .. } => Some(Muon { momentum, steps, clip }),
            _ => None,
        }
    }

    /// The factor of the learning rate for all parameters but those that follow Muon.
    pub(super) const fn share(self) -> f32 {
        match self {
            Self::Muon { adam_share, .. } => adam_share,
            _ => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_that_began_at_zero_are_corrected() {
        let correction = |update| match Method::default().rule(update) {
            Rule::Adam(adam) => adam.correction,
            _ => unreachable!(),
        };
        let near = |got: [f32; 2], expected: [f32; 2]| got.iter().zip(expected).all(|(g, e)| (g - e).abs() < 1e-3);
        assert!(near(correction(1), [1.0 / 0.1, 1.0 / 0.02]));
        assert!(near(correction(2), [1.0 / 0.19, 1.0 / 0.0396]));
        assert!(near(correction(100_000), [1.0, 1.0]));
    }
}
