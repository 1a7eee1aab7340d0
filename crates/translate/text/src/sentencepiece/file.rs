//! The messages of a model file (`sentencepiece_model.proto`), as far as encoding and decoding need them.

use super::SentencePieceError as Error;
use super::wire::{Field, Fields, Value};
use serde::{Deserialize, Serialize};

/// The purpose of a piece; the numbers are those of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Normal = 1,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte,
}

impl Kind {
    const ALL: [Self; 6] = [Self::Normal, Self::Unknown, Self::Control, Self::UserDefined, Self::Unused, Self::Byte];

    /// Whether the piece may come out of segmentation (or could, if it were not unused), as opposed to the
    /// reserved ones: unknown, control and byte.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Self::Normal | Self::UserDefined | Self::Unused)
    }

    /// Its number in the file.
    pub(super) fn number(self) -> usize {
        self as usize
    }

    /// The kind with this number in the file.
    pub(super) fn numbered(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|&kind| kind as u64 == number)
    }
}

/// How text is segmented; the numbers are those of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ModelType {
    Unigram,
    Bpe,
    Word,
    Char,
}

/// `ModelProto.SentencePiece`.
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    pub(super) score: f32,
    pub(super) kind: Kind,
}

/// `TrainerSpec`.
pub(super) struct TrainerSpec<'a> {
    pub(super) model_type: ModelType,
    pub(super) whitespace_as_suffix: bool,
    pub(super) byte_fallback: bool,
    pub(super) unk_surface: &'a str,
    pub(super) unk_piece: &'a str,
    pub(super) bos_piece: &'a str,
    pub(super) eos_piece: &'a str,
    pub(super) pad_piece: &'a str,
}

/// `NormalizerSpec`.
pub(super) struct NormalizerSpec<'a> {
    pub(super) charsmap: &'a [u8],
    pub(super) add_dummy_prefix: bool,
    pub(super) remove_extra_whitespaces: bool,
    pub(super) escape_whitespaces: bool,
}

impl Default for NormalizerSpec<'_> {
    fn default() -> Self {
        Self { charsmap: &[], add_dummy_prefix: true, remove_extra_whitespaces: true, escape_whitespaces: true }
    }
}

/// `ModelProto`. Borrows from the bytes of the file.
pub(super) struct ModelFile<'a> {
    pub(super) pieces: Vec<Piece<'a>>,
    pub(super) trainer: TrainerSpec<'a>,
    pub(super) normalizer: NormalizerSpec<'a>,
    pub(super) denormalizer: NormalizerSpec<'a>,
}

impl<'a> ModelFile<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let mut model = Self {
            pieces: Vec::new(),
            trainer: TrainerSpec {
                model_type: ModelType::Unigram,
                whitespace_as_suffix: false,
                byte_fallback: false,
                unk_surface: " \u{2047} ",
                unk_piece: "<unk>",
                bos_piece: "<s>",
                eos_piece: "</s>",
                pad_piece: "<pad>",
            },
            normalizer: NormalizerSpec::default(),
            denormalizer: NormalizerSpec::default(),
        };
        let mut fields = Fields::new(bytes, 0);
        while let Some(field) = fields.next()? {
            match field.number {
                1 => model.pieces.push(Piece::parse(field.message("pieces")?)?),
                2 => model.trainer.merge(field.message("trainer_spec")?)?,
                3 => model.normalizer.merge(field.message("normalizer_spec")?)?,
                5 => model.denormalizer.merge(field.message("denormalizer_spec")?)?,
                _ => {}
            }
        }
        Ok(model)
    }
}

impl<'a> Piece<'a> {
    fn parse(mut fields: Fields<'a>) -> Result<Self, Error> {
        let mut piece = Self { text: "", score: 0.0, kind: Kind::Normal };
        while let Some(field) = fields.next()? {
            match field.number {
                1 => piece.text = field.string("piece")?,
                2 => piece.score = field.float("score")?,
                3 => {
                    let number = field.number("type")?;
                    // Protocol Buffers keep the default for numbers that an enumeration does not have.
                    piece.kind = Kind::numbered(number).unwrap_or(piece.kind);
                }
                _ => {}
            }
        }
        Ok(piece)
    }
}

impl<'a> TrainerSpec<'a> {
    fn merge(&mut self, mut fields: Fields<'a>) -> Result<(), Error> {
        while let Some(field) = fields.next()? {
            match field.number {
                3 => {
                    self.model_type = match field.number("model_type")? {
                        1 => ModelType::Unigram,
                        2 => ModelType::Bpe,
                        3 => ModelType::Word,
                        4 => ModelType::Char,
                        other => return Err(Error::ModelType(other)),
                    }
                }
                24 => self.whitespace_as_suffix = field.number("treat_whitespace_as_suffix")? != 0,
                35 => self.byte_fallback = field.number("byte_fallback")? != 0,
                44 => self.unk_surface = field.string("unk_surface")?,
                // An empty name stands for the default.
                45 => replace(&mut self.unk_piece, field.string("unk_piece")?),
                46 => replace(&mut self.bos_piece, field.string("bos_piece")?),
                47 => replace(&mut self.eos_piece, field.string("eos_piece")?),
                48 => replace(&mut self.pad_piece, field.string("pad_piece")?),
                _ => {}
            }
        }
        Ok(())
    }
}

impl<'a> NormalizerSpec<'a> {
    fn merge(&mut self, mut fields: Fields<'a>) -> Result<(), Error> {
        while let Some(field) = fields.next()? {
            match field.number {
                2 => self.charsmap = field.bytes("precompiled_charsmap")?,
                3 => self.add_dummy_prefix = field.number("add_dummy_prefix")? != 0,
                4 => self.remove_extra_whitespaces = field.number("remove_extra_whitespaces")? != 0,
                5 => self.escape_whitespaces = field.number("escape_whitespaces")? != 0,
                _ => {}
            }
        }
        Ok(())
    }
}

fn replace<'a>(name: &mut &'a str, value: &'a str) {
    if !value.is_empty() {
        *name = value;
    }
}

/// The value as the type that the field called `name` has.
impl<'a> Field<'a> {
    fn message(self, name: &'static str) -> Result<Fields<'a>, Error> {
        Ok(Fields::new(self.bytes(name)?, self.offset))
    }

    fn bytes(self, name: &'static str) -> Result<&'a [u8], Error> {
        match self.value {
            Value::Bytes(bytes) => Ok(bytes),
            _ => Err(self.wrong_type(name)),
        }
    }

    fn string(self, name: &'static str) -> Result<&'a str, Error> {
        let fault = |_| Error::Format(format!("{name} at byte {} is not valid UTF-8", self.offset));
        str::from_utf8(self.bytes(name)?).map_err(fault)
    }

    fn number(self, name: &'static str) -> Result<u64, Error> {
        match self.value {
            Value::Varint(number) => Ok(number),
            _ => Err(self.wrong_type(name)),
        }
    }

    fn float(self, name: &'static str) -> Result<f32, Error> {
        match self.value {
            Value::Fixed32(bits) => Ok(f32::from_bits(bits)),
            _ => Err(self.wrong_type(name)),
        }
    }

    fn wrong_type(self, name: &'static str) -> Error {
        Error::Format(format!("not a SentencePiece model: {name} at byte {} has the wrong wire type", self.offset))
    }
}
