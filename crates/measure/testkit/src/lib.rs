//! Test aids, not published: a fake model whose scores are a function of the history, a model that delegates to
//! another one, scorers, exhaustive search, and tests that name the files they miss.
#![forbid(unsafe_code)]

mod avoided;
mod crates;
mod delegate;
mod exhaustive;
mod fake;
mod needs;
mod scorers;

pub use avoided::AvoidedWords;
pub use crates::{crate_folders, files_below, repository};
pub use delegate::{Delegate, Delegating};
pub use exhaustive::{FinishedSequence, exhaustive};
pub use fake::{FakeModel, FakeScores, FakeState};
pub use needs::{IntoOutcome, MissingFiles, Outcome, run, shared, test};
pub use scorers::{Densely, Pairs};

/// The examples of the page compile and run.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/extending.md")]
struct Extending;
