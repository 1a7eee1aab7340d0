//! Numbers of the command line.

use anyhow::{Context, Result};
use std::num::NonZeroUsize;

/// The wanted number of threads, or the machine's number of processors.
pub fn threads(wanted: Option<NonZeroUsize>) -> NonZeroUsize {
    wanted.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

/// More threads than any machine can use; each takes memory of its own.
const MOST_THREADS: usize = 1024;

/// A number of threads on the command line.
pub fn thread_count(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse().ok().filter(|number: &NonZeroUsize| number.get() <= MOST_THREADS);
    number.ok_or_else(|| format!("expected a number from 1 to {MOST_THREADS}"))
}

/// A number of bytes, such as `500M`.
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
