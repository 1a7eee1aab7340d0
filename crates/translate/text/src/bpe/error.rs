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
    /// A line of a file is not of its format.
    #[error("{file}, line {line}: {fault}")]
    Line {
        /// The name of the source.
        file: String,
        /// Counted from 1.
        line: usize,
        /// The expected and the found content.
        fault: String,
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

impl BpeError {
    pub(super) fn line(file: &str, line: usize, fault: impl Into<String>) -> Self {
        Self::Line { file: file.to_owned(), line, fault: fault.into() }
    }
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
        std::str::from_utf8(line).map_err(|_| BpeError::line(file, i + 1, "the text is not UTF-8; convert the file"))
    })
}
