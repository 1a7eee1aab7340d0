//! The bytes of texts: a text is read in the encoding that it names, and written in it.

use crate::encoding::{Charset, mark};
use crate::{Error, FileFormat, TextEncoding};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// The bytes at the start of a page that may name its encoding.
const START: usize = 4096;

impl TextEncoding {
    /// Reads a text: in the encoding of its byte order mark; else in the encoding `named`; else in the one that its XML
    /// declaration, its `meta` element or the header of gettext names; else in UTF-8, and properties of Java that are
    /// not UTF-8 in Latin-1.
    ///
    /// # Errors
    /// [`Error::Encoding`] if the bytes are not of this encoding.
    pub fn decode(bytes: Vec<u8>, format: FileFormat, named: Option<Self>) -> Result<(String, Self), Error> {
        if bytes.starts_with(b"\xff\xfe\0\0") || bytes.starts_with(b"\0\0\xfe\xff") {
            return Err(Error::UnknownEncoding { name: "UTF-32".into() });
        }
        let (is_java, mut is_latin1) = (format == FileFormat::Properties, false);
        let (encoding, bytes) = match charset(&bytes, format, named) {
            Charset::Web(encoding) if encoding == UTF_8 => match String::from_utf8(bytes) {
                Ok(text) => return Ok((text, Self::default())),
                Err(error) if is_java && named.is_none() => (WINDOWS_1252, error.into_bytes()),
                Err(error) => return Err(Error::Encoding { byte: error.utf8_error().valid_up_to() + 1 }),
            },
            Charset::Web(encoding) => (encoding, bytes),
            Charset::Latin1 => {
                is_latin1 = true;
                (WINDOWS_1252, bytes)
            }
        };
        // Some bytes are characters in windows-1252 only: they distinguish it from Latin-1.
        if (is_java || is_latin1) && encoding == WINDOWS_1252 && !bytes.iter().any(|byte| (0x80..0xa0).contains(byte)) {
            return Ok((bytes.iter().copied().map(char::from).collect(), Self(Charset::Latin1)));
        }
        match encoding.decode_without_bom_handling_and_without_replacement(&bytes) {
            Some(text) => Ok((text.into_owned(), Self(Charset::Web(encoding)))),
            None => Err(Error::NotInEncoding { encoding: encoding.name() }),
        }
    }

    /// Writes a text in this encoding. Characters that the encoding lacks are written as the escapes that the format
    /// has; a text of a format without escapes is written in UTF-8, and the note says so.
    #[must_use]
    pub fn encode(self, text: String, format: FileFormat) -> (Vec<u8>, Option<String>) {
        let units = text.encode_utf16();
        match self.0 {
            Charset::Web(encoding) if encoding == UTF_8 => return (text.into_bytes(), None),
            Charset::Web(encoding) if encoding == UTF_16LE => {
                return (units.flat_map(u16::to_le_bytes).collect(), None);
            }
            Charset::Web(encoding) if encoding == UTF_16BE => {
                return (units.flat_map(u16::to_be_bytes).collect(), None);
            }
            _ => {}
        }
        let lacks = |c: char| match self.0 {
            Charset::Web(encoding) => !c.is_ascii() && encoding.encode(c.encode_utf8(&mut [0; 4])).2,
            Charset::Latin1 => c > '\u{ff}',
        };
        let bytes = |text: &str| match self.0 {
            Charset::Web(encoding) => encoding.encode(text).0.into_owned(),
            Charset::Latin1 => text.chars().filter_map(|c| u8::try_from(u32::from(c)).ok()).collect(),
        };
        if !text.contains(lacks) {
            return (bytes(&text), None);
        }
        if let Some(escape) = escape(format) {
            let mut escaped = String::with_capacity(text.len());
            text.chars().for_each(|c| if lacks(c) { escape(c, &mut escaped) } else { escaped.push(c) });
            return (bytes(&escaped), None);
        }
        let note = format!("the translation has characters that {} lacks, so it is written in UTF-8", self.name());
        (with_charset(text, format).into_bytes(), Some(note))
    }
}

