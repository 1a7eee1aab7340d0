//! Why a vocabulary can not be used.

use crate::sentencepiece::SentencePieceError;
use std::path::PathBuf;

/// Why a vocabulary can not be used. Lines are counted from 1.
#[derive(Debug, thiserror::Error)]
pub enum VocabularyError {
    /// Something is wrong with the file that was opened.
    #[error("vocabulary {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The problem.
        source: Box<VocabularyError>,
    },
    /// The file can not be read.
    #[error("can not be read: {0}")]
    Read(#[from] std::io::Error),
    /// The file is not a SentencePiece model.
    #[error(transparent)]
    SentencePiece(#[from] SentencePieceError),
    /// The file of the codes of BPE can not be read.
    #[error(transparent)]
    Bpe(#[from] crate::bpe::BpeError),
    /// The model of a truecaser can not be read.
    #[error(transparent)]
    Truecaser(#[from] crate::moses::TruecaseModelError),
    /// The file is not JSON, or not an object of words and ids.
    #[error("expected a JSON object of words and ids such as {{\"</s>\": 0}}: {0}")]
    Json(#[from] serde_json::Error),
    /// Bytes that are not UTF-8.
    #[error("line {line} is not valid UTF-8")]
    Utf8 {
        /// The line.
        line: usize,
    },
    /// A line that is not a word and an id.
    #[error("line {line} `{found}` {fault}, expected a word and its id such as `</s>: 0`")]
    Line {
        /// The line.
        line: usize,
        /// Its start.
        found: String,
        /// The problem.
        fault: &'static str,
    },
    /// A line of a plain list without a word.
    #[error("line {line} is empty, expected one word in each line")]
    EmptyLine {
        /// The line.
        line: usize,
    },
    /// A word that stands twice.
    #[error("word `{word}` has the ids {first} and {second}, expected one")]
    DuplicateWord {
        /// The word.
        word: String,
        /// Its ids.
        first: u32,
        /// Its ids.
        second: u32,
    },
    /// An id that two words have.
    #[error("words `{first}` and `{second}` both have id {id}, expected different ids")]
    DuplicateId {
        /// The id.
        id: u32,
        /// One of the words.
        first: String,
        /// The other.
        second: String,
    },
    /// An id that no vocabulary can have.
    #[error("word `{word}` has id {id}, expected one below 4,194,304")]
    IdTooLarge {
        /// The word.
        word: String,
        /// Its id.
        id: u32,
    },
    /// A list and a `tokenizer.json` that are of two models.
    #[error(
        "word {id} is `{listed}`, and in {} `{word}`: they are of two models; copy the files of one model",
        tokenizer.display()
    )]
    OtherWord {
        /// The id.
        id: u32,
        /// The word in the list.
        listed: String,
        /// The word in the other file.
        word: String,
        /// The other file.
        tokenizer: PathBuf,
    },
    /// A word that every vocabulary needs.
    #[error("has no entry for `{0}`, which every vocabulary needs")]
    Missing(&'static str),
    /// A size that no vocabulary can have.
    #[error("a vocabulary of {size} words can not be, expected 2 (`</s>` and `<unk>` alone) to 4,194,304")]
    Size {
        /// The request.
        size: usize,
    },
    /// A SentencePiece model in place of a list.
    #[error("is a SentencePiece model, expected a list of words with their ids")]
    NoList,
    /// A kind of vocabulary that is not supported.
    #[error("factored vocabularies (.fsv) are not supported")]
    Factored,
}
