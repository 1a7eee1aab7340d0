//! Things inside a text that are no text.

use super::Paragraphs;
use std::ops::Range;

/// Something inside a message that is no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Inset {
    pub(crate) range: Range<usize>,
    pub(crate) kind: InsetKind,
}

/// What stands inside a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InsetKind {
    /// The sign of an access key.
    AccessKey,
    /// An argument with branches.
    Argument,
    /// A sign that stays.
    Kept,
    /// A sign for a number like this one.
    Number(&'static str),
    /// Two apostrophes, which stand for one.
    Apostrophe,
}

impl Inset {
    /// Reads it as a part of a paragraph. `raw`: its bytes in the input.
    pub(crate) fn read(&self, paragraphs: &mut Paragraphs<'_>, raw: &str, origin: Range<usize>) {
        match self.kind {
            InsetKind::AccessKey => paragraphs.marker(raw, origin.start),
            InsetKind::Argument => paragraphs.named(raw, origin),
            InsetKind::Number(number) => paragraphs.copied(number, raw, origin),
            InsetKind::Kept => paragraphs.copied(raw.trim_matches('\''), raw, origin),
            InsetKind::Apostrophe => paragraphs.text("'", origin),
        }
    }
}
