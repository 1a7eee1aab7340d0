//! The numbers of a sentence that its translation lacks in any notation.
//!
//! [`missing_numbers`] compares amounts, clock times, dates, percentages, ranks and strings of digits as values:
//! `1,250.50` is `1.250,50`, `8 p.m.` is `20 Uhr`, `2.5 billion` is `2,5 Milliarden`, `3 May 2024` is `2024-05-03`.
//! Where a notation has several readings, any of them will do: the check reports a number only if no reading of it
//! stands in the translation.
//!
//! English and German words count. Of other languages the check knows digits and signs alone.

mod amounts;
mod chain;
mod clock;
mod dates;
mod decimal;
mod german;
mod item;
mod money;
mod neighbours;
mod number_words;
mod reader;
mod roman;
#[cfg(test)]
mod tests;
mod tokens;
mod units;
mod words;
mod years;

pub use amounts::{Amount, MissingAmounts, amounts, missing_amounts, plain_numbers};
use decimal::Decimal;
use item::{Item, Shape};
use reader::Reader;
use std::collections::HashSet;
use std::ops::Range;
use units::Measure;

/// A number of a source that its translation lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingNumber {
    /// Its bytes in the source, with its currency, per cent sign or time of day.
    pub range: Range<usize>,
    /// The text of these bytes.
    pub text: String,
}

/// The numbers of `source` that `translation` lacks in any notation, in the order of the source.
///
/// `languages` are the codes of both, such as `en` and `de-AT`; without them words for numbers are not read. The time
/// is linear in the length of both texts.
///
/// ```
/// use metaphrase_text::numbers::missing_numbers;
///
/// let missing = |source, translation| -> Vec<String> {
///     let found = missing_numbers(source, translation, Some(("en", "de")));
///     found.into_iter().map(|number| number.text).collect()
/// };
/// assert_eq!(missing("It costs $1,250.50 at 8 p.m.", "Es kostet 1.250,50 $ um 20 Uhr."), [""; 0]);
/// assert_eq!(missing("It costs $1,250.50 at 8 p.m.", "Es kostet 1.250,50 € um 8 Uhr."), ["$1,250.50", "8 p.m."]);
/// ```
#[must_use]
pub fn missing_numbers(source: &str, translation: &str, languages: Option<(&str, &str)>) -> Vec<MissingNumber> {
    let (from, to) = languages.map_or((Language::Other, Language::Other), |(from, to)| (from.into(), to.into()));
    let reader = Reader::new(source, from, Side::Source(to));
    let is_of_afternoon = reader.facts().contains(&Atom::Part(DayPart::Pm));
    let mut items = reader.items();
    items.retain(|item| item.is_required(to));
    if items.is_empty() && !source.contains('(') {
        return Vec::new();
    }
    let there = Contents::new(translation, to);
    items.retain(|item| {
        let may_be_hour =
            item.shape != Shape::Digits || is_of_afternoon || may_follow_hour(&source[..item.range.start]);
        !there.has(item, may_be_hour)
    });
    let missing = |item: Item| MissingNumber { text: source[item.range.clone()].to_owned(), range: item.range };
    let mut missing: Vec<MissingNumber> = items.into_iter().map(missing).collect();
    missing.extend(roman::missing(source, translation, |number| there.atoms.contains(number)));
    missing.sort_by_key(|number| number.range.start);
    missing
}

/// Words before an hour that does not say in which half of the day it is.
const BEFORE_HOURS: &[&str] = &[
    "about", "ab", "after", "and", "around", "at", "before", "between", "bis", "by", "from", "gegen", "nach", "past",
    "seit", "since", "till", "to", "um", "und", "until", "von", "vor", "zwischen",
];

/// Whether a number after this text may be an hour: `open until 10`, `9–5`. In `10 pcs.` it is none.
fn may_follow_hour(before: &str) -> bool {
    let before = before.trim_end();
    let word = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    before.ends_with(['-', '–', '—']) || BEFORE_HOURS.contains(&&*word.to_lowercase())
}

