//! Runs of signs, as in `Name: ________` and `What????`. Models do not count them well.

use std::iter::from_fn;

/// The fewest signs of a run, in a source and in its translation.
const IN_SOURCE: usize = 3;
const IN_TRANSLATION: usize = 2;

/// The runs of signs in a source.
pub(crate) struct SignRuns {
    /// In their order: the sign, and its number.
    runs: Vec<(char, usize)>,
}

impl SignRuns {
    /// `None`: there are no runs.
    pub(crate) fn of(source: &str) -> Option<Self> {
        let runs: Vec<_> = repeated(source).filter(|&run| is_run(run, IN_SOURCE)).collect();
        (!runs.is_empty()).then_some(Self { runs })
    }

    /// The translation, with runs as long as in the source. If it has fewer or more runs of a sign, they stay as they
    /// are.
    pub(crate) fn restored(&self, translation: &str) -> String {
        let number = |sign: char, runs: &[(char, usize)]| runs.iter().filter(|run| run.0 == sign).count();
        let written: Vec<_> = repeated(translation).filter(|&run| is_run(run, IN_TRANSLATION)).collect();
        let mut runs = self.runs.clone();
        runs.retain(|&(sign, _)| number(sign, &self.runs) == number(sign, &written));
        let mut text = String::with_capacity(translation.len());
        for (sign, count) in repeated(translation) {
            let is_next = |run: &(char, usize)| run.0 == sign && is_run((sign, count), IN_TRANSLATION);
            let next = runs.iter().position(is_next).map(|next| runs.remove(next).1);
            text.extend(std::iter::repeat_n(sign, next.unwrap_or(count)));
        }
        text
    }
}

/// Each character with the number of times that it stands in a row.
fn repeated(text: &str) -> impl Iterator<Item = (char, usize)> {
    let mut characters = text.chars().peekable();
    from_fn(move || {
        let character = characters.next()?;
        let more = from_fn(|| characters.next_if_eq(&character)).count();
        Some((character, 1 + more))
    })
}

fn is_run((sign, count): (char, usize), fewest: usize) -> bool {
    count >= fewest && !sign.is_alphanumeric() && !sign.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_as_long_as_in_the_source() {
        let cases = [
            ("Name: ____ Date: ___", "Name: _______ Datum: __", "Name: ____ Datum: ___"),
            ("What????????", "Was?????????????", "Was????????"),
            ("Wait..... No!!!", "Warte... Nein!!!!!", "Warte..... Nein!!!"),
            ("*** Warning ***", "*** Warnung ****", "*** Warnung ***"),
            // One run of two is missing: which one is unknown.
            ("No!!!!!! Stop!!!", "Nein!!!!! Hör auf!", "Nein!!!!! Hör auf!"),
            // Another sign, and a run that the model ends early.
            ("Well... ---", "Nun… --", "Nun… ---"),
        ];
        for (source, translation, expected) in cases {
            assert_eq!(SignRuns::of(source).unwrap().restored(translation), expected, "{source}");
        }
        assert!(SignRuns::of("Mississippi  is   100,000 -- long.").is_none());
    }
}
