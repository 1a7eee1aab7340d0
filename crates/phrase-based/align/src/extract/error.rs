//! Errors of the making of tables.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why no tables were written; every message is one sentence.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// A phrase length that is not supported.
    #[error("phrases of up to {found} words are not supported; choose 1 to {limit}", limit = super::links::LONGEST)]
    MaxLength {
        /// The requested length.
        found: usize,
    },
    /// The alignments are not those of the text.
    #[error("there are {alignments} lines of links for {text} sentence pairs; line n has to belong to sentence pair n")]
    Lines {
        /// Sentence pairs.
        text: usize,
        /// Alignments.
        alignments: usize,
    },
    /// An alignment does not fit its sentence pair.
    #[error("line {line}: {error}")]
    Alignment {
        /// Its line, from 1.
        line: usize,
        /// The fault of the alignment.
        error: crate::Error,
    },
    /// The tables could not be read again.
    #[error(
        "line {line} has the word '|||', which separates the fields of Moses' tables; escape it as Moses' tokeniser does"
    )]
    Separator {
        /// The line, from 1.
        line: usize,
    },
    /// Sorted phrase pairs could not be put aside.
    #[error("cannot keep sorted phrase pairs in {}: {error}", folder.display())]
    Scratch {
        /// Where.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A table could not be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// The table.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl ExtractError {
    pub(crate) fn scratch(folder: &Path, error: io::Error) -> Self {
        Self::Scratch { folder: folder.to_owned(), error }
    }
}
