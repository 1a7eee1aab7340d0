//! Training of phrase-based models: from tokenised parallel text to a tuned model directory.
//!
//! [`train`] goes through the [`Stage`]s: word alignment, phrase and reordering tables, language model, and weights
//! that are tuned on a [`DevSet`]. Each stage writes whole files and records their checksums, its settings and its
//! inputs, so that a later run continues with the files that it would make itself. Moses reads the directory. [`tune`]
//! finds weights for an existing model.
//!
//! This crate connects the stages; the methods are in `align`, `ngram` and `tune`.
#![forbid(unsafe_code)]

mod dependencies;
mod dev;
mod error;
mod files;
mod folder;
mod options;
mod record;
mod text;
mod train;
mod tuning;
mod weights;

pub use dev::DevSet;
pub use error::Error;
pub use options::TrainOptions;
pub use train::{Event, Stage, train};
pub use tuning::{TuneOptions, evaluate, tune};
