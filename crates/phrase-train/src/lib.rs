//! Training of phrase-based models: from tokenised parallel text to a tuned model directory.
//!
//! [`train`] goes through the [`Stage`]s: word alignment, phrase and reordering tables, language model, and weights that are
//! tuned on a [`DevSet`]. Each stage leaves whole files, which a later run may go on from. The directory is one of Moses.
//! [`tune`] finds weights for a model that is there.
//!
//! This crate puts the others together: what is learnt, and how, is in `align`, `ngram` and `tune`.
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
pub use tuning::{TuneOptions, tune};
