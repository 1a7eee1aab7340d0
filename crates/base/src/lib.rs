//! Ids, scores and the traits where the crates of Metaphrase meet.
//!
//! * [`WordId`], [`SentId`], [`Row`]: checked 32-bit indices, one per noun.
//! * [`MappedFile`], [`Bytes`]: the bytes of a file, for what is used in place.
//! * [`new_file`], [`checksum`]: files that are whole or absent, and are noticed to be changed.
//! * [`Choice`]: closed sets that people choose from by name.
//! * [`pipeline`]: work on several threads, with results in order and within a bound.
//! * [`General`]: numbers as Marian and Moses print them.
//! * [`StepModel`]: what search knows of a model, one batched step.
//! * [`StepScores`]: the questions that search may ask about the scores of a step.
//! * [`Scorer`]: what adds to these scores, such as a language model.
//!
//! Scores are natural logarithms in `f32`; higher is better. Ties go to the smaller index.

mod choice;
mod files;
mod ids;
mod mapped;
mod number;
pub mod pipeline;
mod scorer;
mod step;

pub use choice::{Choice, Named, UnknownName};
pub use files::{checksum, new_file};
pub use ids::{Row, SentId, WordId};
pub use mapped::{Bytes, MappedFile};
pub use number::General;
pub use scorer::Scorer;
pub use step::{Candidate, Parent, StepModel, StepRow, StepScores, by_score_desc};
