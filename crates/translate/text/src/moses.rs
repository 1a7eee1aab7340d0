//! The Moses pre- and post-processing tools: tokeniser, detokeniser, punctuation normaliser,
//! truecaser.
//!
//! Models trained on Moses-tokenised text only work on text that is split in the very same way,
//! so these types reproduce the behaviour of the Python package `sacremoses` 0.2.0 token by
//! token; where we differ on purpose, the item's documentation says so. Each rule is one linear pass over the
//! line, in the order of the original, so a line of a million characters costs no more per
//! character than a short one.
//!
//! ```
//! use metaphrase_text::moses::{MosesDetokenizer, MosesTokenizer};
//!
//! let tokens = MosesTokenizer::new("en").tokenize("It isn't \"done\", Dr. Smith.");
//! assert_eq!(tokens.join(" "), "It isn &apos;t &quot; done &quot; , Dr. Smith .");
//! let line = MosesDetokenizer::new("en").detokenize(&tokens);
//! assert_eq!(line, "It isn't \"done\", Dr. Smith.");
//! ```

mod case_counts;
mod char_class;
mod detokenizer;
mod markup;
mod normalizer;
mod prefixes;
mod protect;
mod tokenizer;
mod truecaser;

pub use case_counts::TruecaseModelError;
pub(crate) use char_class::is_cjk;
pub use detokenizer::{MosesDetokenizer, SpacingState, unescape};
pub use normalizer::{NormalizerOptions, PunctuationNormalizer};
pub use prefixes::NonbreakingPrefixes;
pub use protect::{PatternError, ProtectedPatterns};
pub use tokenizer::{MosesTokenizer, TokenizerOptions};
pub use truecaser::{FirstWords, Truecaser, TruecaserOptions, TruecaserTrainer, detruecase_headline, detruecase_line};
