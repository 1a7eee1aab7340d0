//! The directory of a run: claimed by one process, with models that are written whole or not at all.

use crate::curves::curves;
use crate::error::TrainError;
use crate::log::LOG;
use crate::own_files::OwnFiles;
use crate::{checkpoint, log};
use metaphrase_base::{Checksums, MadeFolder, NewFile, remove_listed};
use metaphrase_models::{Config, MANIFEST, StoredPrecision, Vocabularies, Weights, replace};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// The recipe in a run's directory.
const RECIPE: &str = "recipe.toml";
const MODELS: &str = "models";
const CURVES: &str = "curves.svg";

/// What a run that has not begun yet has written into its directory.
const EARLY_FILES: [&str; 11] = [
    RECIPE,
    LOG,
    MODELS,
    CURVES,
    Checksums::FILE,
    "vocabulary.yml",
    "vocabulary.spm",
    "source.yml",
    "source.spm",
    "target.yml",
    "target.spm",
];

/// The directory of a run, kept from other processes until this is dropped.
pub(crate) struct Output {
    path: PathBuf,
    /// The recipe, and the vocabularies that were trained.
    pub(crate) own: OwnFiles,
    /// The newest checkpoint in the directory.
    pub(crate) checkpoint: Option<PathBuf>,
    /// The directory is removed if the run does not begin, unless it was there before.
    made: Option<MadeFolder>,
    _lock: Option<File>,
}

impl Output {
    /// Claims a directory for a run of this recipe: a new one, or that of a run that is resumed. A run that ended
    /// before its first checkpoint begins anew.
    pub(crate) fn claim(path: &Path, recipe: &str, resume: bool) -> Result<Self, TrainError> {
        let problem = |problem: String| TrainError::Output { path: path.to_owned(), problem };
        let checkpoint = checkpoint::newest(path);
        match (resume, &checkpoint) {
            (false, Some(_)) => {
                return Err(problem("there is a run already; continue it with `resume` or name another".into()));
            }
            (_, None) => others_files(path).map_or(Ok(()), |found| Err(problem(found)))?,
            _ => {}
        }
        let io = |error: std::io::Error| problem(error.to_string());
        let mut own = OwnFiles::read(path).map_err(io)?;
        let made = MadeFolder::create(path, EARLY_FILES).map_err(io)?;
        let lock = lock(path).map_err(problem)?;
        if checkpoint.is_none() {
            // Files that an attempt with other settings may have left.
            own.remove().map_err(io)?;
        }
        fs::create_dir_all(path.join(MODELS)).map_err(io)?;
        // A recipe that its user has edited stays. Runs of older versions have no list of their files.
        if own.has(RECIPE) || !own.lists(RECIPE) || !path.join(RECIPE).exists() {
            own.write(RECIPE, recipe).map_err(io)?;
        }
        Ok(Self { path: path.to_owned(), own, checkpoint, made: Some(made), _lock: lock })
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
        let _ = NewFile::write(&self.path.join(CURVES), curves(&[("", entries)]));
    }

    /// Writes the model of an update, also as the best one if it is, and leaves the newest `keep` models.
    pub(crate) fn save(
        &self,
        config: &Config,
        weights: &Weights,
        vocabularies: &Vocabularies,
        update: u64,
        best: bool,
        keep: usize,
    ) -> Result<(), TrainError> {
        let models = self.path.join(MODELS);
        replace(config, weights, vocabularies, &models.join(format!("update-{update}")), StoredPrecision::F32)?;
        if best {
            let to = self.path.join("best");
            if to.exists() && !is_own_model(&to) {
                let kept = self.path.join(format!("best-before-{update}"));
                fs::rename(&to, &kept).map_err(|e| self.error(format!("cannot rename best: {e}")))?;
            }
            replace(config, weights, vocabularies, &to, StoredPrecision::F32)?;
        }
        remove_old(&models, keep);
        Ok(())
    }
}

/// Why a run can not begin in a directory: it has other files than those of a run that ended before its first
/// checkpoint.
fn others_files(output: &Path) -> Option<String> {
    let entries = fs::read_dir(output).ok()?.flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let own = OwnFiles::read(output).ok();
    let is_run = own.as_ref().is_some_and(|own| own.lists(RECIPE));
    let is_empty = |name: &str| fs::read_dir(output.join(name)).is_ok_and(|mut entries| entries.next().is_none());
    let is_ours = |name: &str| match name {
        Checksums::FILE | LOG => is_run,
        MODELS => is_run && is_empty(name),
        _ => name.starts_with('.') || own.as_ref().is_some_and(|own| own.has(name)),
    };
    let other = names.iter().find(|name| !is_ours(name))?;
    let models = ["best", CURVES, MODELS].contains(&other.as_str());
    Some(if is_run && models {
        "there are models of a run, and no checkpoint to continue it; name a new directory".to_owned()
    } else {
        format!("there are files of something else, such as {other}; name a new directory")
    })
}

/// Whether a directory has the files of a model as they were written, and no others.
fn is_own_model(model: &Path) -> bool {
    OwnFiles::is_all(model, &[MANIFEST])
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

/// Leaves the newest `keep` models, and those to which somebody has added files.
fn remove_old(models: &Path, keep: usize) {
    let number = |path: &Path| path.file_name()?.to_str()?.strip_prefix("update-")?.parse::<u64>().ok();
    let Ok(entries) = fs::read_dir(models) else { return };
    let mut all: Vec<_> = entries.flatten().filter_map(|e| Some((number(&e.path())?, e.path()))).collect();
    all.sort();
    let old = all.len().saturating_sub(keep.max(1));
    for (_, path) in all[..old].iter().filter(|(_, path)| is_own_model(path)) {
        // A model that can not be removed takes room, and harms nothing else.
        let _ = remove_listed(path, &[MANIFEST]);
    }
}
