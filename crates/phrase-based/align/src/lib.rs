//! Word alignment of parallel text, which word translates which, and the tables that are made from it.
//!
//! ```
//! use metaphrase_align::{Corpus, Options, align};
//!
//! let mut corpus = Corpus::default();
//! for (german, english) in [("das haus", "the house"), ("das buch", "the book"), ("ein buch", "a book")] {
//!     corpus.push(german, english);
//! }
//! let alignments = align(&corpus, &Options::default(), &mut |_| {})?;
//! assert_eq!(alignments[0].to_string(), "0-0 1-1");
//! # Ok::<(), metaphrase_align::Error>(())
//! ```
//!
//! * [`Corpus`]: tokenised sentence pairs as word ids.
//! * [`align`]: a diagonal model and on top of it an HMM, of both directions, trained to agree; a [`Symmetrization`]
//!   makes one [`Alignment`] of the two.
//! * [`agreement`]: how well the words of each pair translate each other, for cleaning a corpus.
//! * [`extract()`]: phrase tables, reordering tables, word translation tables and candidate lists.
//! * [`ErrorRate`]: how far an alignment is from one made by hand.
//!
//! Results do not depend on the number of threads. `docs/algorithms/align.md` and `extract.md` have the
//! formulas.
#![forbid(unsafe_code)]

mod aligner;
mod alignment;
mod corpus;
mod diagonal;
mod error;
mod error_rate;
mod extract;
mod fixed;
mod hmm;
mod jumps;
mod pair;
mod symmetrize;
mod table;
mod workers;

pub use aligner::{Options, Progress, Stage, agreement, align};
pub use alignment::{Alignment, Link};
pub use corpus::{Corpus, Pair};
pub use error::Error;
pub use error_rate::ErrorRate;
pub use extract::{ExtractError, ExtractOptions, ExtractionReport, Smoothing, TABLES, extract, extract_lexicon};
pub use metaphrase_base::Words;
pub use symmetrize::Symmetrization;
