//! The Rust files of the workspace as tokens.

use metaphrase_testkit::{crate_folders, files_below, repository};
use proc_macro2::TokenStream;
use std::fs;
use std::path::{Path, PathBuf};

/// All source files of the crates, without tests.
pub fn sources() -> Vec<PathBuf> {
    let is_source = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() { name != "tests" } else { name != "tests.rs" && name.ends_with(".rs") }
    };
    let folders = crate_folders().into_iter().map(|folder| folder.join("src")).chain([repository().join("python/src")]);
    let mut found: Vec<PathBuf> = folders.flat_map(|folder| files_below(&folder, &is_source)).collect();
    found.sort();
    found
}

/// The tokens of a file, and the number of its lines.
pub fn parse(path: &Path) -> (TokenStream, usize) {
    let text = fs::read_to_string(path).expect("a source file");
    (text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display())), text.lines().count())
}

/// The path of a file below the root of the repository.
pub fn name(path: &Path) -> String {
    path.strip_prefix(repository()).unwrap_or(path).display().to_string()
}
