//! Lines of text as they arrive. Each line of the input is one line here, whatever its bytes are.

use crate::input_format::check_text;
use crate::io::Input;
use anyhow::{Context, Result};
use metaphrase_base::{LONGEST_LINE, LineRead, read_line};
use std::io::{BufReader, Read};

/// The size of the buffer in bytes: a few thousand lines of a file, or the content of a pipe.
const BUFFER: usize = 1 << 20;

/// A line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The text without the line break (`\n` or `\r\n`).
    pub text: String,
    /// The number of bytes in the input, with the line break.
    pub bytes: u64,
    /// Whether the end of the line was cut off. A note reports it, too.
    pub cut: bool,
    /// The faults of the line except its encoding, each in one sentence.
    pub notes: Vec<String>,
    /// The first byte that is not valid UTF-8, from 1. At the end of the text one warning reports all such lines.
    pub invalid: Option<usize>,
}

impl Line {
    /// A sentence about the fault of the encoding, if there is one.
    pub fn encoding_note(&self) -> Option<String> {
        self.invalid.map(|byte| format!("not valid UTF-8 from byte {byte} on; {REPLACED}"))
    }
}

/// The treatment of invalid bytes.
const REPLACED: &str = "each invalid sequence is read as U+FFFD";

/// The lines of an input. Only `\n` ends a line; the last one may lack it.
pub struct Lines {
    reader: BufReader<Box<dyn Read + Send>>,
    name: String,
    read: usize,
    /// The number of lines that are not valid UTF-8.
    invalid: usize,
    /// The number of the first such line and its first invalid byte, both from 1.
    first_invalid: (usize, usize),
    /// Whether files of other kinds are refused.
    text_only: bool,
}

impl Lines {
    /// The lines of `input`.
    pub fn new(input: Input) -> Self {
        let reader = BufReader::with_capacity(BUFFER, input.reader);
        Self { reader, name: input.name, read: 0, invalid: 0, first_invalid: (0, 0), text_only: false }
    }

    /// The same lines, but an input that begins like a PDF document, a picture or another file that is no text is
    /// refused.
    pub fn text_only(mut self) -> Self {
        self.text_only = true;
        self
    }

    /// The name of the input in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of lines read so far.
    pub fn read(&self) -> usize {
        self.read
    }

    /// The next line, after waiting for it; `None` at the end, where one warning counts the lines that are not UTF-8.
    pub fn next_line(&mut self) -> Result<Option<Line>> {
        let mut bytes = Vec::new();
        let read = read_line(&mut self.reader, &mut bytes).with_context(|| format!("cannot read {}", self.name))?;
        let Some(read) = read else {
            self.warn_of_invalid();
            return Ok(None);
        };
        if self.read == 0 && self.text_only {
            check_text(&self.name, &bytes)?;
        }
        self.read += 1;
        let line = to_line(bytes, read);
        if let Some(byte) = line.invalid {
            if self.invalid == 0 {
                self.first_invalid = (self.read, byte);
            }
            self.invalid += 1;
        }
        Ok(Some(line))
    }

    /// Prints one warning for all lines that are not valid UTF-8: a text in another encoding has many.
    fn warn_of_invalid(&mut self) {
        let (line, byte) = self.first_invalid;
        let name = &self.name;
        let lines = match std::mem::take(&mut self.invalid) {
            0 => return,
            1 => "1 line is".to_owned(),
            count => format!("{count} lines are"),
        };
        tracing::warn!(
            "{name}: {lines} not valid UTF-8, the first is line {line}, from byte {byte} on; {REPLACED}; convert the text \
             first, as with `iconv -f LATIN1 -t UTF-8`"
        );
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

    /// Whether the next line is in the buffer already.
    pub fn has_next(&self) -> bool {
        self.reader.buffer().contains(&b'\n')
    }

    /// All lines.
    pub fn all(mut self) -> Result<Vec<Line>> {
        std::iter::from_fn(|| self.next_line().transpose()).collect()
    }
}

fn to_line(mut bytes: Vec<u8>, LineRead { bytes: read, cut }: LineRead) -> Line {
    let mut notes = Vec::new();
    let mut invalid = None;
    if cut {
        notes.push(format!("the line has {read} bytes and is cut off after {LONGEST_LINE}; split it into sentences"));
        // The cut may have split the last character.
        if let Err(error) = str::from_utf8(&bytes)
            && error.error_len().is_none()
        {
            bytes.truncate(error.valid_up_to());
        }
    }
    let text = String::from_utf8(bytes).unwrap_or_else(|error| {
        invalid = Some(error.utf8_error().valid_up_to() + 1);
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    });
    Line { text, bytes: read, cut, notes, invalid }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

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
        let note = all[1].encoding_note().unwrap();
        assert_eq!(note, "not valid UTF-8 from byte 2 on; each invalid sequence is read as U+FFFD");
        assert_eq!((all[1].notes.len(), all[0].invalid, all[2].invalid), (0, None, Some(6)));
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
        // With characters of two bytes, the bound may be inside one.
        for (character, odd) in [("x", ""), ("ä", ""), ("ä", "x")] {
            let long = odd.to_owned() + &character.repeat(LONGEST_LINE + 5);
            let bytes = format!("{long}\nnext\n");
            let mut lines = lines(bytes.as_bytes());
            let line = lines.next_line().unwrap().unwrap();
            let kept = if odd.is_empty() { LONGEST_LINE } else { LONGEST_LINE - 1 };
            assert_eq!((line.text.len(), line.bytes, line.cut), (kept, long.len() as u64 + 1, true));
            assert_eq!(line.notes.len(), 1, "{:?}", line.notes);
            assert_eq!(lines.next_line().unwrap().unwrap().text, "next");
        }
    }
}
