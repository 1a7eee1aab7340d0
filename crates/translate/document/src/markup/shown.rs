//! The characters that a written text stands for.

use super::xml::is_code;
use super::{Kind, Part, Syntax, ends, parts, scan};
use std::ops::Range;

/// The characters of a part of a file, and where they stand in it.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    pub(crate) text: String,
    /// By run of characters that are written as they are, and by character that is not: where it begins in the text,
    /// and its bytes in the file.
    places: Vec<(usize, Range<usize>)>,
    end: usize,
}

impl Shown {
    /// A text without signs.
    pub(crate) fn plain(file: &str, range: Range<usize>) -> Self {
        Self { text: file[range.clone()].to_owned(), end: range.end, places: vec![(0, range)] }
    }

    /// A string with backslashes.
    pub(crate) fn quoted(file: &str, range: Range<usize>) -> Self {
        let mut shown = Self { end: range.end, ..Self::default() };
        let mut characters = file[range.clone()].char_indices();
        while let Some((at, c)) = characters.next() {
            let start = range.start + at;
            let next = if c == '\\' { characters.next() } else { None };
            match next {
                Some((after, next)) => {
                    let c = match next {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        other => other,
                    };
                    shown.push(c.encode_utf8(&mut [0; 4]), start..range.start + after + next.len_utf8());
                }
                None => shown.push(c.encode_utf8(&mut [0; 4]), start..start + c.len_utf8()),
            }
        }
        shown
    }

    /// The text of markup, without codes of XLIFF.
    pub(crate) fn xml(file: &str, range: Range<usize>) -> Self {
        let mut shown = Self { end: range.end, ..Self::default() };
        let tokens = scan(&file[range.clone()], Syntax::Xml);
        let ends = ends(&tokens);
        let mut number = 0;
        while let Some(token) = tokens.get(number) {
            let code = matches!(&token.kind, Kind::Open(name, _) if is_code(name));
            number = ends[number].filter(|_| code).unwrap_or(number) + 1;
            if token.kind != Kind::Text {
                continue;
            }
            let mut at = range.start + token.range.start;
            for part in parts(&file[at..range.start + token.range.end], Syntax::Xml) {
                let start = at;
                match part {
                    Part::Plain(text) => {
                        at += text.len();
                        shown.push(text, start..at);
                    }
                    Part::Character(c, length) => {
                        at += length;
                        shown.push(c.encode_utf8(&mut [0; 4]), start..at);
                    }
                    Part::Unknown(name, length) => {
                        at += length;
                        shown.push(name, start..at);
                    }
                }
            }
        }
        shown
    }

    fn push(&mut self, text: &str, place: Range<usize>) {
        let is_same = text.len() == place.len();
        let start = self.text.len();
        self.text.push_str(text);
        match self.places.last_mut() {
            Some((from, known)) if is_same && known.end == place.start && start - *from == known.len() => {
                known.end = place.end
            }
            _ => self.places.push((start, place)),
        }
    }

    /// The bytes of the file for the character at a byte of the text.
    pub(crate) fn origin(&self, at: usize) -> Option<Range<usize>> {
        let c = self.text[at..].chars().next()?;
        Some(self.range(at..at + c.len_utf8()))
    }

    /// The bytes of the file for a part of the text.
    pub(crate) fn range(&self, part: Range<usize>) -> Range<usize> {
        let start = self.byte(part.start);
        start..if part.is_empty() { start } else { self.byte(part.end).max(start) }
    }

    fn byte(&self, at: usize) -> usize {
        let next = self.places.partition_point(|(start, _)| *start <= at);
        let Some((start, place)) = next.checked_sub(1).map(|known| &self.places[known]) else { return self.end };
        let run = self.places.get(next).map_or(self.text.len(), |(next, _)| *next) - start;
        if at >= self.text.len() {
            self.end
        } else if run == place.len() {
            place.start + at - start
        } else {
            place.start
        }
    }

    /// The byte of the text for a byte of the file.
    pub(crate) fn at(&self, byte: usize) -> usize {
        let next = self.places.partition_point(|(_, place)| place.start <= byte);
        let Some((start, place)) = next.checked_sub(1).map(|known| &self.places[known]) else { return 0 };
        let end = self.places.get(next).map_or(self.text.len(), |(next, _)| *next);
        if end - start == place.len() {
            (start + byte - place.start).min(end)
        } else if byte > place.start {
            end
        } else {
            *start
        }
    }
}
