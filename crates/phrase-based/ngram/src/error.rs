//! Errors of language models, each in one sentence.

use std::path::{Path, PathBuf};

/// Why a language model can not be read, written or made. Each message names the file and, where there is one, the
/// line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LmError {
    /// The operating system refuses to read or write.
    #[error("{}: cannot {action}: {source}", .path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The operation that failed: "read", "write", …
        action: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A line of an ARPA file or of a text is wrong.
    #[error("{}, line {line}: {problem}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// The text found and the text expected.
        problem: String,
    },
    /// A model as a whole is contradictory or too large for the data structure.
    #[error("{}: {problem}", .path.display())]
    Model {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
}

impl LmError {
    pub(crate) fn io(path: &Path, action: &'static str, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), action, source }
    }

    pub(crate) fn line(path: &Path, line: u64, problem: impl Into<String>) -> Self {
        Self::Line { path: path.to_owned(), line, problem: problem.into() }
    }

    pub(crate) fn model(path: &Path, problem: impl Into<String>) -> Self {
        Self::Model { path: path.to_owned(), problem: problem.into() }
    }
}
