//! The lines of a file: their columns, their marks, and lines that are drawn.

use crate::files::message::pattern;
use metaphrase_text::without_spaces;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The columns between two stops of a tab.
const TAB: usize = 8;

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// The bytes of its text, without white space around it.
    pub(super) text: Range<usize>,
    /// The column of its text.
    pub(super) indent: usize,
}

/// The lines of a file.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let first = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut at = first;
    let line = |raw: &str| {
        let start = at;
        at += raw.len();
        let content = raw.trim();
        let before = raw.len() - raw.trim_start().len();
        let text = start + before..start + before + content.len();
        let text = if content.is_empty() { start..start } else { text };
        Line { text, indent: columns(&raw[..before]) }
    };
    text[first..].split_inclusive('\n').map(line).collect()
}

/// The number of columns of a text.
pub(super) fn columns(text: &str) -> usize {
    text.chars().fold(0, |column, c| match c {
        '\t' => (column / TAB + 1) * TAB,
        c if without_spaces(c) => column + 2,
        _ => column + 1,
    })
}

/// The sign that a line repeats, if it has no other.
pub(super) fn decoration(content: &str) -> Option<char> {
    let sign = content.chars().next().filter(char::is_ascii_punctuation)?;
    content.chars().all(|c| c == sign).then_some(sign).filter(|_| content != "..")
}

/// The line under a new title: as long as the title if the old one was, and never too short.
pub(super) fn underline(drawn: &str, source: &str, title: &str) -> String {
    let new = columns(title);
    let length = if drawn.len() == columns(source) { new } else { drawn.len().max(new) };
    drawn[..drawn.len().min(1)].repeat(length)
}

/// The mark before a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mark<'t> {
    /// Its bytes, with the white space after it.
    pub(super) length: usize,
    /// The name of a field.
    pub(super) field: Option<&'t str>,
    /// Whether it is an option of a program.
    pub(super) is_option: bool,
}

static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:(?:[-*+•‣⁃]|\(?(?:\d{1,9}|[A-Za-z]|[ivxlcdm]{1,9}|[IVXLCDM]{1,9}|#)[.)])(?:\s+|$)",
        r"|:(?<field>[^:\s`\\](?:[^:`\\]|\\.|:[^\s`:])*):(?:\s+|$)",
        r"|(?<option>(?:-\w(?:[ =]?[\w<>\[\]-]+)?|--[\w-]+(?:[ =][\w<>\[\]-]+)?|/\w+)(?:, (?:--?[\w-]+)(?:[ =][\w<>\[\]-]+)?)*(?:\s{2,}|$)))",
    ))
});

/// The mark with which a text begins.
pub(super) fn mark(text: &str) -> Option<Mark<'_>> {
    let found = MARK.as_ref()?.captures(text)?;
    let field = found.name("field").map(|field| field.as_str());
    Some(Mark { length: found.get(0)?.len(), field, is_option: found.name("option").is_some() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found() {
        for (text, length, field) in [
            ("- a", Some(2), None),
            ("12. a", Some(4), None),
            ("(iv)  a", Some(6), None),
            (":param x: a", Some(10), Some("param x")),
            ("-o FILE  a", Some(9), None),
            ("--out=FILE, -o FILE  a", Some(21), None),
            (":ref:`a` b", None, None),
            ("-- a", None, None),
            ("a. b", Some(3), None),
            ("The a", None, None),
        ] {
            let found = mark(text);
            assert_eq!(
                (found.as_ref().map(|mark| mark.length), found.and_then(|mark| mark.field)),
                (length, field),
                "{text}"
            );
        }
    }

    #[test]
    fn lines_are_drawn_as_long_as_titles() {
        assert_eq!(underline("----", "Haus", "The house"), "---------");
        assert_eq!(underline("--------", "House", "Haus"), "--------");
        assert_eq!(underline("=====", "House", "Haus"), "====");
        assert_eq!(underline("=====", "House", "房子"), "====");
    }
}
