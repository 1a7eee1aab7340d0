//! Faults of a pair that the pair alone shows.

use crate::recipe::{Languages, Limits};
use serde::Serialize;
use std::collections::HashMap;
use std::fmt;
use whatlang::{Detector, Lang};

/// Why a pair is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// A side is empty, is no UTF-8 or is longer than a line may be.
    NoText,
    /// A side has more than [`Limits::max_words`] words.
    TooLong,
    /// A side has too few letters.
    FewLetters,
    /// Both sides are equal.
    Copy,
    /// A side seems to be in the language of the other.
    Language,
    /// The sides have different numbers.
    Numbers,
    /// The pair was there before.
    Duplicate,
    /// A line of a test set, or most of its words.
    TestSet,
    /// The target is far longer or shorter than its source makes expect.
    Ratio,
    /// The words of one side do not translate those of the other.
    Agreement,
    /// The models' scores are not among the best.
    Scores,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoText => "without text",
            Self::TooLong => "too long",
            Self::FewLetters => "with few letters",
            Self::Copy => "copies",
            Self::Language => "in the wrong language",
            Self::Numbers => "with different numbers",
            Self::Duplicate => "duplicates",
            Self::TestSet => "of a test set",
            Self::Ratio => "of unlikely lengths",
            Self::Agreement => "whose words do not agree",
            Self::Scores => "with lower scores",
        })
    }
}

/// The least number of words that identifies the language of a side.
const TELLING_WORDS: usize = 5;
/// Words up to which sides may be equal: names, titles.
const EQUAL_WORDS: usize = 2;

/// Finds faults.
pub(crate) struct Filter {
    limits: Limits,
    /// The languages of both sides and the means to distinguish them; `None` if languages are not checked.
    languages: Option<([Lang; 2], Detector)>,
}

impl Filter {
    pub(crate) fn new(limits: &Limits, languages: &Languages) -> Self {
        let known = [&languages.source, &languages.target].map(|code| language(code));
        let languages = match known {
            [Some(source), Some(target)] if limits.language && source != target => {
                Some(([source, target], Detector::with_allowlist(vec![source, target])))
            }
            _ => None,
        };
        Self { limits: limits.clone(), languages }
    }

    /// The first fault of a pair.
    pub(crate) fn fault(&self, pair: [&str; 2]) -> Option<Reason> {
        let words = pair.map(|side| side.split_whitespace().count());
        if words.contains(&0) {
            return Some(Reason::NoText);
        }
        if words.iter().any(|&words| words > self.limits.max_words) {
            return Some(Reason::TooLong);
        }
        if pair.iter().any(|side| letters(side) < self.limits.min_letters) {
            return Some(Reason::FewLetters);
        }
        if pair[0] == pair[1] && words[0] > EQUAL_WORDS {
            return Some(Reason::Copy);
        }
        if other_numbers(pair) > self.limits.max_other_numbers {
            return Some(Reason::Numbers);
        }
        let (languages, detector) = self.languages.as_ref()?;
        let other = |side: usize| {
            let found = (words[side] >= TELLING_WORDS).then(|| detector.detect(pair[side])).flatten();
            found.is_some_and(|found| found.is_reliable() && found.lang() != languages[side])
        };
        // A side is in the other's language only if the other side is not: names and code look like any language.
        (other(0) != other(1)).then_some(Reason::Language)
    }
}

/// The language of a code of two letters.
fn language(code: &str) -> Option<Lang> {
    let codes = [
        ("de", Lang::Deu),
        ("en", Lang::Eng),
        ("fr", Lang::Fra),
        ("es", Lang::Spa),
        ("it", Lang::Ita),
        ("pt", Lang::Por),
        ("nl", Lang::Nld),
        ("pl", Lang::Pol),
        ("cs", Lang::Ces),
        ("ru", Lang::Rus),
        ("uk", Lang::Ukr),
        ("sv", Lang::Swe),
        ("da", Lang::Dan),
        ("fi", Lang::Fin),
        ("hu", Lang::Hun),
        ("ro", Lang::Ron),
        ("tr", Lang::Tur),
        ("el", Lang::Ell),
        ("ja", Lang::Jpn),
        ("zh", Lang::Cmn),
        ("ko", Lang::Kor),
        ("ar", Lang::Ara),
        ("he", Lang::Heb),
        ("hi", Lang::Hin),
    ];
    codes.iter().find(|(known, _)| *known == code).map(|&(_, language)| language)
}

/// The share of letters among the characters that are not white space.
fn letters(text: &str) -> f64 {
    let (mut letters, mut all) = (0, 0);
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        letters += usize::from(c.is_alphabetic());
        all += 1;
    }
    f64::from(letters as u32) / f64::from(all.max(1) as u32)
}

/// How many numbers, runs of digits, one side has and the other lacks: the greater of both counts.
fn other_numbers([source, target]: [&str; 2]) -> usize {
    let numbers = |text| str::split(text, |c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
    let mut counts: HashMap<&str, isize> = HashMap::new();
    numbers(source).for_each(|number| *counts.entry(number).or_default() += 1);
    numbers(target).for_each(|number| *counts.entry(number).or_default() -= 1);
    let more = counts.values().filter(|count| **count > 0).sum::<isize>();
    let fewer = -counts.values().filter(|count| **count < 0).sum::<isize>();
    more.max(fewer).unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_found() {
        let languages = Languages { source: "en".into(), target: "de".into() };
        let filter = Filter::new(&Limits { max_words: 12, ..Limits::default() }, &languages);
        let fault = |source, target| filter.fault([source, target]);
        assert_eq!(fault("The cat sat on the old mat.", "Die Katze saß auf der alten Matte."), None);
        assert_eq!(fault("Paris", "Paris"), None);
        assert_eq!(fault("  ", "Haus"), Some(Reason::NoText));
        assert_eq!(fault("a b c d e f g h i j k l m", "Haus"), Some(Reason::TooLong));
        assert_eq!(fault("+-*/ 12 ab", "+-*/ 12 ab c"), Some(Reason::FewLetters));
        assert_eq!(fault("Read the manual", "Read the manual"), Some(Reason::Copy));
        let english = "You have to read the whole manual.";
        assert_eq!(
            fault("Sie müssen das ganze Handbuch lesen.", "Sie müssen das Handbuch ganz lesen."),
            Some(Reason::Language)
        );
        assert_eq!(fault(english, "You must read all of the manual."), Some(Reason::Language));
        assert_eq!(fault("room one, two, three", "Zimmer 1 und 2 und 33"), Some(Reason::Numbers));
        assert_eq!(fault("room 1", "Zimmer 2 und 3"), None, "two numbers may differ");
    }
}
