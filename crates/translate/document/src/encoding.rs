//! The bytes of texts: a text is read in the encoding that it names, and written in it.

use crate::{Error, FileFormat};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// The bytes at the start of a page that may name its encoding.
const START: usize = 4096;

/// The encoding of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextEncoding(&'static Encoding);

impl Default for TextEncoding {
    /// UTF-8.
    fn default() -> Self {
        Self(UTF_8)
    }
}

impl TextEncoding {
    /// The encoding of a name, as `windows-1252`, `iso-8859-2`, `utf-16le` or `shift_jis`.
    ///
    /// # Errors
    /// [`Error::UnknownEncoding`].
    pub fn named(name: &str) -> Result<Self, Error> {
        let known = Encoding::for_label(name.trim().as_bytes());
        known.map(Self).ok_or_else(|| Error::UnknownEncoding { name: name.to_owned() })
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Reads a text: in the encoding `named`; else in the one that its byte order mark, its XML declaration, its `meta`
    /// element or the header of gettext names; else in UTF-8.
    ///
    /// # Errors
    /// [`Error::Encoding`] if the bytes are not of this encoding.
    pub fn decode(bytes: Vec<u8>, format: FileFormat, named: Option<Self>) -> Result<(String, Self), Error> {
        if bytes.starts_with(b"\xff\xfe\0\0") || bytes.starts_with(b"\0\0\xfe\xff") {
            return Err(Error::UnknownEncoding { name: "UTF-32".into() });
        }
        let marked = mark(&bytes);
        let encoding = match marked.or(named.map(|named| named.0)).or_else(|| stated(&bytes, format)) {
            // Whatever a text that can be read as ASCII says, it is not UTF-16.
            Some(encoding)
                if encoding != UTF_8 && (marked.is_some() || named.is_some() || encoding.is_ascii_compatible()) =>
            {
                encoding
            }
            _ => UTF_8,
        };
        if encoding == UTF_8 {
            let text = String::from_utf8(bytes)
                .map_err(|error| Error::Encoding { byte: error.utf8_error().valid_up_to() + 1 })?;
            return Ok((text, Self(UTF_8)));
        }
        match encoding.decode_without_bom_handling_and_without_replacement(&bytes) {
            Some(text) => Ok((text.into_owned(), Self(encoding))),
            None => Err(Error::NotInEncoding { encoding: encoding.name() }),
        }
    }

    /// Writes a text in this encoding. Markup gets references for characters that the encoding lacks; any other text
    /// that has such characters is written in UTF-8, and the note says so.
    #[must_use]
    pub fn encode(self, text: String, format: FileFormat) -> (Vec<u8>, Option<String>) {
        let encoding = self.0;
        if encoding == UTF_8 {
            return (text.into_bytes(), None);
        }
        let units = text.encode_utf16();
        if encoding == UTF_16LE {
            return (units.flat_map(u16::to_le_bytes).collect(), None);
        }
        if encoding == UTF_16BE {
            return (units.flat_map(u16::to_be_bytes).collect(), None);
        }
        let (bytes, _, lacks) = encoding.encode(&text);
        if !lacks || is_markup(format) {
            return (bytes.into_owned(), None);
        }
        let note = format!("the translation has characters that {} lacks, so it is written in UTF-8", encoding.name());
        (with_charset(text, format).into_bytes(), Some(note))
    }
}

fn is_markup(format: FileFormat) -> bool {
    matches!(format, FileFormat::Html | FileFormat::Xml | FileFormat::Xliff)
}

/// The encoding of a byte order mark, or of the first characters of markup.
fn mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    marked.or(match bytes {
        [b'<', 0, first, 0, ..] if *first != 0 => Some(UTF_16LE),
        [0, b'<', 0, first, ..] if *first != 0 => Some(UTF_16BE),
        _ => None,
    })
}

/// The encoding that a text names at its start.
fn stated(bytes: &[u8], format: FileFormat) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(START)]);
    let declaration = start.trim_start().strip_prefix("<?xml").and_then(|rest| rest.split("?>").next());
    let from_declaration = declaration.and_then(|declaration| value(declaration, "encoding"));
    let found = from_declaration.or_else(|| match format {
        FileFormat::Html => {
            let metas = start.match_indices('<').filter_map(|(at, _)| start[at..].split('>').next());
            metas
                .filter(|tag| tag.get(1..5).is_some_and(|name| name.eq_ignore_ascii_case("meta")))
                .find_map(|tag| value(tag, "charset"))
        }
        FileFormat::Po => value(&start, "charset"),
        _ => None,
    });
    Encoding::for_label(found?.as_bytes())
}

