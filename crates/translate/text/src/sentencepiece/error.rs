//! Why a model file can not be used.

use std::path::PathBuf;

/// Why a SentencePiece model can not be used.
#[derive(Debug, thiserror::Error)]
pub enum SentencePieceError {
    /// Something is wrong with the file that was opened.
    #[error("SentencePiece model {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The problem.
        source: Box<SentencePieceError>,
    },
    /// The file can not be read.
    #[error("can not be read: {0}")]
    Read(#[from] std::io::Error),
    /// The bytes are not those of a SentencePiece model.
    #[error("{0}")]
    Format(String),
    /// A piece that no model may have.
    #[error("piece {id} {fault}")]
    Piece {
        /// Its id.
        id: usize,
        /// The problem with it.
        fault: &'static str,
    },
    /// A string that is the text of two pieces.
    #[error("piece {id} `{piece}` is already defined as piece {first}")]
    Duplicate {
        /// The second id.
        id: usize,
        /// The first id.
        first: usize,
        /// The text of both.
        piece: String,
    },
    /// The model lacks a part that encoding needs.
    #[error("{0}")]
    Incomplete(&'static str),
    /// A model type that is not one of unigram (1), BPE (2), word (3), char (4).
    #[error("unknown model type {0}, expected 1 (unigram), 2 (BPE), 3 (word) or 4 (char)")]
    ModelType(u64),
    /// The normalisation table is broken.
    #[error("the precompiled_charsmap is broken: {0}")]
    CharsMap(&'static str),
    /// Characters that the model can not be given.
    #[error("{0}")]
    Extension(String),
    /// The file of prepared pieces is broken or belongs to other files.
    #[error("the prepared pieces can not be used: {0}; convert the model again")]
    Prepared(String),
    /// More pieces or bytes than ids and offsets can count.
    #[error("too large: {0}")]
    TooLarge(&'static str),
}
