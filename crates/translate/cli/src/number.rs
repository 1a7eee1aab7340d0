//! Numbers on the command line.

use anyhow::{Context, Result};
use clap::builder::TypedValueParser;
use std::fmt::Display;
use std::num::{IntErrorKind, NonZeroUsize, ParseFloatError, ParseIntError};
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Reads a whole number of any integer type, also of one without zero.
pub fn whole<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::Zero => "expected a whole number from 1 on",
        IntErrorKind::PosOverflow => "the number is too large",
        IntErrorKind::NegOverflow => "the number is too small",
        _ => "expected a whole number",
    })
}

/// Reads a whole number in a range.
pub fn within<T>(range: RangeInclusive<T>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = ParseIntError> + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text: &str| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("expected a whole number from {} to {}", range.start(), range.end()))
    }
}

/// Reads a number that may have a fraction.
pub fn real<T: FromStr<Err = ParseFloatError>>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "expected a number")
}

/// The number of threads that the user gave, or the machine's number of processors.
pub fn threads(given: Option<NonZeroUsize>) -> NonZeroUsize {
    given.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

/// More threads than any machine can use; each takes memory.
const MOST_THREADS: usize = 1024;

/// Reads a number of threads.
pub fn thread_count(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse().ok().filter(|number: &NonZeroUsize| number.get() <= MOST_THREADS);
    number.ok_or_else(|| format!("expected a number from 1 to {MOST_THREADS}"))
}

/// Reads a number of bytes, such as `500M`.
pub fn size(text: &str) -> Result<usize> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match text[digits.len()..].to_ascii_lowercase().trim_end_matches('b') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        unit => anyhow::bail!("the unit `{unit}` is unknown; use K, M, G or T"),
    };
    let number: usize = digits.parse().context("expected a number, as in 500M")?;
    number.checked_mul(1 << shift).context("that is more memory than can be addressed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_threads() {
        assert_eq!(["1", "64", "1024"].map(|text| thread_count(text).unwrap().get()), [1, 64, 1024]);
        ["0", "1025", "99999999999999999999", "-1", ""].iter().for_each(|text| assert!(thread_count(text).is_err()));
    }

    #[test]
    fn sizes() {
        assert_eq!(["7", "500M", "2g", "1KB"].map(|text| size(text).unwrap()), [7, 500 << 20, 2 << 30, 1 << 10]);
        ["", "M", "1X", "-1", "99999999999999T"].iter().for_each(|text| assert!(size(text).is_err(), "{text}"));
    }
}
