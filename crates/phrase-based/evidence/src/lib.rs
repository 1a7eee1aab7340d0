//! Evidence: which n-grams another system believes in, and the scores that they give to words.
//!
//! ```text
//! Lattice, n-best list ──▶ Paths ──▶ Posteriors ──▶ Matrix ──▶ a search
//!                        paths.rs    count.rs       matrix.rs
//! ```
//!
//! A phrase-based system, or any other, gives many translations of a sentence: a lattice or an n-best list, [`Paths`].
//! The [`Posteriors`] of their n-grams measure how sure the system is of each. The [`Matrix`] turns them into scores of
//! the next word after each history: L of Iglesias et al. 2018, equation 2, with the factors [`Theta`] of Tromble et
//! al. 2008. A [`Mask`] allows the translations of the evidence alone.
#![forbid(unsafe_code)]

mod count;
mod error;
mod grams;
mod mask;
mod matrix;
mod paths;
mod posteriors;
mod text;
mod theta;
mod units;
mod written;

pub use error::EvidenceError;
pub use mask::Mask;
pub use matrix::Matrix;
pub use paths::Paths;
pub use posteriors::{NGram, Posteriors};
pub use text::{NgramNumber, Numbering};
pub use theta::Theta;
pub use units::Units;
pub use written::WritingStyle;

use metaphrase_base::WordId;

/// The place before the first word of a sentence, as the first word of an n-gram.
pub const BEGIN: WordId = WordId(u32::MAX);

/// The longest n-grams that are counted, in units.
pub const MAX_ORDER: usize = 4;
