//! The tests of behaviour, one file each, in one program: it builds faster than a program per file.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod attention_first;
mod batch_invariance;
mod common;
mod convert;
mod ctranslate2;
mod damaged;
mod exports;
mod files;
mod hugging_face;
mod inspect;
mod precision;
mod rows_and_votes;
mod scorers;
mod shortlists;
mod transformer_settings;
mod transformer_variants;
