//! Prepared pieces: a model with its indices in one file, so that a large vocabulary is read in the time that its bytes
//! take. `docs/formats/prepared-pieces.md` describes the file.
//!
//! The reader builds nothing but the table of pairs, and checks everything that a model made from its own file
//! guarantees: the index has each piece of text under its id, and no more than these.

use super::bpe::Merges;
use super::double_array::DoubleArray;
use super::file::{Kind, ModelFile, ModelType, NormalizerSpec, Piece, TrainerSpec};
use super::normalizer::Blanks;
use super::pieces::Indices;
use super::{Algorithm, SentencePieceError as Error, SentencePieceModel};
use metaphrase_base::WordId;
use serde::{Deserialize, Serialize};

/// The first bytes of the file; the last one is the version.
const MAGIC: &[u8; 8] = b"mpieces\x01";

/// The bytes of a pair: left and right piece, rank.
const PAIR: usize = 12;

/// All that is no table, as JSON.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Settings {
    /// The checksums of the files that the model was made from.
    originals: Vec<u64>,
    model: ModelType,
    byte_fallback: bool,
    unk_surface: String,
    /// The ids of the pieces for unknown text, start, end and padding.
    special: [Option<u32>; 4],
    blanks: Blanks,
}

impl SentencePieceModel {
    /// The bytes of the file of prepared pieces for this model, which was made from files with these checksums. `None`
    /// for a model that the file has no place for: one with a table for the text of translations.
    #[must_use]
    pub fn to_prepared(&self, originals: &[u64]) -> Option<Vec<u8>> {
        if self.denormalizer.is_some() {
            return None;
        }
        let (model, merges) = match &self.algorithm {
            Algorithm::Unigram(_) => (ModelType::Unigram, None),
            Algorithm::Bpe(bpe) => (ModelType::Bpe, bpe.merges()),
            Algorithm::Word => (ModelType::Word, None),
            Algorithm::Char => (ModelType::Char, None),
        };
        let settings = Settings {
            originals: originals.to_vec(),
            model,
            byte_fallback: self.bytes.is_some(),
            unk_surface: self.unk_surface.clone(),
            special: [self.unk, self.bos, self.eos, self.pad].map(|id| id.map(|id| id.0)),
            blanks: self.normalizer.blanks(),
        };
        let (texts, ends) = self.pieces.texts();
        let scores = self.pieces.iter().flat_map(|(score, _)| score.to_le_bytes()).collect();
        let kinds = self.pieces.iter().map(|(_, kind)| kind.number() as u8).collect();
        let index = |index: Option<&DoubleArray>| index.map_or_else(Vec::new, DoubleArray::to_le_bytes);
        let pairs = merges.map_or_else(Vec::new, |merges| merges.by_rank());
        let sections = [
            serde_json::to_vec(&settings).ok()?,
            texts.as_bytes().to_vec(),
            ends.iter().flat_map(|end| end.to_le_bytes()).collect(),
            scores,
            kinds,
            index(Some(&self.indices.text)),
            index(Some(&self.indices.reserved)),
            index(self.indices.user_defined.as_ref()),
            pairs.into_iter().flatten().flat_map(u32::to_le_bytes).collect(),
            self.normalizer.charsmap(),
        ];
        let mut file = MAGIC.to_vec();
        file.push(u8::from(merges.is_some()));
        for section in sections {
            file.extend((section.len() as u64).to_le_bytes());
            file.extend(section);
        }
        Some(file)
    }

    /// Reads a model from the bytes of a file of prepared pieces, which must be those of files with these checksums.
    ///
    /// # Errors
    /// If it is no such file, if it belongs to other files, or if its tables contradict each other.
    pub fn from_prepared(bytes: &[u8], originals: &[u64]) -> Result<Self, Error> {
        let (has_pairs, mut rest) = start(bytes)?;
        let settings: Settings = serde_json::from_slice(section(&mut rest)?)
            .map_err(|e| Error::Prepared(format!("its settings can not be read: {e}")))?;
        if settings.originals != originals {
            return Err(refused("it was made from other files than those next to it"));
        }
        let texts = str::from_utf8(section(&mut rest)?).map_err(|_| refused("its texts are not UTF-8"))?;
        let (ends, scores, kinds) = (section(&mut rest)?, section(&mut rest)?, section(&mut rest)?);
        let pieces = pieces(texts, ends, scores, kinds)?;
        let [text, reserved] = [section(&mut rest)?, section(&mut rest)?].map(|units| index(units, pieces.len()));
        let user_defined = match section(&mut rest)? {
            [] => None,
            units => Some(index(units, pieces.len())?),
        };
        let indices = Indices { text: text?, reserved: reserved?, user_defined };
        check_index(&pieces, &indices.text, Kind::is_text)?;
        check_index(&pieces, &indices.reserved, |kind| !kind.is_text())?;
        match &indices.user_defined {
            Some(index) => check_index(&pieces, index, |kind| kind == Kind::UserDefined)?,
            None if pieces.iter().any(|piece| piece.kind == Kind::UserDefined) => {
                return Err(refused("its index lacks pieces"));
            }
            None => {}
        }
        let pairs = section(&mut rest)?;
        let merges = if has_pairs { Some(merges(pairs, pieces.len())?) } else { None };
        let charsmap = section(&mut rest)?;
        if !rest.is_empty() || (!has_pairs && !pairs.is_empty()) {
            return Err(refused("it has more bytes than its tables"));
        }
        let file = settings.file(pieces, charsmap)?;
        let model = Self::from_parts(&file, merges, Some(indices))?;
        let special = [model.unk, model.bos, model.eos, model.pad].map(|id| id.map(|WordId(id)| id));
        if special == settings.special { Ok(model) } else { Err(refused("its special pieces are of another kind")) }
    }
}

