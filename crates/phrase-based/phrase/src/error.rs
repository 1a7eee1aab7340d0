//! Errors of phrase-based models.

use std::io;
use std::path::{Path, PathBuf};

/// Why a model can not be read or used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file can not be opened or read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// A line of a table or of `moses.ini` is malformed.
    #[error("{}, line {line}: {what}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// The expected and the found content, and how to mend it.
        what: String,
    },
    /// A model directory lacks a part or names a part that does not exist.
    #[error("{}: {what}", path.display())]
    Model {
        /// `moses.ini` or another file of the model.
        path: PathBuf,
        /// The expected and the found content, and how to mend it.
        what: String,
    },
    /// The language model can not be read.
    #[error(transparent)]
    LanguageModel(#[from] metaphrase_ngram::LmError),
    /// A search option that the search refuses.
    #[error("{0}")]
    Options(String),
}

impl Error {
    pub(crate) fn read(path: &Path, cause: io::Error) -> Self {
        Self::Read { path: path.to_owned(), cause }
    }

    pub(crate) fn line(path: &Path, line: usize, what: impl Into<String>) -> Self {
        Self::Line { path: path.to_owned(), line, what: what.into() }
    }

    pub(crate) fn model(path: &Path, what: impl Into<String>) -> Self {
        Self::Model { path: path.to_owned(), what: what.into() }
    }
}
