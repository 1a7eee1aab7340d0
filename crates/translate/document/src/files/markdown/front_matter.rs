//! The front matter of a page, in YAML (`---`) or TOML (`+++`): the values of some keys are text.

use super::value::{Quote, Value};
use std::ops::Range;

/// The keys whose values readers see, in small letters and without `_` and `-`.
const KEYS: &[&str] = &[
    "abstract",
    "caption",
    "description",
    "excerpt",
    "heading",
    "headline",
    "intro",
    "lead",
    "linktitle",
    "metadescription",
    "metatitle",
    "navtitle",
    "ogdescription",
    "ogtitle",
    "paginationlabel",
    "seodescription",
    "seotitle",
    "shortdescription",
    "shorttitle",
    "sidebarlabel",
    "sidebartitle",
    "subheading",
    "subtitle",
    "summary",
    "tagline",
    "teaser",
    "title",
];

/// Values of YAML that are no text.
const CONSTANTS: &[&str] = &["true", "false", "null", "yes", "no", "on", "off", "~"];

/// The line that begins and ends the front matter, and the bytes between the two.
fn matter(text: &str) -> Option<(&'static str, Range<usize>)> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mark = ["---", "+++"].into_iter().find(|mark| text[start..].starts_with(mark))?;
    let mut at = start;
    for (number, line) in text[start..].split_inclusive('\n').enumerate() {
        if line.trim_end() == mark || (number > 0 && mark == "---" && line.trim_end() == "...") {
            if number > 0 {
                return Some((mark, start + mark.len()..at));
            }
        } else if number == 0 {
            return None;
        }
        at += line.len();
    }
    None
}

/// Where the front matter ends; 0 without one.
pub(crate) fn end(text: &str) -> usize {
    matter(text).map_or(0, |(_, range)| range.end + 3)
}

/// The values that are text.
pub(crate) fn values(text: &str) -> Vec<Value> {
    let Some((mark, range)) = matter(text) else { return Vec::new() };
    let mut lines = Vec::new();
    let mut at = range.start;
    for line in text[range].split_inclusive('\n') {
        lines.push(at..at + line.trim_end().len());
        at += line.len();
    }
    let separator = if mark == "---" { ':' } else { '=' };
    let mut found = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let raw = &text[line.clone()];
        let content = raw.trim_start();
        let content = content.strip_prefix("- ").unwrap_or(content).trim_start();
        let Some((key, rest)) = content.split_once(separator) else { continue };
        let plain_key: String = key.trim().trim_matches(['"', '\'']).replace(['_', '-'], "").to_lowercase();
        if !KEYS.contains(&plain_key.as_str())
            || !(rest.is_empty() || rest.starts_with(char::is_whitespace) || separator == '=')
        {
            continue;
        }
        let value = rest.trim_start();
        let indent = raw.len() - content.len();
        let place = line.end - value.len()..line.end;
        match separator {
            ':' => yaml(text, place, &lines[number + 1..], indent, &mut found),
            _ => found.extend(toml(value, place.start)),
        }
    }
    found
}

/// A string between two marks that ends its line, but for a comment.
fn quoted(value: &str, mark: char, start: usize) -> Option<Range<usize>> {
    let inner = value.strip_prefix(mark)?;
    let mut characters = inner.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let doubled = c == '\'' && characters.peek().is_some_and(|next| next.1 == '\'');
        if (c == '\\' && mark == '"') || (doubled && mark == '\'') {
            characters.next();
        } else if c == mark {
            let after = inner[at + 1..].trim_start();
            return (after.is_empty() || after.starts_with('#')).then_some(start + 1..start + 1 + at);
        }
    }
    None
}

fn toml(value: &str, start: usize) -> Option<Value> {
    if value.starts_with("\"\"\"") || value.starts_with("'''") {
        return None;
    }
    let double = quoted(value, '"', start).map(|range| Value { range, quote: Quote::Double });
    double.or_else(|| {
        let range = quoted(value, '\'', start)?;
        Some(Value { range: range.start - 1..range.end + 1, quote: Quote::Literal })
    })
}

/// A value of YAML, which may go on in the lines after it that are indented more than its key.
fn yaml(text: &str, value: Range<usize>, after: &[Range<usize>], indent: usize, found: &mut Vec<Value>) {
    let raw = &text[value.clone()];
    let is_inner = |line: &Range<usize>| {
        let content = text[line.clone()].trim_start();
        content.is_empty() || line.len() - content.len() > indent
    };
    let inner: Vec<Range<usize>> = after
        .iter()
        .take_while(|line| is_inner(line))
        .map(|line| line.end - text[line.clone()].trim_start().len()..line.end)
        .collect();
    match raw.chars().next() {
        Some('"') => found.extend(quoted(raw, '"', value.start).map(|range| Value { range, quote: Quote::Double })),
        Some('\'') => found.extend(quoted(raw, '\'', value.start).map(|range| Value { range, quote: Quote::Single })),
        Some('|') => {
            found.extend(
                inner.into_iter().filter(|line| !line.is_empty()).map(|range| Value { range, quote: Quote::Raw }),
            );
        }
        Some('>') => {
            for lines in inner.split(Range::is_empty) {
                if let (Some(first), Some(last)) = (lines.first(), lines.last()) {
                    found.push(Value { range: first.start..last.end, quote: Quote::Raw });
                }
            }
        }
        Some(first) if !"[]{}&*!%@`#,?".contains(first) => {
            let plain = raw.split(" #").next().unwrap_or(raw).trim_end();
            let whole = plain.len() == raw.len();
            let last = inner.iter().take_while(|line| whole && !line.is_empty()).last();
            let range = value.start..last.map_or(value.start + plain.len(), |last| last.end);
            if !CONSTANTS.contains(&plain.to_lowercase().as_str()) {
                found.push(Value { range, quote: Quote::Plain });
            }
        }
        _ => {}
    }
}
