//! Lines of text files, plain or compressed.

use super::DataError;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The longest sentence, in bytes; the rest of a longer line is not kept. It bounds the memory that a file without
/// line ends takes.
pub(super) const MAX_LINE: usize = 1 << 20;

/// Reads lines of a file; one whose name ends in `.gz` is decompressed.
pub(super) struct LineReader {
    path: PathBuf,
    reader: Box<dyn BufRead + Send>,
    lines: usize,
}

impl LineReader {
    pub(super) fn open(path: &Path) -> Result<Self, DataError> {
        let file = File::open(path).map_err(|source| DataError::Open { path: path.to_owned(), source })?;
        let file = BufReader::with_capacity(1 << 16, file);
        let is_gz = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        let reader: Box<dyn BufRead + Send> =
            if is_gz { Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(file))) } else { Box::new(file) };
        Ok(Self { path: path.to_owned(), reader, lines: 0 })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Lines read so far.
    pub(super) fn lines(&self) -> usize {
        self.lines
    }

    /// Reads up to `count` lines.
    pub(super) fn read(&mut self, count: usize) -> Result<LineBlock, DataError> {
        let mut lines = LineBlock { first: self.lines + 1, ..LineBlock::default() };
        while lines.len() < count {
            match self.read_line(&mut lines.bytes) {
                Ok(false) => break,
                Ok(true) => lines.ends.push(lines.bytes.len()),
                Err(source) => {
                    return Err(DataError::Read { path: self.path.clone(), lines: self.lines, source });
                }
            }
            self.lines += 1;
        }
        Ok(lines)
    }

    /// Appends a line without its end (`\n` or `\r\n`); false at the end of the file.
    fn read_line(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        let start = out.len();
        let limit = MAX_LINE + 1;
        let read = self.reader.by_ref().take(limit as u64).read_until(b'\n', out)?;
        if out[start..].ends_with(b"\n") {
            out.pop();
        } else if read == limit {
            self.reader.skip_until(b'\n')?;
        }
        if out[start..].ends_with(b"\r") {
            out.pop();
        }
        Ok(read > 0)
    }
}

/// Consecutive lines of a file.
#[derive(Default)]
pub(super) struct LineBlock {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    first: usize,
}

impl LineBlock {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Line `i` of this block.
    pub(super) fn line(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.bytes[start..self.ends[i]]
    }

    /// The number of line `i` of this block in the file, from 1.
    pub(super) fn number(&self, i: usize) -> usize {
        self.first + i
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn all(path: &Path, at_a_time: usize) -> Vec<Vec<u8>> {
        let mut reader = LineReader::open(path).unwrap();
        let mut out = Vec::new();
        loop {
            let lines = reader.read(at_a_time).unwrap();
            if lines.len() == 0 {
                return out;
            }
            for i in 0..lines.len() {
                assert_eq!(lines.number(i), out.len() + 1);
                out.push(lines.line(i).to_vec());
            }
        }
    }

    #[test]
    fn lines_of_every_kind() {
        let dir = tempfile::tempdir().unwrap();
        let text = b"one\r\n\ntwo \xFF\n\rlast";
        let expected: [&[u8]; 4] = [b"one", b"", b"two \xFF", b"\rlast"];
        let plain = dir.path().join("plain");
        std::fs::write(&plain, text).unwrap();
        // Two members, as `cat a.gz b.gz` makes them.
        let gz = dir.path().join("packed.GZ");
        let mut packed = Vec::new();
        for part in [&text[..7], &text[7..]] {
            let mut encoder = GzEncoder::new(&mut packed, Compression::fast());
            encoder.write_all(part).unwrap();
            encoder.finish().unwrap();
        }
        std::fs::write(&gz, packed).unwrap();
        for at_a_time in 1..6 {
            assert_eq!(all(&plain, at_a_time), expected);
            assert_eq!(all(&gz, at_a_time), expected);
        }
    }

    #[test]
    fn an_endless_line_is_cut() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("long");
        for (length, kept) in [(MAX_LINE, MAX_LINE), (MAX_LINE + 1, MAX_LINE + 1), (3 * MAX_LINE, MAX_LINE + 1)] {
            std::fs::write(&path, [&vec![b'x'; length][..], b"\nnext\n"].concat()).unwrap();
            let lines = all(&path, 10);
            assert_eq!((lines.len(), lines[0].len(), &lines[1][..]), (2, kept, &b"next"[..]));
        }
    }
}
