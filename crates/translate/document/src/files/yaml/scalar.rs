//! A scalar of YAML: where it stands, and how another text is written in its style.

use super::is_plain;
use crate::files::message::quoted;
use saphyr_parser::ScalarStyle;
use std::ops::Range;

/// A scalar whose value is a text.
#[derive(Debug, Clone)]
pub(super) struct Scalar {
    /// Its bytes: with the quotation marks, or the lines of a block.
    pub(super) range: Range<usize>,
    /// Its text; a block's without the line breaks at its end.
    pub(super) shown: String,
    style: ScalarStyle,
    /// Whether it stands inside brackets or braces.
    flow: bool,
    /// The white space before each line of a block, and the characters that end it.
    indent: String,
    line_end: &'static str,
}

impl Scalar {
    /// The scalar that begins here. `None`: its text is not that of the bytes found, as for rare forms.
    pub(super) fn find(text: &str, at: usize, style: ScalarStyle, value: &str, flow: bool) -> Option<Self> {
        let rest = text.get(at..)?;
        let scalar = |range: Range<usize>| Self {
            range,
            shown: value.to_owned(),
            style,
            flow,
            indent: String::new(),
            line_end: "\n",
        };
        match style {
            ScalarStyle::Plain => {
                let mut raw = rest.char_indices().filter(|(_, c)| !c.is_whitespace());
                let mut end = 0;
                for expected in value.chars().filter(|c| !c.is_whitespace()) {
                    let (at, c) = raw.next().filter(|&(_, c)| c == expected)?;
                    end = at + c.len_utf8();
                }
                Some(scalar(at..at + end))
            }
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                let quote = if style == ScalarStyle::SingleQuoted { '\'' } else { '"' };
                let inner = rest.strip_prefix(quote)?;
                let mut signs = inner.char_indices().peekable();
                loop {
                    let (end, c) = signs.next()?;
                    let doubled = quote == '\'' && signs.peek().is_some_and(|(_, next)| *next == '\'');
                    if c == quote && !doubled {
                        return Some(scalar(at..at + end + 2));
                    }
                    if (c == quote && doubled) || (c == '\\' && quote == '"') {
                        signs.next();
                    }
                }
            }
            ScalarStyle::Literal | ScalarStyle::Folded => Self::block(text, at, style, value),
        }
    }

    /// The block whose header or content begins here.
    fn block(text: &str, at: usize, style: ScalarStyle, value: &str) -> Option<Self> {
        let sign = if style == ScalarStyle::Literal { '|' } else { '>' };
        // The header ends its line.
        let header = if text[at..].starts_with(sign) { at } else { text[..at].rfind(sign)? };
        let mut start = header + text[header..].find('\n')? + 1;
        let shown = value.trim_end_matches('\n');
        let first = shown.split('\n').find(|line| !line.trim().is_empty())?;
        let first_line = text[start..].split('\n').find(|line| !line.trim().is_empty())?;
        let indent = first_line.strip_suffix('\r').unwrap_or(first_line);
        // A folded line goes on where the text of the first line ends.
        let content = indent.trim_start_matches(' ');
        let spaces = first.len() - first.trim_start_matches(' ').len();
        let indent = indent[..indent.len() - content.len()].get(spaces..)?.to_owned();
        if !first.trim_start_matches(' ').starts_with(content.trim_end()) || indent.is_empty() {
            return None;
        }
        while text[start..].starts_with(['\n', '\r']) && !value.starts_with('\n') {
            start += 1;
        }
        let (mut end, mut next) = (start, start);
        for line in text[start..].split_inclusive('\n') {
            let blank = line.trim().is_empty();
            if !blank && !line.starts_with(&indent) {
                break;
            }
            next += line.len();
            if !blank {
                end = next - (line.len() - line.trim_end_matches(['\n', '\r']).len());
            }
        }
        let line_end = if text[start..end].contains("\r\n") { "\r\n" } else { "\n" };
        let scalar = Self { range: start..end, shown: shown.to_owned(), style, flow: false, indent, line_end };
        (scalar.decode(&text[start..end]) == scalar.shown).then_some(scalar)
    }

    /// The text of a block's lines.
    fn decode(&self, raw: &str) -> String {
        let lines = raw.split('\n').map(|line| line.trim_end_matches('\r'));
        let lines: Vec<&str> =
            lines.map(|line| line.strip_prefix(&self.indent).unwrap_or_else(|| line.trim())).collect();
        if self.style == ScalarStyle::Literal {
            return lines.join("\n");
        }
        let mut text = lines.first().copied().unwrap_or_default().to_owned();
        let mut blanks = 0;
        let mut deep = lines.first().is_some_and(|line| line.starts_with([' ', '\t']));
        for line in &lines[1..] {
            if line.is_empty() {
                blanks += 1;
                continue;
            }
            let deeper = line.starts_with([' ', '\t']);
            // Lines that are indented more are not folded.
            let breaks = if deep || deeper { blanks + 1 } else { blanks };
            text.push_str(&if breaks == 0 { " ".to_owned() } else { "\n".repeat(breaks) });
            text.push_str(line);
            (blanks, deep) = (0, deeper);
        }
        text
    }

    /// Another text in the style of this scalar.
    pub(super) fn encode(&self, text: &str) -> String {
        match self.style {
            ScalarStyle::Plain if is_plain(text, self.flow) => text.to_owned(),
            ScalarStyle::SingleQuoted if !text.contains(|c: char| c.is_control()) => {
                format!("'{}'", text.replace('\'', "''"))
            }
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let folded = self.style == ScalarStyle::Folded;
                // A folded text has an empty line for each break.
                let joint = if folded { self.line_end.repeat(2) } else { self.line_end.to_owned() };
                let lines = text.trim_end_matches('\n').split('\n').map(|line| {
                    let line = if folded { line.trim() } else { line.trim_end() };
                    if line.is_empty() { String::new() } else { format!("{}{line}", self.indent) }
                });
                let lines: Vec<String> = lines.filter(|line| !folded || !line.is_empty()).collect();
                lines.join(&joint)
            }
            _ => double_quoted(text),
        }
    }
}

/// A text in double quotation marks.
fn double_quoted(text: &str) -> String {
    quoted(
        text,
        |c, written| {
            if c.is_control() { written.push_str(&format!("\\x{:02x}", u32::from(c))) } else { written.push(c) }
        },
    )
}
