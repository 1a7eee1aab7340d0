//! Values of YAML, as in the locale files of Rails: keys, anchors, comments and quotation marks stay.

mod scalar;

use super::codes::is_code;
use super::message::{Message, Messages, pattern};
use super::reading::Reading;
use crate::Error;
use regex::Regex;
use saphyr_parser::{Event, Parser, ScalarStyle};
use scalar::Scalar;
use std::sync::LazyLock;

/// Directives of dates and of numbers: `%d. %B %Y`, `%n %u`.
static KEPT: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"%[-0^#_]?\d*[A-Za-z]\b"));

/// Plain scalars that are no texts: nothing, booleans and numbers of YAML 1.1, too.
static TYPED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:~|null|true|false|yes|no|on|off|y|n|[-+]?(?:\.inf|0x[\da-f_]+|0o?[0-7_]+|[\d_.,:]+(?:e[-+]?\d+)?)|\.nan)?$",
    )
});

/// Lists and tables inside each other, at most.
const DEEPEST: usize = 128;

/// A list or a table that is not at its end.
struct Open {
    /// Whether it is written in brackets or braces.
    flow: bool,
    /// In a table: whether a key is next.
    key: Option<bool>,
    /// Whether it is a part of a key.
    in_key: bool,
}

/// The values of a file.
pub(crate) fn messages(text: &str, _: &Reading<'_>) -> Result<Messages, Error> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let content = &text[start..];
    let mut places = Places { text: content, characters: 0, bytes: 0 };
    let mut open: Vec<Open> = Vec::new();
    let mut messages = Vec::new();
    for event in Parser::new_from_str(content) {
        let (event, span) =
            event.map_err(|error| Error::Line { line: error.marker().line(), expected: "YAML that can be read" })?;
        match event {
            Event::MappingEnd | Event::SequenceEnd => {
                open.pop();
                continue;
            }
            Event::Scalar(..) | Event::Alias(_) | Event::MappingStart(..) | Event::SequenceStart(..) => {}
            _ => continue,
        }
        let is_key = match open.last_mut() {
            Some(Open { key: Some(key), .. }) => std::mem::replace(key, !*key),
            _ => false,
        };
        let is_key = is_key || open.last().is_some_and(|open| open.in_key);
        let at = places.byte(span.start.index());
        let flow = open.last().is_some_and(|open| open.flow) || content[at..].starts_with(['[', '{']);
        match event {
            Event::MappingStart(..) => open.push(Open { flow, key: Some(true), in_key: is_key }),
            Event::SequenceStart(..) => open.push(Open { flow, key: None, in_key: is_key }),
            Event::Scalar(value, style, _, tag) if !is_key => {
                let is_text = tag.is_none_or(|tag| tag.suffix == "str" || tag.suffix.is_empty());
                let plain = style == ScalarStyle::Plain;
                if is_text && !is_code(&value) && !(plain && is_typed(&value)) {
                    let flow = open.last().is_some_and(|open| open.flow);
                    let scalar = Scalar::find(content, after_properties(content, at), style, &value, flow);
                    messages.extend(scalar.map(|scalar| message(scalar, start)));
                }
            }
            _ => {}
        }
        if open.len() > DEEPEST {
            return Err(Error::Line {
                line: span.start.line(),
                expected: "at most 128 lists and tables inside each other",
            });
        }
    }
    Ok(Messages { messages, kept: KEPT.as_ref(), ..Messages::default() })
}

/// Where a scalar begins after its anchor and its tag.
fn after_properties(text: &str, at: usize) -> usize {
    let mut rest = &text[at..];
    while rest.starts_with(['&', '!']) {
        rest = rest[rest.find(char::is_whitespace).unwrap_or(rest.len())..].trim_start();
    }
    text.len() - rest.len()
}

/// A scalar as a message. `start`: where the YAML begins in the file.
fn message(scalar: Scalar, start: usize) -> Message {
    let range = start + scalar.range.start..start + scalar.range.end;
    Message::new(range, scalar.shown.clone(), move |text| scalar.encode(text))
}

/// Whether a plain scalar is something else than a text.
fn is_typed(value: &str) -> bool {
    TYPED.as_ref().is_some_and(|typed| typed.is_match(value))
}

/// Whether a text can be written as a plain scalar. `flow`: inside brackets or braces.
fn is_plain(text: &str, flow: bool) -> bool {
    let list = if flow { format!("[{text}]") } else { format!("- {text}") };
    let mut scalars = Parser::new_from_str(&list).filter_map(|event| match event {
        Ok((Event::Scalar(value, style, 0, None), _)) => Some(style == ScalarStyle::Plain && value == text),
        Ok((Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd, _)) => None,
        Ok((Event::SequenceStart(0, None) | Event::SequenceEnd, _)) => None,
        _ => Some(false),
    });
    // The parser takes some signs for text that others refuse.
    let begins = !text.starts_with(['|', '>', '@', '`', '%', ':']);
    begins && !text.contains('\n') && !is_typed(text) && scalars.next() == Some(true) && scalars.next().is_none()
}

/// Bytes by characters, which the parser counts.
struct Places<'t> {
    text: &'t str,
    characters: usize,
    bytes: usize,
}

impl Places<'_> {
    fn byte(&mut self, character: usize) -> usize {
        if character < self.characters {
            (self.characters, self.bytes) = (0, 0);
        }
        let rest = &self.text[self.bytes..];
        let skipped = rest.char_indices().nth(character - self.characters).map_or(rest.len(), |(at, _)| at);
        (self.characters, self.bytes) = (character, self.bytes + skipped);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_are_told() {
        for text in ["Das Haus", "Gänse#1", "-x", "it's", "a \"b\"", "a:b"] {
            assert!(is_plain(text, false) && is_plain(text, true), "{text}");
        }
        for text in ["a, b", "a [b]", "Hallo %{name}, a"] {
            assert!(is_plain(text, false) && !is_plain(text, true), "{text}");
        }
        let others =
            ["", "true", "No", "12", "a #b", "- a", "a:", "a: b", "*a", "&a", "!a", "%a", "@a", "`a", "\"a", "'a"];
        for text in
            others.into_iter().chain(["[a", "? a", " a", "a\nb", "~", "null", "1.5", ".nan", "| a", "> a", "# a"])
        {
            assert!(!is_plain(text, false) && !is_plain(text, true), "{text}");
        }
    }
}
