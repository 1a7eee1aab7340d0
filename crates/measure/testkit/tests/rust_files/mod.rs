//! The Rust files of the workspace as tokens.

use metaphrase_testkit::{crate_folders, repository};
use proc_macro2::TokenStream;
use std::fs;
use std::path::{Path, PathBuf};

/// All source files of the crates, without tests.
pub fn sources() -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "tests") {
                    walk(&path, found);
                }
            } else if path.extension().is_some_and(|e| e == "rs") && path.file_name().is_some_and(|n| n != "tests.rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    for folder in crate_folders() {
        walk(&folder.join("src"), &mut found);
    }
    walk(&repository().join("python/src"), &mut found);
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
