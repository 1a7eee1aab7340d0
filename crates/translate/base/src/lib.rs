//! Ids, scores and the traits where the crates of Metaphrase meet.
//!
//! * [`WordId`], [`SentId`], [`Row`]: checked 32-bit indices, one per noun.
//! * [`Words`]: distinct words and their ids.
//! * [`MappedFile`], [`Bytes`]: the bytes of a file, used in place; [`report_truncated_files`] if it is truncated
//!   meanwhile.
//! * [`NewFile`], [`NewFolder`]: files and folders that come into being whole or not at all; [`remove_listed`]: a
//!   folder of ours is removed.
//! * [`checksum`], [`Checksums`]: files that are verified; [`inside`]: a file that a directory names and has.
//! * [`read_line`], [`Gunzip`]: lines of text within a bound of memory. [`read_unpacked`]: a file that gzip may have
//!   packed.
//! * [`shown`]: foreign text in messages.
//! * [`Choice`]: closed sets that people choose from by name.
//! * [`OptionItem`]: a field of options with all that a command line, a binding and a page have to know about it.
//! * [`in_parallel`]: work that is divided among threads. [`pipeline`]: work that comes one by one, with results in
//!   order and within a bound.
//! * [`SixDigits`]: numbers as Marian and Moses print them.
//! * [`StepModel`]: what search knows about a model, one batched step over [`Sentence`]s.
//! * [`StepScores`]: the questions that search may ask about the scores of a step.
//! * [`Shortlist`]: the target words that may translate a sentence.
//! * [`AvoidedPhrases`]: reads words and reports where they make a phrase that must not appear.
//! * [`Scorer`]: adds [`WordScores`] to these scores, as a language model or a mask does; [`SentenceScorer`] for one
//!   sentence.
//! * [`Unit`], [`UnitTimes`]: where the time of a translation goes.
//!
//! Scores are natural logarithms in `f32`; higher is better. Ties go to the smaller index.

mod avoided;
mod checksums;
mod choice;
mod files;
mod folders;
mod ids;
mod large;
mod lines;
mod mapped;
mod number;
mod option_item;
mod packed;
mod parallel;
pub mod pipeline;
mod scorer;
mod shortlist;
mod shown;
mod step;
mod unfinished;
mod units;
mod words;

pub use avoided::{AvoidedPhrases, PhraseStatus, ReadText};
pub use checksums::{Checksums, UnlistedFile};
pub use choice::{Choice, Named, UnknownName};
pub use files::{checksum, inside, start_of};
pub use folders::{MadeFolder, NewFolder, remove_listed};
pub use ids::{Row, SentId, WordId};
pub use large::LargeBytes;
pub use lines::{Gunzip, LONGEST_LINE, LineRead, read_line};
pub use mapped::{Bytes, MappedFile, report_truncated_files};
pub use number::SixDigits;
pub use option_item::{
    Field, Flag, NumberRange, OptionFacts, OptionFault, OptionGroup, OptionItem, OptionKind, OptionValue, names_of,
};
pub use packed::{read_unpacked, unpacked_start};
pub use parallel::{in_parallel, in_parallel_while};
pub use scorer::{ScoreBuffer, Scorer, SentenceScorer, WordScore, WordScores};
pub use shortlist::Shortlist;
pub use shown::shown;
pub use step::{
    Candidate, ModelFacts, Parent, Sentence, Step, StepDemand, StepModel, StepRow, StepScores, by_score_desc,
};
pub use unfinished::{NewFile, remove_unfinished};
pub use units::{Measurement, Unit, UnitTime, UnitTimer, UnitTimes, count_product, is_measuring};
pub use words::Words;
