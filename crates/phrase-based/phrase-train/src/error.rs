//! Errors of training.

use metaphrase_align::ExtractError;
use std::io;
use std::path::{Path, PathBuf};

/// The name of the record in the directory of a training.
pub(crate) const RECORD: &str = "stages.toml";

/// Why there is no model; every message is one sentence.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Development texts of different lengths.
    #[error(
        "the development set has {source_lines} source lines and {reference_lines} lines in reference {reference}; line n of \
         each has to be the same sentence"
    )]
    DevLines {
        /// Lines of the source.
        source_lines: usize,
        /// Which reference, counted from 1.
        reference: usize,
        /// Its lines.
        reference_lines: usize,
    },
    /// Nothing to tune on.
    #[error(
        "the development set has no line with words on both sides; give some hundred sentences and their translations"
    )]
    NoDev,
    /// The directory has a training, and the caller did not ask to continue it.
    #[error("{} has a training already; go on with it (`resume`), or train in another directory", path.display())]
    Exists {
        /// The directory.
        path: PathBuf,
    },
    /// The directory has a file that no training in it wrote.
    #[error("{} is not of a training in this directory; train in another directory", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A file of a training was changed after the training wrote it.
    #[error(
        "{} is not as the training wrote it: its checksum is {found}, but {expected} in {RECORD}; delete the file to have it \
         made again, or train in another directory",
        path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// Its checksum.
        found: String,
        /// Its checksum when it was written.
        expected: String,
    },
    /// The record of a training can not be understood.
    #[error("{}, line {line}: {problem}; train in another directory", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// The fault.
        problem: String,
    },
    /// A file can not be read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// A file can not be written.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// Links that an earlier run has left are damaged.
    #[error("{}, line {line}: {cause}; delete the file and go on", path.display())]
    Links {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// The fault of the links.
        cause: metaphrase_align::Error,
    },
    /// Words can not be aligned.
    #[error(transparent)]
    Align(#[from] metaphrase_align::Error),
    /// Tables can not be made.
    #[error(transparent)]
    Extract(#[from] ExtractError),
    /// No language model.
    #[error(transparent)]
    LanguageModel(#[from] metaphrase_ngram::LmError),
    /// The model can not be used.
    #[error(transparent)]
    Phrase(#[from] metaphrase_phrase::Error),
    /// The metric can not be used.
    #[error(transparent)]
    Metric(#[from] metaphrase_metrics::Error),
    /// A thread that translated the development set failed.
    #[error(transparent)]
    Worker(#[from] metaphrase_base::pipeline::WorkerPanicked),
    /// Weights can not be found.
    #[error(transparent)]
    Tune(#[from] metaphrase_tune::Error),
}

impl Error {
    pub(crate) fn read(path: &Path, cause: io::Error) -> Self {
        Self::Read { path: path.to_owned(), cause }
    }

    pub(crate) fn write(path: &Path, cause: io::Error) -> Self {
        Self::Write { path: path.to_owned(), cause }
    }

    /// The error with the name that a file gets in the end, in place of its name in the directory `part`.
    pub(crate) fn moved_to(self, part: &Path, folder: &Path) -> Self {
        let moved = |path: PathBuf| path.strip_prefix(part).map_or_else(|_| path.clone(), |name| folder.join(name));
        match self {
            Self::Write { path, cause } => Self::Write { path: moved(path), cause },
            Self::Extract(ExtractError::Write { path, error }) => {
                Self::Extract(ExtractError::Write { path: moved(path), error })
            }
            Self::Extract(ExtractError::Scratch { error, .. }) => {
                Self::Extract(ExtractError::Scratch { folder: folder.to_owned(), error })
            }
            other => other,
        }
    }
}
