//! Runs of signs, as in `Name: ________` and `What????`. Models do not count them well.

use std::iter::from_fn;

/// The fewest signs of a run, in a source and in its translation.
const IN_SOURCE: usize = 3;
const IN_TRANSLATION: usize = 2;

/// A character, and the number of times that it stands in a row.
#[derive(Clone, Copy)]
struct Run {
    character: char,
    count: usize,
}

/// The runs of signs in a source, in their order.
pub(crate) struct SignRuns(Vec<Run>);

impl SignRuns {
    /// `None`: there are no runs.
    pub(crate) fn of(source: &str) -> Option<Self> {
        let runs: Vec<Run> = runs(source).filter(|run| run.is_of_signs(IN_SOURCE)).collect();
        (!runs.is_empty()).then_some(Self(runs))
    }

    /// The translation, with runs as long as in the source. If it has fewer or more runs of a sign, they stay as they
    /// are.
    pub(crate) fn restored(&self, translation: &str) -> String {
        let number = |sign: char, runs: &[Run]| runs.iter().filter(|run| run.character == sign).count();
        let written: Vec<Run> = runs(translation).filter(|run| run.is_of_signs(IN_TRANSLATION)).collect();
        let mut left = self.0.clone();
        left.retain(|run| number(run.character, &self.0) == number(run.character, &written));
        let mut text = String::with_capacity(translation.len());
        for run in runs(translation) {
            let is_next = |next: &Run| next.character == run.character && run.is_of_signs(IN_TRANSLATION);
            let next = left.iter().position(is_next).map(|next| left.remove(next));
            text.extend(std::iter::repeat_n(run.character, next.unwrap_or(run).count));
        }
        text
    }
}

impl Run {
    /// Whether it has this many signs at least.
    fn is_of_signs(&self, fewest: usize) -> bool {
        self.count >= fewest && !self.character.is_alphanumeric() && !self.character.is_whitespace()
    }
}

/// The runs of a text, of which most have one character.
fn runs(text: &str) -> impl Iterator<Item = Run> {
    let mut characters = text.chars().peekable();
    from_fn(move || {
        let character = characters.next()?;
        let more = from_fn(|| characters.next_if_eq(&character)).count();
        Some(Run { character, count: 1 + more })
    })
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
