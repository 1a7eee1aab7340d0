//! The Moses model of the shared models.
#![allow(dead_code, reason = "each test uses a part")]

use flate2::read::MultiGzDecoder;
use metaphrase_testkit::{MissingFiles, shared};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The folder of the model, or a note that it is missing.
pub fn moses_model() -> Result<PathBuf, MissingFiles> {
    shared("models/moses-de-en")
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
