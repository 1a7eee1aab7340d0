//! Vocabularies from their files.

use super::marian_mt::MarianMt;
use super::moses_bpe::{MosesBpe, MosesSteps};
use super::words::WordList;
use super::{EOS, Form, UNK, Vocabulary, VocabularyError, formats};
use crate::bpe::Bpe;
use crate::sentencepiece::{SentencePieceModel, is_tokenizer};
use metaphrase_base::{MappedFile, WordId, read_unpacked};
use std::collections::BTreeMap;
use std::path::Path;

/// The format of a vocabulary file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VocabularyFormat {
    /// Words and ids in YAML or JSON.
    Mapping,
    /// One word per line; its id is the number of the line, from 0.
    List,
    /// A SentencePiece model.
    SentencePiece,
    /// A `tokenizer.json` of Hugging Face's tokenizers.
    Tokenizer,
}

impl VocabularyFormat {
    /// The format by the extension of `path`, that before `.gz` if the file is packed; where that is not known, by the
    /// content (a SentencePiece model starts with a line feed, and no word list does).
    ///
    /// # Errors
    /// For factored vocabularies (`.fsv`).
    pub fn detect(path: &Path, bytes: &[u8]) -> Result<Self, VocabularyError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let name = Path::new(name.strip_suffix(".gz").unwrap_or(&name));
        let extension = name.extension().unwrap_or_default().to_string_lossy();
        Ok(match &*extension {
            "json" if is_tokenizer(bytes) => Self::Tokenizer,
            "yml" | "yaml" | "json" => Self::Mapping,
            "spm" | "model" => Self::SentencePiece,
            "fsv" => return Err(VocabularyError::Factored),
            _ if bytes.starts_with(b"\n") => Self::SentencePiece,
            _ => Self::List,
        })
    }
}

impl Vocabulary {
    /// Reads the vocabulary in the file `path`, in the format that [`VocabularyFormat::detect`] recognises.
    ///
    /// # Errors
    /// If the file can not be read or is no valid vocabulary.
    pub fn open(path: &Path) -> Result<Self, VocabularyError> {
        let read = || {
            let bytes = read_unpacked(path)?;
            Self::from_bytes(VocabularyFormat::detect(path, &bytes)?, &bytes)
        };
        read().map_err(|source| VocabularyError::File { path: path.to_owned(), source: Box::new(source) })
    }

    /// Reads the vocabulary of a model of OPUS-MT, or of Hugging Face's MarianMT: `list` has the ids, in any format of
    /// lists (`vocab.yml`, `vocab.json`, `src.vocab`), and `pieces` is `source.spm` for the source side and
    /// `target.spm` for the target side.
    ///
    /// # Errors
    /// If a file can not be read or is no valid vocabulary.
    pub fn open_marian_mt(list: &Path, pieces: &Path) -> Result<Self, VocabularyError> {
        let pieces = SentencePieceModel::open(pieces)?;
        let read = || {
            let bytes = read_unpacked(list)?;
            Self::marian_mt(VocabularyFormat::detect(list, &bytes)?, &bytes, pieces)
        };
        read().map_err(|source| VocabularyError::File { path: list.to_owned(), source: Box::new(source) })
    }

    /// Reads the vocabulary of a model that has both a `list` of its words, in any format of lists, and the file
    /// `tokenizer` of Hugging Face's tokenizers (`tokenizer.json`), which divides text into them.
    ///
    /// # Errors
    /// If a file can not be read or is no valid vocabulary, or if they number words differently.
    pub fn open_tokenizer(list: &Path, tokenizer: &Path) -> Result<Self, VocabularyError> {
        let vocabulary = Self::open(tokenizer)?;
        let read = || {
            let bytes = read_unpacked(list)?;
            let words = list_of_pieces(VocabularyFormat::detect(list, &bytes)?, &bytes)?;
            let ids = (0..words.len().min(vocabulary.len())).map(WordId::new);
            // A list may end with words that fill it up, and leave some out.
            match ids.into_iter().find(|&id| words.word(id) != vocabulary.word(id)) {
                None => Ok(()),
                Some(id) => Err(VocabularyError::OtherWord {
                    id: id.0,
                    listed: words.word(id).to_owned(),
                    word: vocabulary.word(id).to_owned(),
                    tokenizer: tokenizer.to_owned(),
                }),
            }
        };
        read().map_err(|source| VocabularyError::File { path: list.to_owned(), source: Box::new(source) })?;
        Ok(vocabulary)
    }

    /// Reads the vocabulary of a model of BPE units: `list` has the ids, in any format of lists, `codes` divides tokens
    /// into units, and `steps` divide lines into tokens.
    ///
    /// # Errors
    /// If a file can not be read or is no valid vocabulary, or no codes.
    pub fn open_moses_bpe(list: &Path, codes: &Path, steps: MosesSteps) -> Result<Self, VocabularyError> {
        let read = || {
            let bpe = Bpe::open(codes)?;
            let bytes = read_unpacked(list)?;
            let words = list_of_pieces(VocabularyFormat::detect(list, &bytes)?, &bytes)?;
            let eos = end_of_sentence(&words)?;
            let unk = words.id(UNK).ok_or(VocabularyError::Missing(UNK))?;
            Ok(Self { form: Form::MosesBpe(Box::new(MosesBpe::new(words, steps, bpe, eos, unk))), eos, unk: Some(unk) })
        };
        read().map_err(|source| VocabularyError::File { path: list.to_owned(), source: Box::new(source) })
    }

