//! Decimal numbers of any length.

/// A number as `digits` times ten to the power of `exponent`. The digits neither begin nor end with a zero, so equal
/// numbers are equal values; zero has no digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Decimal {
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// The number with these ASCII digits before and after its decimal sign.
    pub(super) fn new(whole: &str, fraction: &str) -> Self {
        let mut digits = String::with_capacity(whole.len() + fraction.len());
        digits.push_str(whole.trim_start_matches('0'));
        digits.push_str(if digits.is_empty() { fraction.trim_start_matches('0') } else { fraction });
        let mut exponent = -(fraction.len() as i64);
        let kept = digits.trim_end_matches('0').len();
        exponent += (digits.len() - kept) as i64;
        digits.truncate(kept);
        if digits.is_empty() {
            exponent = 0;
        }
        Self { digits, exponent }
    }

    /// This number times ten to the power of `exponent`.
    pub(super) fn times(mut self, exponent: u32) -> Self {
        if !self.digits.is_empty() {
            self.exponent += i64::from(exponent);
        }
        self
    }

    /// The nearest `f64`; `None` for more than fifteen digits.
    pub(super) fn to_f64(&self) -> Option<f64> {
        if self.digits.len() > 15 {
            return None;
        }
        let digits: f64 = if self.digits.is_empty() { 0.0 } else { self.digits.parse().ok()? };
        Some(digits * 10f64.powi(i32::try_from(self.exponent).ok()?))
    }

    /// The value of a whole number of at most four digits.
    pub(super) fn small(&self) -> Option<u16> {
        let zeros = usize::try_from(self.exponent).ok()?;
        if self.digits.len() + zeros > 4 {
            return None;
        }
        let digits: u16 = if self.digits.is_empty() { 0 } else { self.digits.parse().ok()? };
        Some(digits * 10u16.pow(zeros as u32))
    }
}

impl From<u64> for Decimal {
    fn from(value: u64) -> Self {
        Self::new(&value.to_string(), "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_are_equal() {
        assert_eq!(Decimal::new("001250", "50"), Decimal::new("1250", "5"));
        assert_eq!(Decimal::new("2", "5").times(9), Decimal::from(2_500_000_000));
        assert_eq!(Decimal::new("0", "00"), Decimal::from(0));
        assert_eq!(Decimal::new("", "5"), Decimal::new("0", "50"));
        assert_ne!(Decimal::new("0", "05"), Decimal::new("0", "5"));
        assert_eq!(Decimal::from(1200).small(), Some(1200));
        assert_eq!(Decimal::new("1", "5").small(), None);
        assert_eq!(Decimal::from(0).small(), Some(0));
        assert_eq!(Decimal::from(10_000).small(), None);
        assert_eq!(Decimal::new("2", "5").times(1).to_f64(), Some(25.0));
    }
}
