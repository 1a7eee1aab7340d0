//! Byte-pair encoding as `subword-nmt` does it: Sennrich, Haddow and Birch (2016), *Neural machine
//! translation of rare words with subword units*.
//!
//! A word starts as its characters; then, again and again, of all neighbours that the codes can
//! merge those are merged that the codes name first. The result is that of the Python package
//! `subword-nmt` 0.3.8, piece by piece.
//!
//! ```
//! use metaphrase_text::bpe::Bpe;
//!
//! let bpe = Bpe::from_bytes(b"#version: 0.2\nl o\nlo w</w>\n", "codes")?;
//! assert_eq!(bpe.segment_line("low slow lot"), "low s@@ low lo@@ t");
//! assert_eq!(bpe.join_line("low s@@ low lo@@ t"), "low slow lot");
//! # Ok::<(), metaphrase_text::bpe::BpeError>(())
//! ```

mod codes;
mod error;
mod glossary;
mod merge;
mod segment;
mod vocabulary;

pub use error::BpeError;
pub use segment::Bpe;
pub use vocabulary::BpeVocabulary;
