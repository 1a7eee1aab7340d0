//! Marks of notes: they stand next to a word and belong to no word, as `[1]`, `*` or a raised number.

use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Words before a raised number that makes a unit or a power of them.
const UNITS: &[&str] =
    &["mm", "cm", "dm", "km", "nm", "µm", "μm", "ft", "in", "yd", "mi", "kg", "mg", "mc", "sin", "cos", "tan", "log"];

/// How far back the text before a mark is looked at.
const NEAR: usize = 200;

/// How a mark differs from the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// It stands higher than the text.
    Raised,
    /// It is a link.
    Link,
}

/// Numbers, or ranges and lists of them.
static NUMBERS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*$").ok());

/// Marks in text: in brackets, stars and daggers, raised digits.
static IN_TEXT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\[(?:\d{1,3}|[a-h])\]|\*{1,3}|[†‡]+|[™®©℠]|[¹²³⁰⁴-⁹]+").ok());

/// Whether an element with this text marks a note. `before`: the text of the paragraph before it.
pub(crate) fn is_mark(text: &str, form: Form, before: &str) -> bool {
    let text = text.trim();
    let Some(last) = before.chars().next_back().filter(|last| !last.is_whitespace()) else { return false };
    let is_sign = |c: char| matches!(c, '*' | '†' | '‡' | '§' | '¶' | '#' | '‖' | '®' | '™' | '℠' | '¹' | '²' | '³');
    if !text.is_empty() && text.chars().all(is_sign) {
        return true;
    }
    let inner = [("[", "]"), ("(", ")")].iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    if let Some(inner) = inner {
        let letters = inner.chars().filter(|c| c.is_alphabetic()).count();
        let has_number = inner.contains(|c: char| c.is_ascii_digit());
        return inner.len() <= 12 && ((letters == 1 && inner.len() == 1) || has_number);
    }
    if last.is_numeric() {
        // `2nd`, `10²`.
        return false;
    }
    let word = word_at_end(before);
    let letters = word.chars().count();
    if NUMBERS.as_ref().is_some_and(|numbers| numbers.is_match(text)) {
        return letters != 1 && !UNITS.contains(&word);
    }
    let is_named = matches!(text, "TM" | "SM" | "R") && letters > 0;
    let is_letter = text.len() == 1 && text.bytes().all(|c| c.is_ascii_lowercase());
    let is_roman = matches!(text, "ii" | "iii" | "iv" | "vi" | "vii" | "viii" | "ix" | "xi" | "xii");
    // `XIXᵉ`, `nᵒ` and `Prof.ª` are words.
    let after_word = letters >= 3 && word.chars().any(char::is_lowercase) || letters == 0 && last != '.';
    form == Form::Raised && (is_named || (is_letter || is_roman) && after_word)
}

/// The marks of notes in a text that follows `before`.
pub(crate) fn in_text(text: &str, before: &str) -> Vec<Range<usize>> {
    if text.is_ascii() && !text.contains(['[', '*']) {
        return Vec::new();
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    // Where a star stands that begins something: `*emphasis*`.
    let mut begun = begins_emphasis(&before[before.floor_char_boundary(before.len().saturating_sub(NEAR))..]);
    let mut looked = 0;
    for mark in IN_TEXT.iter().flat_map(|marks| marks.find_iter(text)) {
        let (sign, range) = (mark.as_str(), mark.range());
        // A mark next to a mark is next to the same word.
        let chain = found.last().is_some_and(|last| last.end == range.start);
        let last = text[..range.start].chars().next_back().or_else(|| before.chars().next_back());
        let touches = last.is_some_and(|last| {
            last.is_alphabetic() || matches!(last, '.' | ',' | '!' | '?' | ';' | ':' | ')' | '"' | '”' | '’' | '»')
        });
        begun = begun || begins_emphasis(&text[looked..range.start]);
        looked = range.start;
        let ends = text[range.end..].chars().next().is_none_or(|next| !next.is_alphanumeric());
        let fits = match sign.as_bytes()[0] {
            b'[' => true,
            b'*' => ends && !begun,
            _ if sign.contains(['†', '‡', '™', '®', '©', '℠']) => true,
            // A power, not a mark: `5 m²`, `x²`.
            _ => ends && is_mark("1", Form::Raised, if range.start == 0 { before } else { &text[..range.start] }),
        };
        if fits && (touches || chain) {
            found.push(range);
        }
    }
    found
}

/// Whether a text has a star that stands before a word.
fn begins_emphasis(text: &str) -> bool {
    text.match_indices('*').any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + 1..].chars().next();
        before.is_none_or(|before| !before.is_alphanumeric()) && after.is_none_or(|after| !after.is_whitespace())
    })
}

/// The letters at the end of a text.
fn word_at_end(text: &str) -> &str {
    let start = text.char_indices().rev().take(NEAR).take_while(|(_, c)| c.is_alphabetic()).last();
    start.map_or("", |(at, _)| &text[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_told_from_words() {
        for (before, text) in [
            ("house", "1"),
            ("rebuilt.", "3"),
            ("garden", "a"),
            ("house", "[1]"),
            ("house", "[a]"),
            ("price", "*"),
            ("price", "**"),
            ("said”", "12"),
            ("house", "1,2"),
            ("house", "1–3"),
            ("Acme", "®"),
            ("Acme", "TM"),
            ("Kaffee", "ii"),
            ("10", "[2]"),
            ("words", "(3)"),
            ("houses", "[note 1]"),
        ] {
            assert!(is_mark(text, Form::Raised, before), "{before}{text}");
        }
        for (before, text) in [
            ("2", "nd"),
            ("m", "2"),
            ("5 km", "2"),
            ("x", "2"),
            ("10", "6"),
            ("n", "o"),
            ("XIX", "e"),
            ("M", "lle"),
            ("house ", "1"),
            ("", "1"),
            ("Prof.", "a"),
            ("word", "[citation needed]"),
            ("word", "other"),
            ("E=mc", "2"),
        ] {
            assert!(!is_mark(text, Form::Raised, before), "{before}{text}");
        }
        assert!(is_mark("1", Form::Link, "big") && !is_mark("a", Form::Link, "garden"));
    }

    #[test]
    fn marks_in_text_are_found() {
        let marks = |text: &str| in_text(text, "").into_iter().map(|range| text[range].to_owned()).collect::<Vec<_>>();
        assert_eq!(marks("The house[1] and the garden[2][3]."), ["[1]", "[2]", "[3]"]);
        assert_eq!(marks("The price* is high.** Note¹ and end.²"), ["*", "**", "¹", "²"]);
        assert!(marks("5*3, *bold* word, **very bold**, 5 m², x², [1] First, a * b").is_empty());
        assert_eq!(marks("Brutus† said"), ["†"]);
    }
}
