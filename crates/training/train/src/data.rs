//! From parallel text to batches of word ids.
//!
//! ```text
//! files ──▶ Corpus::read: lines, segmented, filtered (Report) ──▶ Corpus
//! Corpus ──▶ Batches: shuffled, of like length ──▶ Batch
//! ```

mod alignment;
mod batch;
mod batches;
mod corpus;
mod error;
mod lines;
mod lists;
mod read;
mod report;

pub use batch::Batch;
pub use batches::{BatchSettings, BatchSize, Batches, Position};
pub use corpus::Corpus;
pub use error::{AlignmentFault, DataError, TermsFault};
pub use lists::{Lists, Sentences};
pub(crate) use read::check_line_counts;
pub use read::{CorpusFiles, Limits, TextVocabularies};
pub use report::Report;
