//! The directory of a run: claimed by one process, with models that are written whole or not at all.

use crate::curves::curves;
use crate::run::TrainError;
use crate::{checkpoint, log};
use metaphrase_base::{Checksums, MadeFolder, NewFile, remove_listed};
use metaphrase_models::{Config, MANIFEST, StoredPrecision, Vocabularies, Weights, replace};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The recipe of a run in its directory.
const RECIPE: &str = "recipe.toml";
/// The list with the checksum of the recipe.
const LIST: &str = "run.checksums";

/// The directory of a run, kept from other processes until this is dropped.
pub(crate) struct Output {
    path: PathBuf,
    /// The newest checkpoint in the directory.
    pub(crate) checkpoint: Option<PathBuf>,
    /// The directory is removed if the run does not begin, unless it was there before.
    made: Option<MadeFolder>,
    _lock: Option<File>,
}

impl Output {
    /// Claims a directory for a run of this recipe: a new one, or that of a run that is resumed. A run that ended before
    /// its first checkpoint begins anew.
    pub(crate) fn claim(path: &Path, recipe: &str, resume: bool) -> Result<Self, TrainError> {
        let problem = |problem: String| TrainError::Output { path: path.to_owned(), problem };
        let checkpoint = checkpoint::newest(path);
        match (resume, &checkpoint) {
            (false, Some(_)) => {
                return Err(problem("there is a run already; continue it with --resume or name another".into()));
            }
            (_, None) if has_others_files(path).map_err(|e| problem(e.to_string()))? => {
                return Err(problem("there are files of something else; name a new directory".into()));
            }
            _ => {}
        }
        let made = MadeFolder::create(path).map_err(|e| problem(e.to_string()))?;
        let lock = lock(path).map_err(problem)?;
        fs::create_dir_all(path.join("models")).map_err(|e| problem(e.to_string()))?;
        write_recipe(path, recipe).map_err(|e| problem(e.to_string()))?;
        Ok(Self { path: path.to_owned(), checkpoint, made: Some(made), _lock: lock })
    }

    /// The run begins: its directory stays.
    pub(crate) fn keep(&mut self) {
        self.made.take().into_iter().for_each(MadeFolder::keep);
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
        let _ = NewFile::write(&self.path.join("curves.svg"), curves(&[("", entries)]));
    }

    /// Writes the model of an update, also as the best one if it is, and leaves the newest `keep` models.
    pub(crate) fn save(
        &self,
        (config, weights): (&Config, &Weights),
        vocabularies: &Vocabularies,
        update: u64,
        best: bool,
        keep: usize,
    ) -> Result<(), TrainError> {
        let models = self.path.join("models");
        replace(config, weights, vocabularies, &models.join(format!("update-{update}")), StoredPrecision::F32)?;
        if best {
            replace(config, weights, vocabularies, &self.path.join("best"), StoredPrecision::F32)?;
        }
        remove_old(&models, keep);
        Ok(())
    }
}

/// Writes the recipe, and the list by which a run knows its directory again.
fn write_recipe(output: &Path, recipe: &str) -> io::Result<()> {
    NewFile::write(&output.join(RECIPE), recipe)?;
    NewFile::write(&output.join(LIST), Checksums::of_files(output, [RECIPE])?.to_string())
}

/// Whether a directory has other files than those of a run that ended before its first checkpoint. Names alone do not make
/// files ours: the directory's list has the recipe as it is.
fn has_others_files(output: &Path) -> io::Result<bool> {
    let Ok(entries) = fs::read_dir(output) else { return Ok(false) };
    let names: Vec<String> = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let visible = || names.iter().filter(|name| !name.starts_with('.'));
    if visible().next().is_none() {
        return Ok(false);
    }
    let ours = [RECIPE, LIST, "log.jsonl", "models", "best", "curves.svg", "vocabulary.", "source.", "target."];
    let is_ours = |name: &String| ours.iter().any(|our| name.starts_with(our));
    let list = Checksums::read_from(&output.join(LIST))?.unwrap_or_default();
    Ok(!visible().all(is_ours) || !output.join(RECIPE).exists() || list.first_unlisted(output, [RECIPE])?.is_some())
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

/// Removes the files of all models but the newest `keep`; files of somebody else stay.
fn remove_old(models: &Path, keep: usize) {
    let number = |path: &PathBuf| path.file_name()?.to_str()?.strip_prefix("update-")?.parse::<u64>().ok();
    let Ok(entries) = fs::read_dir(models) else { return };
    let mut all: Vec<_> = entries.flatten().filter_map(|e| Some((number(&e.path())?, e.path()))).collect();
    all.sort();
    let old = all.len().saturating_sub(keep.max(1));
    for (_, path) in &all[..old] {
        // A model that can not be removed takes room, and harms nothing else.
        let _ = remove_listed(path, &[MANIFEST]);
    }
}
