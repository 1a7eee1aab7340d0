//! The encodings of texts.

use crate::Error;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// The encoding of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextEncoding(pub(crate) Charset);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charset {
    /// An encoding of the web, where `iso-8859-1` is windows-1252.
    Web(&'static Encoding),
    /// Latin-1 itself, as Java reads it.
    Latin1,
}

impl Default for TextEncoding {
    /// UTF-8.
    fn default() -> Self {
        Self(Charset::Web(UTF_8))
    }
}

impl TextEncoding {
    /// The encoding of a name, as `windows-1252`, `iso-8859-2`, `utf-16le` or `shift_jis`.
    ///
    /// # Errors
    /// [`Error::UnknownEncoding`].
    pub fn named(name: &str) -> Result<Self, Error> {
        let known = Encoding::for_label(name.trim().as_bytes());
        let known = known.ok_or_else(|| Error::UnknownEncoding { name: name.to_owned() })?;
        Ok(Self(Charset::Web(known)))
    }

    /// Whether a text begins with the byte order mark of UTF-16, or with two characters of ASCII in UTF-16.
    #[must_use]
    pub fn is_utf_16(start: &[u8]) -> bool {
        mark(start).is_some_and(|encoding| encoding == UTF_16LE || encoding == UTF_16BE)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Charset::Web(encoding) => encoding.name(),
            Charset::Latin1 => "ISO-8859-1",
        }
    }
}

/// The encoding of a byte order mark; UTF-16 without one if the first two characters are ASCII in it.
pub(crate) fn mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    marked.or(match bytes {
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => Some(UTF_16LE),
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => Some(UTF_16BE),
        _ => None,
    })
}
