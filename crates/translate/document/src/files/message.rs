//! The messages of files, such as those of programs, and how they are written.

use super::accelerators::Markers;
use crate::escape::Escape;
use regex::Regex;
use std::fmt;
use std::ops::Range;

/// Writes a translation as the file asks for.
type Encode = Box<dyn Fn(&str) -> String + Send + Sync>;

/// A message of a file.
pub(crate) struct Message {
    /// The bytes of the file that its translation replaces.
    pub(crate) range: Range<usize>,
    /// Its text, without the escapes of the file.
    pub(crate) text: String,
    pub(crate) form: MessageForm,
    pub(crate) place: MessagePlace,
    pub(crate) encode: Encode,
}

/// The form of a message's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageForm {
    /// A text, which may have tags and references in it.
    Text,
    /// A text with codes in braces.
    Codes,
    /// A paragraph of reStructuredText.
    Rst,
    /// The content of an element of XML. Elements of these names are copied with their content.
    Xml(&'static [&'static str]),
}

/// Where a translation is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessagePlace {
    /// Over its source, whose bytes stay where the translation is the same.
    Source,
    /// At another place, where a message without words has its source.
    Target,
    /// As a part of a larger entry, which has the source where a translation is missing.
    Part,
}

impl Message {
    /// A message that is translated in place.
    pub(crate) fn new(
        range: Range<usize>,
        text: impl Into<String>,
        encode: impl Fn(&str) -> String + Send + Sync + 'static,
    ) -> Self {
        let (form, place) = (MessageForm::Text, MessagePlace::Source);
        Self { range, text: text.into(), form, place, encode: Box::new(encode) }
    }

    /// Bytes of the file that are something else in the output, whatever its translations are.
    pub(crate) fn fixed(range: Range<usize>, written: String) -> Self {
        Self { place: MessagePlace::Target, ..Self::new(range, "", move |_| written.clone()) }
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Message({:?}, {:?})", self.range, self.text)
    }
}

/// The messages of a file, in order.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    pub(crate) messages: Vec<Message>,
    /// Things of a message that stay, in addition to those of all texts.
    pub(crate) kept: Option<&'static Regex>,
    /// The signs of access keys.
    pub(crate) markers: Markers,
    /// Messages about the file.
    pub(crate) notes: Vec<String>,
}

/// A text in double quotation marks, with the escapes of C. `other` appends a character that has none of them.
pub(crate) fn quoted(text: &str, other: impl Fn(char, &mut String)) -> String {
    let mut written = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' | '\n' | '\t' | '\r' => Escape::Quoted.push(&mut written, c.encode_utf8(&mut [0; 4])),
            c => other(c, &mut written),
        }
    }
    written.push('"');
    written
}

/// Text as the content of an element of XML; entities of the document itself stay as they are.
pub(crate) fn to_xml(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    Escape::Markup.push(&mut written, text);
    written
}

/// The number of the line of a byte, from 1.
pub(crate) fn line(text: &str, at: usize) -> usize {
    text[..text.floor_char_boundary(at)].matches('\n').count() + 1
}

/// A pattern; the tests use each.
pub(crate) fn pattern(source: &str) -> Option<Regex> {
    Regex::new(source).ok()
}
