//! Lines of text as they come: nothing shifts, whatever the bytes are.

use crate::io::Input;
use anyhow::{Context, Result};
use std::io::{self, BufRead, BufReader, Read};

/// Bytes read at once: some thousand lines of a file, or the content of a pipe.
const BUFFER: usize = 1 << 20;
/// A longer line is cut off, so that a stream without line breaks cannot fill the memory.
const LONGEST: usize = 64 << 20;

/// A line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Its text, without the line break (`\n` or `\r\n`).
    pub text: String,
    /// Bytes read for it.
    pub bytes: u64,
    /// The faults of the line, each one sentence.
    pub notes: Vec<String>,
}

/// The lines of an input. Only `\n` ends a line; the last one may lack it.
pub struct Lines {
    reader: BufReader<Box<dyn Read + Send>>,
    name: String,
    read: usize,
}

impl Lines {
    /// The lines of `input`.
    pub fn new(input: Input) -> Self {
        Self { reader: BufReader::with_capacity(BUFFER, input.reader), name: input.name, read: 0 }
    }

    /// The name of the input in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Lines read so far.
    pub fn read(&self) -> usize {
        self.read
    }

    /// The next line, after waiting for it; `None` at the end.
    pub fn next_line(&mut self) -> Result<Option<Line>> {
        let line = self.read_bytes().with_context(|| format!("cannot read {}", self.name))?;
        self.read += usize::from(line.is_some());
        Ok(line.map(|(bytes, read)| to_line(bytes, read)))
    }

    /// The text of the next line, after waiting for it; its faults are printed as warnings.
    pub fn next_text(&mut self) -> Result<Option<String>> {
        let Some(line) = self.next_line()? else { return Ok(None) };
        for note in &line.notes {
            tracing::warn!("{}, line {}: {note}", self.name, self.read);
        }
        Ok(Some(line.text))
    }

    /// The texts of all lines; their faults are printed as warnings.
    pub fn texts(mut self) -> Result<Vec<String>> {
        std::iter::from_fn(|| self.next_text().transpose()).collect()
    }

    /// Whether the next line is there already.
    pub fn has_next(&self) -> bool {
        self.reader.buffer().contains(&b'\n')
    }

    /// All lines.
    pub fn all(mut self) -> Result<Vec<Line>> {
        std::iter::from_fn(|| self.next_line().transpose()).collect()
    }

    /// The bytes of the next line with its break, and how many there were before it was cut off.
    fn read_bytes(&mut self) -> io::Result<Option<(Vec<u8>, u64)>> {
        let (mut line, mut read) = (Vec::new(), 0);
        loop {
            let available = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                available => available?,
            };
            if available.is_empty() {
                return Ok((read > 0).then_some((line, read)));
            }
            let end = available.iter().position(|&byte| byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            let kept = taken.min(LONGEST - line.len());
            line.extend_from_slice(&available[..kept]);
            read += taken as u64;
            self.reader.consume(taken);
            if end.is_some() {
                return Ok(Some((line, read)));
            }
        }
    }
}

fn to_line(mut bytes: Vec<u8>, read: u64) -> Line {
    let mut notes = Vec::new();
    if bytes.len() as u64 == read {
        bytes.pop_if(|last| *last == b'\n');
        bytes.pop_if(|last| *last == b'\r');
    } else {
        notes.push(format!("the line has {read} bytes and is cut off after {LONGEST}; split it into sentences"));
    }
    let text = String::from_utf8(bytes).unwrap_or_else(|error| {
        let (at, bytes) = (error.utf8_error().valid_up_to() + 1, error.as_bytes());
        notes.push(format!("not valid UTF-8 from byte {at} on; each invalid sequence is read as U+FFFD"));
        String::from_utf8_lossy(bytes).into_owned()
    });
    Line { text, bytes: read, notes }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Lines {
        let reader = Box::new(io::Cursor::new(bytes.to_vec()));
        Lines::new(Input { reader, name: "test".into(), size: None, is_terminal: false })
    }

    fn texts(bytes: &[u8]) -> Vec<String> {
        lines(bytes).all().unwrap().into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn only_line_feeds_end_lines() {
        assert_eq!(texts(b""), [""; 0]);
        assert_eq!(texts(b"\n"), [""]);
        assert_eq!(texts(b"a\n\nb"), ["a", "", "b"]);
        assert_eq!(texts(b"a\r\nb\rc\x0b\x0cd\r\r\n"), ["a", "b\rc\x0b\x0cd\r"]);
        assert_eq!(texts("a\u{2028}b\u{85}c\u{2029}d\n".as_bytes()), ["a\u{2028}b\u{85}c\u{2029}d"]);
        assert_eq!(texts(b"a\0b\n"), ["a\0b"]);
    }

    #[test]
    fn invalid_text_is_replaced_and_noted() {
        let all = lines(b"good\nb\xffad\xc3\nlast \xe2\x82").all().unwrap();
        assert_eq!(all[0].notes, [""; 0]);
        assert_eq!(all[1].text, "b\u{fffd}ad\u{fffd}");
        assert_eq!(all[1].notes, ["not valid UTF-8 from byte 2 on; each invalid sequence is read as U+FFFD"]);
        assert_eq!(all[2].text, "last \u{fffd}");
    }

    #[test]
    fn the_bytes_add_up() {
        let bytes = b"one\r\ntwo\nthree";
        let read: u64 = lines(bytes).all().unwrap().iter().map(|line| line.bytes).sum();
        assert_eq!(read, bytes.len() as u64);
    }

    #[test]
    fn a_stream_without_breaks_is_cut_off() {
        let reader = Box::new(io::repeat(b'x').take(LONGEST as u64 + 5).chain(&b"\nnext\n"[..]));
        let mut lines = Lines::new(Input { reader, name: "test".into(), size: None, is_terminal: false });
        let line = lines.next_line().unwrap().unwrap();
        assert_eq!((line.text.len(), line.bytes, line.notes.len()), (LONGEST, LONGEST as u64 + 6, 1));
        assert_eq!(lines.next_line().unwrap().unwrap().text, "next");
    }
}