impl Settings {
    /// The messages of a file of SentencePiece with these settings and tables.
    fn file<'a>(&'a self, pieces: Vec<Piece<'a>>, charsmap: &'a [u8]) -> Result<ModelFile<'a>, Error> {
        let name = |id: Option<u32>| match id {
            // No piece has an empty text.
            None => Ok(""),
            Some(id) => pieces.get(id as usize).map(|piece| piece.text).ok_or_else(|| refused("a piece is missing")),
        };
        let [unk_piece, bos_piece, eos_piece, pad_piece] = self.special.map(name);
        Ok(ModelFile {
            trainer: TrainerSpec {
                model_type: self.model,
                whitespace_as_suffix: self.blanks.suffix,
                byte_fallback: self.byte_fallback,
                unk_surface: &self.unk_surface,
                unk_piece: unk_piece?,
                bos_piece: bos_piece?,
                eos_piece: eos_piece?,
                pad_piece: pad_piece?,
            },
            normalizer: NormalizerSpec {
                charsmap,
                add_dummy_prefix: self.blanks.prefix,
                remove_extra_whitespaces: self.blanks.single,
                escape_whitespaces: self.blanks.marked,
            },
            denormalizer: NormalizerSpec::default(),
            pieces,
        })
    }
}

fn refused(problem: &str) -> Error {
    Error::Prepared(problem.to_owned())
}

/// Whether a BPE model joins listed pairs alone, and the sections.
fn start(bytes: &[u8]) -> Result<(bool, &[u8]), Error> {
    let (name, version) = (&MAGIC[..MAGIC.len() - 1], MAGIC[MAGIC.len() - 1]);
    match bytes.strip_prefix(name) {
        Some([found, has_pairs @ (0 | 1), rest @ ..]) if *found == version => Ok((*has_pairs == 1, rest)),
        Some([found, ..]) if *found != version => {
            Err(Error::Prepared(format!("it has version {found}, and this program reads version {version}")))
        }
        _ => Err(refused("it does not begin as such a file")),
    }
}

/// The next section, which `rest` loses.
fn section<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], Error> {
    let cut = || refused("it is cut off");
    let (length, after) = rest.split_first_chunk().ok_or_else(cut)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| cut())?;
    let (section, after) = after.split_at_checked(length).ok_or_else(cut)?;
    *rest = after;
    Ok(section)
}

/// The pieces by id. What a piece may be is checked where the model is made.
fn pieces<'a>(texts: &'a str, ends: &[u8], scores: &[u8], kinds: &[u8]) -> Result<Vec<Piece<'a>>, Error> {
    let ((ends, more), (scores, most)) = (ends.as_chunks(), scores.as_chunks());
    if !more.is_empty() || !most.is_empty() || [scores.len(), kinds.len()] != [ends.len(); 2] {
        return Err(refused("its tables of pieces differ in length"));
    }
    let mut pieces = Vec::with_capacity(ends.len());
    let mut start = 0;
    for ((end, &score), &kind) in ends.iter().zip(scores).zip(kinds) {
        let end = u32::from_le_bytes(*end) as usize;
        let text = texts.get(start..end).ok_or_else(|| refused("a piece ends outside its text"))?;
        let kind = Kind::numbered(u64::from(kind)).ok_or_else(|| refused("a piece has an unknown kind"))?;
        pieces.push(Piece { text, score: f32::from_le_bytes(score), kind });
        start = end;
    }
    if start == texts.len() { Ok(pieces) } else { Err(refused("it has texts without pieces")) }
}

fn index(units: &[u8], pieces: usize) -> Result<DoubleArray, Error> {
    DoubleArray::from_le_bytes(units, pieces).map_err(|_| refused("its index points outside"))
}

/// Checks that an index has the pieces of the kinds that are `wanted`, and no others.
fn check_index(pieces: &[Piece<'_>], index: &DoubleArray, wanted: impl Fn(Kind) -> bool) -> Result<(), Error> {
    let mut count = 0;
    for (id, piece) in (0..).zip(pieces) {
        // Gaps among the ids are no pieces.
        if wanted(piece.kind) && piece.text != "\0" {
            count += 1;
            if index.get(piece.text.as_bytes()) != Some(id) {
                return Err(refused("its index has another place for a piece"));
            }
        }
    }
    if index.leaves() == count { Ok(()) } else { Err(refused("its index has more than its pieces")) }
}

fn merges(pairs: &[u8], pieces: usize) -> Result<Merges, Error> {
    let (pairs, more) = pairs.as_chunks::<PAIR>();
    if !more.is_empty() {
        return Err(refused("its table of pairs is cut off"));
    }
    let mut merges = Merges::with_room(pairs.len());
    for pair in pairs {
        let (numbers, _) = pair.as_chunks();
        let [left, right, rank] = [0, 1, 2].map(|i| u32::from_le_bytes(numbers[i]));
        let rank = i32::try_from(rank).map_err(|_| refused("a pair has no rank"))?;
        if left.max(right) as usize >= pieces {
            return Err(refused("a pair has a piece that does not exist"));
        }
        merges.add(left, right, rank);
    }
    Ok(merges)
}
