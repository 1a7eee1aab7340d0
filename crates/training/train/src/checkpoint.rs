//! Checkpoints: all state of a run, written whole or not at all.

use crate::Trainer;
use crate::data::Position;
use metaphrase_base::{Checksums, MappedFile, NewFolder, remove_listed};
use metaphrase_device::{Device, Shape as _};
use metaphrase_kernels::Matrix;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::fs;
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
    /// The next place in the training data.
    pub position: Position,
    /// Threads: the order of sums depends on their number.
    pub threads: usize,
    /// Whether a GPU computes updates, and not the threads.
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
    /// A hash of the segmented training data.
    pub data: u64,
    /// A checksum of the development set; checkpoints of older versions have none.
    #[serde(default)]
    pub dev: Option<u64>,
    /// A checksum of the files of the vocabularies; checkpoints of older versions have none.
    #[serde(default)]
    pub vocabularies: Option<u64>,
}

impl State {
    /// The conditions that determine the last bits of the run.
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
        /// The action that failed.
        action: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// The file is not a checkpoint of this recipe.
    #[error("{path} is no checkpoint of this recipe: {problem}")]
    Content {
        /// The file.
        path: PathBuf,
        /// The fault.
        problem: String,
    },
    /// The content of a file is not that of which the checksum was written.
    #[error("{path} is damaged: {problem}; remove the checkpoint and train from the beginning")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Both checksums.
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
    entries.filter(|path| number(path).is_some() && path.is_dir()).max_by_key(number)
}

/// Writes a new checkpoint, then removes the files of the old one. If the new one can not be written, the old ones are
/// kept.
///
/// # Errors
/// If the disk is full, for example.
pub fn write<D: Device>(run: &Path, trainer: &mut Trainer<D>, state: &State) -> Result<(), CheckpointError> {
    let new = run.join(format!("{PREFIX}{}", state.updates));
    let folder = NewFolder::create(&new).map_err(io(&new, "write"))?;
    write_files(folder.part(), &new, trainer, state)?;
    let old = newest(run);
    let own = [TENSORS, STATE, Checksums::FILE].map(str::to_owned);
    folder.finish_over(&own.into()).map_err(io(&new, "write"))?;
    match old {
        Some(old) if old != new => remove_listed(&old, &[]).map_err(io(&old, "remove")),
        _ => Ok(()),
    }
}

/// Writes the files of the checkpoint `name` into the directory `part`.
fn write_files<D: Device>(
    part: &Path,
    name: &Path,
    trainer: &mut Trainer<D>,
    state: &State,
) -> Result<(), CheckpointError> {
    let path = name.join(TENSORS);
    let (device, tensors) = trainer.checkpoint();
    let device = RefCell::new(device);
    let tensors: Vec<(&str, Floats<'_, D>)> = tensors
        .iter()
        .map(|(name, m)| (&name[..], Floats { device: &device, matrix: m, shape: [m.rows(), m.cols()] }))
        .collect();
    let failed = |problem: &dyn std::fmt::Display| io(&path, "write")(io::Error::other(problem.to_string()));
    safetensors::serialize_to_file(tensors, None, &part.join(TENSORS)).map_err(|e| failed(&e))?;
    device.borrow().check().map_err(|e| failed(&e))?;
    let path = name.join(STATE);
    let text = serde_json::to_string_pretty(state).map_err(|e| io(&path, "write")(e.into()))?;
    fs::write(part.join(STATE), text).map_err(io(&path, "write"))?;
    let path = name.join(Checksums::FILE);
    let checksums = Checksums::from_files(part, [TENSORS, STATE]).map_err(io(&path, "write"))?;
    fs::write(part.join(Checksums::FILE), checksums.to_string()).map_err(io(&path, "write"))
}

/// A matrix that is being saved: downloaded when it is written, so that one matrix at a time is in memory twice.
struct Floats<'a, D: Device> {
    device: &'a RefCell<&'a mut D>,
    matrix: &'a D::Matrix,
    shape: [usize; 2],
}

impl<D: Device> safetensors::View for Floats<'_, D> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> std::borrow::Cow<'_, [u8]> {
        let numbers = self.device.borrow_mut().download(self.matrix);
        numbers.as_slice().iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>().into()
    }

    fn data_len(&self) -> usize {
        self.shape[0] * self.shape[1] * size_of::<f32>()
    }
}

/// Compares the files of a checkpoint with their checksums. Whether it has any: checkpoints of older versions have
/// none.
///
/// # Errors
/// If a file can not be read or has another checksum.
pub fn check(checkpoint: &Path) -> Result<bool, CheckpointError> {
    let path = checkpoint.join(Checksums::FILE);
    let Some(checksums) = Checksums::read(checkpoint).map_err(io(&path, "read"))? else { return Ok(false) };
    for path in [TENSORS, STATE].map(|name| checkpoint.join(name)) {
        let content = MappedFile::open(&path).map_err(io(&path, "read"))?;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        checksums.check(name, &content).map_err(|problem| CheckpointError::Damaged { path: path.clone(), problem })?;
    }
    Ok(true)
}

/// Whether this is the directory of a checkpoint.
#[must_use]
pub fn is_checkpoint(path: &Path) -> bool {
    path.join(STATE).is_file() && path.join(TENSORS).is_file()
}

/// Sets a trainer to the state of a checkpoint.
///
/// # Errors
/// If the checkpoint can not be read, or belongs to another network or optimizer.
pub fn read<D: Device>(checkpoint: &Path, trainer: &mut Trainer<D>) -> Result<State, CheckpointError> {
    check(checkpoint)?;
    let path = checkpoint.join(STATE);
    let text = fs::read_to_string(&path).map_err(io(&path, "read"))?;
    let content = |path: &Path, problem: String| CheckpointError::Content { path: path.to_owned(), problem };
    let state: State = serde_json::from_str(&text).map_err(|e| content(&path, e.to_string()))?;
    let path = checkpoint.join(TENSORS);
    let bytes = fs::read(&path).map_err(io(&path, "read"))?;
    let tensors = SafeTensors::deserialize(&bytes).map_err(|e| content(&path, e.to_string()))?;
    let (device, wanted) = trainer.checkpoint();
    for (name, matrix) in wanted {
        let tensor = tensors.tensor(&name).map_err(|_| content(&path, format!("it has no tensor `{name}`")))?;
        let numbers = floats(&tensor, matrix.rows(), matrix.cols());
        let numbers = numbers.ok_or_else(|| content(&path, format!("tensor `{name}` is of another shape")))?;
        device.write(&numbers, matrix);
    }
    trainer.resume(state.updates);
    Ok(state)
}

/// The numbers of a tensor of this shape.
fn floats(tensor: &TensorView<'_>, rows: usize, cols: usize) -> Option<Matrix> {
    let (chunks, rest) = tensor.data().as_chunks::<4>();
    let same = tensor.shape() == [rows, cols]
        && tensor.dtype() == Dtype::F32
        && rest.is_empty()
        && chunks.len() == rows * cols;
    same.then(|| Matrix::from_vec(rows, cols, chunks.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()))
}
