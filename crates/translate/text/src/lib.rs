//! Strings to word ids and back: normalise, split, segment, join, vocabularies.

pub mod bpe;
pub mod english;
pub mod german;
pub mod language;
pub mod moses;
pub mod numbers;
pub mod sentencepiece;
mod spans;
mod terms;
pub mod vocab;
mod whole;
mod words;

pub use spans::{pieces_in, pieces_of_words, spans};
pub use terms::{MarkedSource, MarkedText, MarkedTextError, TermMarks};
pub use whole::{WholeWords, comparable};
pub use words::{capitalised, letter_runs, written_words};

/// Whether `c` is of a script that writes words without spaces between them, such as Chinese or Japanese.
#[must_use]
pub fn without_spaces(c: char) -> bool {
    moses::is_cjk(c)
}
