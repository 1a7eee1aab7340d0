//! Numbers as Marian and Moses print them.

use std::fmt;

/// A number with up to six significant digits, as a C++ stream or C's `%g` prints it.
///
/// ```
/// use metaphrase_base::SixDigits;
///
/// assert_eq!(SixDigits(3.640_62e-8).to_string(), "3.64062e-08");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SixDigits(pub f64);

impl fmt::Display for SixDigits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0;
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

#[cfg(test)]
mod tests {
    use super::SixDigits;

    #[test]
    fn six_digits_as_c_prints_them() {
        // printf("%g") of each.
        let floats: [(f32, &str); 15] = [
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
        ];
        let doubles = [
            (0.0, "0"),
            (1.0, "1"),
            (0.145_252_3, "0.145252"),
            (0.000_449_696, "0.000449696"),
            (0.000_099_999_999, "0.0001"),
            (3.640_62e-8, "3.64062e-08"),
            (1e-100, "1e-100"),
        ];
        for (value, expected) in floats.map(|(value, text)| (f64::from(value), text)).into_iter().chain(doubles) {
            assert_eq!(SixDigits(value).to_string(), expected);
        }
    }
}
