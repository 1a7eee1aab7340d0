//! Reference models and corpora beside the repository.
#![allow(dead_code, reason = "each test uses its part")]

use std::path::{Path, PathBuf};

/// The folder of a reference model; `None`, said aloud, where there is none.
pub fn shared_model(name: &str) -> Option<PathBuf> {
    shared(&format!("models/{name}"))
}

/// A file or folder of `shared`, beside the repository or where `METAPHRASE_SHARED` says.
pub fn shared(path: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let found = std::env::var_os("METAPHRASE_SHARED").map_or_else(beside, PathBuf::from).join(path);
    if !found.exists() {
        eprintln!("skipped: {} is not there", found.display());
        return None;
    }
    Some(found)
}

/// The lines of a text file.
pub fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.split('\n').map(str::to_owned).take(text.matches('\n').count()).collect()
}
