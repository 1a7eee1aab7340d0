//! Alignment error rate.

use crate::Alignment;

/// Counts for precision, recall and alignment error rate (Och and Ney 2003) against links made by hand, all of which
/// are sure ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ErrorRate {
    found: u64,
    wanted: u64,
    common: u64,
}

impl ErrorRate {
    /// Adds a sentence pair.
    pub fn add(&mut self, found: &Alignment, wanted: &Alignment) {
        self.found += found.links().len() as u64;
        self.wanted += wanted.links().len() as u64;
        self.common += found.links().iter().filter(|&&link| wanted.contains(link)).count() as u64;
    }

    /// The right part of the found links; 1 if no link was found.
    #[must_use]
    pub fn precision(&self) -> f64 {
        ratio(self.common, self.found)
    }

    /// The found part of the right links; 1 if there is no right link.
    #[must_use]
    pub fn recall(&self) -> f64 {
        ratio(self.common, self.wanted)
    }

    /// 1 − 2 |found ∩ wanted| / (|found| + |wanted|): lower is better.
    #[must_use]
    pub fn error_rate(&self) -> f64 {
        1.0 - ratio(2 * self.common, self.found + self.wanted)
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_counted() {
        let mut rate = ErrorRate::default();
        rate.add(&"0-0 1-1 2-2".parse().unwrap(), &"0-0 1-1 3-2 4-4".parse().unwrap());
        rate.add(&"0-0".parse().unwrap(), &"0-0".parse().unwrap());
        // 3 in common, 4 found, 5 wanted
        assert_eq!((rate.precision(), rate.recall()), (0.75, 0.6));
        assert!((rate.error_rate() - (1.0 - 6.0 / 9.0)).abs() < 1e-12);
        assert_eq!(ErrorRate::default().error_rate(), 0.0);
    }
}
