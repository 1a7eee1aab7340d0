//! Messages of gettext: translations are written where there are none yet.

use crate::Error;
use crate::block::{Block, Sentences};
use crate::markup::Paragraphs;
use crate::patterns::Style;
use crate::plain::tagged;
use crate::write::Escape;
use std::ops::Range;

/// A string of an entry: the bytes of its quoted lines, and its text.
struct QuotedString {
    range: Range<usize>,
    text: String,
}

/// The untranslated messages of a file.
pub(crate) fn paragraphs(text: &str, how: &Sentences<'_>) -> Result<Vec<Block>, Error> {
    let mut blocks = Vec::new();
    let (mut message, mut plural): (Option<QuotedString>, Option<QuotedString>) = (None, None);
    let mut at = 0;
    let lines: Vec<Range<usize>> = text
        .split_inclusive('\n')
        .map(|line| {
            at += line.len();
            at - line.len()..at
        })
        .collect();
    let (mut number, mut style) = (0, Style::Any);
    while let Some(line) = lines.get(number) {
        let content = text[line.clone()].trim();
        let key = content.split(['"', ' ', '\t']).next().unwrap_or_default();
        number += 1;
        if let Some(flags) = content.strip_prefix("#,") {
            style = flags.split(',').find_map(Style::of_flag).unwrap_or_default();
        } else if content.is_empty() {
            style = Style::Any;
        }
        if !key.starts_with("msg") {
            continue;
        }
        let mut quoted = QuotedString {
            range: line.start + text[line.clone()].find('"').unwrap_or(content.len())..line.end,
            text: String::new(),
        };
        let first = &content[key.len()..];
        quoted.read(first.trim(), number)?;
        quoted.range.end = line.start + text[line.clone()].trim_end().len();
        while let Some(next) = lines.get(number).filter(|next| text[(*next).clone()].trim_start().starts_with('"')) {
            number += 1;
            quoted.read(text[next.clone()].trim(), number)?;
            quoted.range.end = next.start + text[next.clone()].trim_end().len();
        }
        match key {
            "msgid" => (message, plural) = (Some(quoted), None),
            "msgid_plural" => plural = Some(quoted),
            _ if key.starts_with("msgstr") => {
                let singular = matches!(key, "msgstr" | "msgstr[0]");
                let source = if singular { message.as_ref() } else { plural.as_ref().or(message.as_ref()) };
                let source = source.filter(|source| quoted.text.is_empty() && !source.text.is_empty());
                let how = Sentences { style, ..*how };
                blocks.extend(source.and_then(|source| block(source, quoted.range, &how)));
            }
            _ => {}
        }
    }
    Ok(blocks)
}

impl QuotedString {
    /// Appends the text of a quoted line.
    fn read(&mut self, line: &str, number: usize) -> Result<(), Error> {
        let wrong = || Error::Line { line: number, expected: "a string in quotation marks" };
        let inner = line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).ok_or_else(wrong)?;
        let mut characters = inner.chars();
        while let Some(c) = characters.next() {
            self.text.push(match c {
                '\\' => match characters.next().ok_or_else(wrong)? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    other => other,
                },
                other => other,
            });
        }
        Ok(())
    }
}

/// The paragraph of a message, which is written in place of an empty translation.
fn block(source: &QuotedString, place: Range<usize>, how: &Sentences<'_>) -> Option<Block> {
    let mut paragraphs = Paragraphs::new(how);
    paragraphs.open("", "\"", source.range.start);
    let whole = |_| source.range.clone();
    let written = |range: Range<usize>| {
        let mut quoted = String::new();
        Escape::Quoted.push(&mut quoted, &source.text[range]);
        quoted
    };
    tagged(&mut paragraphs, &source.text, how.keep.placeholders, &whole, &written, &mut |paragraphs, range| {
        paragraphs.text(&source.text[range], source.range.clone());
    });
    paragraphs.close("", "\"", source.range.end);
    let mut block = paragraphs.finish(source.range.end).pop()?;
    block.range = place;
    Some(block)
}
