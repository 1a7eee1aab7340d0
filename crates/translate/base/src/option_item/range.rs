//! The numbers that an option may have.

use core::ops::{Bound, RangeBounds};
use std::fmt;

/// The numbers that an option may have. NaN is in no range but [`ANY`](Self::ANY).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberRange {
    low: Bound<f64>,
    high: Bound<f64>,
}

impl NumberRange {
    /// All numbers.
    pub const ANY: Self = Self { low: Bound::Unbounded, high: Bound::Unbounded };

    /// From `low` to `high`.
    #[must_use]
    pub const fn between(low: f64, high: f64) -> Self {
        Self { low: Bound::Included(low), high: Bound::Included(high) }
    }

    /// Finite numbers from `low` up.
    #[must_use]
    pub const fn at_least(low: f64) -> Self {
        Self { low: Bound::Included(low), high: Bound::Excluded(f64::INFINITY) }
    }

    /// From `low` up, infinity included.
    #[must_use]
    pub const fn at_least_or_infinite(low: f64) -> Self {
        Self { low: Bound::Included(low), high: Bound::Unbounded }
    }

    /// Finite numbers above `low`.
    #[must_use]
    pub const fn above(low: f64) -> Self {
        Self { low: Bound::Excluded(low), high: Bound::Excluded(f64::INFINITY) }
    }

    /// The same up to `high`.
    #[must_use]
    pub const fn to(mut self, high: f64) -> Self {
        self.high = Bound::Included(high);
        self
    }

    /// The same below `high`.
    #[must_use]
    pub const fn below(mut self, high: f64) -> Self {
        self.high = Bound::Excluded(high);
        self
    }

    /// Whether `number` is allowed.
    #[must_use]
    pub fn contains(self, number: f64) -> bool {
        (self.low, self.high).contains(&number)
    }

    /// Whether 0 is too small.
    #[must_use]
    pub fn begins_above_zero(self) -> bool {
        !self.contains(0.0)
    }
}

/// In words that follow "a number".
impl fmt::Display for NumberRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = match self.high {
            Bound::Excluded(high) if high.is_finite() => format!(" and below {high}"),
            Bound::Included(high) => format!(" to {high}"),
            _ => String::new(),
        };
        match self.low {
            Bound::Included(low) if end.starts_with(" to") => write!(f, "from {low}{end}"),
            Bound::Included(low) => write!(f, "from {low} up{end}"),
            Bound::Excluded(low) => write!(f, "above {low}{}", end.replace(" to", " and at most")),
            Bound::Unbounded => f.write_str(end.trim_start()),
        }
    }
}
