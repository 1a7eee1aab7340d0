//! A text as sentences, and back.

use metaphrase::{Request, Translation};
use std::ops::Range;

/// What a text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Paragraphs.
    #[default]
    Text,
    /// A sentence on each line.
    Lines,
    /// HTML.
    Html,
    /// XML.
    Xml,
}

/// The names of all formats.
pub const FORMATS: [&str; 4] = ["text", "lines", "html", "xml"];

impl Format {
    /// The format of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let known = [("text", Self::Text), ("lines", Self::Lines), ("html", Self::Html), ("xml", Self::Xml)];
        known.into_iter().find(|(known, _)| *known == name).map(|(_, format)| format)
    }
}

/// A text whose sentences are known.
pub struct Prepared {
    text: String,
    sentences: Vec<Range<usize>>,
}

/// A text whose sentences are translated.
#[derive(Debug, Default)]
pub struct Finished {
    /// The translation.
    pub text: String,
    /// By sentence: its bytes in the source and in the translation.
    pub places: Vec<(Range<usize>, Range<usize>)>,
    /// Messages, one sentence each.
    pub notes: Vec<String>,
}

impl Prepared {
    /// Finds the sentences of a text.
    #[must_use]
    pub fn new(text: String, _format: Format) -> Self {
        let mut start = 0;
        let mut sentences = Vec::new();
        for line in text.split_inclusive('\n') {
            let inner = line.trim();
            if !inner.is_empty() {
                let indent = start + line.len() - line.trim_start().len();
                sentences.push(indent..indent + inner.len());
            }
            start += line.len();
        }
        Self { text, sentences }
    }

    /// A request for each sentence.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.sentences.iter().map(|place| Request::translate(&self.text[place.clone()])).collect()
    }

    /// The whole text, as it came.
    #[must_use]
    pub fn input(&self) -> &str {
        &self.text
    }

    /// The source of a sentence.
    #[must_use]
    pub fn source(&self, sentence: usize) -> &str {
        self.sentences.get(sentence).map_or("", |place| &self.text[place.clone()])
    }

    /// Puts the translations of the sentences together.
    #[must_use]
    pub fn finish(&self, translations: &[Translation]) -> Finished {
        let mut finished = Finished::default();
        let mut last = 0;
        for (place, translation) in self.sentences.iter().zip(translations) {
            finished.text.push_str(&self.text[last..place.start]);
            let start = finished.text.len();
            finished.text.push_str(translation.text());
            finished.places.push((place.clone(), start..finished.text.len()));
            last = place.end;
        }
        finished.text.push_str(&self.text[last..]);
        finished
    }
}
