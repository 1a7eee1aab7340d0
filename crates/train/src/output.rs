//! The directory of a run: claimed by one process, with models that are written whole or not at all.

use crate::curves::curves;
use crate::run::TrainError;
use crate::{checkpoint, log};
use metaphrase_models::{Config, Precision, Vocabularies, Weights, save};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// The directory of a run, kept from other processes until this is dropped.
pub(crate) struct Output {
    path: PathBuf,
    /// The newest checkpoint in the directory.
    pub(crate) checkpoint: Option<PathBuf>,
    _lock: Option<File>,
}

impl Output {
    /// Claims a directory for a run of this recipe: a new one, or that of a run that is resumed.
    pub(crate) fn claim(path: &Path, recipe: &str, resume: bool) -> Result<Self, TrainError> {
        let problem = |problem: String| TrainError::Output { path: path.to_owned(), problem };
        let checkpoint = checkpoint::newest(path);
        match (resume, &checkpoint) {
            (false, Some(_)) => {
                return Err(problem("there is a run already; continue it with --resume or name another".into()));
            }
            (false, None) if has_others_files(path) => {
                return Err(problem("there are files of something else; name a new directory".into()));
            }
            (true, None) => return Err(problem("there is no checkpoint to resume".into())),
            _ => fs::create_dir_all(path.join("models")).map_err(|e| problem(e.to_string()))?,
        }
        let lock = lock(path).map_err(problem)?;
        fs::write(path.join("recipe.toml"), recipe).map_err(|e| problem(e.to_string()))?;
        Ok(Self { path: path.to_owned(), checkpoint, _lock: lock })
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// An error about this directory.
    pub(crate) fn error(&self, problem: impl ToString) -> TrainError {
        TrainError::Output { path: self.path.clone(), problem: problem.to_string() }
    }

    /// Draws the curves. A picture that can not be written is no reason to stop.
    pub(crate) fn draw(&self) {
        let Ok(entries) = log::read(&self.path) else { return };
        let (new, picture) = (self.path.join(".curves.tmp"), self.path.join("curves.svg"));
        let _ = fs::write(&new, curves(&[("", entries)])).and_then(|()| fs::rename(&new, &picture));
    }

    /// Writes the model of an update, also as the best one if it is, and leaves the newest `keep` models.
    pub(crate) fn save(
        &self,
        model: (&Config, &Weights),
        vocabularies: &Vocabularies,
        update: u64,
        best: bool,
        keep: usize,
    ) -> Result<(), TrainError> {
        let models = self.path.join("models");
        save_model(model, vocabularies, &models.join(format!("update-{update}")))?;
        if best {
            save_model(model, vocabularies, &self.path.join("best"))?;
        }
        remove_old(&models, keep);
        Ok(())
    }
}

/// Whether a directory has other files than those of a run that ended before its first checkpoint.
fn has_others_files(output: &Path) -> bool {
    let Ok(entries) = fs::read_dir(output) else { return false };
    let ours = ["recipe.toml", "log.jsonl", "models", "best", "curves.svg", "vocabulary.", "source.", "target.", "."];
    let is_ours = |name: &str| ours.iter().any(|our| name.starts_with(our));
    entries.flatten().any(|entry| !is_ours(&entry.file_name().to_string_lossy()))
}

/// The directory, locked until this file is dropped or the process ends in any way; no file where none can be locked.
fn lock(output: &Path) -> Result<Option<File>, String> {
    let Ok(directory) = File::open(output) else { return Ok(None) };
    match directory.try_lock() {
        Ok(()) => Ok(Some(directory)),
        Err(TryLockError::Error(_)) => Ok(None),
        Err(TryLockError::WouldBlock) => {
            Err("another process is training here; wait until it ends or name another directory".to_owned())
        }
    }
}

/// Writes a model directory; an old one is replaced when the new one is whole.
fn save_model(model: (&Config, &Weights), vocabularies: &Vocabularies, to: &Path) -> Result<(), TrainError> {
    let new = to.with_extension("new");
    let _ = fs::remove_dir_all(&new);
    save(model, vocabularies, &new, Precision::F32)?;
    let output = |e: std::io::Error| TrainError::Output { path: to.to_owned(), problem: e.to_string() };
    let old = to.with_extension("old");
    let _ = fs::remove_dir_all(&old);
    if to.exists() {
        fs::rename(to, &old).map_err(output)?;
    }
    fs::rename(&new, to).map_err(output)?;
    let _ = fs::remove_dir_all(&old);
    Ok(())
}

/// Leaves the newest `keep` models.
fn remove_old(models: &Path, keep: usize) {
    let number = |path: &PathBuf| path.file_name()?.to_str()?.strip_prefix("update-")?.parse::<u64>().ok();
    let Ok(entries) = fs::read_dir(models) else { return };
    let mut all: Vec<_> = entries.flatten().filter_map(|e| Some((number(&e.path())?, e.path()))).collect();
    all.sort();
    let old = all.len().saturating_sub(keep.max(1));
    for (_, path) in &all[..old] {
        // A model that can not be removed takes room, and harms nothing else.
        let _ = fs::remove_dir_all(path);
    }
}
