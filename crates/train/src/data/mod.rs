//! From parallel text to batches of word ids.

mod sentences;

pub use sentences::{Batch, Sentences};
