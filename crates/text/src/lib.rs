//! Strings to word ids and back: normalise, split, segment, join, vocabularies.

pub mod moses;
