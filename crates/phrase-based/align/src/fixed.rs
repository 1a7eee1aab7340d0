//! Sums of probabilities that do not depend on the order of the summands.
//!
//! Threads add expected counts in any order. A sum of floats would depend on that order; a sum of integers does not, so
//! a probability is added as an integer number of units of 2^-32. A sum has room for 2^32 sure events.

use std::sync::atomic::{AtomicU64, Ordering};

const UNIT: f32 = 4_294_967_296.0;

/// A sum that many threads add to.
#[derive(Debug, Default)]
pub(crate) struct SharedSum(AtomicU64);

impl SharedSum {
    /// Adds a probability; one below a unit adds 0.
    #[inline]
    pub fn add(&self, probability: f32) {
        let units = to_units(probability);
        if units != 0 {
            self.0.fetch_add(units, Ordering::Relaxed);
        }
    }

    /// The sum, which starts again from zero.
    #[inline]
    pub fn take(&mut self) -> f64 {
        from_units(std::mem::take(self.0.get_mut()))
    }
}

/// A sum that one thread adds to and that is merged with those of others.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sum(u64);

impl Sum {
    /// Adds a non-negative number.
    #[inline]
    pub fn add(&mut self, number: f32) {
        self.0 += to_units(number);
    }

    /// Adds the sum of another thread.
    pub fn merge(&mut self, other: Self) {
        self.0 += other.0;
    }

    /// The sum.
    pub fn get(self) -> f64 {
        from_units(self.0)
    }
}

fn to_units(number: f32) -> u64 {
    (number * UNIT) as u64
}

fn from_units(units: u64) -> f64 {
    units as f64 / f64::from(UNIT)
}
