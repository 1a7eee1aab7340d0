//! Where the sources of the workspace lie.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
///
/// # Panics
/// If the sources were moved after the build.
#[must_use]
pub fn repository() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3);
    root.expect("crates/WING/CRATE is below the root").to_owned()
}

/// The folders of all crates of the four wings, `crates/WING/CRATE`, in alphabetical order.
///
/// # Panics
/// If a folder cannot be read.
#[must_use]
pub fn crate_folders() -> Vec<PathBuf> {
    let entries = |folder: PathBuf| {
        let entries = fs::read_dir(&folder).expect("a folder of crates");
        entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>()
    };
    let mut folders: Vec<PathBuf> = entries(repository().join("crates")).into_iter().flat_map(entries).collect();
    folders.sort();
    folders
}

/// The files below a folder, in alphabetical order. What `keeps` refuses, a file or a folder, is left out.
///
/// # Panics
/// If a folder cannot be read.
#[must_use]
pub fn files_below(folder: &Path, keeps: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if !keeps(&path) {
            continue;
        }
        if path.is_dir() { files.extend(files_below(&path, keeps)) } else { files.push(path) }
    }
    files.sort();
    files
}
