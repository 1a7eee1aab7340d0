//! Numbers as German words.

use super::Language;
use super::decimal::Decimal;
use super::number_words::{Form, NumberWords, scale};
use super::tokens::Token;

/// Units as they begin words, the longer one first where one begins another.
const UNITS: [(&str, u64); 13] = [
    ("null", 0),
    ("eins", 1),
    ("ein", 1),
    ("zwei", 2),
    ("zwo", 2),
    ("drei", 3),
    ("vier", 4),
    ("fünf", 5),
    ("sechs", 6),
    ("sieben", 7),
    ("acht", 8),
    ("neun", 9),
    ("zehn", 10),
];

/// Further numbers below twenty.
const TEENS: [(&str, u64); 9] = [
    ("elf", 11),
    ("zwölf", 12),
    ("dreizehn", 13),
    ("vierzehn", 14),
    ("fünfzehn", 15),
    ("sechzehn", 16),
    ("siebzehn", 17),
    ("achtzehn", 18),
    ("neunzehn", 19),
];

const TENS: [(&str, u64); 9] = [
    ("zwanzig", 20),
    ("dreißig", 30),
    ("dreissig", 30),
    ("vierzig", 40),
    ("fünfzig", 50),
    ("sechzig", 60),
    ("siebzig", 70),
    ("achtzig", 80),
    ("neunzig", 90),
];

/// Words that mean a number and do not begin with it.
const LOOSE: [(&str, u64); 12] = [
    ("erst", 1),
    ("beid", 2),
    ("doppel", 2),
    ("paar", 2),
    ("verdoppel", 2),
    ("dritt", 3),
    ("siebt", 7),
    ("dutzend", 12),
    ("viertel", 4),
    ("quartal", 4),
    ("kein", 0),
    ("verdreifach", 3),
];

/// Endings that leave a number a number.
const ENDINGS: [&str; 5] = ["", "e", "en", "em", "es"];

fn strip<'w>(word: &'w str, table: &[(&str, u64)]) -> Option<(u64, &'w str)> {
    table.iter().find_map(|&(name, value)| Some((value, word.strip_prefix(name)?)))
}

/// A number below a hundred at the beginning of a word, and the rest of the word.
fn below_hundred(word: &str) -> Option<(u64, &str)> {
    if let Some(found) = strip(word, &TENS).or_else(|| strip(word, &TEENS)) {
        return Some(found);
    }
    let (unit, rest) = strip(word, &UNITS)?;
    let tens = rest.strip_prefix("und").filter(|_| (1..10).contains(&unit)).and_then(|rest| strip(rest, &TENS));
    Some(tens.map_or((unit, rest), |(tens, rest)| (tens + unit, rest)))
}

/// A number and the word `name` for `times` after it, then a smaller number; the rest of the word.
fn with<'w>(
    word: &'w str,
    name: &str,
    times: u64,
    smaller: impl Fn(&'w str) -> Option<(u64, &'w str)>,
) -> Option<(u64, &'w str)> {
    let (count, rest) = match word.strip_prefix(name) {
        Some(rest) => (1, rest),
        None => match smaller(word) {
            Some((count, rest)) if count > 0 && rest.starts_with(name) => (count, &rest[name.len()..]),
            found => return found,
        },
    };
    let value = count * times;
    let after = rest.strip_prefix("und").unwrap_or(rest);
    match smaller(after) {
        Some((small, rest)) if small < times => Some((value + small, rest)),
        _ => Some((value, rest)),
    }
}

fn below_thousand(word: &str) -> Option<(u64, &str)> {
    with(word, "hundert", 100, below_hundred)
}

/// The number with which a word begins, and the rest of the word.
fn number(word: &str) -> Option<(u64, &str)> {
    with(word, "tausend", 1000, below_thousand)
}

/// The number with which the word at a token begins, and its scale in the next word.
pub(super) fn spoken(tokens: &[Token<'_>], at: usize) -> Option<NumberWords> {
    let word = tokens[at].word()?;
    let plain;
    let word = if word.contains("ue") || word.contains("oe") {
        plain = word.replace("fuenf", "fünf").replace("zwoelf", "zwölf");
        &plain
    } else {
        word
    };
    let end = at + 1;
    if let Some(half) = half(word) {
        return Some(scaled(tokens, end, half, Form::Loose));
    }
    if let Some((value, rest)) = number(word) {
        if let Some(after) = rest.strip_prefix("einhalb").or_else(|| rest.strip_prefix("undeinhalb")) {
            let form = if after.is_empty() { Form::Cardinal } else { Form::Loose };
            return Some(scaled(tokens, end, Decimal::new(&value.to_string(), "5"), form));
        }
        // `einem`, `einige`, `achten`, `dreimal`
        let article = word.starts_with("ein") && value == 1 && word != "eins";
        // `Hunderte`, `Zehntausende`
        let inexact = matches!(word, "hundert" | "tausend") || (!rest.is_empty() && value.is_multiple_of(100));
        let loose = article || inexact || !ENDINGS.contains(&rest) || word.starts_with("achte") || word == "elfe";
        let form = if loose { Form::Loose } else { Form::Cardinal };
        let (value, end) = continued(tokens, end, value, rest);
        return Some(scaled(tokens, end, Decimal::from(value), form));
    }
    let (value, _) = strip(word, &LOOSE)?;
    Some(scaled(tokens, end, Decimal::from(value), Form::Loose))
}

/// The rest of a number after a blank: `drei Dutzend`, `siebzehnhundert zweiunddreißig`.
fn continued(tokens: &[Token<'_>], end: usize, value: u64, rest: &str) -> (u64, usize) {
    let Some(next) = tokens.get(end).and_then(Token::word).filter(|_| value > 0) else { return (value, end) };
    if next == "dutzend" {
        return (value * 12, end + 1);
    }
    match below_hundred(next) {
        Some((small, "")) if rest.is_empty() && value >= 100 && value.is_multiple_of(100) => (value + small, end + 1),
        _ => (value, end),
    }
}

fn half(word: &str) -> Option<Decimal> {
    let fraction = |whole| Some(Decimal::new(whole, "5"));
    match word {
        "hälfte" | "halb" => fraction("0"),
        _ if ["anderthalb", "eineinhalb", "einundeinhalb"].iter().any(|half| word.starts_with(half)) => fraction("1"),
        _ if word.starts_with("halb") => fraction("0"),
        _ => None,
    }
}

/// A number with the scale after it.
fn scaled(tokens: &[Token<'_>], end: usize, value: Decimal, form: Form) -> NumberWords {
    let hyphen = tokens.get(end).is_some_and(|token| token.is_sign('-') && !token.spaced);
    let next = tokens.get(end + usize::from(hyphen)).and_then(Token::word);
    match next.and_then(|word| scale(word, Language::German)) {
        Some(exponent) if next != Some("hundert") => {
            NumberWords { end: end + 1 + usize::from(hyphen), value: value.times(exponent), form }
        }
        _ => NumberWords { end, value, form },
    }
}
