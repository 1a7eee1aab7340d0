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
//! What a step scores may be a model, an ensemble of them, either with a [`Scorer`](metaphrase_base::Scorer) such as a
//! language model ([`Fused`]); all are step models. What a sentence keeps of it is up to its [`Strategy`] and its
//! [`Constraints`]: plain beam search takes the best, cube pruning (candidates.rs) lets hypotheses share rows, dynamic
//! beam allocation (guide.rs) gives each number of met constraints its part of the beam. Any of the first goes with
//! any of the second.
//!
//! The loop is Algorithm 1 of Iglesias et al. 2018 with sentence batching (§3.1): rows of many sentences
//! share a step, finished sentences leave, waiting ones enter. A sentence's result does not depend on the
//! others, to the bit, as long as the model keeps the promise of `StepModel`.
//!
//! ```
//! use metaphrase_search::{Options, Searcher, Task};
//! # use metaphrase_base::{StepModel, WordId};
//! # fn translate<M: StepModel>(model: &M, source: Vec<WordId>) -> Result<(), metaphrase_search::OptionsError> {
//! let options = Options { beam_size: 4, ..Options::default() }.check(model)?;
//! let mut tasks = vec![Task::new("the first", source, &options)].into_iter();
//! let mut searcher = Searcher::new(model, 512);
//! searcher.run(|| tasks.next(), |outcome| {
//!     for hypothesis in &outcome.hypotheses {
//!         println!("{}: {} {:?}", outcome.tag, hypothesis.score, hypothesis.words);
//!     }
//! });
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod candidates;
mod constraints;
mod finished;
mod fused;
mod guide;
mod length;
mod options;
mod pruning;
mod sampling;
mod searcher;
mod sentence;
mod task;
mod trellis;

pub use constraints::{Constraints, ConstraintsError, Continues};
pub use fused::{Fused, FusedState};
pub use options::{CheckedOptions, Options, OptionsError, Stop, Strategy};
pub use sampling::Sampling;
pub use searcher::Searcher;
pub use task::{Counts, Hypothesis, Outcome, Task};
