//! Whether the files of a model changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The state of files: names, sizes, times.
pub type Stamp = Vec<(PathBuf, u64, Option<SystemTime>)>;

/// The state of the files of a model; empty for one that comes with the program.
pub fn stamp(path: &Path) -> Stamp {
    let file = |path: PathBuf| {
        let about = fs::metadata(&path).ok()?;
        about.is_file().then(|| (path, about.len(), about.modified().ok()))
    };
    let mut stamp: Stamp = match fs::read_dir(path) {
        Ok(entries) => entries.filter_map(|entry| file(entry.ok()?.path())).collect(),
        Err(_) => file(path.to_owned()).into_iter().collect(),
    };
    stamp.sort();
    stamp
}
