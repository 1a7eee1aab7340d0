//! Text files as lines.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// The lines of a file, which is compressed if its name ends in `.gz`. Invalid UTF-8 is read as U+FFFD.
pub(crate) fn lines(path: &Path) -> io::Result<Vec<String>> {
    let file = File::open(path)?;
    let compressed = path.extension().is_some_and(|extension| extension == "gz");
    let file: Box<dyn Read> =
        if compressed { Box::new(flate2::read::MultiGzDecoder::new(file)) } else { Box::new(file) };
    let line = |bytes: io::Result<Vec<u8>>| Ok(String::from_utf8_lossy(&bytes?).trim_end_matches('\r').to_owned());
    BufReader::new(file).split(b'\n').map(line).collect()
}
