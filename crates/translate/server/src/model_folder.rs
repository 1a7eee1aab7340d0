//! A folder of models: each directory and each archive in it is a model with its languages, or is skipped with a
//! sentence in the log.

use crate::model_spec::{ModelSpec, is_phrase_based};
use metaphrase::Package;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The models in a folder: those with the fewest languages first, then by their names. Others of its entries are in
/// the log.
///
/// # Errors
/// If the folder can not be read.
pub fn find_models(folder: &Path) -> io::Result<Vec<ModelSpec>> {
    let mut models = Vec::new();
    for path in entries(folder)? {
        match model(&path) {
            Ok(model) => {
                tracing::info!("{}: {}", path.display(), model.name());
                models.push(model);
            }
            Err(problem) => tracing::warn!("a model is skipped: {problem}"),
        }
    }
    // A model of many languages is not the first choice for a pair that has a model of its own.
    models.sort_by_key(|model| model.sources.len() * model.targets.len());
    tracing::info!("{} has {} models", folder.display(), models.len());
    Ok(models)
}

/// The directories and archives of a folder. Hidden ones and other files, such as notes, are no models.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if !hidden && (path.is_dir() || Package::is_archive(&path)) {
            paths.push(snapshot(&path).unwrap_or(path));
        }
    }
    paths.sort();
    Ok(paths)
}

/// The newest snapshot of a model in a cache of Hugging Face: `models--OWNER--NAME/snapshots/HASH`.
fn snapshot(path: &Path) -> Option<PathBuf> {
    let snapshots = fs::read_dir(path.join("snapshots")).ok()?.flatten().map(|entry| entry.path());
    snapshots.filter(|path| path.is_dir()).max_by_key(|path| path.metadata().and_then(|about| about.modified()).ok())
}

/// The model at a path and its languages; or why there is none.
fn model(path: &Path) -> Result<ModelSpec, String> {
    if is_phrase_based(path) {
        let path = path.display();
        return Err(format!(
            "{path}: a phrase-based model does not name its languages; serve it by its languages and path"
        ));
    }
    let languages = Package::find(path).and_then(|package| package.languages()).map_err(|error| error.to_string())?;
    Ok(ModelSpec { sources: languages.sources, targets: languages.targets, path: path.to_owned() })
}
