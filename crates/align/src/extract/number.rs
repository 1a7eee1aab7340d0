//! Numbers as Moses prints them.

use std::fmt;

/// A number with up to six significant digits, as a C++ stream prints it.
pub(crate) struct General(pub f64);

impl fmt::Display for General {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rounded once, with its exponent after rounding: `9.42829e0`.
        let scientific = format!("{:.5e}", self.0);
        let Some((mantissa, exponent)) = scientific.split_once('e') else { return f.write_str(&scientific) };
        let exponent: i32 = exponent.parse().unwrap_or_default();
        if (-4..6).contains(&exponent) {
            let decimals = usize::try_from(5 - exponent).unwrap_or_default();
            f.write_str(without_zeros(&format!("{:.decimals$}", self.0)))
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
    use super::General;

    #[test]
    fn six_digits_as_c_prints_them() {
        // printf("%g") of each.
        for (value, expected) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.145_252_3, "0.145252"),
            (0.000_449_696, "0.000449696"),
            (0.000_099_999_999, "0.0001"),
            (3.640_62e-8, "3.64062e-08"),
            (1e-100, "1e-100"),
        ] {
            assert_eq!(General(value).to_string(), expected);
        }
    }
}
