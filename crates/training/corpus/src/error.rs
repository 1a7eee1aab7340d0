//! Why a corpus can not be made.

use std::io;
use std::path::{Path, PathBuf};

/// An error; the message names the file and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// A file can not be read or written.
    #[error("{path}: can not be {action}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// `read` or `written`.
        action: &'static str,
        /// The operating system's error.
        source: io::Error,
    },
    /// Two files that belong together line by line have different numbers of lines.
    #[error("{shorter} has {lines} lines and {longer} has more: line n of both has to be the same sentence",
        shorter = shorter.display(), longer = longer.display())]
    Lines {
        /// The file with fewer lines.
        shorter: PathBuf,
        /// The number of its lines.
        lines: usize,
        /// The other file.
        longer: PathBuf,
    },
    /// A line of a file of scores is not a number.
    #[error("{path}, line {line}: expected a score, the logarithm of a probability, got `{got}`", path = path.display())]
    Score {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Its text, shortened.
        got: String,
    },
    /// The recipe is not as the format prescribes.
    #[error("{path}, line {line}: {problem}", path = path.display())]
    Recipe {
        /// The recipe.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The fault.
        problem: String,
    },
    /// A setting of the recipe has no meaning.
    #[error("`{key}` is {value}, expected {expected}")]
    Setting {
        /// The key in the recipe.
        key: String,
        /// Its value.
        value: String,
        /// The values that have a meaning.
        expected: &'static str,
    },
    /// No pair is left.
    #[error(
        "no pair of sentences is left of {0}: the report's counts by reason, which the log has at level info, name the causes"
    )]
    Nothing(usize),
}

impl CorpusError {
    /// The same error, of a file that is written in the folder `part` and will be in the folder `to`.
    #[must_use]
    pub fn moved(mut self, part: &Path, to: &Path) -> Self {
        if let Self::File { path, .. } = &mut self
            && let Ok(name) = path.strip_prefix(part)
        {
            *path = to.join(name);
        }
        self
    }

    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, action: "read", source }
    }

    pub(crate) fn written(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, action: "written", source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_name_that_the_user_knows() {
        let full = CorpusError::written(Path::new("/a/.part/train.de.gz"))(io::ErrorKind::StorageFull.into());
        let error = full.moved(Path::new("/a/.part"), Path::new("corpus"));
        assert_eq!(error.to_string(), "corpus/train.de.gz: can not be written");
    }
}
