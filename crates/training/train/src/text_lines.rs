//! Text files as lines.

use metaphrase_base::{Gunzip, read_line};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// Opens a text file, which is compressed if its name ends in `.gz`.
pub(crate) fn open(path: &Path) -> io::Result<BufReader<Box<dyn Read + Send>>> {
    let file = File::open(path)?;
    let is_gz = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    let file: Box<dyn Read + Send> = if is_gz { Box::new(Gunzip::new(file)) } else { Box::new(file) };
    Ok(BufReader::with_capacity(1 << 16, file))
}

/// The lines of a file. Invalid UTF-8 is read as U+FFFD, and of a line of more than 1 MiB the first 1 MiB is kept.
pub(crate) fn lines(path: &Path) -> io::Result<Vec<String>> {
    let (mut file, mut line, mut lines) = (open(path)?, Vec::new(), Vec::new());
    while read_line(&mut file, &mut line)?.is_some() {
        lines.push(String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned());
        line.clear();
    }
    Ok(lines)
}
