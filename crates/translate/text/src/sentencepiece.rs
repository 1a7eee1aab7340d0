//! SentencePiece models (`.spm`, `.model`): text to pieces and back, as the C++ library does it, to the byte.
//!
//! ```no_run
//! # fn main() -> Result<(), metaphrase_text::sentencepiece::SentencePieceError> {
//! use metaphrase_text::sentencepiece::SentencePieceModel;
//!
//! let model = SentencePieceModel::open("vocab.spm".as_ref())?;
//! let mut ids = Vec::new();
//! model.encode("Hello world!", &mut ids);
//! assert_eq!(model.decode(&ids), "Hello world!");
//! # Ok(())
//! # }
//! ```
//!
//! Reads unigram, BPE, word and character models; normalises by the table in the model. The reference is version
//! 0.2.3 of <https://github.com/google/sentencepiece>. Not here: sampling, n-best segmentations.
//! [`train`] makes new models, [`extend`] gives a model characters that it lacks.
//!
//! A file is hostile until it is parsed: a broken one is an error, and memory stays within a small multiple of its
//! size.

mod bpe;
mod charsmap;
mod double_array;
mod error;
mod extend;
mod fairseq;
mod file;
mod normalizer;
mod pieces;
mod prepared;
mod segments;
mod spelling;
mod tokenizer_json;
pub mod train;
mod unigram;
mod utf8;
mod wire;

pub use error::SentencePieceError;
pub use extend::{ExtendedModel, extend};
pub(crate) use tokenizer_json::is_tokenizer;

use bpe::{Bpe, BpeScratch, Merges};
use file::{Kind, ModelFile, ModelType};
use metaphrase_base::WordId;
use normalizer::{Normalizer, SPACE_MARK};
use pieces::{Indices, Pieces, byte_of};
use std::path::Path;
use unigram::{Best, Unigram};

/// The id of a segment that is no piece.
const UNKNOWN: u32 = u32::MAX;

/// A SentencePiece model. It never changes; any number of threads can use it.
#[derive(Debug, Clone)]
pub struct SentencePieceModel {
    pieces: Pieces,
    indices: Indices,
    algorithm: Algorithm,
    normalizer: Normalizer,
    denormalizer: Option<Normalizer>,
    /// The piece of each byte; with it, unknown characters become bytes.
    bytes: Option<Box<[u32; 256]>>,
    unk_surface: String,
    unk: Option<WordId>,
    bos: Option<WordId>,
    eos: Option<WordId>,
    pad: Option<WordId>,
}

#[derive(Debug, Clone)]
enum Algorithm {
    Unigram(Unigram),
    Bpe(Bpe),
    Word,
    Char,
}

/// Work space of [`SentencePieceModel::encode_with`]; it grows as it is used and is kept.
#[derive(Debug, Default)]
pub struct Scratch {
    normalized: Vec<u8>,
    segments: Vec<Segment>,
    best: Vec<Best>,
    bpe: BpeScratch,
}

/// A part of the normalised text, from where the one before ends.
#[derive(Debug, Clone, Copy)]
struct Segment {
    end: usize,
    /// Its piece, or [`UNKNOWN`].
    id: u32,
}

impl SentencePieceModel {
    /// Reads the model in the file `path`.
    ///
    /// # Errors
    /// If it can not be read or is no valid model.
    pub fn open(path: &Path) -> Result<Self, SentencePieceError> {
        (metaphrase_base::read_unpacked(path).map_err(SentencePieceError::from))
            .and_then(|bytes| Self::from_bytes(&bytes))
            .map_err(|source| SentencePieceError::File { path: path.to_owned(), source: Box::new(source) })
    }

