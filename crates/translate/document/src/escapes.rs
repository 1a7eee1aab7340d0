//! Characters of a text that are written as in a source of a program: `\n`, `\"`, `&copy;`.

use crate::markup::{Part, Syntax, parts};
use crate::patterns;
use std::borrow::Cow;
use std::ops::Range;

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// Characters that stand for themselves.
    Plain(Range<usize>),
    /// A character, and the bytes that stand for it.
    Character(char, Range<usize>),
}

/// The parts of a text with escaped quotation marks and with references to characters.
pub(crate) fn written(text: &str) -> Vec<Written> {
    let mut found: Vec<Written> = Vec::new();
    let mut at = 0;
    for part in parts(text, Syntax::Html) {
        let start = at;
        match part {
            Part::Character(c, length) => {
                at += length;
                found.push(Written::Character(c, start..at));
            }
            Part::Unknown(_, length) => {
                at += length;
                plain(&mut found, start..at);
            }
            Part::Plain(plain_text) => {
                at += plain_text.len();
                quotes(text, start..at, &mut found);
            }
        }
    }
    found
}

fn plain(found: &mut Vec<Written>, range: Range<usize>) {
    match found.last_mut() {
        Some(Written::Plain(last)) if last.end == range.start => last.end = range.end,
        _ if range.is_empty() => {}
        _ => found.push(Written::Plain(range)),
    }
}

/// Appends a part without references: `\"` and `\'` are characters.
fn quotes(text: &str, range: Range<usize>, found: &mut Vec<Written>) {
    let mut last = range.start;
    let mut skip = false;
    for (at, _) in text[range.clone()].match_indices('\\').map(|(at, sign)| (range.start + at, sign)) {
        // A backslash may stand for itself.
        if std::mem::take(&mut skip) {
            continue;
        }
        match text[at + 1..range.end].chars().next() {
            Some(quote @ ('"' | '\'')) => {
                plain(found, last..at);
                last = at + 2;
                found.push(Written::Character(quote, at..last));
            }
            Some('\\') => skip = true,
            _ => {}
        }
    }
    plain(found, last..range.end);
}

/// The text with the end of a line for each `\n`, `\r` and `\t` that is written so; no byte moves.
pub(crate) fn with_line_ends(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains("\\n") && !text.contains("\\r") && !text.contains("\\t") {
        return text;
    }
    let all = patterns::paths(&text).chain(patterns::code(&text)).chain(patterns::names(&text));
    let mut things: Vec<Range<usize>> = all.filter(|thing| text[thing.clone()].contains('\\')).collect();
    things.sort_by_key(|thing| thing.start);
    things.dedup_by(|next, last| {
        let overlaps = next.start < last.end;
        last.end = if overlaps { last.end.max(next.end) } else { last.end };
        overlaps
    });
    let mut ends = Vec::new();
    let mut before = 0;
    for (at, _) in text.match_indices('\\') {
        if at < before {
            continue;
        }
        before = at + 2;
        let next = things.partition_point(|thing| thing.end <= at);
        let inside = things.get(next).is_some_and(|thing| thing.start <= at);
        if !inside && ends_line(&text, at, ends.last().is_some_and(|last| last + 2 == at)) {
            ends.push(at);
        }
    }
    let (mut view, mut last) = (String::with_capacity(text.len()), 0);
    for at in ends {
        view.push_str(&text[last..at]);
        view.push_str("\n ");
        last = at + 2;
    }
    view.push_str(&text[last..]);
    Cow::Owned(view)
}

/// Whether the backslash at `at` begins the end of a line. A command of TeX, as `\textbf`, has white space
/// before it and
/// a small letter after it.
fn ends_line(text: &str, at: usize, after_another: bool) -> bool {
    let mut after = text[at + 1..].chars();
    if !matches!(after.next(), Some('n' | 'r' | 't')) {
        return false;
    }
    let apart =
        text[..at].chars().next_back().is_none_or(|before| before.is_whitespace() || matches!(before, '{' | '$'));
    let goes_on = after.next().is_some_and(|next| next.is_ascii_lowercase() || next == '{');
    after_another || !apart || !goes_on
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_read() {
        let text = r#"It\'s &copy; R&D "x\\" &x;"#;
        let found: Vec<String> = written(text)
            .into_iter()
            .map(|part| match part {
                Written::Plain(range) => text[range].to_owned(),
                Written::Character(c, range) => format!("{c}={}", &text[range]),
            })
            .collect();
        assert_eq!(found, ["It", "'=\\'", "s ", "©=&copy;", r#" R&D "x\\" &x;"#]);
    }

    #[test]
    fn ends_of_lines_are_found() {
        let ends = |text: &str| with_line_ends(text.into()).into_owned();
        assert_eq!(ends(r"First line\nSecond"), "First line\n Second");
        assert_eq!(ends(r"Tab\there\n\n  end. \nNew"), "Tab\n here\n \n   end. \n New");
        for text in [r"A \textbf{bold} word", r"C:\new\table.txt", r"a \\n b", r"{\rm x}", r"the \nu meson"] {
            assert_eq!(ends(text), text);
        }
    }
}
