//! The part of the wire format of Protocol Buffers that a model file needs.
//!
//! A message is a list of fields; a field is a tag (`number << 3 | wire type`) and a value. Unknown fields are
//! skipped by their wire type. Nothing here allocates: a value is a number or a slice of the file.
//! Format: <https://protobuf.dev/programming-guides/encoding/>.

use super::SentencePieceError as Error;

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    /// Wire type 0: integers, booleans and enumerations.
    Varint(u64),
    /// Wire type 1.
    Fixed64,
    /// Wire type 2: strings, bytes and messages.
    Bytes(&'a [u8]),
    /// Wire type 5: `float`.
    Fixed32(u32),
}

/// The fields of one message, in the order of the file.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
    /// Where `rest` starts in the file, for messages.
    offset: usize,
}

/// A field of a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Field<'a> {
    pub(super) number: u64,
    pub(super) value: Value<'a>,
    /// Where the value's bytes start in the file.
    pub(super) offset: usize,
}

impl<'a> Fields<'a> {
    /// The fields of the message `bytes`, which starts at `offset` of the file.
    pub(super) fn new(bytes: &'a [u8], offset: usize) -> Self {
        Self { rest: bytes, offset }
    }

    /// The next field.
    pub(super) fn next(&mut self) -> Result<Option<Field<'a>>, Error> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let number = tag >> 3;
        let value = match tag & 7 {
            0 => Value::Varint(self.varint()?),
            1 => {
                self.take(8)?;
                Value::Fixed64
            }
            2 => {
                let length = self.varint()?;
                let length = usize::try_from(length).map_err(|_| self.cut())?;
                let offset = self.offset;
                return Ok(Some(Field { number, value: Value::Bytes(self.take(length)?), offset }));
            }
            5 => {
                let bytes = self.take(4)?;
                Value::Fixed32(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
            }
            wire_type => {
                let at = self.offset;
                return Err(Error::Format(format!(
                    "not a SentencePiece model: wire type {wire_type} at byte {at}, expected 0, 1, 2 or 5"
                )));
            }
        };
        Ok(Some(Field { number, value, offset: self.offset }))
    }

    fn varint(&mut self) -> Result<u64, Error> {
        let mut value = 0;
        for (i, &byte) in self.rest.iter().take(10).enumerate() {
            // Bits beyond the 64th are dropped, as every reader of the format does.
            value |= u64::from(byte & 0x7F) << (7 * i);
            if byte < 0x80 {
                self.take(i + 1)?;
                return Ok(value);
            }
        }
        Err(self.cut())
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or_else(|| self.cut())?;
        self.rest = rest;
        self.offset += length;
        Ok(taken)
    }

    fn cut(&self) -> Error {
        let at = self.offset;
        Error::Format(format!("cut off or not a SentencePiece model: a value at byte {at} runs past its end"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_wire_type() {
        // Field 1 = 300, field 2 = "ab", field 3 = 1.0f, field 4 = eight bytes.
        let bytes = [0x08, 0xAC, 0x02, 0x12, 2, b'a', b'b', 0x1D, 0, 0, 0x80, 0x3F, 0x21, 1, 2, 3, 4, 5, 6, 7, 8];
        let mut fields = Fields::new(&bytes, 100);
        let mut next = || fields.next().unwrap();
        assert_eq!(next(), Some(Field { number: 1, value: Value::Varint(300), offset: 103 }));
        assert_eq!(next(), Some(Field { number: 2, value: Value::Bytes(b"ab"), offset: 105 }));
        assert_eq!(next(), Some(Field { number: 3, value: Value::Fixed32(1.0f32.to_bits()), offset: 112 }));
        assert_eq!(next(), Some(Field { number: 4, value: Value::Fixed64, offset: 121 }));
        assert_eq!(next(), None);
    }

    #[test]
    fn refuses_cut_and_unknown_fields() {
        for bytes in [&[0x08][..], &[0x08, 0x80], &[0x12, 5, b'a'], &[0x1D, 0], &[0x0B], &[0x80; 11]] {
            assert!(Fields::new(bytes, 0).next().is_err(), "{bytes:?}");
        }
        // A length of 2^64 - 1.
        let mut bytes = vec![0x12];
        bytes.extend([0xFF; 9]);
        bytes.push(1);
        let error = Fields::new(&bytes, 0).next().unwrap_err().to_string();
        assert_eq!(error, "cut off or not a SentencePiece model: a value at byte 11 runs past its end");
    }
}