    /// Reads the model from the bytes of its file.
    ///
    /// # Errors
    /// If it is no valid model.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SentencePieceError> {
        Self::from_file(&ModelFile::parse(bytes)?, None)
    }

    /// The model of a file; a BPE model may join the pairs of `merges` alone.
    fn from_file(file: &ModelFile<'_>, merges: Option<Merges>) -> Result<Self, SentencePieceError> {
        Self::from_parts(file, merges, None)
    }

    /// As [`from_file`](Self::from_file), with the indices of the pieces where they are at hand.
    fn from_parts(
        file: &ModelFile<'_>,
        merges: Option<Merges>,
        indices: Option<Indices>,
    ) -> Result<Self, SentencePieceError> {
        let pieces = Pieces::new(file)?;
        let trainer = &file.trainer;
        let bytes = if trainer.byte_fallback { Some(pieces.bytes()?) } else { None };
        match pieces.iter().filter(|(_, kind)| *kind == Kind::Unknown).count() {
            0 if bytes.is_none() => {
                return Err(SentencePieceError::Incomplete("it has no piece for unknown text"));
            }
            0 | 1 => {}
            _ => {
                return Err(SentencePieceError::Incomplete("it has two pieces for unknown text"));
            }
        }
        if !pieces.iter().any(|(_, kind)| kind.is_text()) {
            return Err(SentencePieceError::Incomplete("it has no pieces of text"));
        }
        let indices = indices.map_or_else(|| Indices::new(&pieces), Ok)?;
        if trainer.model_type == ModelType::Bpe {
            pieces.check_reserved_texts(&indices.text)?;
        }
        let normalizer =
            Normalizer::new(&file.normalizer, trainer.whitespace_as_suffix, indices.user_defined.as_ref())?;
        let denormalizer = match file.denormalizer.charsmap {
            [] => None,
            _ => Some(Normalizer::new(&file.denormalizer, false, None)?),
        };
        let algorithm = match trainer.model_type {
            ModelType::Unigram => Algorithm::Unigram(Unigram::new(&pieces)),
            ModelType::Bpe => Algorithm::Bpe(Bpe::new(&pieces, merges)),
            ModelType::Word => Algorithm::Word,
            ModelType::Char => Algorithm::Char,
        };
        let special = |name: &str, wanted: Kind| {
            let id = indices.reserved.get(name.as_bytes())?;
            (pieces.score_and_kind(id).1 == wanted).then_some(WordId(id))
        };
        Ok(Self {
            unk: special(trainer.unk_piece, Kind::Unknown),
            bos: special(trainer.bos_piece, Kind::Control),
            eos: special(trainer.eos_piece, Kind::Control),
            pad: special(trainer.pad_piece, Kind::Control),
            unk_surface: trainer.unk_surface.to_owned(),
            pieces,
            indices,
            algorithm,
            normalizer,
            denormalizer,
            bytes,
        })
    }

    /// Replaces `out` by the ids of `text`, as far as it [`reads`](Self::reads) the text. Adds neither start nor end of
    /// sentence.
    pub fn encode(&self, text: &str, out: &mut Vec<WordId>) {
        self.encode_with(&mut Scratch::default(), text, out);
    }

    /// [`encode`](Self::encode) without allocations once `scratch` has grown.
    pub fn encode_with(&self, scratch: &mut Scratch, text: &str, out: &mut Vec<WordId>) {
        out.clear();
        self.segment(text, scratch);
        self.for_each_piece(scratch, |id, _, merged| {
            if !merged {
                out.push(id);
            }
        });
    }

    /// The pieces of `text`. A run of unknown characters is one piece and keeps its text; with byte fallback
    /// unknown characters are their bytes (`<0xE2>`).
    #[must_use]
    pub fn encode_pieces(&self, text: &str) -> Vec<String> {
        let mut scratch = Scratch::default();
        self.segment(text, &mut scratch);
        let mut out: Vec<String> = Vec::new();
        self.for_each_piece(&scratch, |id, surface, merged| match (surface, out.last_mut()) {
            (Some(bytes), Some(last)) if merged => last.push_str(&String::from_utf8_lossy(bytes)),
            (Some(bytes), _) => out.push(String::from_utf8_lossy(bytes).into_owned()),
            (None, _) => out.push(self.piece(id).to_owned()),
        });
        out
    }

    /// The number of bytes at the start of `text` that are segmented: all of them, unless normalisation makes more than
    /// 1 MiB. A single character can become dozens, so the limit is for the normalised text.
    #[must_use]
    pub fn reads(&self, text: &str) -> usize {
        if text.len() <= normalizer::LONGEST / charsmap::MAX_REPLACEMENT {
            return text.len();
        }
        self.normalizer.normalize(text.as_bytes(), self.indices.user_defined.as_ref(), &mut Vec::new())
    }

    /// The text of `ids`: control symbols are dropped, bytes joined to characters (U+FFFD for other bytes), the
    /// unknown piece and ids that the model does not have become the model's surface for it (` ⁇ `).
    #[must_use]
    pub fn decode(&self, ids: &[WordId]) -> String {
        self.decode_parts(ids.iter().map(|&id| {
            let kind = self.pieces.get(id.index()).map_or(Kind::Unknown, |(_, kind)| kind);
            // No id's text shows as it is if it is unknown.
            (kind, if kind == Kind::Unknown { "" } else { self.piece(id) })
        }))
    }

    /// The text of pieces given by their texts. Those that the model does not have stay as they are.
    #[must_use]
    pub fn decode_pieces<'a>(&self, pieces: impl IntoIterator<Item = &'a str>) -> String {
        self.decode_parts(pieces.into_iter().map(|piece| {
            let found = self.id(piece).and_then(|id| self.pieces.get(id.index()));
            match found {
                Some((_, Kind::Unknown)) => (Kind::Unknown, ""),
                Some((_, kind)) => (kind, piece),
                None => (Kind::Unknown, piece),
            }
        }))
    }

    /// Joins pieces of these kinds; an empty text of kind unknown stands for the unknown piece.
    fn decode_parts<'a>(&self, parts: impl Iterator<Item = (Kind, &'a str)>) -> String {
        let mut text = String::new();
        let mut bytes = Vec::new();
        let (strip_first, strip_all) = self.normalizer.strips();
        let mut at_start = true;
        for (kind, piece) in parts {
            if let (Kind::Byte, Some(byte)) = (kind, byte_of(piece)) {
                bytes.push(byte);
                continue;
            }
            utf8::push_characters(&mut bytes, &mut text);
            at_start &= text.is_empty();
            match kind {
                Kind::Control => {}
                Kind::Unknown if piece.is_empty() => text.push_str(&self.unk_surface),
                Kind::Unknown => text.push_str(piece),
                _ => {
                    let shown = piece.strip_prefix(SPACE_MARK).filter(|_| at_start && strip_first);
                    at_start &= shown.is_none() || strip_all;
                    push_with_spaces(shown.unwrap_or(piece), &mut text);
                }
            }
        }
        utf8::push_characters(&mut bytes, &mut text);
        match &self.denormalizer {
            Some(denormalizer) => {
                let mut out = Vec::new();
                denormalizer.normalize(text.as_bytes(), None, &mut out);
                String::from_utf8_lossy(&out).into_owned()
            }
            None => text,
        }
    }

    /// The text of a piece; empty for ids that the model does not have.
    #[must_use]
    pub fn piece(&self, id: WordId) -> &str {
        self.pieces.text(id.index())
    }

    /// The id of a piece.
    #[must_use]
    pub fn id(&self, piece: &str) -> Option<WordId> {
        let piece = piece.as_bytes();
        self.indices.reserved.get(piece).or_else(|| self.indices.text.get(piece)).map(WordId)
    }

    /// Number of pieces.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a model without pieces is refused when it is read")]
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// The score of a piece: its log-probability in a unigram model, the negative rank of its merge in a BPE
    /// model. `None` for ids that the model does not have.
    #[must_use]
    pub fn score(&self, id: WordId) -> Option<f32> {
        self.pieces.get(id.index()).map(|(score, _)| score)
    }

    /// The piece for unknown text (`<unk>`). A model with byte fallback may lack it.
    #[must_use]
    pub fn unk(&self) -> Option<WordId> {
        self.unk
    }

    /// The piece for the start of a sentence (`<s>`).
    #[must_use]
    pub fn bos(&self) -> Option<WordId> {
        self.bos
    }

    /// The piece for the end of a sentence (`</s>`).
    #[must_use]
    pub fn eos(&self) -> Option<WordId> {
        self.eos
    }

    /// The piece for padding (`<pad>`).
    #[must_use]
    pub fn pad(&self) -> Option<WordId> {
        self.pad
    }

    /// Whether `id` is a control symbol, which no text leads to and which leads to no text.
    #[must_use]
    pub fn is_control(&self, id: WordId) -> bool {
        self.has_kind(id, Kind::Control)
    }

    /// Whether `id` is the piece for unknown text.
    #[must_use]
    pub fn is_unknown(&self, id: WordId) -> bool {
        self.has_kind(id, Kind::Unknown)
    }

    /// The pieces of all bytes, if unknown characters become bytes.
    pub fn bytes(&self) -> impl Iterator<Item = (WordId, u8)> {
        let ids = self.bytes.iter().flat_map(|ids| ids.iter());
        ids.map(|&id| WordId(id)).zip(0..=u8::MAX)
    }

    fn has_kind(&self, id: WordId, wanted: Kind) -> bool {
        self.pieces.get(id.index()).is_some_and(|(_, kind)| kind == wanted)
    }

    /// Calls `piece(id, surface, merged)` for each piece of the segments: `surface` is its text where that is not
    /// the piece's own, `merged` means that it continues the unknown piece before it, under the same id.
    fn for_each_piece(&self, scratch: &Scratch, mut piece: impl FnMut(WordId, Option<&[u8]>, bool)) {
        let mut start = 0;
        let mut after_unknown = false;
        for segment in &scratch.segments {
            let surface = &scratch.normalized[start..segment.end];
            start = segment.end;
            match (segment.id, &self.bytes, self.unk) {
                (UNKNOWN, Some(bytes), _) => {
                    for &byte in surface {
                        piece(WordId(bytes[usize::from(byte)]), None, false);
                    }
                }
                (UNKNOWN, None, Some(unk)) => piece(unk, Some(surface), after_unknown),
                (UNKNOWN, None, None) => {} // Refused when the model was read.
                (id, ..) => piece(WordId(id), None, false),
            }
            after_unknown = segment.id == UNKNOWN;
        }
    }
}

/// Appends a piece with its marks as blanks.
fn push_with_spaces(piece: &str, text: &mut String) {
    for (i, part) in piece.split(SPACE_MARK).enumerate() {
        if i > 0 {
            text.push(' ');
        }
        text.push_str(part);
    }
}
