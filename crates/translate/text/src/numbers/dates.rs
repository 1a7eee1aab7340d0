//! Dates: `3 May 2024`, `May 3rd, 2024`, `3. Mai 2024`, `03.05.2024`, `5/3/2024`, `2024-05-03`.

use super::decimal::Decimal;
use super::tokens::Token;
use super::{Atom, Language};

/// A date.
pub(super) struct Date {
    /// The token after it.
    pub(super) end: usize,
    pub(super) readings: Vec<Vec<Atom>>,
}

/// The month that a word names, from 1.
pub(super) fn month(word: &str, language: Language) -> Option<u8> {
    // `des 11. Septembers`
    let word =
        if language == Language::German && word.len() > 4 { word.strip_suffix('s').unwrap_or(word) } else { word };
    Some(match (language, word) {
        (Language::English, "january" | "jan") | (Language::German, "januar" | "jänner" | "jan") => 1,
        (Language::English, "february" | "feb") | (Language::German, "februar" | "feber" | "feb") => 2,
        (Language::English, "march" | "mar") | (Language::German, "märz" | "mär" | "mrz" | "maerz") => 3,
        (Language::English | Language::German, "april" | "apr") => 4,
        (Language::English, "may") | (Language::German, "mai") => 5,
        (Language::English, "june" | "jun") | (Language::German, "juni" | "jun" | "juno") => 6,
        (Language::English, "july" | "jul") | (Language::German, "juli" | "jul" | "julei") => 7,
        (Language::English | Language::German, "august" | "aug") => 8,
        (Language::English | Language::German, "september" | "sep" | "sept") => 9,
        (Language::English, "october" | "oct") | (Language::German, "oktober" | "okt") => 10,
        (Language::English | Language::German, "november" | "nov") => 11,
        (Language::English, "december" | "dec") | (Language::German, "dezember" | "dez") => 12,
        _ => return None,
    })
}

/// The value of digits up to `most`, from 1.
fn small(tokens: &[Token<'_>], at: usize, most: u16) -> Option<u16> {
    let digits = tokens.get(at)?.digits().filter(|digits| digits.len() <= 4)?;
    digits.parse().ok().filter(|value| (1..=most).contains(value))
}

fn number(value: u16) -> Atom {
    Atom::Number(Decimal::from(u64::from(value)))
}

/// A year of four digits at a token, perhaps after a comma; the token after it.
fn year(tokens: &[Token<'_>], at: usize) -> Option<(u16, usize)> {
    let at = at + usize::from(tokens.get(at).is_some_and(|token| token.is_sign(',')));
    let digits = tokens.get(at)?.digits().filter(|digits| digits.len() == 4)?;
    Some((digits.parse().ok()?, at + 1))
}

/// The date that begins at a token. `to`: the language in which it is looked for.
pub(super) fn date(tokens: &[Token<'_>], at: usize, language: Language, to: Language) -> Option<Date> {
    numeric(tokens, at, language).or_else(|| in_words(tokens, at, language, to))
}

fn in_words(tokens: &[Token<'_>], at: usize, language: Language, to: Language) -> Option<Date> {
    let month_at = |at: usize| tokens.get(at).and_then(Token::word).and_then(|word| month(word, language));
    let (day, month, mut end) = if let Some(month) = month_at(at) {
        let dot = usize::from(tokens.get(at + 1).is_some_and(|token| token.is_sign('.')));
        let next = at + 1 + dot;
        // `im Juli 2,7 Prozent`, `on May 3.5 million`
        let colon = tokens.get(next + 1).is_some_and(|token| token.is_sign(':') || token.is_sign('%'));
        let decimal = tokens.get(next + 2).is_some_and(|token| token.digits().is_some() && !token.spaced);
        match small(tokens, next, 31).filter(|_| !colon && !decimal) {
            Some(day) if tokens[next].text.len() <= 2 => (Some(day), month, ordinal(tokens, next + 1)),
            _ => (None, month, next),
        }
    } else {
        let day = small(tokens, at, 31).filter(|_| tokens[at].text.len() <= 2)?;
        let mut next = ordinal(tokens, at + 1);
        next += usize::from(tokens.get(next).is_some_and(|token| token.is_sign('.') || token.word() == Some("of")));
        let month = month_at(next)?;
        let dot = tokens.get(next + 1).is_some_and(|token| token.is_sign('.')) && tokens[next].text.len() <= 4;
        (Some(day), month, next + 1 + usize::from(dot && year(tokens, next + 2).is_some()))
    };
    let year = year(tokens, end);
    if day.is_none() && year.is_none() {
        return None;
    }
    let mut reading: Vec<Atom> = day.map(number).into_iter().collect();
    if let Some((year, after)) = year {
        reading.push(number(year));
        end = after;
    }
    let mut readings = Vec::new();
    if !to.has_words() {
        readings.push(reading.clone());
    }
    reading.push(Atom::Month(month));
    readings.push(reading);
    Some(Date { end, readings })
}

/// The token after the ending of an English rank.
pub(super) fn ordinal(tokens: &[Token<'_>], at: usize) -> usize {
    let ends = |token: &&Token<'_>| {
        !token.spaced && token.word().is_some_and(|word| matches!(word, "st" | "nd" | "rd" | "th"))
    };
    at + usize::from(tokens.get(at).filter(ends).is_some())
}

/// Dates of three numbers, and `3.5.`.
fn numeric(tokens: &[Token<'_>], at: usize, language: Language) -> Option<Date> {
    let parts = [tokens.get(at)?, tokens.get(at + 2)?, tokens.get(at + 4)?].map(|token| token.digits());
    let signs = ['-', '.', '/'].into_iter().find(|&sign| {
        [1, 3].iter().all(|step| tokens[at + step].is_sign(sign))
            && tokens[at + 1..at + 5].iter().all(|token| !token.spaced)
    })?;
    let [Some(first), Some(second), Some(third)] = parts else { return None };
    // A fourth group: an address or a telephone number.
    if tokens.get(at + 5).is_some_and(|token| token.is_sign(signs))
        && tokens.get(at + 6).is_some_and(|token| token.digits().is_some() && !token.spaced)
    {
        return None;
    }
    let mut readings = Vec::new();
    let mut add = |day: usize, month: usize, years: Vec<u16>| {
        let (Some(day), Some(month)) = (small(tokens, day, 31), small(tokens, month, 12)) else { return };
        readings.extend(years.into_iter().map(|year| vec![number(day), Atom::Month(month as u8), number(year)]));
    };
    if first.len() == 4 && signs != '.' {
        add(at + 4, at + 2, years(first));
    } else if first.len() <= 2 && second.len() <= 2 && matches!(third.len(), 2 | 4) {
        add(at, at + 2, years(third));
        if signs == '/' || language == Language::English {
            add(at + 2, at, years(third));
        }
    }
    if readings.is_empty() {
        return None;
    }
    let apart = |digits| Atom::Number(Decimal::new(digits, ""));
    readings.push(vec![apart(first), apart(second), apart(third)]);
    Some(Date { end: at + 5, readings })
}

/// The years that two or four digits may mean.
fn years(digits: &str) -> Vec<u16> {
    let Ok(year) = digits.parse() else { return Vec::new() };
    if digits.len() == 2 { vec![year, 1900 + year, 2000 + year] } else { vec![year] }
}
