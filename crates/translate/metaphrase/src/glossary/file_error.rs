//! Why a file is not a glossary.

use super::GlossaryError;

/// Why a file is not a glossary: one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GlossaryFileError {
    /// Bytes that are not text.
    #[error("the file is not UTF-8 from byte {0} on; save it as UTF-8 (in Excel: \"CSV UTF-8\")")]
    Encoding(usize),
    /// XML or a workbook that can not be read.
    #[error("the {format} cannot be read: {problem}")]
    Broken {
        /// The form of the file.
        format: &'static str,
        /// Why.
        problem: String,
    },
    /// XML of another kind.
    #[error("the file is XML with the root element `{0}`; a glossary is TBX (`martif`, `tbx`) or TMX (`tmx`)")]
    Root(String),
    /// A file without terms in these languages.
    #[error(
        "the glossary has no entry with {wanted}; its languages are {}", if found.is_empty() { "not named".to_owned() } else { found.join(", ") }
    )]
    Languages {
        /// What is missing.
        wanted: String,
        /// The codes in the file.
        found: Vec<String>,
    },
    /// A file with more than two languages, where it is not known which are meant.
    #[error("the glossary has the languages {}; name the source and the target language", .0.join(", "))]
    ManyLanguages(Vec<String>),
    /// A line that is not an entry, or an entry without terms.
    #[error(transparent)]
    Entry(#[from] GlossaryError),
    /// A row of a table that is not an entry.
    #[error("row {row} of the table {problem}; a row has a source term and a target term")]
    Row {
        /// Its number, from 1.
        row: usize,
        /// What is wrong.
        problem: &'static str,
    },
    /// A file that unpacks to too much.
    #[error("the workbook unpacks to more than {0} bytes")]
    TooLarge(usize),
}
