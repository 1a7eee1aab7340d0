//! The pieces of a model: texts, scores, kinds, and the indices from text to id.

use super::SentencePieceError as Error;
use super::double_array::DoubleArray;
use super::file::{Kind, ModelFile, Piece};

/// The C++ library refuses pieces of 8000 bytes or more.
const MAX_PIECE: usize = 7999;

/// The pieces by id.
#[derive(Debug, Clone)]
pub(super) struct Pieces {
    texts: String,
    /// Where the text of each piece ends in `texts`; it starts where the one before ends.
    ends: Vec<u32>,
    scores_and_kinds: Vec<(f32, Kind)>,
}

impl Pieces {
    pub(super) fn new(file: &ModelFile<'_>) -> Result<Self, Error> {
        let mut pieces = Self { texts: String::new(), ends: Vec::new(), scores_and_kinds: Vec::new() };
        for (id, piece) in file.pieces.iter().enumerate() {
            let kind = checked_kind(piece, file.trainer.byte_fallback).map_err(|fault| Error::Piece { id, fault })?;
            pieces.texts.push_str(piece.text);
            let end = pieces.texts.len();
            pieces.ends.push(u32::try_from(end).map_err(|_| Error::TooLarge("4 GiB of pieces or more"))?);
            pieces.scores_and_kinds.push((piece.score, kind));
        }
        if pieces.len() > i32::MAX as usize {
            return Err(Error::TooLarge("2^31 pieces or more"));
        }
        Ok(pieces)
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text of a piece, empty if there is no such piece.
    #[inline]
    pub(super) fn text(&self, id: usize) -> &str {
        let Some(&end) = self.ends.get(id) else {
            return "";
        };
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.texts[start as usize..end as usize]
    }

    /// Score and kind of a piece that the index has.
    #[inline]
    pub(super) fn score_and_kind(&self, id: u32) -> (f32, Kind) {
        self.scores_and_kinds[id as usize]
    }

    pub(super) fn get(&self, id: usize) -> Option<(f32, Kind)> {
        self.scores_and_kinds.get(id).copied()
    }

    /// Score and kind of every piece.
    pub(super) fn iter(&self) -> impl Iterator<Item = (f32, Kind)> {
        self.scores_and_kinds.iter().copied()
    }

    /// The index of the pieces whose kind is `wanted`.
    pub(super) fn index(&self, wanted: impl Fn(Kind) -> bool) -> Result<DoubleArray, Error> {
        // Numbers of the first bytes sort faster than the texts, which stand apart from each other.
        let mut keys: Vec<(u128, &[u8], u32)> = (self.iter().enumerate())
            .filter(|&(id, (_, kind))| wanted(kind) && self.text(id) != "\0")
            .map(|(id, _)| (first_bytes(self.text(id).as_bytes()), self.text(id).as_bytes(), id as u32))
            .collect();
        keys.sort_unstable();
        let keys: Vec<(&[u8], u32)> = keys.into_iter().map(|(_, text, id)| (text, id)).collect();
        if let Some(same) = keys.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let (first, id) = (same[0].1 as usize, same[1].1 as usize);
            return Err(Error::Duplicate { id, first, piece: self.text(id).to_owned() });
        }
        DoubleArray::build(&keys).ok_or(Error::TooLarge("the index of pieces outgrows 2^29 entries"))
    }

    /// The texts of all pieces, one after the other, and where each ends.
    pub(super) fn texts(&self) -> (&str, &[u32]) {
        (&self.texts, &self.ends)
    }

    /// In BPE models a text may not be a reserved piece and one of text at once.
    pub(super) fn check_reserved_texts(&self, text: &DoubleArray) -> Result<(), Error> {
        for (id, _) in self.iter().enumerate().filter(|(_, (_, kind))| !kind.is_text()) {
            if let Some(first) = text.get(self.text(id).as_bytes()) {
                return Err(Error::Duplicate { id, first: first as usize, piece: self.text(id).to_owned() });
            }
        }
        Ok(())
    }

    /// The piece of each byte, for models with byte fallback.
    pub(super) fn bytes(&self) -> Result<Box<[u32; 256]>, Error> {
        let mut ids = Box::new([u32::MAX; 256]);
        for (id, _) in self.iter().enumerate().filter(|(_, (_, kind))| *kind == Kind::Byte) {
            if let Some(byte) = byte_of(self.text(id)) {
                ids[usize::from(byte)] = id as u32;
            }
        }
        if ids.contains(&u32::MAX) {
            return Err(Error::Incomplete("byte_fallback is set and there are fewer than 256 byte pieces"));
        }
        Ok(ids)
    }
}

/// The kind of a piece, or the problem with its number.
fn checked_kind(piece: &Piece<'_>, byte_fallback: bool) -> Result<Kind, &'static str> {
    // Some converters add a zero byte in addition to the piece <0x00>; the C++ library never uses it.
    let kind = if byte_fallback && piece.text == "\0" { Kind::Unused } else { piece.kind };
    if piece.text.is_empty() {
        Err("is empty")
    } else if piece.text.len() > MAX_PIECE {
        Err("is 8000 bytes long or longer")
    } else if piece.text.contains('\0') && (piece.text != "\0" || kind != Kind::Unused) {
        Err("has a zero byte")
    } else if !piece.score.is_finite() {
        Err("has a score that is not finite")
    } else if kind == Kind::Byte && !byte_fallback {
        Err("is a byte, although byte_fallback is not set")
    } else if kind == Kind::Byte && byte_of(piece.text).is_none() {
        Err("is of type byte, expected a text from <0x00> to <0xFF>")
    } else {
        Ok(kind)
    }
}

/// The first 16 bytes of a text, with zeros after a shorter one, as a number in the order of texts.
fn first_bytes(text: &[u8]) -> u128 {
    let mut first = [0; 16];
    let length = text.len().min(first.len());
    first[..length].copy_from_slice(&text[..length]);
    u128::from_be_bytes(first)
}

/// The byte that a piece such as `<0x0A>` stands for.
pub(super) fn byte_of(piece: &str) -> Option<u8> {
    let digits = piece.strip_prefix("<0x")?.strip_suffix('>')?;
    let upper = |digit: u8| matches!(digit, b'0'..=b'9' | b'A'..=b'F');
    if digits.len() != 2 || !digits.bytes().all(upper) {
        return None;
    }
    u8::from_str_radix(digits, 16).ok()
}

/// Look-up in both directions, and the other tables of segmentation.
#[derive(Debug, Clone)]
pub(super) struct Indices {
    /// Pieces that text is made of, unused ones included.
    pub(super) text: DoubleArray,
    /// Unknown, control and byte pieces; they come first in a look-up.
    pub(super) reserved: DoubleArray,
    /// User-defined symbols, if there are any.
    pub(super) user_defined: Option<DoubleArray>,
}

impl Indices {
    pub(super) fn new(pieces: &Pieces) -> Result<Self, Error> {
        let has_user_defined = pieces.iter().any(|(_, kind)| kind == Kind::UserDefined);
        Ok(Self {
            text: pieces.index(Kind::is_text)?,
            reserved: pieces.index(|kind| !kind.is_text())?,
            user_defined: match has_user_defined {
                true => Some(pieces.index(|kind| kind == Kind::UserDefined)?),
                false => None,
            },
        })
    }
}
