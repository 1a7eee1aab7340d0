//! The tests of behaviour, one file each, in one program: it builds faster than a program per file.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod hostile;
mod hostile_text;
mod moses_golden;
mod prepared;
mod sentencepiece;
mod sentencepiece_training;
mod subword_golden;
mod vocabulary;