/// How a format writes a character that its encoding lacks.
fn escape(format: FileFormat) -> Option<fn(char, &mut String)> {
    let reference: fn(char, &mut String) = |c, out| out.push_str(&format!("&#{};", u32::from(c)));
    let units: fn(char, &mut String) =
        |c, out| c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
    let units_of_apple: fn(char, &mut String) =
        |c, out| c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\U{unit:04x}")));
    match format {
        FileFormat::Html
        | FileFormat::Xml
        | FileFormat::Xliff
        | FileFormat::Resx
        | FileFormat::Ts
        | FileFormat::Stringsdict => Some(reference),
        FileFormat::Properties | FileFormat::Json | FileFormat::Arb | FileFormat::Xcstrings => Some(units),
        FileFormat::Strings => Some(units_of_apple),
        _ => None,
    }
}

/// The encoding of a text that has no byte of another one.
fn charset(bytes: &[u8], format: FileFormat, named: Option<TextEncoding>) -> Charset {
    let stated = || stated(bytes, format);
    // Whatever a text that can be read as ASCII says, it is not UTF-16.
    let marked = mark(bytes).map(Charset::Web);
    marked.or(named.map(|named| named.0)).or_else(stated).unwrap_or(Charset::Web(UTF_8))
}

/// The encoding that a text names at its start.
fn stated(bytes: &[u8], format: FileFormat) -> Option<Charset> {
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
    let label = found?;
    // The web alone reads this name as windows-1252.
    let is_latin1 =
        ["iso-8859-1", "iso8859-1", "iso_8859-1", "latin1"].iter().any(|name| label.eq_ignore_ascii_case(name));
    if is_latin1 && format != FileFormat::Html {
        return Some(Charset::Latin1);
    }
    Encoding::for_label(label.as_bytes()).filter(|encoding| encoding.is_ascii_compatible()).map(Charset::Web)
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
            (b"\0C\0a\0f\0\xe9", Srt, "Café", "UTF-16BE"),
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
                "ISO-8859-1",
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

    #[test]
    fn messages_have_an_encoding_as_texts_do() {
        use FileFormat::{Csv, Json, Properties, Resx, Strings, Yaml};
        let latin1 = TextEncoding::named("latin1").unwrap();
        for (bytes, format, named, text, name) in [
            (&b"a=caf\xe9"[..], Properties, None, "a=café", "ISO-8859-1"),
            (b"a=caf\xe9", Properties, Some(latin1), "a=café", "ISO-8859-1"),
            (b"a=caf\xe9 \x80", Properties, None, "a=café €", "windows-1252"),
            (b"a=caf\xc3\xa9", Properties, None, "a=café", "UTF-8"),
            (b"a;caf\xe9", Csv, Some(latin1), "a;café", "windows-1252"),
            (b"\xff\xfe{\0}\0", Json, None, "\u{feff}{}", "UTF-16LE"),
            (b"<?xml encoding='iso-8859-2'?>\xb3", Resx, None, "<?xml encoding='iso-8859-2'?>ł", "ISO-8859-2"),
        ] {
            let (read, encoding) = TextEncoding::decode(bytes.to_vec(), format, named).unwrap();
            assert_eq!((read.as_str(), encoding.name()), (text, name));
            assert_eq!(encoding.encode(read, format), (bytes.to_vec(), None));
        }
        for (format, written) in [
            (Properties, &b"\xe9\\u2192\\ud83d\\ude00"[..]),
            (Json, b"\xe9\\u2192\\ud83d\\ude00"),
            (Strings, b"\xe9\\U2192\\Ud83d\\Ude00"),
            (Resx, b"\xe9&#8594;&#128512;"),
        ] {
            assert_eq!(latin1.encode("é→😀".into(), format), (written.to_vec(), None), "{format:?}");
        }
        let (bytes, note) = latin1.encode("é→".into(), Yaml);
        assert!(bytes == "é→".as_bytes() && note.is_some());
        let bytes = b"a=caf\xe9".to_vec();
        let utf_8 = TextEncoding::named("utf-8").unwrap();
        assert_eq!(TextEncoding::decode(bytes, Properties, Some(utf_8)), Err(Error::Encoding { byte: 6 }));
    }
}
