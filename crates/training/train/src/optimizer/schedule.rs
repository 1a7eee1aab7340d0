//! The learning rate over time.

use serde::{Deserialize, Serialize};

/// The learning rate as a function of the number of updates, and of the share of the run that is over.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Schedule {
    /// The greatest learning rate.
    pub rate: f32,
    /// The number of updates over which the rate grows from 0, in equal steps.
    pub warmup: u64,
    /// How the rate falls afterwards.
    pub decay: Decay,
}

/// How the learning rate falls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Decay {
    /// The rate stays.
    #[default]
    None,
    /// With the inverse square root of the number of updates, from update `from` on (Vaswani et al. 2017: from the end
    /// of the warm-up).
    InverseSquareRoot {
        /// The last update with the full rate.
        from: u64,
    },
    /// In equal steps to zero at update `to`.
    Linear {
        /// The last update.
        to: u64,
    },
    /// In equal steps to zero at the end of the run, be that an update (`training.updates`) or a time
    /// (`training.seconds`).
    UntilEnd {
        /// The share of the run after which the rate falls.
        #[serde(default)]
        from: f32,
    },
    /// As half a wave of a cosine, to zero at update `to`.
    Cosine {
        /// The last update.
        to: u64,
    },
}

impl Default for Schedule {
    fn default() -> Self {
        Self { rate: 3e-4, warmup: 0, decay: Decay::None }
    }
}

impl Schedule {
    /// The learning rate of an update, counted from 1, when this share of the run is over.
    #[must_use]
    pub fn rate(&self, update: u64, over: f64) -> f32 {
        let update = update as f64;
        let warmup = self.warmup as f64;
        let rising = if update < warmup { update / warmup } else { 1.0 };
        // The share of the way from the end of the warm-up to the last update.
        let gone = |to: u64| ((update - warmup) / (to as f64 - warmup).max(1.0)).clamp(0.0, 1.0);
        let falling = match self.decay {
            Decay::None => 1.0,
            Decay::InverseSquareRoot { from } => (from as f64 / update.max(from as f64)).sqrt(),
            Decay::UntilEnd { from } => 1.0 - ((over - f64::from(from)) / (1.0 - f64::from(from))).clamp(0.0, 1.0),
            Decay::Linear { to } => 1.0 - gone(to),
            Decay::Cosine { to } => 0.5 * (1.0 + (std::f64::consts::PI * gone(to)).cos()),
        };
        (f64::from(self.rate) * rising * falling) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_rise_and_fall() {
        let rate = |decay, update| Schedule { rate: 8.0, warmup: 4, decay }.rate(update, update as f64 / 20.0);
        assert_eq!((rate(Decay::None, 1), rate(Decay::None, 4), rate(Decay::None, 99)), (2.0, 8.0, 8.0));
        let root = Decay::InverseSquareRoot { from: 4 };
        assert_eq!((rate(root, 2), rate(root, 4), rate(root, 16)), (4.0, 8.0, 4.0));
        let linear = Decay::Linear { to: 14 };
        assert_eq!((rate(linear, 4), rate(linear, 9), rate(linear, 14), rate(linear, 20)), (8.0, 4.0, 0.0, 0.0));
        let end = Decay::UntilEnd { from: 0.5 };
        assert_eq!((rate(end, 2), rate(end, 10), rate(end, 15), rate(end, 20)), (4.0, 8.0, 4.0, 0.0));
        assert_eq!((rate(Decay::UntilEnd { from: 0.0 }, 5), rate(end, 30)), (6.0, 0.0));
        let cosine = Decay::Cosine { to: 14 };
        assert!((rate(cosine, 9) - 4.0).abs() < 1e-6 && rate(cosine, 14).abs() < 1e-6);
    }
}
