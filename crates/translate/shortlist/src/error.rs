//! Errors of shortlists, each in one sentence.

use std::path::{Path, PathBuf};

/// Why a shortlist can not be read or written. Each message names the file and, where there is one, the line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShortlistError {
    /// The operating system refuses to read or write.
    #[error("shortlist {}: cannot {action}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operation that failed: "read" or "write".
        action: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A line of a text is wrong.
    #[error("shortlist {}, line {line}: {problem}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// The text found and the text expected.
        problem: String,
    },
    /// The file as a whole can not be used.
    #[error("shortlist {} {problem}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The problem, a sentence whose subject is the file.
        problem: String,
    },
}

impl ShortlistError {
    pub(crate) fn io(path: &Path, action: &'static str, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), action, source }
    }

    pub(crate) fn line(path: &Path, line: u64, problem: impl Into<String>) -> Self {
        Self::Line { path: path.to_owned(), line, problem: problem.into() }
    }

    pub(crate) fn file(path: &Path, problem: impl Into<String>) -> Self {
        Self::File { path: path.to_owned(), problem: problem.into() }
    }
}
