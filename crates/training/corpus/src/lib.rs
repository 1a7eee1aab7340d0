//! Parallel text, cleaned and weighed for training: [`clean`] reads the sources that a [`Recipe`] names, leaves out
//! pairs that harm a model, sets pairs aside for development and tests, and repeats sources by their weights.
//!
//! | module | content |
//! |---|---|
//! | `recipe` | the sources and all settings |
//! | `filter` | faults of a pair that the pair alone shows |
//! | `seen` | pairs that were there before, and lines of test sets |
//! | `agreement` | how well the words of a pair translate each other, by the word aligner |
//! | `scores` | the difference of two models' scores of a pair |
//! | `marks` | quotation marks, written in one way |
//! | `noise` | pairs as careless people write them |
//! | `terms` | pairs with terms and their translations in the source |
//! | `clean` | the stages in their order |
//! | `report` | how many pairs were kept and left out, and why, with examples |
//!
//! A result depends on the recipe and its texts alone: not on the number of threads.
#![forbid(unsafe_code)]

mod agreement;
mod clean;
mod copied;
mod error;
mod filter;
mod marks;
mod noise;
mod read;
mod recipe;
mod report;
mod scores;
mod seen;
mod terms;

pub use clean::{Stage, clean};
pub use error::CorpusError;
pub use filter::Reason;
pub use marks::Marks;
pub use recipe::{HeldOut, Languages, Limits, Noise, QuotationMarks, Recipe, Side, Source};
pub use report::{Report, Sample, SourceReport};
