//! Which settings can work.

use super::{Decay, Method, OptimizerSettings};

/// A setting that can not work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("optimizer: `{name}` is {value}, expected {expected}")]
pub struct SettingError {
    /// Its key in the optimizer's table, such as `schedule.rate`.
    pub(crate) name: &'static str,
    pub(crate) value: String,
    pub(crate) expected: String,
}

impl OptimizerSettings {
    /// Checks that all numbers make sense.
    ///
    /// # Errors
    /// For the first one that does not.
    pub fn check(&self) -> Result<(), SettingError> {
        self.problems().into_iter().next().map_or(Ok(()), Err)
    }

    /// All numbers that do not make sense.
    pub(crate) fn problems(&self) -> Vec<SettingError> {
        let mut numbers = vec![
            ("clip-norm", self.clip_norm, NOT_NEGATIVE),
            ("clip-weights", self.clip_weights, NOT_NEGATIVE),
            ("smoothing", self.smoothing, SHARE),
            ("schedule.rate", self.schedule.rate, POSITIVE),
        ];
        if let Decay::UntilEnd { from } = self.schedule.decay {
            numbers.push(("schedule.decay.until-end.from", from, SHARE));
        }
        match self.method {
            Method::Sgd => {}
            Method::Muon { momentum, adam_share, .. } => numbers
                .extend([("method.muon.momentum", momentum, SHARE), ("method.muon.adam-share", adam_share, POSITIVE)]),
            Method::Adam { beta1, beta2, epsilon, weight_decay } => numbers.extend([
                ("method.adam.beta1", beta1, SHARE),
                ("method.adam.beta2", beta2, SHARE),
                ("method.adam.epsilon", epsilon, POSITIVE),
                ("method.adam.weight-decay", weight_decay, NOT_NEGATIVE),
            ]),
            Method::Adadelta { rho, epsilon } => {
                numbers.extend([("method.adadelta.rho", rho, SHARE), ("method.adadelta.epsilon", epsilon, POSITIVE)]);
            }
        }
        let wrong = numbers.into_iter().filter(|(_, value, (holds, _))| !holds(*value));
        let wrong = wrong.map(|(name, value, (_, expected))| SettingError {
            name,
            value: value.to_string(),
            expected: expected.to_owned(),
        });
        wrong.chain(self.problem_of_steps()).chain(self.problem_of_decay()).collect()
    }

    fn problem_of_steps(&self) -> Option<SettingError> {
        let Method::Muon { steps, .. } = self.method else { return None };
        let expected = format!("a number from {} to {}", STEPS.start(), STEPS.end());
        let name = "method.muon.steps";
        (!STEPS.contains(&steps)).then(|| SettingError { name, value: steps.to_string(), expected })
    }

    fn problem_of_decay(&self) -> Option<SettingError> {
        let warmup = self.schedule.warmup;
        let (name, to) = match self.schedule.decay {
            Decay::InverseSquareRoot { from: 0 } => {
                let (name, expected) = ("schedule.decay.inverse-square-root.from", "an update from 1 on".to_owned());
                return Some(SettingError { name, value: "0".to_owned(), expected });
            }
            Decay::Linear { to } => ("schedule.decay.linear.to", to),
            Decay::Cosine { to } => ("schedule.decay.cosine.to", to),
            Decay::InverseSquareRoot { .. } | Decay::UntilEnd { .. } | Decay::None => return None,
        };
        let expected = format!("more than {warmup}, the updates of `warmup`");
        (to <= warmup).then(|| SettingError { name, value: to.to_string(), expected })
    }
}

/// The numbers that are allowed, as a test and in words.
type Bound = (fn(f32) -> bool, &'static str);

const STEPS: std::ops::RangeInclusive<u32> = 1..=20;
const NOT_NEGATIVE: Bound = (|x| x >= 0.0 && x.is_finite(), "a number from 0 on");
const POSITIVE: Bound = (|x| x > 0.0 && x.is_finite(), "a number above 0");
const SHARE: Bound = (|x| (0.0..1.0).contains(&x), "a number from 0 on and below 1");
