//! The encodings that old formats of messages have.

use crate::Error;

/// How the text of a file is written as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    /// With a byte order mark.
    Utf16Little,
    /// With a byte order mark.
    Utf16Big,
    Latin1,
}

/// Encodings that a format has in addition to UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encodings {
    Utf8,
    /// UTF-16, which a byte order mark tells.
    Utf16,
    /// Latin-1, where a text is not UTF-8.
    Latin1,
}

impl Encodings {
    /// The text of a file.
    pub(crate) fn decode(self, bytes: Vec<u8>) -> Result<(String, Encoding), Error> {
        let wide = match bytes.get(..2) {
            Some(b"\xff\xfe") => Some(Encoding::Utf16Little),
            Some(b"\xfe\xff") => Some(Encoding::Utf16Big),
            _ => None,
        };
        if let (Self::Utf16, Some(encoding)) = (self, wide) {
            return Ok((from_utf16(&bytes, encoding)?, encoding));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok((text, Encoding::Utf8)),
            Err(error) if self == Self::Latin1 => {
                Ok((error.as_bytes().iter().map(|&byte| char::from(byte)).collect(), Encoding::Latin1))
            }
            Err(error) => Err(Error::Encoding { byte: error.utf8_error().valid_up_to() + 1 }),
        }
    }
}

fn from_utf16(bytes: &[u8], encoding: Encoding) -> Result<String, Error> {
    let units = bytes.chunks(2).map(|unit| match (unit, encoding) {
        ([low, high], Encoding::Utf16Little) => u16::from_le_bytes([*low, *high]),
        ([high, low], _) => u16::from_be_bytes([*high, *low]),
        // Half a character.
        _ => 0xd800,
    });
    let (mut text, mut at) = (String::with_capacity(bytes.len()), 0);
    for c in char::decode_utf16(units) {
        let c = c.map_err(|_| Error::Encoding { byte: at + 1 })?;
        text.push(c);
        at += 2 * c.len_utf16();
    }
    Ok(text)
}

impl Encoding {
    /// The bytes of a text. Each character of Latin-1 is one byte; the format that has it, Java's properties, writes
    /// all others as escapes.
    pub(crate) fn encode(self, text: &str) -> Vec<u8> {
        match self {
            Self::Utf8 => text.as_bytes().to_vec(),
            Self::Utf16Little => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Self::Utf16Big => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            Self::Latin1 => text.chars().flat_map(latin1).collect(),
        }
    }
}

fn latin1(c: char) -> Vec<u8> {
    let escape = |unit: &u16| format!("\\u{unit:04x}").into_bytes();
    u8::try_from(u32::from(c))
        .map_or_else(|_| c.encode_utf16(&mut [0; 2]).iter().flat_map(escape).collect(), |c| vec![c])
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_as_they_were() {
        for (encodings, bytes, text, encoding) in [
            (Encodings::Utf16, &b"\xff\xfea\0\xe9\0=\xd8\0\xde"[..], "\u{feff}aé😀", Encoding::Utf16Little),
            (Encodings::Utf16, b"\xfe\xff\0a\0\xe9", "\u{feff}aé", Encoding::Utf16Big),
            (Encodings::Latin1, b"caf\xe9", "café", Encoding::Latin1),
            (Encodings::Latin1, b"caf\xc3\xa9", "café", Encoding::Utf8),
            (Encodings::Utf8, b"caf\xc3\xa9", "café", Encoding::Utf8),
        ] {
            assert_eq!(encodings.decode(bytes.to_vec()).unwrap(), (text.to_owned(), encoding));
            assert_eq!(encoding.encode(text), bytes);
        }
        assert_eq!(Encoding::Latin1.encode("é→😀"), b"\xe9\\u2192\\ud83d\\ude00");
        let refused = |encodings: Encodings, bytes: &[u8]| encodings.decode(bytes.to_vec()).unwrap_err();
        assert_eq!(refused(Encodings::Utf8, b"caf\xe9"), Error::Encoding { byte: 4 });
        assert_eq!(refused(Encodings::Utf16, b"\xff\xfea"), Error::Encoding { byte: 3 });
        assert_eq!(refused(Encodings::Utf16, b"\xff\xfea\0\0\xd8"), Error::Encoding { byte: 5 });
    }
}
