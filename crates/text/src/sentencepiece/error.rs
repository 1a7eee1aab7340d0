//! Why a model file can not be used.

use std::path::PathBuf;

/// Why a SentencePiece model can not be used. Offsets are counted in bytes from the start of the file.
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
    /// A value runs past the end of its message.
    #[error("cut off or not a SentencePiece model: a value at byte {offset} runs past its end")]
    Cut {
        /// Where the value starts.
        offset: usize,
    },
    /// A field of a kind that the format does not have.
    #[error("not a SentencePiece model: wire type {wire_type} at byte {offset}, expected 0, 1, 2 or 5")]
    WireType {
        /// Where the field's value would start.
        offset: usize,
        /// The kind found.
        wire_type: u64,
    },
    /// A known field has a value of another kind.
    #[error("not a SentencePiece model: {field} at byte {offset} has the wrong wire type")]
    FieldType {
        /// Where the value is.
        offset: usize,
        /// Its name in `sentencepiece_model.proto`.
        field: &'static str,
    },
    /// A string is not UTF-8.
    #[error("{field} at byte {offset} is not valid UTF-8")]
    Utf8 {
        /// Where the string starts.
        offset: usize,
        /// Its name in `sentencepiece_model.proto`.
        field: &'static str,
    },
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
    /// More pieces or bytes than ids and offsets can count.
    #[error("too large: {0}")]
    TooLarge(&'static str),
}
