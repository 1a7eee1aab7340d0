//! Numbers as Marian and Moses print them, and as the command line takes them.

use anyhow::{Context, Result};
use std::fmt;
use std::num::NonZeroUsize;

/// A number with up to six significant digits, as a C++ stream or C's `%g` prints it.
pub struct General(pub f32);

impl fmt::Display for General {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = f64::from(self.0);
        if value.is_nan() {
            return f.write_str("nan");
        }
        if value.is_infinite() {
            return f.write_str(if value > 0.0 { "inf" } else { "-inf" });
        }
        // Rounded once, with its exponent after rounding: `-9.42829e0`.
        let scientific = format!("{value:.5e}");
        let Some((mantissa, exponent)) = scientific.split_once('e') else { return f.write_str(&scientific) };
        let exponent: i32 = exponent.parse().unwrap_or_default();
        if (-4..6).contains(&exponent) {
            let decimals = usize::try_from(5 - exponent).unwrap_or_default();
            f.write_str(without_zeros(&format!("{value:.decimals$}")))
        } else {
            let sign = if exponent < 0 { '-' } else { '+' };
            write!(f, "{}e{sign}{:02}", without_zeros(mantissa), exponent.abs())
        }
    }
}

fn without_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// As many threads as wanted, or as the machine has.
pub fn threads(wanted: Option<NonZeroUsize>) -> NonZeroUsize {
    wanted.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

/// A number of bytes, as `500M`.
pub fn size(text: &str) -> Result<usize> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match text[digits.len()..].to_ascii_lowercase().trim_end_matches('b') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        unit => anyhow::bail!("`{unit}` is none of the units K, M, G and T"),
    };
    let number: usize = digits.parse().context("expected a number, as in 500M")?;
    number.checked_mul(1 << shift).context("that is more memory than can be addressed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_digits_as_c_prints_them() {
        // printf("%g") of each.
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-9.428_29, "-9.42829"),
            (-12.948_63, "-12.9486"),
            (0.1, "0.1"),
            (100_000.0, "100000"),
            (999_999.5, "1e+06"),
            (1_234_567.0, "1.23457e+06"),
            (0.000_1, "0.0001"),
            (0.000_099_999_99, "0.0001"),
            (0.000_012_5, "1.25e-05"),
            (1e30, "1e+30"),
            (f32::NEG_INFINITY, "-inf"),
            (f32::NAN, "nan"),
        ] {
            assert_eq!(General(value).to_string(), expected);
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(["7", "500M", "2g", "1KB"].map(|text| size(text).unwrap()), [7, 500 << 20, 2 << 30, 1 << 10]);
        ["", "M", "1X", "-1", "99999999999999T"].iter().for_each(|text| assert!(size(text).is_err(), "{text}"));
    }
}
