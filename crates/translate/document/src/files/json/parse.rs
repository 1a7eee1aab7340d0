//! JSON as values with their places. Comments and a comma after the last entry are read, too, as many programs do.

use crate::Error;
use crate::files::message::line;
use std::ops::Range;

/// Lists and tables inside each other, at most.
const DEEPEST: usize = 128;

/// A value.
#[derive(Debug)]
pub(super) struct Value {
    /// Its bytes in the file, with the quotation marks of a string.
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Text(String),
    List(Vec<Value>),
    /// Keys and values.
    Table(Vec<(String, Value)>),
    /// A number, a boolean or null.
    Other,
}

impl Value {
    /// The value of a key of a table.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    pub(super) fn entries(&self) -> &[(String, Self)] {
        if let Kind::Table(entries) = &self.kind { entries } else { &[] }
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Kind::Text(text) = &self.kind { Some(text) } else { None }
    }
}

/// The value of a file.
pub(super) fn parse(text: &str) -> Result<Value, Error> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at: start, depth: 0 };
    let value = reader.value()?;
    reader.space();
    if reader.at < text.len() { Err(reader.expected("the end of the file after the JSON value")) } else { Ok(value) }
}

/// The values of a file that has one after the other, as a rule one on each line.
pub(super) fn parse_all(text: &str) -> Result<Vec<Value>, Error> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at: start, depth: 0 };
    let mut values = Vec::new();
    reader.space();
    while reader.at < text.len() {
        values.push(reader.value()?);
        reader.space();
    }
    Ok(values)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn expected(&self, expected: &'static str) -> Error {
        Error::Line { line: line(self.text, self.at), expected }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Skips white space and comments.
    fn space(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            let comment = match trimmed.get(..2) {
                Some("//") => trimmed.find('\n').unwrap_or(trimmed.len()),
                Some("/*") => trimmed.find("*/").map_or(trimmed.len(), |end| end + 2),
                _ => 0,
            };
            self.at += rest.len() - trimmed.len() + comment;
            if comment == 0 {
                return;
            }
        }
    }

    /// Skips white space and this sign, if it is next.
    fn takes(&mut self, sign: char) -> bool {
        self.space();
        let takes = self.rest().starts_with(sign);
        self.at += usize::from(takes);
        takes
    }

    fn value(&mut self) -> Result<Value, Error> {
        self.space();
        let start = self.at;
        let kind = match self.rest().chars().next() {
            Some('"') => Kind::Text(self.string()?),
            Some('[') => Kind::List(self.entries(']', Self::value)?),
            Some('{') => Kind::Table(self.entries('}', Self::entry)?),
            Some(c) if c.is_ascii_alphanumeric() || c == '-' => {
                let other = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.'));
                self.at += self.rest().find(other).unwrap_or(self.rest().len());
                Kind::Other
            }
            _ => return Err(self.expected("a value of JSON, as \"text\"")),
        };
        Ok(Value { range: start..self.at, kind })
    }

    /// The entries of a list or a table, up to the sign that ends it.
    fn entries<T>(&mut self, end: char, entry: impl Fn(&mut Self) -> Result<T, Error>) -> Result<Vec<T>, Error> {
        if self.depth == DEEPEST {
            return Err(self.expected("at most 128 lists and tables of JSON inside each other"));
        }
        self.depth += 1;
        self.at += 1;
        let mut entries = Vec::new();
        while !self.takes(end) {
            entries.push(entry(self)?);
            if self.takes(',') {
                continue;
            }
            if self.takes(end) {
                break;
            }
            return Err(self.expected("a comma or the end of a list or table of JSON"));
        }
        self.depth -= 1;
        Ok(entries)
    }

    fn entry(&mut self) -> Result<(String, Value), Error> {
        self.space();
        if !self.rest().starts_with('"') {
            return Err(self.expected("a key of JSON in quotation marks"));
        }
        let key = self.string()?;
        if self.takes(':') { Ok((key, self.value()?)) } else { Err(self.expected("a colon after a key of JSON")) }
    }

    /// A string, whose quotation mark is next.
    fn string(&mut self) -> Result<String, Error> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let plain = rest.find(['"', '\\', '\n']).unwrap_or(rest.len());
            text.push_str(&rest[..plain]);
            self.at += plain;
            match self.rest().chars().next() {
                Some('"') => break,
                Some('\\') => text.push(self.escape()?),
                _ => {
                    self.at = start;
                    return Err(self.expected("a string of JSON that ends on its line"));
                }
            }
        }
        self.at += 1;
        Ok(text)
    }

    /// A character that is escaped, whose backslash is next.
    fn escape(&mut self) -> Result<char, Error> {
        let wrong = self.expected("an escape of JSON, as \\n or \\u00e9");
        let c = self.rest()[1..].chars().next().ok_or_else(|| wrong.clone())?;
        let plain = match c {
            'u' => {
                let first = self.unit(0).ok_or(wrong)?;
                let units = [Some(first), (first & 0xfc00 == 0xd800).then(|| self.unit(6)).flatten()];
                let c = char::decode_utf16(units.into_iter().flatten()).next();
                // Half a pair stands for no character.
                let c = c.and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER);
                self.at += if c.len_utf16() == 2 { 12 } else { 6 };
                return Ok(c);
            }
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            '"' | '\\' | '/' | '\'' => c,
            _ => return Err(wrong),
        };
        self.at += 2;
        Ok(plain)
    }

    /// The number of an escape `\u00e9` that begins this many bytes further on.
    fn unit(&self, ahead: usize) -> Option<u16> {
        let digits = self.rest().get(ahead..ahead + 6)?.strip_prefix("\\u")?;
        let all = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        u16::from_str_radix(digits, 16).ok().filter(|_| all)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    fn texts<'v>(value: &'v Value, found: &mut Vec<(&'v str, Range<usize>)>) {
        match &value.kind {
            Kind::Text(text) => found.push((text, value.range.clone())),
            Kind::List(values) => values.iter().for_each(|value| texts(value, found)),
            Kind::Table(entries) => entries.iter().for_each(|(_, value)| texts(value, found)),
            Kind::Other => {}
        }
    }

    #[test]
    fn strings_have_places() {
        let text =
            "\u{feff}// c\n{\"a\": [\"b\\u00e9\\ud83d\\ude00\\n\", -1.5e+3, null,], /* d */ \"e\": {\"f\": \"\\/\"}}\n";
        let (value, mut found) = (parse(text).unwrap(), Vec::new());
        texts(&value, &mut found);
        let found: Vec<_> = found.into_iter().map(|(shown, range)| (shown, &text[range])).collect();
        assert_eq!(found, [("bé😀\n", "\"b\\u00e9\\ud83d\\ude00\\n\""), ("/", "\"\\/\"")]);
        assert_eq!(value.get("e").and_then(|value| value.get("f")).and_then(Value::text), Some("/"));
    }

    #[test]
    fn broken_values_are_refused_with_their_line() {
        for (text, message) in [
            ("{\n\"a\": \"b\n\"}", "line 2: expected a string of JSON that ends on its line"),
            ("{\"a\" \"b\"}", "line 1: expected a colon after a key of JSON"),
            ("{\"a\": \"b\" \"c\"}", "line 1: expected a comma or the end of a list or table of JSON"),
            ("{a: 1}", "line 1: expected a key of JSON in quotation marks"),
            ("[\"\\u00zz\"]", "line 1: expected an escape of JSON, as \\n or \\u00e9"),
            ("\n\n", "line 3: expected a value of JSON, as \"text\""),
            ("{} {}", "line 1: expected the end of the file after the JSON value"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), message, "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).unwrap_err().to_string().contains("at most 128"));
    }
}
