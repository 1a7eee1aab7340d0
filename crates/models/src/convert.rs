//! From any format to our own model directory.

use crate::files::{ModelFiles, Vocabularies, VocabularyFiles};
use crate::formats::directory::{self, Manifest, Precision, Side};
use crate::{Config, ModelError, Weights};
use std::path::Path;

/// Writes the model at `from`, of any known format, as a model directory at `to`, vocabularies included.
///
/// The directory comes into being whole or not at all: it is written under another name beside `to`, and
/// renamed when everything is on disk.
///
/// # Errors
/// If the model can not be read, if its tensors do not fit its settings, if something other than an empty directory is at `to`, or if it can not be
/// written.
pub fn convert(from: &Path, to: &Path, precision: Precision) -> Result<(), ModelError> {
    let files = ModelFiles::find(from)?;
    let (model, weights) = files.load()?;
    let vocabularies = files.vocabularies()?;
    save((&model, &weights), &vocabularies, to, precision)
}

/// Writes a model directory at `to`, as [`convert`] does, of a model in memory and the files of its vocabularies.
///
/// # Errors
/// If the settings make no sense, if a tensor that they call for is missing or of another shape, if something other than
/// an empty directory is at `to`, or if the directory can not be written.
pub fn save(
    (config, weights): (&Config, &Weights),
    vocabularies: &Vocabularies,
    to: &Path,
    precision: Precision,
) -> Result<(), ModelError> {
    config.check(weights.path())?;
    for (name, shape) in weights.expected(config) {
        weights.checked(&name, shape)?;
    }
    let free = std::fs::read_dir(to).map_or(!to.exists(), |mut entries| entries.next().is_none());
    if !free {
        return Err(ModelError::settings(to, "it exists already; remove it or name another directory"));
    }
    let workshop = Workshop::beside(to)?;
    let source = copy_side(&vocabularies.source, &workshop, "source")?;
    let target = if vocabularies.target == vocabularies.source {
        source.clone()
    } else {
        copy_side(&vocabularies.target, &workshop, "target")?
    };
    let (source, target) = (Some(source), Some(target));
    let manifest = Manifest { version: directory::VERSION, source, target, model: config.clone() };
    directory::write(workshop.path(), &manifest, weights, precision)?;
    directory::write_checksums(workshop.path(), &manifest)?;
    workshop.become_directory(to)
}

/// Copies the vocabulary of one language as `{side}.spm`, or as `{side}.vocab.yml` and its `{side}.spm`.
fn copy_side(files: &VocabularyFiles, workshop: &Workshop, side: &str) -> Result<Side, ModelError> {
    let extension = files.words.extension().and_then(|e| e.to_str()).unwrap_or("txt");
    let vocabulary = if extension == "spm" { format!("{side}.spm") } else { format!("{side}.vocab.{extension}") };
    workshop.copy(&files.words, &vocabulary)?;
    let segmenter = match &files.segmenter {
        Some(segmenter) => {
            let name = format!("{side}.spm");
            workshop.copy(segmenter, &name)?;
            Some(name)
        }
        None => None,
    };
    Ok(Side { vocabulary, segmenter })
}

/// A directory under construction. It is removed if it is dropped before it is done.
struct Workshop {
    directory: std::path::PathBuf,
}

impl Workshop {
    /// In the same directory as `to`, so that renaming does not cross file systems.
    fn beside(to: &Path) -> Result<Self, ModelError> {
        let Some(name) = to.file_name() else {
            return Err(ModelError::settings(to, "a new directory must have a name"));
        };
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}.tmp", std::process::id()));
        let directory = to.with_file_name(temporary);
        std::fs::create_dir(&directory).map_err(|e| ModelError::io(&directory, "create", e))?;
        Ok(Self { directory })
    }

    fn path(&self) -> &Path {
        &self.directory
    }

    fn copy(&self, from: &Path, name: &str) -> Result<(), ModelError> {
        let to = self.directory.join(name);
        std::fs::copy(from, &to).map_err(|e| ModelError::io(from, "copy", e))?;
        directory::sync(&to)
    }

    fn become_directory(self, to: &Path) -> Result<(), ModelError> {
        directory::sync(&self.directory)?;
        std::fs::rename(&self.directory, to).map_err(|e| ModelError::io(to, "create", e))?;
        match to.parent() {
            Some(parent) if parent != Path::new("") => directory::sync(parent),
            _ => directory::sync(Path::new(".")),
        }
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // After renaming there is nothing left to remove; a failure here leaves a hidden directory behind.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
