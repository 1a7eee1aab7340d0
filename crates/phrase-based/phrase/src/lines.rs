//! Lines of a text file, plain or `.gz`, with their numbers.

use crate::error::Error;
use metaphrase_base::Gunzip;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

const BUFFER: usize = 1 << 18;
/// No line of a table is longer; a file of another kind may be one line.
const LONGEST: u64 = 1 << 20;

/// The lines of a file.
pub(crate) struct Lines {
    path: PathBuf,
    reader: BufReader<Box<dyn Read>>,
    text: Vec<u8>,
    number: usize,
}

impl Lines {
    /// Opens a file; one whose name ends in `.gz` is decompressed.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(|cause| Error::read(path, cause))?;
        let gz = path.extension().is_some_and(|extension| extension == "gz");
        let reader: Box<dyn Read> = if gz { Box::new(Gunzip::new(file)) } else { Box::new(file) };
        let reader = BufReader::with_capacity(BUFFER, reader);
        Ok(Self { path: path.to_owned(), reader, text: Vec::new(), number: 0 })
    }

    /// The next line without its break, and its number from 1.
    pub(crate) fn next_line(&mut self) -> Result<Option<(usize, &str)>, Error> {
        self.text.clear();
        self.number += 1;
        let read = self.reader.by_ref().take(LONGEST).read_until(b'\n', &mut self.text);
        if read.map_err(|cause| Error::read(&self.path, cause))? == 0 {
            return Ok(None);
        }
        if self.text.len() as u64 == LONGEST {
            return Err(self.wrong(format!("longer than {LONGEST} bytes; is this the right file?")));
        }
        while self.text.pop_if(|last| matches!(*last, b'\n' | b'\r')).is_some() {}
        match std::str::from_utf8(&self.text) {
            Ok(text) => Ok(Some((self.number, text))),
            Err(error) => {
                Err(self.wrong(format!("not UTF-8 from byte {} on; convert the file", error.valid_up_to() + 1)))
            }
        }
    }

    /// An error in the line that was read last.
    pub(crate) fn wrong(&self, what: impl Into<String>) -> Error {
        Error::line(&self.path, self.number, what)
    }
}