/// A language as far as its words for numbers are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    English,
    German,
    /// Any other; of Chinese, Japanese and Korean see [`Self::Myriads`].
    Other,
    /// A language that counts in ten thousands, so that `2.5 billion` has other digits there.
    Myriads,
}

impl From<&str> for Language {
    fn from(code: &str) -> Self {
        match code.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase().as_str() {
            "en" | "eng" => Self::English,
            "de" | "deu" | "ger" => Self::German,
            "zh" | "zho" | "chi" | "yue" | "ja" | "jpn" | "ko" | "kor" => Self::Myriads,
            _ => Self::Other,
        }
    }
}

impl Language {
    /// The sign before the fractions of its numbers, if that is known.
    fn decimal_sign(self) -> Option<char> {
        match self {
            Self::English => Some('.'),
            Self::German => Some(','),
            Self::Other | Self::Myriads => None,
        }
    }

    /// Whether its words for numbers are known.
    fn has_words(self) -> bool {
        matches!(self, Self::English | Self::German)
    }
}

/// Which text is read. Doubts are resolved in favour of the translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// The source, and the language of its translation.
    Source(Language),
    Translation,
}

/// A fact that a text states.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Atom {
    Number(Decimal),
    /// Minutes since midnight.
    Time(u16),
    /// From 1.
    Month(u8),
    Part(DayPart),
    Percent,
    /// A currency by a name of its own: all dollars are one.
    Currency(&'static str),
    /// All digits of a group such as a telephone number.
    Digits(String),
}

/// A half of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum DayPart {
    Am,
    Pm,
    /// The night is in both halves.
    Night,
}

/// The number of amounts in a translation that are compared with amounts in other units, at most: the time stays
/// linear.
const MEASURES: usize = 50;

/// The facts that a translation states.
struct Contents {
    atoms: HashSet<Atom>,
    /// The hours to twelve of its times in the afternoon: 10 in `22 Uhr`.
    hours: HashSet<Atom>,
    measures: Vec<Measure>,
    language: Language,
    has_currency: bool,
}

impl Contents {
    fn new(translation: &str, language: Language) -> Self {
        let reader = Reader::new(translation, language, Side::Translation);
        let mut atoms: HashSet<Atom> = reader.facts().into_iter().collect();
        let has_currency = atoms.iter().any(|atom| matches!(atom, Atom::Currency(_)));
        let (mut measures, mut hours) = (Vec::new(), HashSet::new());
        for item in reader.items() {
            measures.extend(item.measure.filter(|_| measures.len() < MEASURES));
            let is_afternoon = |reading: &Vec<Atom>| reading.contains(&Atom::Part(DayPart::Pm));
            let (afternoon, others): (Vec<_>, Vec<_>) = item.readings.into_iter().partition(is_afternoon);
            hours.extend(afternoon.into_iter().flatten());
            atoms.extend(others.into_iter().flatten());
        }
        Self { atoms, hours, measures, language, has_currency }
    }

    /// Whether a reading of a number of the source is there, with its currency and its per cent sign.
    fn has(&self, item: &Item, may_be_hour: bool) -> bool {
        let known = self.language.has_words();
        let currency = item
            .currency
            .is_none_or(|currency| self.atoms.contains(&Atom::Currency(currency)) || !(known || self.has_currency));
        let percent = !item.percent || !known || self.atoms.contains(&Atom::Percent);
        let has = |atom: &Atom| self.atoms.contains(atom) || (may_be_hour && self.hours.contains(atom));
        let is_there = |reading: &Vec<Atom>| reading.iter().all(has);
        (currency && percent && item.readings.iter().any(is_there)) || self.has_converted(item)
    }

    fn has_converted(&self, item: &Item) -> bool {
        item.measure.is_some_and(|ours| self.measures.iter().any(|&theirs| ours.converts_to(theirs)))
    }
}
