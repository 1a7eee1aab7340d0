//! Lines of text within a bound of memory.

use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, BufReader, Read};

/// The longest line that is kept, in bytes; the rest of a longer line is passed over. So a stream without line breaks
/// takes no more memory than this.
pub const LONGEST_LINE: usize = 1 << 20;

/// A line that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRead {
    /// Bytes of the line in the text, its break included.
    pub bytes: u64,
    /// Whether the line was longer than [`LONGEST_LINE`]: its rest was passed over.
    pub cut: bool,
}

/// Appends the next line of a text to `line`, without its break and one carriage return before it. Only `\n` ends a
/// line; the last line may lack it. At most [`LONGEST_LINE`] bytes are appended. `None` at the end of the text.
///
/// # Errors
/// Errors of the reader.
pub fn read_line(text: &mut (impl BufRead + ?Sized), line: &mut Vec<u8>) -> io::Result<Option<LineRead>> {
    let start = line.len();
    let mut bytes = 0;
    loop {
        let available = match text.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            available => available?,
        };
        let end = available.iter().position(|&byte| byte == b'\n');
        let content = end.unwrap_or(available.len());
        // One more byte than is kept: a carriage return before the break is none of the content.
        let kept = content.min(LONGEST_LINE + 1 - (line.len() - start));
        line.extend_from_slice(&available[..kept]);
        let taken = content + usize::from(end.is_some());
        text.consume(taken);
        bytes += taken as u64;
        if end.is_none() && taken > 0 {
            continue;
        }
        if bytes == 0 {
            return Ok(None);
        }
        let content = bytes - u64::from(end.is_some());
        let mut cut = content > (line.len() - start) as u64;
        if !cut && line.len() > start {
            line.pop_if(|last| *last == b'\r');
        }
        cut |= line.len() - start > LONGEST_LINE;
        line.truncate(start + LONGEST_LINE);
        return Ok(Some(LineRead { bytes, cut }));
    }
}

/// Decompresses gzip, one part after the other. Zeros after a part are padding, as for the program `gzip`.
#[derive(Debug)]
pub struct Gunzip<R> {
    /// `None` after an error.
    part: Option<GzDecoder<BufReader<R>>>,
}

impl<R: Read> Gunzip<R> {
    /// Decompresses the content of a file.
    pub fn new(file: R) -> Self {
        Self { part: Some(GzDecoder::new(BufReader::with_capacity(1 << 16, file))) }
    }

    /// Begins the next part; false if there is none.
    fn next_part(&mut self) -> io::Result<bool> {
        let Some(part) = self.part.take() else { return Ok(false) };
        let mut file = part.into_inner();
        loop {
            let available = file.fill_buf()?;
            if available.is_empty() {
                return Ok(false);
            }
            match available.iter().position(|&byte| byte != 0) {
                Some(0) => break,
                zeros => {
                    let zeros = zeros.unwrap_or(available.len());
                    file.consume(zeros);
                }
            }
        }
        self.part = Some(GzDecoder::new(file));
        Ok(true)
    }
}

impl<R: Read> Read for Gunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while let Some(part) = &mut self.part {
            let read = part.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            if !self.next_part()? {
                break;
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    /// The lines of a text, and whether each was cut.
    fn lines(text: impl Read, buffer: usize) -> Vec<(Vec<u8>, bool)> {
        let mut text = BufReader::with_capacity(buffer, text);
        let mut all = Vec::new();
        loop {
            // The existing content stays.
            let mut line = b"\r".to_vec();
            let Some(read) = read_line(&mut text, &mut line).unwrap() else { return all };
            assert!(line.starts_with(b"\r"));
            all.push((line[1..].to_vec(), read.cut));
        }
    }

    #[test]
    fn only_line_feeds_end_lines() {
        for (text, expected) in [
            (&b""[..], &[][..]),
            (b"\n", &[&b""[..]]),
            (b"\r\n\r", &[b"", b""]),
            (b"a\n\nb\r\nlast", &[b"a", b"", b"b", b"last"]),
            (b"a\rb\r\r\n", &[b"a\rb\r"]),
        ] {
            for buffer in [1, 2, 3, 100] {
                let found: Vec<_> = lines(text, buffer).into_iter().map(|(line, _)| line).collect();
                assert_eq!(found, expected, "{text:?}, {buffer}");
            }
        }
    }

    #[test]
    fn a_long_line_is_cut() {
        for (length, end, kept, cut) in [
            (LONGEST_LINE, &b"\n"[..], LONGEST_LINE, false),
            (LONGEST_LINE, b"\r\n", LONGEST_LINE, false),
            (LONGEST_LINE, b"", LONGEST_LINE, false),
            (LONGEST_LINE + 1, b"\n", LONGEST_LINE, true),
            (LONGEST_LINE + 1, b"", LONGEST_LINE, true),
            (3 * LONGEST_LINE, b"\r\n", LONGEST_LINE, true),
        ] {
            let text = io::repeat(b'x').take(length as u64).chain(end);
            let found = lines(text, 1 << 16);
            assert_eq!((found.len(), found[0].0.len(), found[0].1), (1, kept, cut), "{length} {end:?}");
        }
        let mut text = BufReader::new(&b"ab\r\nc"[..]);
        let bytes: Vec<u64> =
            std::iter::from_fn(|| read_line(&mut text, &mut Vec::new()).unwrap()).map(|line| line.bytes).collect();
        assert_eq!(bytes, [4, 1]);
    }

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn unpacked(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        Gunzip::new(bytes).read_to_end(&mut text).map(|_| text)
    }

    #[test]
    fn parts_and_padding_are_read_as_gzip_does() {
        let parts = [packed(b"one\n"), packed(b""), packed(b"two\n")].concat();
        assert_eq!(unpacked(&parts).unwrap(), b"one\ntwo\n");
        assert_eq!(unpacked(&[&parts[..], &[0; 70_000]].concat()).unwrap(), b"one\ntwo\n");
        assert_eq!(unpacked(&[&packed(b"a")[..], &[0; 512], &packed(b"b")].concat()).unwrap(), b"ab");
        assert!(unpacked(&[&parts[..], b"\0garbage, garbage"].concat()).is_err());
        assert!(unpacked(&parts[..parts.len() - 3]).is_err(), "a part that is cut");
        assert!(unpacked(b"").is_err());
    }
}
