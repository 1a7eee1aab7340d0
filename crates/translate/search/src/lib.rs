//! Search for the best translation: batched beam search over any [`StepModel`](metaphrase_base::StepModel).
//!
//! ```text
//!  Task ─▶ Searcher::run: admit · step · select · retire ─▶ Outcome         searcher.rs: Algorithm 1
//!             │ Sentence, rows             ▲ continuations
//!             ▼                            │
//!          StepModel                SentenceSearch                          sentence.rs: the beam, F, T
//!          encode · step · release         │ asks for the continuations that its strategy wants
//!             │                            │   beam        TOPB             candidates.rs
//!             │    Scorer                  │   cubes       rows are shared  candidates/cube.rs
//!             │    adds WordScores         │   banks       constraints      guide.rs
//!             │      │                     │   bans        may not follow   bans.rs
//!             ▼      ▼                     ▼
//!          StepScores: the k best of these rows · the score of a word · a row
//! ```
//!
//! Four things vary independently; three of them are traits of `metaphrase_base`:
//!
//! * [`StepModel`](metaphrase_base::StepModel): a model, an ensemble, a model with a scorer ([`Fused`]). Search passes
//!   rows that name their parents; it never sees a state.
//! * [`StepScores`](metaphrase_base::StepScores): the scores of a step. Search asks questions and reads no rows: only
//!   the question for a whole row (sampling) needs a number per word.
//! * [`Scorer`](metaphrase_base::Scorer): adds to all words of a row, densely (a language model) or sparsely (a bonus
//!   for few words, a mask). Scorers stack: a model with a scorer is a model.
//! * [`Strategy`] and [`Constraints`]: which continuations a sentence keeps. Both are closed sets, private to this
//!   crate; each strategy goes with constraints and without.
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

mod bans;
mod candidates;
mod characters;
mod constraints;
mod finished;
mod fused;
mod guide;
mod informed;
mod length;
mod options;
mod plan;
mod pruning;
mod sampling;
mod searcher;
mod sentence;
mod task;
mod trellis;

pub use characters::ByteWords;
pub use constraints::{Constraints, ConstraintsError, WrittenWords};
pub use fused::{Fused, FusedState};
pub use informed::{Informed, InformedState};
pub use options::{CheckedOptions, Options, OptionsError, RestCosts, Stop, Strategy};
pub use sampling::{Sampling, SamplingPool};
pub use searcher::Searcher;
pub use task::{Counts, Explored, Hypothesis, Outcome, Task};
