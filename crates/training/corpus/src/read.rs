//! Texts, plain or gzip, line by line.

use crate::CorpusError;
use metaphrase_base::{Gunzip, read_line};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The lines of a file.
pub(crate) struct Lines {
    reader: Box<dyn BufRead>,
    path: PathBuf,
    pub(crate) read: usize,
}

/// Bytes that are read at a time.
const BUFFER: usize = 1 << 18;

impl Lines {
    pub(crate) fn open(path: &Path) -> Result<Self, CorpusError> {
        let mut file = BufReader::with_capacity(BUFFER, File::open(path).map_err(CorpusError::read(path))?);
        let start = file.fill_buf().map_err(CorpusError::read(path))?;
        let reader: Box<dyn BufRead> = if start.starts_with(&[0x1F, 0x8B]) {
            Box::new(BufReader::with_capacity(BUFFER, Gunzip::new(file)))
        } else {
            Box::new(file)
        };
        Ok(Self { reader, path: path.to_owned(), read: 0 })
    }

    /// The next line, or `Some(None)` for one that is no UTF-8 or longer than a line may be; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Option<String>>, CorpusError> {
        let mut bytes = Vec::new();
        let line = read_line(&mut self.reader, &mut bytes).map_err(CorpusError::read(&self.path))?;
        self.read += usize::from(line.is_some());
        Ok(line.map(|line| String::from_utf8(bytes).ok().filter(|_| !line.cut)))
    }
}

/// Calls `use_pair` with the number, from 0, of each line of two files and with both texts; `None` for a line that is
/// no text.
pub(crate) fn for_each_pair(
    [source, target]: [&Path; 2],
    mut use_pair: impl FnMut(usize, Option<[String; 2]>),
) -> Result<usize, CorpusError> {
    let mut sides = [Lines::open(source)?, Lines::open(target)?];
    loop {
        let number = sides[0].read;
        match [sides[0].next()?, sides[1].next()?] {
            [None, None] => return Ok(number),
            [Some(source), Some(target)] => {
                use_pair(number, source.zip(target).map(|(source, target)| [source, target]))
            }
            [None, _] => {
                return Err(CorpusError::Lines { shorter: source.into(), lines: number, longer: target.into() });
            }
            [_, None] => {
                return Err(CorpusError::Lines { shorter: target.into(), lines: number, longer: source.into() });
            }
        }
    }
}
