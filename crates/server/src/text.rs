//! A text as sentences, and back.

use crate::error::Failure;
use axum::body::Bytes;
use metaphrase::{
    DocumentError, Error, FileFormat, PreparedFile, PreparedText, Request, Split, TextFormat, TextOptions, Translation,
};
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
    form: Form,
    /// By sentence: its source, as the model reads it.
    sources: Vec<String>,
}

enum Form {
    /// The text stays as it is.
    Unchanged,
    Text(PreparedText),
    File(PreparedFile),
}

/// A text whose sentences are translated.
#[derive(Debug, Default)]
pub struct Finished {
    /// The translation of a text.
    pub text: String,
    /// The translation of a file.
    pub bytes: Bytes,
    /// By sentence: its bytes in the source and in the translation.
    pub places: Vec<(Range<usize>, Range<usize>)>,
    /// Messages, one sentence each.
    pub notes: Vec<String>,
}

impl Prepared {
    /// A text that stays as it is.
    #[must_use]
    pub fn unchanged(input: String) -> Self {
        Self { input, form: Form::Unchanged, sources: Vec::new() }
    }

    /// Finds the sentences of a text.
    ///
    /// # Errors
    /// [`Failure::Bad`] for XML whose tags do not belong together.
    pub fn text(input: &str, options: &TextOptions) -> Result<Self, Failure> {
        let text = PreparedText::new(input, options).map_err(|error| Failure::Bad(error.to_string()))?;
        Ok(Self::of(input.to_owned(), Form::Text(text)))
    }

    /// Finds the sentences of a file.
    ///
    /// # Errors
    /// [`Failure::File`] if the file is not what its name says, or has nothing to translate.
    pub fn file(bytes: Vec<u8>, format: FileFormat, options: &TextOptions) -> Result<Self, Failure> {
        match PreparedFile::new(bytes, format, options) {
            Ok(file) => Ok(Self::of(String::new(), Form::File(file))),
            Err(Error::Document(DocumentError::NothingToTranslate { .. })) => Err(Failure::NothingTranslated),
            Err(error) => Err(Failure::File(error.to_string())),
        }
    }

    fn of(input: String, form: Form) -> Self {
        let mut prepared = Self { input, form, sources: Vec::new() };
        prepared.sources = prepared.requests().into_iter().map(|request| request.source).collect();
        prepared
    }

    /// A request for each sentence. Things to copy are its first required terms.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        match &self.form {
            Form::Unchanged => Vec::new(),
            Form::Text(text) => text.requests(),
            Form::File(file) => file.requests(),
        }
    }

    /// Whether things find their places by alignments.
    #[must_use]
    pub fn needs_alignment(&self) -> bool {
        match &self.form {
            Form::Unchanged => false,
            Form::Text(text) => text.needs_alignment(),
            Form::File(file) => file.needs_alignment(),
        }
    }

    /// The sources of all sentences.
    #[must_use]
    pub fn sources(&self) -> &[String] {
        &self.sources
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
        let finished = match &self.form {
            Form::Unchanged => Finished { text: self.input.clone(), ..Finished::default() },
            Form::Text(text) => {
                let done = text.finish(translations).map_err(worker)?;
                let places = done.sentences.into_iter().map(|sentence| (sentence.source, sentence.target)).collect();
                Finished { text: done.text, places, notes: done.notes, ..Finished::default() }
            }
            Form::File(file) => {
                let done = file.finish(translations).map_err(worker)?;
                Finished { bytes: done.bytes.into(), notes: done.notes, ..Finished::default() }
            }
        };
        Ok(finished)
    }

    /// The whole text, each sentence of which has its translation of this rank or, if there are not so many, its last one.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn alternative(&self, translations: &[Translation], rank: usize) -> Result<String, Failure> {
        match &self.form {
            Form::Text(text) => text.alternative(translations, rank).map_err(worker),
            _ => Ok(self.input.clone()),
        }
    }
}

fn worker(error: Error) -> Failure {
    match error {
        Error::Document(DocumentError::NothingTranslated) => Failure::NothingTranslated,
        error => Failure::Worker(error.to_string()),
    }
}

/// The characters of texts that are worked on at once. They take some milliseconds.
const SHORT: usize = 20_000;

/// Works on texts of this many characters: on long ones on a thread of its own, so that other requests are served meanwhile.
///
/// # Errors
/// Those of `work`, and [`Failure::Worker`] if it panics there.
pub async fn apart<T: Send + 'static>(
    characters: usize,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    if characters <= SHORT {
        return work();
    }
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(Failure::Worker("a thread failed".into())))
}

/// How a text in this language is read. Unless it is to be `split`, each paragraph is a sentence; elements with `copied` names stay as
/// they are.
#[must_use]
pub fn options(language: &str, (format, split): (TextFormat, bool), copied: &[String]) -> TextOptions {
    TextOptions {
        format,
        split: if split { Split::Sentences } else { Split::Lines },
        language: language.split('-').next().unwrap_or_default().to_owned(),
        copied: copied.to_vec(),
        ..TextOptions::default()
    }
}
