//! Errors of text that is to be aligned.

use thiserror::Error;

/// Why an alignment was refused; every message is one sentence.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing can be learnt from nothing.
    #[error("there is no sentence pair with words on both sides; give two tokenised texts, one sentence a line")]
    NoText,
    /// More word pairs than a 32-bit index counts.
    #[error(
        "the text has more than 4,000,000,000 different word pairs; align it in parts, or segment words into sub-words"
    )]
    TooManyWordPairs,
    /// A link that is not of the form `i-j`.
    #[error(
        "'{found}' is no link; expected source and target position from 0 as in '0-0 1-2', each below {limit}",
        limit = crate::alignment::LONGEST
    )]
    Link {
        /// The text in the place of a link.
        found: String,
    },
    /// A link to a word that the sentence does not have.
    #[error("link {link} is outside the sentence pair of {source_words} and {target_words} words")]
    LinkOutside {
        /// The link as `i-j`.
        link: String,
        /// Words of the source sentence.
        source_words: usize,
        /// Words of the target sentence.
        target_words: usize,
    },
}
