//! Which settings can work.

use super::{Decay, Method, OptimizerSettings};

/// A setting that can not work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("optimizer: `{name}` is {value}, expected {expected}")]
pub struct SettingError {
    name: &'static str,
    value: String,
    expected: String,
}

impl OptimizerSettings {
    /// Checks that all numbers make sense.
    ///
    /// # Errors
    /// For the first one that does not.
    pub fn check(&self) -> Result<(), SettingError> {
        check("clip-norm", self.clip_norm, NOT_NEGATIVE)?;
        check("clip-weights", self.clip_weights, NOT_NEGATIVE)?;
        check("smoothing", self.smoothing, SHARE)?;
        check("rate", self.schedule.rate, POSITIVE)?;
        match self.method {
            Method::Sgd => {}
            Method::Adam { beta1, beta2, epsilon, weight_decay } => {
                check("beta1", beta1, SHARE)?;
                check("beta2", beta2, SHARE)?;
                check("epsilon", epsilon, POSITIVE)?;
                check("weight-decay", weight_decay, NOT_NEGATIVE)?;
            }
            Method::Adadelta { rho, epsilon } => {
                check("rho", rho, SHARE)?;
                check("epsilon", epsilon, POSITIVE)?;
            }
        }
        self.check_decay()
    }

    fn check_decay(&self) -> Result<(), SettingError> {
        let warmup = self.schedule.warmup;
        match self.schedule.decay {
            Decay::InverseSquareRoot { from: 0 } => {
                Err(SettingError { name: "from", value: "0".to_owned(), expected: "an update from 1 on".to_owned() })
            }
            Decay::Linear { to } | Decay::Cosine { to } if to <= warmup => Err(SettingError {
                name: "to",
                value: to.to_string(),
                expected: format!("more than {warmup}, the updates of `warmup`"),
            }),
            _ => Ok(()),
        }
    }
}

/// The numbers that are allowed, as a test and in words.
type Bound = (fn(f32) -> bool, &'static str);

const NOT_NEGATIVE: Bound = (|x| x >= 0.0 && x.is_finite(), "a number from 0 on");
const POSITIVE: Bound = (|x| x > 0.0 && x.is_finite(), "a number above 0");
const SHARE: Bound = (|x| (0.0..1.0).contains(&x), "a number from 0 on and below 1");

fn check(name: &'static str, value: f32, (holds, expected): Bound) -> Result<(), SettingError> {
    if holds(value) {
        Ok(())
    } else {
        Err(SettingError { name, value: value.to_string(), expected: expected.to_owned() })
    }
}
