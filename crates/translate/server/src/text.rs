//! Reading the texts and files of clients.

use crate::error::Failure;
use metaphrase::{Document, DocumentError, Error, FileFormat, Split, TextFormat, TextOptions};

/// The names of all formats.
pub const FORMATS: [&str; 4] = ["text", "lines", "html", "xml"];

/// The format of this name.
#[must_use]
pub fn format_named(name: &str) -> Option<TextFormat> {
    let formats = [TextFormat::Text, TextFormat::Lines, TextFormat::Html, TextFormat::Xml];
    FORMATS.into_iter().zip(formats).find(|(known, _)| *known == name).map(|(_, format)| format)
}

/// Finds the sentences of a text.
///
/// # Errors
/// [`Failure::Bad`] for XML whose tags do not belong together.
pub fn read_text(input: &str, options: &TextOptions) -> Result<Document, Failure> {
    Document::text(input, options).map_err(|error| Failure::Bad(error.to_string()))
}

/// Finds the sentences of a file.
///
/// # Errors
/// [`Failure::File`] if the file is not of the format of its name, or has nothing to translate.
pub fn read_file(bytes: Vec<u8>, format: FileFormat, options: &TextOptions) -> Result<Document, Failure> {
    Document::file(bytes, format, options).map_err(|error| match error {
        Error::Document(DocumentError::NothingToTranslate { .. }) => Failure::NothingTranslated,
        error => Failure::File(error.to_string()),
    })
}

/// Why a document can not be put together.
#[must_use]
pub fn not_finished(error: Error) -> Failure {
    match error {
        Error::Document(DocumentError::NothingTranslated) => Failure::NothingTranslated,
        error => Failure::Worker(error.to_string()),
    }
}

/// Texts up to this number of characters are processed at once, in some milliseconds.
const SHORT: usize = 20_000;

/// Runs `work` on texts of `characters` characters: for long ones on another thread, so that other requests are served
/// meanwhile.
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

/// How a text in this language is read. Unless it is to be `split`, each paragraph is a sentence; elements with
/// `copied` names stay as they are.
#[must_use]
pub fn options(language: &str, format: TextFormat, split: Split, copied: &[String]) -> TextOptions {
    TextOptions {
        format,
        split,
        language: language.split('-').next().unwrap_or_default().to_owned(),
        copied: copied.to_vec(),
        ..TextOptions::default()
    }
}
