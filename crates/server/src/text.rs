//! A text as sentences, and back.

use crate::error::Failure;
use metaphrase::{PreparedText, Request, Split, TextFormat, TextOptions, Translation};
use std::ops::Range;

/// The names of all formats.
pub const FORMATS: [&str; 4] = ["text", "lines", "html", "xml"];

/// The format of this name.
#[must_use]
pub fn format_named(name: &str) -> Option<TextFormat> {
    let formats = [TextFormat::Text, TextFormat::Lines, TextFormat::Html, TextFormat::Xml];
    FORMATS.into_iter().zip(formats).find(|(known, _)| *known == name).map(|(_, format)| format)
}

/// A text whose sentences are known.
pub struct Prepared {
    input: String,
    /// `None`: the text stays as it is.
    text: Option<PreparedText>,
    /// By sentence: its source, as the model reads it.
    sources: Vec<String>,
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
    /// A text that stays as it is.
    #[must_use]
    pub fn unchanged(input: String) -> Self {
        Self { input, text: None, sources: Vec::new() }
    }

    /// Finds the sentences of a text in this language. Unless it is to be `split`, each paragraph is a sentence; elements with
    /// `copied` names stay as they are.
    ///
    /// # Errors
    /// [`Failure::Bad`] for XML whose tags do not belong together.
    pub fn new(
        input: &str,
        language: &str,
        (format, split): (TextFormat, bool),
        copied: &[String],
    ) -> Result<Self, Failure> {
        let options = TextOptions {
            format,
            split: if split { Split::Sentences } else { Split::Lines },
            language: language.split('-').next().unwrap_or_default().to_owned(),
            copied: copied.to_vec(),
            ..TextOptions::default()
        };
        let text = PreparedText::new(input, &options).map_err(|error| Failure::Bad(error.to_string()))?;
        let sources = text.requests().into_iter().map(|request| request.source).collect();
        Ok(Self { input: input.to_owned(), text: Some(text), sources })
    }

    /// A request for each sentence. Things to copy are its first required terms.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.text.as_ref().map(PreparedText::requests).unwrap_or_default()
    }

    /// Whether things find their places by alignments.
    #[must_use]
    pub fn needs_alignment(&self) -> bool {
        self.text.as_ref().is_some_and(PreparedText::needs_alignment)
    }

    /// The whole text, as it came.
    #[must_use]
    pub fn input(&self) -> &str {
        &self.input
    }

    /// The source of a sentence.
    #[must_use]
    pub fn source(&self, sentence: usize) -> &str {
        self.sources.get(sentence).map_or("", String::as_str)
    }

    /// Puts the translations of all sentences together.
    ///
    /// # Errors
    /// [`Failure::Worker`] if one of them is not there.
    pub fn finish(&self, translations: Vec<Translation>) -> Result<Finished, Failure> {
        let Some(text) = &self.text else {
            return Ok(Finished { text: self.input.clone(), ..Finished::default() });
        };
        let done = text.finish(translations).map_err(|error| Failure::Worker(error.to_string()))?;
        let places = done.sentences.into_iter().map(|sentence| (sentence.source, sentence.target)).collect();
        Ok(Finished { text: done.text, places, notes: done.notes })
    }

    /// The whole text, each sentence of which has its translation of this rank or, if there are not so many, its last one.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn alternative(&self, translations: &[Translation], rank: usize) -> Result<String, Failure> {
        match &self.text {
            None => Ok(self.input.clone()),
            Some(text) => text.alternative(translations, rank).map_err(|error| Failure::Worker(error.to_string())),
        }
    }
}
