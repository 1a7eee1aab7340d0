//! Messages about a text.

use super::SegmentedText;
use crate::languages::{self, Languages};

impl SegmentedText {
    /// The text with a message about it.
    pub(crate) fn with_note(self, note: Option<String>) -> Self {
        Self { note, ..self }
    }

    /// The languages of texts that stay, and the numbers of these texts.
    pub(crate) fn foreign(&self) -> &[(&'static str, usize)] {
        &self.foreign
    }

    /// The text with the numbers of texts that stay.
    pub(crate) fn with_foreign(self, languages: Languages) -> Self {
        Self { foreign: languages.counts, ..self }
    }

    /// Messages about the text, each one sentence.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.note.iter().cloned().chain(languages::note(&self.foreign)).collect()
    }

    /// A message about the text.
    pub(crate) fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }
}