/// The value after a name and an equals sign, with or without quotation marks.
fn value<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let at = text.to_ascii_lowercase().find(&format!("{name}="))? + name.len() + 1;
    let rest = text[at..].trim_start_matches(['"', '\'']);
    rest.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))).next()
}

/// The text with UTF-8 as the encoding that the header of gettext names.
fn with_charset(text: String, format: FileFormat) -> String {
    if format != FileFormat::Po {
        return text;
    }
    match value(&text, "charset").map(str::to_owned) {
        Some(old) => text.replacen(&format!("charset={old}"), "charset=UTF-8", 1),
        None => text,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    fn read(bytes: &[u8], format: FileFormat) -> Result<(String, &'static str), Error> {
        TextEncoding::decode(bytes.to_vec(), format, None).map(|(text, encoding)| (text, encoding.name()))
    }

    #[test]
    fn texts_name_their_encoding() {
        use FileFormat::{Html, Po, Srt, Text, Xliff, Xml};
        for (bytes, format, expected, name) in [
            (&b"Caf\xc3\xa9"[..], Text, "Café", "UTF-8"),
            (b"\xff\xfeC\0\xe9\0", Srt, "\u{feff}Cé", "UTF-16LE"),
            (b"\xfe\xff\0C\0\xe9", Text, "\u{feff}Cé", "UTF-16BE"),
            (b"<\0b\0>\0", Xml, "<b>", "UTF-16LE"),
            (b"<meta charset=iso-8859-1>\xe9", Html, "<meta charset=iso-8859-1>é", "windows-1252"),
            (
                b"<META http-equiv='Content-Type' content='text/html; charset=ISO-8859-2'>\xb3",
                Html,
                "<META http-equiv='Content-Type' content='text/html; charset=ISO-8859-2'>ł",
                "ISO-8859-2",
            ),
            (
                b"<?xml version='1.0' encoding='windows-1252'?>\x80",
                Xliff,
                "<?xml version='1.0' encoding='windows-1252'?>€",
                "windows-1252",
            ),
            (
                b"<?xml version=\"1.0\" encoding=\"UTF-16\"?>a",
                Xml,
                "<?xml version=\"1.0\" encoding=\"UTF-16\"?>a",
                "UTF-8",
            ),
            (
                b"\"Content-Type: text/plain; charset=ISO-8859-1\\n\"\xe9",
                Po,
                "\"Content-Type: text/plain; charset=ISO-8859-1\\n\"é",
                "windows-1252",
            ),
        ] {
            assert_eq!(read(bytes, format), Ok((expected.to_owned(), name)));
            let (text, encoding) = TextEncoding::decode(bytes.to_vec(), format, None).unwrap();
            assert_eq!(encoding.encode(text, format), (bytes.to_vec(), None), "{expected}");
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        assert_eq!(read(b"Caf\xe9", FileFormat::Text), Err(Error::Encoding { byte: 4 }));
        assert_eq!(read(b"<meta charset=utf-8>\xe9", FileFormat::Html), Err(Error::Encoding { byte: 21 }));
        assert!(matches!(TextEncoding::named("klingon"), Err(Error::UnknownEncoding { .. })));
        let named = TextEncoding::named("cp1252").unwrap();
        let (text, encoding) = TextEncoding::decode(b"Caf\xe9".to_vec(), FileFormat::Srt, Some(named)).unwrap();
        assert_eq!(text, "Café");
        assert_eq!(encoding.encode("Kafé".into(), FileFormat::Srt), (b"Kaf\xe9".to_vec(), None));
        let (bytes, note) = encoding.encode("łódź".into(), FileFormat::Srt);
        assert!(bytes == "łódź".as_bytes() && note.is_some_and(|note| note.contains("windows-1252")));
        assert_eq!(encoding.encode("ł".into(), FileFormat::Html).0, b"&#322;");
        let shift = TextEncoding::named("shift_jis").unwrap();
        assert_eq!(
            TextEncoding::decode(b"\x81".to_vec(), FileFormat::Text, Some(shift)),
            Err(Error::NotInEncoding { encoding: "Shift_JIS" })
        );
    }
}
