//! A translator: text in, text out.
//!
//! [`Package`] finds a model's files, [`Translator`] loads them and translates on its own threads.
//!
//! ```
//! # fn main() -> Result<(), metaphrase::Error> {
//! let translator = metaphrase::Translator::bundled()?;
//! for translation in translator.translate(&["Good morning!", "", "Where is the station?"])? {
//!     println!("{}", translation.text());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A line's translation is the same, to the bit, whatever it is batched with and however many threads there are.
#![forbid(unsafe_code)]

mod alignment;
mod bundled;
mod constraints;
mod error;
mod glossary;
mod language_model;
mod options;
mod package;
mod stream;
mod translation;
mod translator;

pub use alignment::{AlignmentKind, Attention};
pub use constraints::{Met, Terms};
pub use error::Error;
pub use glossary::{Case, Glossary, GlossaryError};
pub use metaphrase_models::{Precision, Report, convert};
pub use metaphrase_search::{Counts, Options as SearchOptions, Sampling, Stop, Strategy};
pub use options::TranslateOptions;
pub use package::{Package, inspect};
pub use translation::{Hypothesis, Request, Translation};
pub use translator::{Execution, Translator};

/// The code of the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
