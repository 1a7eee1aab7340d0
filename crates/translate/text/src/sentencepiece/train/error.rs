//! Why no model can be trained.

/// Why no model can be trained on this text with these options.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TrainError {
    /// Nothing is left of the text.
    #[error(
        "no text to train on: of {lines} lines all are blank or longer than max_line_length = {max_line_length} bytes"
    )]
    NoText {
        /// Lines that were read.
        lines: usize,
        /// The option.
        max_line_length: usize,
    },
    /// Not even the characters fit.
    #[error(
        "vocab_size = {wanted} is too small: {special} special pieces and {characters} characters need {needed}; \
         ask for more pieces or lower character_coverage"
    )]
    TooSmall {
        /// The option `vocab_size`.
        wanted: usize,
        /// The smallest that is possible.
        needed: usize,
        /// Special pieces: unknown, control, user-defined, bytes.
        special: usize,
        /// Characters that `character_coverage` asks for.
        characters: usize,
    },
    /// The text does not have as many pieces.
    #[error(
        "vocab_size = {wanted} is more than this text supports, expected at most {possible}; ask for fewer pieces or \
         give more text"
    )]
    TooLarge {
        /// The option `vocab_size`.
        wanted: usize,
        /// The largest that is possible.
        possible: usize,
    },
    /// More distinct text than 32-bit offsets can count.
    #[error("the text has 2^32 characters or more in distinct words; set `sample` to train on some of its lines")]
    TooMuchText,
    /// Ids of special pieces that can not be.
    #[error("the id {id} of `{piece}` {fault}")]
    SpecialId {
        /// The piece.
        piece: String,
        /// Its id.
        id: usize,
        /// The problem.
        fault: &'static str,
    },
    /// A control or user-defined symbol that can not be.
    #[error("the symbol `{symbol}` {fault}")]
    Symbol {
        /// The symbol.
        symbol: String,
        /// The problem.
        fault: &'static str,
    },
    /// A number out of its range.
    #[error("{option} = {found}, expected {expected}")]
    Option {
        /// Its name in [`TrainOptions`](super::TrainOptions).
        option: &'static str,
        /// Its value.
        found: f64,
        /// Its range.
        expected: &'static str,
    },
    /// Words can not be written to a vocabulary of pieces: an index outgrows its format.
    #[error("the model outgrows its file format: {0}")]
    Format(&'static str),
}
