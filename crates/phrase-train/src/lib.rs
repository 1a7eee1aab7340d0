//! Training of phrase-based models: from tokenised parallel text to a tuned model directory.
//!
//! [`train`] goes through the [`Stage`]s: word alignment, phrase and reordering tables, language model, and weights that are
//! tuned on a [`DevSet`]. Each stage writes whole files, from which a later run may continue. Moses reads the
//! directory. [`tune`] finds weights for an existing model.
//!
//! This crate connects the stages; the methods are in `align`, `ngram` and `tune`.
#![forbid(unsafe_code)]

mod dev;
mod error;
mod files;
mod settings;
mod text;
mod train;
mod tuning;
mod weights;

pub use dev::DevSet;
pub use error::Error;
pub use train::{Event, Stage, TrainOptions, train};
pub use tuning::{TuneOptions, evaluate, tune};