    /// Reads a vocabulary from the bytes of its file.
    ///
    /// # Errors
    /// If it is no valid vocabulary: not of this format, an id or word twice, no `</s>` or `<unk>`.
    pub fn from_bytes(format: VocabularyFormat, bytes: &[u8]) -> Result<Self, VocabularyError> {
        match format {
            VocabularyFormat::SentencePiece => return Self::of_pieces(SentencePieceModel::from_bytes(bytes)?),
            VocabularyFormat::Tokenizer => return Self::of_pieces(SentencePieceModel::from_tokenizer_json(bytes)?),
            VocabularyFormat::Mapping | VocabularyFormat::List => {}
        }
        let words = word_list(format, bytes)?;
        // Dictionaries of Nematus call word 0 `eos` and word 1 `UNK`, or leave them out.
        let special = |name: &'static str, nematus: &str, id: WordId| {
            let found = words.word(id);
            let is_nematus = id.index() < words.len() && (found.is_empty() || found == nematus);
            if format == VocabularyFormat::Mapping && is_nematus {
                return Ok(id);
            }
            words.id(name).ok_or(VocabularyError::Missing(name))
        };
        Ok(Self {
            eos: special(EOS, "eos", WordId(0))?,
            unk: Some(special(UNK, "UNK", WordId(1))?),
            form: Form::Words(words),
        })
    }

    /// Reads the pieces of the vocabulary in the file `path`, which [`to_prepared`](Self::to_prepared) made from files
    /// with the checksums `originals`.
    ///
    /// # Errors
    /// If the file can not be read, is broken or was made from other files.
    pub fn open_prepared(path: &Path, originals: &[u64]) -> Result<Self, VocabularyError> {
        let read = || Self::of_pieces(SentencePieceModel::from_prepared(&MappedFile::open(path)?, originals)?);
        read().map_err(|source| VocabularyError::File { path: path.to_owned(), source: Box::new(source) })
    }

    /// The bytes of a file from which these pieces are read faster than from their own files, which have the checksums
    /// `originals`. `None` for a vocabulary that has no pieces, or other ids than these.
    #[must_use]
    pub fn to_prepared(&self, originals: &[u64]) -> Option<Vec<u8>> {
        match &self.form {
            Form::Pieces(pieces) => pieces.to_prepared(originals),
            Form::Words(_) | Form::MarianMt(_) | Form::MosesBpe(_) => None,
        }
    }

    fn of_pieces(pieces: SentencePieceModel) -> Result<Self, VocabularyError> {
        let eos = pieces.eos().ok_or(VocabularyError::Missing(EOS))?;
        Ok(Self { eos, unk: pieces.unk(), form: Form::Pieces(Box::new(pieces)) })
    }

    /// Reads the vocabulary of a model of fairseq's, such as mBART-50: the pieces of the SentencePiece model at `path`
    /// stand after `<s>`, `<pad>`, `</s>` and `<unk>`, and `words` name languages.
    ///
    /// # Errors
    /// If the file can not be read or is no SentencePiece model, or if a word of `words` has the id of a piece.
    pub fn open_fairseq(path: &Path, words: &BTreeMap<String, u32>) -> Result<Self, VocabularyError> {
        let read = || {
            let bytes = read_unpacked(path)?;
            Self::of_pieces(SentencePieceModel::from_fairseq(&bytes, words)?)
        };
        read().map_err(|source| VocabularyError::File { path: path.to_owned(), source: Box::new(source) })
    }

    /// The vocabulary with words that name languages, which no text has, and their ids. A vocabulary of pieces has its
    /// own.
    ///
    /// # Errors
    /// If a word has another id already, or the id of another word.
    pub fn with_language_words(mut self, words: &BTreeMap<String, u32>) -> Result<Self, VocabularyError> {
        if let Form::MarianMt(model) = &mut self.form {
            model.add_languages(words)?;
        }
        Ok(self)
    }

    /// The vocabulary of a model of OPUS-MT or MarianMT from the bytes of its list and the pieces of its side.
    ///
    /// # Errors
    /// If `list` is not of this format, or has an id twice, or lacks `</s>` or `<unk>`.
    pub fn marian_mt(
        format: VocabularyFormat,
        list: &[u8],
        pieces: SentencePieceModel,
    ) -> Result<Self, VocabularyError> {
        let words = list_of_pieces(format, list)?;
        let eos = end_of_sentence(&words)?;
        let unk = words.id(UNK).ok_or(VocabularyError::Missing(UNK))?;
        Ok(Self { form: Form::MarianMt(Box::new(MarianMt::new(words, pieces, eos, unk))), eos, unk: Some(unk) })
    }
}

/// The words of a list that comes with what divides text into them: lines may be empty and words may come again.
fn list_of_pieces(format: VocabularyFormat, bytes: &[u8]) -> Result<WordList, VocabularyError> {
    match format {
        VocabularyFormat::List => WordList::new(formats::parse_lines(bytes)?),
        _ => word_list(format, bytes),
    }
}

/// A list of source words of OpenNMT-py has no end of sentence, which its models do not read: padding stands in its
/// place.
fn end_of_sentence(words: &WordList) -> Result<WordId, VocabularyError> {
    words.id(EOS).or_else(|| words.id("<blank>")).ok_or(VocabularyError::Missing(EOS))
}

/// The words of a list; pieces of a SentencePiece model are no list.
fn word_list(format: VocabularyFormat, bytes: &[u8]) -> Result<WordList, VocabularyError> {
    WordList::new(match format {
        VocabularyFormat::Mapping => formats::parse_yaml(bytes)?,
        VocabularyFormat::List => formats::parse_plain(bytes)?,
        VocabularyFormat::SentencePiece | VocabularyFormat::Tokenizer => return Err(VocabularyError::NoList),
    })
}
