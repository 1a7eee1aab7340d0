//! Test aids, not published: a fake model whose scores are a function of the history, scorers, and exhaustive search.
#![forbid(unsafe_code)]

mod exhaustive;
mod fake;
mod scorers;

pub use exhaustive::{Found, exhaustive};
pub use fake::{FakeModel, FakeScores, FakeState};
pub use scorers::{Densely, Pairs};
