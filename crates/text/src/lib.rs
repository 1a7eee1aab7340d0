//! Strings to word ids and back: normalise, split, segment, join, vocabularies.

pub mod bpe;
pub mod moses;
pub mod sentencepiece;
pub mod vocab;
