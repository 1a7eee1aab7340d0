//! The inputs of the reader of a format.

use crate::block::{LineEnds, Sentences};
use crate::languages::Styles;
use crate::prepared::how;
use crate::split::Splitter;
use crate::{Error, Format, Options, SegmentedText};
use std::collections::HashSet;
use std::sync::Arc;

/// The inputs of a reader.
pub(super) struct Reading<'a> {
    pub(super) options: &'a Options,
    pub(super) splitter: &'a Splitter,
    /// Texts of an archive that stay.
    pub(super) stays: HashSet<String>,
    /// Styles of a document whose other parts use them.
    pub(super) styles: Arc<Styles>,
}

impl Reading<'_> {
    /// Sentences of paragraphs in which a new line is a blank.
    pub(super) fn flat(&self) -> Sentences<'_> {
        Sentences { line_ends: LineEnds::Blanks, ..self.lines() }
    }

    /// Sentences of paragraphs in which a new line ends a sentence.
    pub(super) fn lines(&self) -> Sentences<'_> {
        how(self.splitter, self.options)
    }

    /// A text that is read as a text of this form.
    pub(super) fn form(&self, text: String, format: Format) -> Result<SegmentedText, Error> {
        SegmentedText::new(text, &Options { format, ..self.options.clone() })
    }
}
