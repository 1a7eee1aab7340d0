//! Strings of Apple's programs: `"key" = "value";`.

use super::codes::is_code;
use super::message::{Message, Messages, line};
use super::reading::Reading;
use crate::Error;
use crate::escape::Escape;
use std::ops::Range;

/// The values of a file.
pub(crate) fn messages(text: &str, _: &Reading<'_>) -> Result<Messages, Error> {
    let mut reader = Reader { text, at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 } };
    let mut messages = Vec::new();
    while !reader.is_at_end() {
        reader.string()?;
        // A key without a value is its own value.
        if reader.takes('=') {
            let value = reader.string()?;
            // A word without quotation marks is one of a property list.
            if text[value.clone()].starts_with('"') {
                let inner = value.start + 1..value.end - 1;
                let decoded = decode(&text[inner.clone()]);
                messages.extend((!is_code(&decoded)).then(|| Message::new(inner, decoded, encode)));
            }
        }
        if !reader.takes(';') {
            return Err(reader.expected("a semicolon after an entry, as in \"key\" = \"value\";"));
        }
    }
    Ok(Messages { messages, ..Messages::default() })
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn expected(&self, expected: &'static str) -> Error {
        Error::Line { line: line(self.text, self.at), expected }
    }

    /// Skips white space and comments; whether nothing follows.
    fn is_at_end(&mut self) -> bool {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            let comment = match trimmed.get(..2) {
                Some("//") => trimmed.find('\n').unwrap_or(trimmed.len()),
                Some("/*") => trimmed[2..].find("*/").map_or(trimmed.len(), |end| end + 4),
                _ => 0,
            };
            self.at += rest.len() - trimmed.len() + comment;
            if comment == 0 {
                return self.at == self.text.len();
            }
        }
    }

    /// Skips this sign, if it is next.
    fn takes(&mut self, sign: char) -> bool {
        let takes = !self.is_at_end() && self.text[self.at..].starts_with(sign);
        self.at += usize::from(takes);
        takes
    }

    /// A string with its quotation marks, or a word without them.
    fn string(&mut self) -> Result<Range<usize>, Error> {
        let wrong = "a string in quotation marks, as in \"key\" = \"value\";";
        if self.is_at_end() {
            return Err(self.expected(wrong));
        }
        let (start, rest) = (self.at, &self.text[self.at..]);
        if !rest.starts_with('"') {
            let length = rest.find(|c: char| !(c.is_alphanumeric() || "_-./$:".contains(c))).unwrap_or(rest.len());
            self.at += length;
            return if length == 0 { Err(self.expected(wrong)) } else { Ok(start..self.at) };
        }
        let mut escaped = true;
        let end = rest.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        match end {
            Some(end) => {
                self.at += end + 1;
                Ok(start..self.at)
            }
            None => Err(self.expected("a quotation mark that ends the string")),
        }
    }
}

fn decode(raw: &str) -> String {
    let (mut text, mut rest) = (String::with_capacity(raw.len()), raw);
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let escaped = if c == '\\' { rest.chars().next() } else { None };
        let Some(escaped) = escaped else {
            text.push(c);
            continue;
        };
        rest = &rest[escaped.len_utf8()..];
        let code = rest.get(..4).filter(|_| matches!(escaped, 'U' | 'u'));
        match (escaped, code.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32)) {
            (_, Some(c)) => {
                text.push(c);
                rest = &rest[4..];
            }
            ('n', _) => text.push('\n'),
            ('t', _) => text.push('\t'),
            ('r', _) => text.push('\r'),
            ('"' | '\'' | '\\' | '\n', _) => text.push(escaped),
            // Another escape, as that of an octal number, stays as it is.
            (other, _) => text.extend(['\\', other]),
        }
    }
    text
}

fn encode(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    Escape::Quoted.push(&mut written, text);
    written
}
