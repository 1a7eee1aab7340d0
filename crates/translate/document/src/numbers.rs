//! Arguments of messages that stand for numbers, as `%d` and `{count}`.
//!
//! Models translate `17 files` well, and take `{count} files` for a compound with a name. So they read a number,
//! which the translation has to have, and the argument is written in its place.

use crate::marks::{Form, is_mark};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Numbers that are read in place of arguments.
pub(crate) const EXAMPLES: &[&str] =
    &["17", "23", "35", "42", "58", "64", "79", "86", "93", "127", "139", "148", "152", "163", "174", "185", "196"];

/// Words in the names of numbers.
const NAMES: &[&str] = &[
    "amount",
    "count",
    "counter",
    "day",
    "days",
    "hours",
    "limit",
    "max",
    "min",
    "minutes",
    "months",
    "n",
    "nb",
    "num",
    "number",
    "pages",
    "percent",
    "percentage",
    "points",
    "progress",
    "qty",
    "quantity",
    "remaining",
    "seconds",
    "total",
    "weeks",
    "years",
];

/// Forms of numbers in messages of C, Python and the like.
static FORMATS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^%(?:\d+\$|\([A-Za-z_]\w*\)|<\w+>)?[-+ 0#']*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh?|ll?|[Lqjzt])?[diufFgG]$",
    )
    .ok()
});

/// Whether a thing that stays stands for a number.
pub(crate) fn is_number(thing: &str) -> bool {
    if FORMATS.as_ref().is_some_and(|formats| formats.is_match(thing)) {
        return true;
    }
    let Some(inner) = thing.strip_prefix(['{', '$', '#', '%', '@', ':']) else { return false };
    let inner = inner.trim_matches(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | '%'));
    match inner.split_once(',') {
        Some((_, kind)) => kind.trim_start().starts_with("number"),
        None => inner.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-')) && names_number(inner),
    }
}

/// Powers of units, of letters and of ten, and fractions.
static RAISED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let forms = [
        r"(?P<base>\p{L}{1,3}|\b10)(?P<power>⁻?[²³⁰¹⁴-⁹]+)",
        r"(?P<whole>\d*)[¼½¾⅐-⅞]",
        r"\b(?P<mixed>\d{1,3}) \d{1,2}/\d{1,2}\b",
    ];
    Regex::new(&forms.join("|")).ok()
});

/// The digit of a raised one.
fn digit(raised: char) -> Option<char> {
    let place = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|known| known == raised)?;
    char::from_digit(u32::try_from(place).ok()?, 10)
}

/// Signs that few vocabularies have, as in `5 m²` and `2½`, and what is read for them: models write it as it is read.
pub(crate) fn raised(text: &str) -> Vec<(Range<usize>, String)> {
    let read = |found: regex::Captures<'_>| {
        let range = found.get(0)?.range();
        if let Some(whole) = found.name("mixed") {
            // `1 1/2 cups` are several.
            return Some((range, if whole.as_str() == "1" { "2" } else { whole.as_str() }.to_owned()));
        }
        let shown = match (found.name("base"), found.name("power"), found.name("whole")) {
            (Some(base), Some(power), _) => {
                let before = &text[..base.end()];
                let goes_on = text[..base.start()].ends_with(char::is_alphanumeric);
                let is_ten = base.as_str() == "10";
                if goes_on || (!is_ten && is_mark("1", Form::Raised, before)) {
                    return None;
                }
                base.as_str().chars().chain(power.as_str().chars().filter_map(digit)).collect()
            }
            (.., Some(whole)) if !whole.is_empty() => whole.as_str().to_owned(),
            _ => "1/2".to_owned(),
        };
        Some((range, shown))
    };
    RAISED.iter().flat_map(|form| form.captures_iter(text)).filter_map(read).collect()
}

/// Whether the first or the last word of a name is that of a number, as in `itemCount` and `total_items`.
fn names_number(name: &str) -> bool {
    let mut words: Vec<String> = vec![String::new()];
    let mut before_is_small = false;
    for c in name.chars() {
        let divides = !c.is_alphanumeric() || (c.is_uppercase() && before_is_small);
        if divides {
            words.push(String::new());
        }
        before_is_small = c.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    let is_number = |word: &String| NAMES.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit()));
    words.first().is_some_and(is_number) || words.last().is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_from_names() {
        for thing in [
            "%d",
            "%2$d",
            "%.2f",
            "%lu",
            "%(total)d",
            "{count}",
            "{{ count }}",
            "${itemCount}",
            "#{n}",
            "%{num_files}",
            ":count",
            "{n, number}",
            "{n, number, integer}",
            "{totalPages}",
            "%count%",
        ] {
            assert!(is_number(thing), "{thing}");
        }
        for thing in
            ["%s", "%(count)s", "{name}", "{0}", "{country}", "{{user}}", ":name", "{date, date}", "{account}", "v{n}"]
        {
            assert!(!is_number(thing), "{thing}");
        }
    }
}
