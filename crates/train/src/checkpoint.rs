//! All that a run needs in order to go on: written whole or not at all.

use crate::Trainer;
use crate::data::Position;
use metaphrase_kernels::Matrix;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

const TENSORS: &str = "tensors.safetensors";
const STATE: &str = "state.json";
const PREFIX: &str = "checkpoint-";

/// Where a run stands, besides its tensors.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct State {
    /// Updates so far.
    pub updates: u64,
    /// What comes next of the training data.
    pub position: Position,
    /// Threads: the order of sums hangs on them.
    pub threads: usize,
    /// Whether a device computes instead of them.
    #[serde(default)]
    pub on_device: bool,
    /// The best value of the metric so far, and the update it was measured at.
    pub best: Option<(f64, u64)>,
    /// Validations since the best one.
    pub stalled: u32,
    /// Seconds of training.
    pub seconds: f64,
    /// The recipe, as it was read.
    pub recipe: String,
    /// Of the training data as it was segmented.
    pub data: u64,
}

impl State {
    /// What the bits of the run hang on.
    pub fn computed_by(&self) -> String {
        if self.on_device { "a CUDA device".to_owned() } else { format!("{} threads", self.threads) }
    }
}

/// A checkpoint that can not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// A file can not be written, read or renamed.
    #[error("can not {action} {path}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// It is not what a checkpoint of this recipe is.
    #[error("{path} is no checkpoint of this recipe: {problem}")]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> CheckpointError {
    let path = path.to_owned();
    move |source| CheckpointError::Io { path, action, source }
}

/// The newest checkpoint in a run's directory.
pub fn newest(run: &Path) -> Option<PathBuf> {
    let number = |path: &PathBuf| path.file_name()?.to_str()?.strip_prefix(PREFIX)?.parse::<u64>().ok();
    let entries = fs::read_dir(run).ok()?.flatten().map(|entry| entry.path());
    entries.filter(|path| number(path).is_some()).max_by_key(number)
}

/// Writes a checkpoint beside those that are there, then removes these. If anything fails they are left as they are.
///
/// # Errors
/// If the disk is full, for example.
pub fn write(run: &Path, trainer: &Trainer, state: &State) -> Result<(), CheckpointError> {
    let unfinished = run.join(".checkpoint.tmp");
    let _ = fs::remove_dir_all(&unfinished);
    let result = write_files(&unfinished, trainer, state);
    if result.is_err() {
        let _ = fs::remove_dir_all(&unfinished);
    }
    result?;
    let old = newest(run);
    let new = run.join(format!("{PREFIX}{}", state.updates));
    if old.as_ref() != Some(&new) {
        fs::rename(&unfinished, &new).map_err(io(&new, "write"))?;
    }
    File::open(run).and_then(|run| run.sync_all()).map_err(io(run, "write"))?;
    match old {
        Some(old) if old != new => fs::remove_dir_all(&old).map_err(io(&old, "remove")),
        _ => Ok(()),
    }
}

fn write_files(directory: &Path, trainer: &Trainer, state: &State) -> Result<(), CheckpointError> {
    fs::create_dir_all(directory).map_err(io(directory, "create"))?;
    let path = directory.join(TENSORS);
    let parameters: Vec<(&str, &Matrix)> = trainer.parameters().iter().collect();
    let values = parameters.iter().map(|(name, matrix)| (format!("parameter:{name}"), *matrix));
    let kinds = trainer.optimizer().state().flat_map(|(kind, matrices)| {
        parameters.iter().zip(matrices).map(move |((name, _), matrix)| (format!("{kind}:{name}"), matrix))
    });
    let tensors: Vec<(String, Floats<'_>)> =
        values.chain(kinds).map(|(name, m)| (name, Floats(m, [m.rows(), m.cols()]))).collect();
    safetensors::serialize_to_file(tensors, None, &path).map_err(|e| io(&path, "write")(io::Error::other(e)))?;
    File::open(&path).and_then(|file| file.sync_all()).map_err(io(&path, "write"))?;
    let path = directory.join(STATE);
    let text = serde_json::to_string_pretty(state).map_err(|e| io(&path, "write")(e.into()))?;
    fs::write(&path, text).map_err(io(&path, "write"))?;
    File::open(&path).and_then(|file| file.sync_all()).map_err(io(&path, "write"))
}

/// A matrix on its way to a file.
struct Floats<'a>(&'a Matrix, [usize; 2]);

impl safetensors::View for Floats<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        &self.1
    }

    fn data(&self) -> std::borrow::Cow<'_, [u8]> {
        self.0.as_slice().iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>().into()
    }

    fn data_len(&self) -> usize {
        size_of_val(self.0.as_slice())
    }
}

/// Sets a trainer to what a checkpoint has.
///
/// # Errors
/// If it can not be read, or is one of another network or optimizer.
pub fn read(checkpoint: &Path, trainer: &mut Trainer) -> Result<State, CheckpointError> {
    let path = checkpoint.join(STATE);
    let text = fs::read_to_string(&path).map_err(io(&path, "read"))?;
    let content = |path: &Path, problem: String| CheckpointError::Content { path: path.to_owned(), problem };
    let state: State = serde_json::from_str(&text).map_err(|e| content(&path, e.to_string()))?;
    let path = checkpoint.join(TENSORS);
    let bytes = fs::read(&path).map_err(io(&path, "read"))?;
    let tensors = SafeTensors::deserialize(&bytes).map_err(|e| content(&path, e.to_string()))?;
    let fill = |name: &str, matrix: &mut Matrix| {
        let tensor = tensors.tensor(name).map_err(|_| content(&path, format!("it has no tensor `{name}`")))?;
        copy(&tensor, matrix).ok_or_else(|| content(&path, format!("tensor `{name}` is of another shape")))
    };
    let names: Vec<String> = trainer.parameters().iter().map(|(name, _)| name.to_owned()).collect();
    for (name, matrix) in names.iter().zip(trainer.parameters_mut().values_mut()) {
        fill(&format!("parameter:{name}"), matrix)?;
    }
    for (kind, matrices) in trainer.optimizer_mut().restore(state.updates) {
        for (name, matrix) in names.iter().zip(matrices) {
            fill(&format!("{kind}:{name}"), matrix)?;
        }
    }
    trainer.parameters_mut().changed(1);
    Ok(state)
}

fn copy(tensor: &TensorView<'_>, matrix: &mut Matrix) -> Option<()> {
    let (chunks, rest) = tensor.data().as_chunks::<4>();
    let same = tensor.shape() == [matrix.rows(), matrix.cols()]
        && tensor.dtype() == Dtype::F32
        && rest.is_empty()
        && chunks.len() == matrix.as_slice().len();
    same.then(|| matrix.as_mut_slice().iter_mut().zip(chunks).for_each(|(v, bytes)| *v = f32::from_le_bytes(*bytes)))
}
