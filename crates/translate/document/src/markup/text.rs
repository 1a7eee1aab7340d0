//! Text of HTML and XML: references, lines, tags that are written as text.

use super::references::references;
use super::{Inset, Part, Reader, Syntax, parts};
use crate::escape::Escape;
use crate::plain::tagged;
use std::ops::Range;

impl Reader<'_> {
    /// Text with references.
    pub(crate) fn text(&mut self, range: Range<usize>) {
        // A byte order mark is no text.
        let mark = if range.start == 0 && self.input.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let range = range.start + mark..range.end;
        if self.paragraphs.is_inside() || !self.input[range.clone()].trim().is_empty() {
            references(&mut self.paragraphs, self.input, range, self.syntax);
        }
    }

    /// Text with insets; gives the byte after it.
    pub(crate) fn with_insets(&mut self, range: Range<usize>, insets: &[Inset]) -> usize {
        let (mut at, end) = (range.start, range.end);
        let first = insets.partition_point(|inset| inset.range.start < at);
        for inset in insets[first..].iter().take_while(|inset| inset.range.start < end) {
            self.run(at..inset.range.start);
            inset.read(&mut self.paragraphs, &self.input[inset.range.clone()], inset.range.clone());
            at = inset.range.end;
        }
        self.run(at..end);
        at.max(end)
    }

    /// Text without insets. Only XML has tags that are written as text.
    fn run(&mut self, range: Range<usize>) {
        match self.syntax {
            _ if range.is_empty() => {}
            Syntax::Html => self.text(range),
            Syntax::Xml => self.tagged_text(range),
        }
    }

    /// Text of which each line is a paragraph.
    pub(crate) fn lines(&mut self, range: Range<usize>) {
        let mut at = range.start;
        for line in self.input[range].split_inclusive('\n') {
            let end = at + line.trim_end_matches(['\n', '\r']).len();
            self.text(at..end);
            at += line.len();
            if end < at {
                self.paragraphs.end(end);
            }
        }
    }

    /// Text with references, and with tags that are written as text: `&lt;b&gt;`.
    pub(crate) fn tagged_text(&mut self, range: Range<usize>) {
        let raw = &self.input[range.clone()];
        if !raw.contains("&lt;") || !self.paragraphs.keeps_tags() {
            return self.text(range);
        }
        // By part: where it begins in the text that is read, where in the input, and whether its bytes are those of the
        // input.
        let (mut shown, mut places, mut at) = (String::new(), Vec::new(), range.start);
        for part in parts(raw, self.syntax) {
            let start = shown.len();
            let length = match part {
                Part::Plain(text) => text.len(),
                Part::Character(_, length) | Part::Unknown(_, length) => length,
            };
            match part {
                Part::Character(c, _) => shown.push(c),
                _ => shown.push_str(&self.input[at..at + length]),
            }
            places.push((start, at, !matches!(part, Part::Character(..))));
            at += length;
        }
        let place = |byte: usize| {
            let next = places.partition_point(|place| place.0 <= byte);
            match places.get(next.saturating_sub(1)) {
                Some(&(start, at, same)) if byte < shown.len() && (same || byte == start) => at + byte - start,
                _ => places.get(next).map_or(range.end, |next| next.1),
            }
        };
        let origin = |part: Range<usize>| place(part.start)..place(part.end);
        let (input, syntax) = (self.input, self.syntax);
        let written = |part: Range<usize>| input[origin(part)].to_owned();
        tagged(&mut self.paragraphs, &shown, true, &origin, &written, &mut |paragraphs, part| {
            references(paragraphs, input, origin(part), syntax);
        });
    }

    /// The content of a CDATA section, which is written with references.
    pub(crate) fn cdata(&mut self, inner: &str, all: Range<usize>) {
        let written = |part: Range<usize>| {
            let mut escaped = String::new();
            Escape::Markup.push(&mut escaped, &inner[part]);
            escaped
        };
        let tags = self.paragraphs.keeps_tags();
        tagged(&mut self.paragraphs, inner, tags, &|_| all.clone(), &written, &mut |paragraphs, part| {
            paragraphs.text(&inner[part], all.clone());
        });
    }
}
