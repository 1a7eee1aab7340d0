//! Properties of Java: `key=value`, with continued lines, escapes, and arguments as `{0}`.

use super::accelerators::Markers;
use super::apostrophes::{Apostrophes, Rule};
use super::codes::is_code;
use super::message::{Message, Messages, pattern};
use super::reading::Reading;
use crate::Error;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Literal text of Java's message format, in apostrophes, and its choices: `{0,choice,0#no files|1#one file}`.
static KEPT: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"'[{}][^'\s]*'|\{\s*\d+\s*,\s*choice\s*,(?:[^{}]|\{[^{}]*\})*\}"));

/// The beginning of a choice.
static CHOICE: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"\{\s*\d+\s*,\s*choice\s*,"));

/// The values of a file.
pub(crate) fn messages(text: &str, _: &Reading<'_>) -> Result<Messages, Error> {
    // Escapes are right for each version of Java; characters are only so where the file has them.
    let ascii = text.is_ascii();
    let messages: Vec<Message> = entries(text)
        .filter_map(|value| {
            let raw = &text[value.clone()];
            let decoded = decode(raw);
            let apostrophes = Apostrophes::of(&decoded, Rule::Java);
            let encode = move |text: &str| encode(&apostrophes.encode(text), ascii);
            (!is_code(&decoded)).then(|| Message::new(value, apostrophes.decode(&decoded), encode))
        })
        .collect();
    let markers = Markers::new(messages.iter().map(|message| &message.text), None);
    let choices =
        messages.iter().filter(|message| CHOICE.as_ref().is_some_and(|choice| choice.is_match(&message.text)));
    let notes = choices_note(choices.count()).into_iter().collect();
    Ok(Messages { messages, kept: KEPT.as_ref(), markers, notes })
}

/// The message about choices, whose texts stay.
fn choices_note(choices: usize) -> Option<String> {
    let messages = if choices == 1 { "1 message has".to_owned() } else { format!("{choices} messages have") };
    (choices > 0).then(|| format!("{messages} a choice ({{0,choice,…}}), whose texts stay: translate them by hand"))
}

/// The values of entries: bytes after the separator up to the end of the last continued line.
fn entries(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let start = at;
            let blank = |c: char| matches!(c, ' ' | '\t' | '\u{c}');
            let first = start + text[start..].len() - text[start..].trim_start_matches(blank).len();
            let comment = text[first..].starts_with(['#', '!', '\n', '\r']);
            let end = if comment { line_end(text, first) } else { entry_end(text, first) };
            at = end + text[end..].find('\n').map_or(text.len() - end, |found| found + 1);
            if comment || first >= end {
                continue;
            }
            if let Some(value) = value(&text[first..end]) {
                return Some(first + value..end);
            }
        }
        None
    })
}

/// The end of a line, without the characters that end it.
fn line_end(text: &str, start: usize) -> usize {
    let line = text[start..].split('\n').next().unwrap_or_default();
    start + line.trim_end_matches('\r').len()
}

/// The end of an entry that begins here: of the first line that no backslash continues.
fn entry_end(text: &str, start: usize) -> usize {
    let mut end = line_end(text, start);
    loop {
        let line = text[start..end].rsplit('\n').next().unwrap_or_default();
        let backslashes = line.len() - line.trim_end_matches('\\').len();
        let Some(next) = text[end..].find('\n').filter(|_| backslashes % 2 == 1) else { return end };
        end = line_end(text, end + next + 1);
    }
}

/// Where the value of an entry begins.
fn value(entry: &str) -> Option<usize> {
    let blank = |c: char| c.is_whitespace();
    let mut escaped = false;
    let key = entry.find(|c: char| {
        let ends = !escaped && (matches!(c, '=' | ':') || blank(c));
        escaped = c == '\\' && !escaped;
        ends
    })?;
    let rest = entry[key..].trim_start_matches(blank);
    let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start_matches(blank);
    // The value may begin on the next line.
    let start = entry.len() - rest.len();
    Some(start).filter(|_| !rest.is_empty())
}

fn decode(raw: &str) -> String {
    let (mut text, mut rest) = (String::with_capacity(raw.len()), raw);
    let mut half = None;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c != '\\' {
            text.push(c);
            continue;
        }
        let Some(escaped) = rest.chars().next() else { break };
        rest = &rest[escaped.len_utf8()..];
        match escaped {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'f' => text.push('\u{c}'),
            '\n' => rest = rest.trim_start_matches([' ', '\t', '\u{c}']),
            '\r' => rest = rest.strip_prefix('\n').unwrap_or(rest).trim_start_matches([' ', '\t', '\u{c}']),
            'u' => match rest.get(..4).and_then(|digits| u16::from_str_radix(digits, 16).ok()) {
                Some(unit) => {
                    rest = &rest[4..];
                    let units = half.take().into_iter().chain([unit]);
                    match char::decode_utf16(units).next().and_then(Result::ok) {
                        Some(c) => text.push(c),
                        None => half = Some(unit),
                    }
                }
                None => text.push('u'),
            },
            other => text.push(other),
        }
    }
    text
}

fn encode(text: &str, ascii: bool) -> String {
    let mut written = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            '\r' => written.push_str("\\r"),
            '\u{c}' => written.push_str("\\f"),
            ' ' | '=' | ':' if at == 0 => written.extend(['\\', c]),
            c if c < ' ' || (ascii && !c.is_ascii()) => {
                c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| written.push_str(&format!("\\u{unit:04x}")));
            }
            c => written.push(c),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_and_read() {
        let text = "# c\n  ! d\\\na=b\\u00e9\\ud83d\\ude00\n  c : d \\\n    e\\\\\nf g\\=h\nempty=\ni\\ j\\:k=\\\n  l\r\nm\n\\";
        let found: Vec<String> = entries(text).map(|range| decode(&text[range])).collect();
        assert_eq!(found, ["bé😀", "d e\\", "g=h", "l"]);
    }

    #[test]
    fn values_are_written() {
        assert_eq!(encode(" a\\b\té😀\n", true), "\\ a\\\\b\\t\\u00e9\\ud83d\\ude00\\n");
        assert_eq!(encode("= é", false), "\\= é");
    }
}
