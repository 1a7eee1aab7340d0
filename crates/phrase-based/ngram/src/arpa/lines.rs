//! The lines of a text, plain or gzip, with their numbers.

use crate::LmError;
use metaphrase_base::Gunzip;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// Bytes of a line, at most.
const LONGEST: usize = 1 << 20;

/// A reader of numbered lines.
pub(crate) struct NumberedLines<'n, R> {
    source: Source<R>,
    name: &'n Path,
    line: Vec<u8>,
    number: u64,
}

enum Source<R> {
    Plain(R),
    Gzip(Box<BufReader<Gunzip<R>>>),
}

impl<'n, R: BufRead> NumberedLines<'n, R> {
    /// The lines of `reader`, which errors call `name`. Its first bytes decide whether it is gzip.
    pub(crate) fn new(mut reader: R, name: &'n Path) -> Result<Self, LmError> {
        let start = reader.fill_buf().map_err(|e| LmError::io(name, "read", e))?;
        let source = if start.starts_with(&[0x1F, 0x8B]) {
            Source::Gzip(Box::new(BufReader::with_capacity(1 << 18, Gunzip::new(reader))))
        } else {
            Source::Plain(reader)
        };
        Ok(Self { source, name, line: Vec::new(), number: 0 })
    }

    /// The number of the last line, counted from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The next line without its end; `expected` names the missing part if the text ends before.
    pub(crate) fn next(&mut self, expected: &str) -> Result<&str, LmError> {
        self.line.clear();
        let read = match &mut self.source {
            Source::Plain(reader) => read_line(reader, &mut self.line),
            Source::Gzip(reader) => read_line(reader, &mut self.line),
        };
        self.number += 1;
        match read {
            Ok(_) if self.line.len() > LONGEST => {
                return Err(self.error(format!("the line is longer than {LONGEST} bytes: this is no ARPA file")));
            }
            Ok(0) => return Err(self.error(format!("the file ends where {expected} should come: it is cut off"))),
            Ok(_) => {}
            Err(e) if matches!(e.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput) => {
                return Err(self.error(format!("the gzip data are cut off or damaged: {e}")));
            }
            Err(e) => return Err(LmError::io(self.name, "read", e)),
        }
        while self.line.pop_if(|byte| matches!(byte, b'\n' | b'\r')).is_some() {}
        str::from_utf8(&self.line).map_err(|_| LmError::line(self.name, self.number, "the line is not UTF-8"))
    }

    /// The line of n-gram `i` of `count`.
    pub(crate) fn entry(&mut self, order: usize, i: u64, count: u64) -> Result<&str, LmError> {
        let (name, number) = (self.name, self.number + 1);
        let line = self.next("an n-gram")?;
        if line.trim_ascii().is_empty() || line.starts_with('\\') {
            let problem = format!("the {order}-grams end after {i} lines, \\data\\ declares {count}");
            return Err(LmError::line(name, number, problem));
        }
        Ok(line)
    }

    /// An error in the last line.
    pub(crate) fn error(&self, problem: impl Into<String>) -> LmError {
        self.error_in(self.number, problem)
    }

    /// An error in a line.
    pub(crate) fn error_in(&self, number: u64, problem: impl Into<String>) -> LmError {
        LmError::line(self.name, number, problem)
    }
}

/// Adds a line with its end, or more bytes than a line has. Returns the number of bytes.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    loop {
        let there = match reader.fill_buf() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            there => there?,
        };
        let end = memchr::memchr(b'\n', there).map(|end| end + 1);
        let length = end.unwrap_or(there.len());
        line.extend_from_slice(&there[..length]);
        reader.consume(length);
        if end.is_some() || length == 0 || line.len() > LONGEST {
            return Ok(line.len());
        }
    }
}
