//! N-gram language models: estimated from text, stored, queried.
//!
//! ```
//! use metaphrase_ngram::{END, arpa};
//!
//! let text = "\\data\\\nngram 1=4\nngram 2=2\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\t-0.5\n\
//!     -0.7\t</s>\n-0.4\thello\t-0.2\n\n\
//!     \\2-grams:\n-0.1\t<s> hello\n-0.3\thello </s>\n\n\\end\\\n";
//! let model = arpa::read_from(text.as_bytes(), "hello.arpa".as_ref())?;
//!
//! let hello = model.vocabulary().id("hello");
//! let (log10, state) = model.score(&model.begin(), hello);
//! assert_eq!(log10, -0.1);
//! // `hello hello` is not in the model: the back-off weight of `hello`, and `hello` alone.
//! assert_eq!(model.score(&state, hello).0, -0.2 + -0.4);
//!
//! // Many words after one history.
//! let context = model.context(&state);
//! assert_eq!(context.score(END), -0.3);
//! # Ok::<(), metaphrase_ngram::LmError>(())
//! ```
//!
//! **All scores of this crate are logarithms to base 10**, as in ARPA files, so that what is read is written again to
//! the digit; who adds them to natural logarithms multiplies by [`LN_10`](core::f32::consts::LN_10) once.
#![forbid(unsafe_code)]

mod all_words;
pub mod arpa;
mod binary;
mod build;
mod bytes;
mod error;
mod estimate;
mod layout;
mod model;
mod ngrams;
mod permutation;
mod quantise;
mod state;
mod table;
mod vocabulary;

pub use all_words::AllWords;
pub use error::LmError;
pub use estimate::{Discounts, EstimateOptions, EstimateReport, OrderReport, estimate};
pub use metaphrase_base::WordId;
pub use model::{Context, Lookup, Model, NgramScore};
pub use state::State;
pub use vocabulary::{BEGIN, END, UNKNOWN, Vocabulary};

/// The highest order of a model.
pub const MAX_ORDER: usize = 6;

/// Bytes before the first section of a model.
const HEADER: usize = 256;
