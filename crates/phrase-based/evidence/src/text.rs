//! Posteriors as text: `docs/formats/posteriors.md`.

use crate::{BEGIN, EvidenceError, MAX_ORDER, Posteriors, Units};
use metaphrase_base::{WordId, shown};
use std::collections::HashSet;
use std::fmt::Write;

/// The meaning of the numbers of words.
#[derive(Debug, Clone, Copy)]
pub struct Numbering {
    /// Number of words.
    pub words: usize,
    /// The word that ends a sentence. As the first word of an n-gram it stands for the place before the first word.
    pub end: WordId,
    /// Another number for the place before the first word, if there is one.
    pub begin: Option<WordId>,
}

/// The number that a text states for each n-gram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NgramNumber {
    /// The probability that the n-gram is in the translation.
    Posterior,
    /// How often it is expected there.
    ExpectedCount,
}

impl Posteriors {
    /// A line `numbers of words : number` for each n-gram.
    #[must_use]
    pub fn to_text(&self, end: WordId, number: NgramNumber) -> String {
        let mut text = String::new();
        for gram in self.iter() {
            for &word in gram.words {
                let word = if word == BEGIN { end } else { word };
                // Writing to a string can not fail.
                let _ = write!(text, "{word} ");
            }
            let number = match number {
                NgramNumber::Posterior => gram.posterior,
                NgramNumber::ExpectedCount => gram.expected,
            };
            let _ = writeln!(text, ": {number}");
        }
        text
    }

    /// Reads lines that [`to_text`](Self::to_text) has written, or SGNMT; expected counts are those of translations
    /// that have no n-gram twice.
    ///
    /// # Errors
    /// If a line is not that, a number is not a probability, a word is none of the vocabulary, or an n-gram is there
    /// twice or is longer than [`MAX_ORDER`] units.
    pub fn from_text<'t>(
        lines: impl IntoIterator<Item = &'t str>,
        numbering: Numbering,
        units: &Units,
    ) -> Result<Self, EvidenceError> {
        let (mut found, mut seen) = (Self::default(), HashSet::new());
        for (line, text) in (1..).zip(lines) {
            let wrong = || EvidenceError::Line { line, found: shown(text) };
            let (words, posterior) = text.rsplit_once(':').ok_or_else(wrong)?;
            let posterior: f64 = posterior.trim().parse().map_err(|_| wrong())?;
            // One more than rounding makes of 1.
            if !(0.0..=1.00001).contains(&posterior) {
                return Err(EvidenceError::Probability { line, found: posterior });
            }
            let numbers: Vec<u64> = words
                .split_ascii_whitespace()
                .map(|word| word.parse().map_err(|_| wrong()))
                .collect::<Result<_, _>>()?;
            let words = numbering.words(&numbers, line)?;
            let order =
                words.iter().enumerate().filter(|(place, word)| *place == 0 || !units.continues(**word)).count();
            if order == 0 {
                return Err(wrong());
            }
            if order > MAX_ORDER {
                return Err(EvidenceError::Order { line, order });
            }
            // Writers of n-grams before the first word have a posterior for the place alone.
            if words == [BEGIN] {
                continue;
            }
            found.push(&words, order, posterior, posterior);
            if !seen.insert(words) {
                return Err(EvidenceError::Twice { line });
            }
        }
        found.sort();
        Ok(found)
    }
}

impl Numbering {
    fn words(&self, numbers: &[u64], line: usize) -> Result<Vec<WordId>, EvidenceError> {
        let word = |(place, &number): (usize, &u64)| {
            let word = u32::try_from(number).map(WordId).ok().filter(|word| word.index() < self.words);
            let word = word.ok_or(EvidenceError::Word { line, word: number, words: self.words })?;
            let begins = self.begin == Some(word) || (word == self.end && numbers.len() > 1);
            Ok(if place == 0 && begins { BEGIN } else { word })
        };
        numbers.iter().enumerate().map(word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Paths;

    const NUMBERING: Numbering = Numbering { words: 9, end: WordId(2), begin: Some(WordId(1)) };

    fn read(text: &str) -> Result<Posteriors, EvidenceError> {
        Posteriors::from_text(text.lines(), NUMBERING, &Units::words())
    }

    #[test]
    fn what_is_written_is_read() {
        let list = [(vec![WordId(5), WordId(7)], 0.75f64.ln()), (vec![WordId(5)], 0.25f64.ln())];
        let posteriors = Paths::from_n_best(&list, 1.0, WordId(2)).unwrap().posteriors(2, &Units::words()).unwrap();
        let text = posteriors.to_text(WordId(2), NgramNumber::Posterior);
        assert_eq!(text, "2 : 1\n5 : 1\n7 : 0.75\n5 2 : 0.25\n5 7 : 0.75\n7 2 : 0.75\n2 5 : 1\n");
        assert_eq!(read(&text), Ok(posteriors));
        // As SGNMT writes it: no space before the colon is needed, and 1 is the place before the first word.
        let begins = read("1: 1.0\n1 5: 0.5\n").unwrap();
        let grams: Vec<_> = begins.iter().map(|gram| (gram.words.to_vec(), gram.posterior)).collect();
        assert_eq!(grams, [(vec![BEGIN, WordId(5)], 0.5)]);
    }

    #[test]
    fn faults_are_named() {
        let line = "line 1 of the posteriors: expected word numbers, a colon and a probability, found ";
        for (text, expected) in [
            ("5 7", format!("{line}`5 7`")),
            (" : 0.5", format!("{line}` : 0.5`")),
            ("house : 0.5", format!("{line}`house : 0.5`")),
            ("5 : x", format!("{line}`5 : x`")),
            ("5 : 1.5", "line 1 of the posteriors: the posterior is 1.5; expected a number from 0 to 1".into()),
            ("5 : NaN", "line 1 of the posteriors: the posterior is NaN; expected a number from 0 to 1".into()),
            ("5 : -0.1", "line 1 of the posteriors: the posterior is -0.1; expected a number from 0 to 1".into()),
            ("5 9 : 1", "line 1 of the posteriors: word 9 is outside the vocabulary of 9 words".into()),
            ("5 : 1\n5 : 1", "line 2 of the posteriors: the n-gram is there for the second time".into()),
            ("5 6 7 5 6 : 1", "line 1 of the posteriors: an n-gram of 5 words; expected 4 at most".into()),
        ] {
            assert_eq!(read(text).expect_err(text).to_string(), expected);
        }
    }
}
