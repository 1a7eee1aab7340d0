//! Errors of models; each message is one sentence.

use std::path::{Path, PathBuf};

/// Why a model can not be used. Each message names the file and, where there is one, the tensor.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The operating system refuses to read or write.
    #[error("{}: cannot {action}: {source}", .path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The action that failed: "read", "write", …
        action: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The bytes are not what the format prescribes: cut, altered or another format.
    #[error("{}: damaged or not a {format} file: {problem}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The format it was read as.
        format: &'static str,
        /// The finding and its place in the file.
        problem: String,
    },
    /// The content of a file is not that of which the checksum was written.
    #[error("{}: the file is damaged: {problem}; copy or convert the model again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Both checksums.
        problem: String,
    },
    /// A tensor that the architecture needs is not in the file.
    #[error("{}: there is no tensor `{tensor}`, which the model's settings call for", .path.display())]
    MissingTensor {
        /// The file.
        path: PathBuf,
        /// The canonical name of the tensor.
        tensor: String,
    },
    /// A tensor has another shape than the settings of the model require.
    #[error("{}: tensor `{tensor}` is {}, expected {}", .path.display(), times(.got), times(.expected))]
    Shape {
        /// The file.
        path: PathBuf,
        /// The canonical name of the tensor.
        tensor: String,
        /// The shape that the settings call for.
        expected: Vec<usize>,
        /// The shape in the file.
        got: Vec<usize>,
    },
    /// A tensor is stored in a way that can not be read.
    #[error("{}: tensor `{tensor}`: {problem}", .path.display())]
    Tensor {
        /// The file.
        path: PathBuf,
        /// The name of the tensor.
        tensor: String,
        /// Its fault, and the remedy.
        problem: String,
    },
    /// The model's settings are missing, contradictory or not understood, or a directory does not declare which files
    /// make up the model.
    #[error("{}: {problem}", .path.display())]
    Settings {
        /// The file or directory.
        path: PathBuf,
        /// The fault; of a directory, the files that were found and the files that are expected.
        problem: String,
    },
    /// A sound model that this engine does not implement.
    #[error("{}: {what} is not supported: {advice}", .path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The setting or feature, with its value.
        what: String,
        /// Why, or what to do instead.
        advice: String,
    },
    /// Models that can not vote together.
    #[error("these models can not form an ensemble: {problem}")]
    Ensemble {
        /// The models or weights that do not fit.
        problem: String,
    },
}

impl ModelError {
    pub(crate) fn io(path: &Path, action: &'static str, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), action, source }
    }

    /// The same error, of a file in the folder `part` that users know in the folder `to`.
    #[must_use]
    pub fn moved(mut self, part: &Path, to: &Path) -> Self {
        if let Some(path) = self.path_mut()
            && let Ok(name) = path.strip_prefix(part)
        {
            // Joined to nothing, a path would end with a slash.
            *path = if name.as_os_str().is_empty() { to.to_owned() } else { to.join(name) };
        }
        self
    }

    fn path_mut(&mut self) -> Option<&mut PathBuf> {
        match self {
            Self::Io { path, .. }
            | Self::Malformed { path, .. }
            | Self::Damaged { path, .. }
            | Self::MissingTensor { path, .. }
            | Self::Shape { path, .. }
            | Self::Tensor { path, .. }
            | Self::Settings { path, .. }
            | Self::Unsupported { path, .. } => Some(path),
            Self::Ensemble { .. } => None,
        }
    }

    pub(crate) fn malformed(path: &Path, format: &'static str, problem: impl Into<String>) -> Self {
        Self::Malformed { path: path.to_owned(), format, problem: problem.into() }
    }

    pub(crate) fn tensor(path: &Path, tensor: &str, problem: impl Into<String>) -> Self {
        Self::Tensor { path: path.to_owned(), tensor: tensor.to_owned(), problem: problem.into() }
    }

    pub(crate) fn settings(path: &Path, problem: impl Into<String>) -> Self {
        Self::Settings { path: path.to_owned(), problem: problem.into() }
    }

    pub(crate) fn unsupported(path: &Path, what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Unsupported { path: path.to_owned(), what: what.into(), advice: advice.into() }
    }

    /// Refuses the first of these features that is present: whether it is, its name, and the advice.
    pub(crate) fn refuse(path: &Path, features: &[(bool, &str, &str)]) -> Result<(), Self> {
        match features.iter().find(|(present, ..)| *present) {
            Some(&(_, what, advice)) => Err(Self::unsupported(path, what, advice)),
            None => Ok(()),
        }
    }
}

/// `[2, 3]` as `2 × 3`.
pub(crate) fn times(shape: &[usize]) -> String {
    match shape {
        [] => "a scalar".to_owned(),
        [length] => format!("a vector of {length}"),
        _ => shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" × "),
    }
}
