//! Search for the best translation: batched beam search over any [`StepModel`](metaphrase_base::StepModel).
//!
//! ```text
//!            tasks ──▶ Searcher::run ──▶ outcomes (in the order in which sentences finish)
//!                          │ one loop: admit · step · select · retire     (searcher.rs: Algorithm 1)
//!              ┌───────────┴──────────┐
//!      StepModel::step        SentenceSearch::advance                     (sentence.rs)
//!      scores of all rows     TOPB of one sentence; F, its second stack, T
//!                                     │
//!                                  Trellis                                (trellis.rs: b, y, q of all steps)
//! ```
//!
//! The loop is Algorithm 1 of Iglesias et al. 2018 with sentence batching (§3.1): rows of many sentences
//! share a step, finished sentences leave, waiting ones enter. A sentence's result does not depend on the
//! others, to the bit, as long as the model keeps the promise of `StepModel`.
//!
//! ```
//! use metaphrase_search::{Options, Searcher, Task};
//! # use metaphrase_base::{StepModel, WordId};
//! # fn translate<M: StepModel>(model: &M, source: Vec<WordId>) -> Result<(), metaphrase_search::OptionsError> {
//! let mut searcher = Searcher::new(model, Options { beam_size: 4, ..Options::default() })?;
//! let mut tasks = vec![Task::translate(0, source)].into_iter();
//! searcher.run(|| tasks.next(), |outcome| {
//!     for hypothesis in &outcome.hypotheses {
//!         println!("{} {:?}", hypothesis.score, hypothesis.words);
//!     }
//! });
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod length;
mod options;
mod sampling;
mod searcher;
mod sentence;
mod task;
mod trellis;

pub use options::{Options, OptionsError, Stop};
pub use sampling::Sampling;
pub use searcher::Searcher;
pub use task::{Hypothesis, Outcome, Task};
