//! The Moses model in the folder `shared` beside the repository, where there is one.
#![allow(dead_code, reason = "each test uses a part")]

use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The folder of the model; none where the shared folder is absent.
pub fn moses_model() -> Option<PathBuf> {
    let shared = std::env::var_os("METAPHRASE_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let folder = shared.join("models/moses-de-en");
    if folder.join("moses.ini").exists() {
        return Some(folder);
    }
    eprintln!("skipped: there is no {}", folder.display());
    None
}

/// The lines of a file, plain or `.gz`.
pub fn lines(path: &Path) -> Vec<String> {
    let file = File::open(path).unwrap();
    let lines = |reader: &mut dyn BufRead| reader.lines().map(Result::unwrap).collect();
    if path.extension().is_some_and(|extension| extension == "gz") {
        lines(&mut BufReader::new(MultiGzDecoder::new(file)))
    } else {
        lines(&mut BufReader::new(file))
    }
}
