//! Errors of the files and patterns of byte-pair encoding.

use std::io;
use std::path::{Path, PathBuf};

/// BPE codes, a vocabulary or a glossary that can not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BpeError {
    /// A file can not be opened or read.
    #[error("{} can not be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The message of the system.
        #[source]
        source: io::Error,
    },
    /// A file holds bytes that are no UTF-8.
    #[error("{file}, line {line}: the text is not UTF-8; convert the file")]
    Utf8 {
        /// The name of the source.
        file: String,
        /// Counted from 1.
        line: usize,
    },
    /// The codes are of another version than 0.1 and 0.2.
    #[error("{file}, line 1: BPE codes of version 0.1 or 0.2 expected, got `{header}`")]
    Version {
        /// The name of the source.
        file: String,
        /// The line.
        header: String,
    },
    /// A line of the codes is not a pair of symbols.
    #[error("{file}, line {line}: expected two symbols with one space between, got `{got}`")]
    Merge {
        /// The name of the source.
        file: String,
        /// Counted from 1.
        line: usize,
        /// The line.
        got: String,
    },
    /// A line of the vocabulary is not a word and its frequency.
    #[error(
        "{file}, line {line}: expected a sub-word, one space and its frequency as `subword-nmt \
         get-vocab` writes them, got `{got}`"
    )]
    Frequency {
        /// The name of the source.
        file: String,
        /// Counted from 1.
        line: usize,
        /// The line.
        got: String,
    },
    /// A glossary is not a regular expression.
    #[error(
        "the glossary `{pattern}` is not a regular expression that we can use (no look-around, no \
         back-references): {source}"
    )]
    Glossary {
        /// The glossary as given.
        pattern: String,
        /// The message of the compiler of regular expressions.
        #[source]
        source: Box<regex::Error>,
    },
}

/// The bytes of a file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, BpeError> {
    std::fs::read(path).map_err(|source| BpeError::Io { path: path.to_owned(), source })
}

/// The lines of a text, without their ends, line 1 first. An empty text has no lines.
pub(super) fn lines<'a>(bytes: &'a [u8], file: &'a str) -> impl Iterator<Item = Result<&'a str, BpeError>> {
    let whole = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let lines = (!bytes.is_empty()).then(|| whole.split(|&b| b == b'\n'));
    lines.into_iter().flatten().enumerate().map(move |(i, line)| {
        std::str::from_utf8(line).map_err(|_| BpeError::Utf8 { file: file.to_owned(), line: i + 1 })
    })
}
