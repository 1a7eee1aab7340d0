//! Lines of text files, plain or compressed.

use super::DataError;
use crate::text_lines::open;
use metaphrase_base::read_line;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// Reads lines of a file; one whose name ends in `.gz` is decompressed.
pub(super) struct LineReader {
    path: PathBuf,
    reader: BufReader<Box<dyn Read + Send>>,
    lines: usize,
}

impl LineReader {
    pub(super) fn open(path: &Path) -> Result<Self, DataError> {
        let reader = open(path).map_err(|source| DataError::Open { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), reader, lines: 0 })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Lines read so far.
    pub(super) fn lines(&self) -> usize {
        self.lines
    }

    /// Appends the next line to `block`; false at the end of the file.
    pub(super) fn read(&mut self, block: &mut LineBlock) -> Result<bool, DataError> {
        match read_line(&mut self.reader, &mut block.bytes) {
            Ok(None) => return Ok(false),
            Ok(Some(line)) => {
                if block.ends.is_empty() {
                    block.first = self.lines + 1;
                }
                block.ends.push((block.bytes.len(), line.cut));
            }
            Err(source) => return Err(DataError::Read { path: self.path.clone(), lines: self.lines, source }),
        }
        self.lines += 1;
        Ok(true)
    }
}

/// Consecutive lines of a file.
#[derive(Default)]
pub(super) struct LineBlock {
    bytes: Vec<u8>,
    /// Where each line ends, and whether it was cut.
    ends: Vec<(usize, bool)>,
    first: usize,
}

impl LineBlock {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of all lines.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Line `i` of this block.
    pub(super) fn line(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1].0 };
        &self.bytes[start..self.ends[i].0]
    }

    /// Whether line `i` was longer than the longest line that is kept.
    pub(super) fn is_cut(&self, i: usize) -> bool {
        self.ends[i].1
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
    use metaphrase_base::LONGEST_LINE;
    use std::io::Write;

    fn all(path: &Path, at_a_time: usize) -> Vec<(Vec<u8>, bool)> {
        let mut reader = LineReader::open(path).unwrap();
        let mut out = Vec::new();
        loop {
            let mut lines = LineBlock::default();
            while lines.len() < at_a_time && reader.read(&mut lines).unwrap() {}
            if lines.len() == 0 {
                return out;
            }
            for i in 0..lines.len() {
                assert_eq!(lines.number(i), out.len() + 1);
                out.push((lines.line(i).to_vec(), lines.is_cut(i)));
            }
        }
    }

    #[test]
    fn lines_of_every_kind() {
        let dir = tempfile::tempdir().unwrap();
        let text = b"one\r\n\ntwo \xFF\n\rlast";
        let expected = [&b"one"[..], b"", b"two \xFF", b"\rlast"].map(|line| (line.to_vec(), false));
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
        for (length, kept, cut) in [(LONGEST_LINE, LONGEST_LINE, false), (3 * LONGEST_LINE, LONGEST_LINE, true)] {
            std::fs::write(&path, [&vec![b'x'; length][..], b"\nnext\n"].concat()).unwrap();
            let lines = all(&path, 10);
            assert_eq!((lines.len(), lines[0].0.len(), lines[0].1), (2, kept, cut));
            assert_eq!(lines[1], (b"next".to_vec(), false));
        }
    }
}
