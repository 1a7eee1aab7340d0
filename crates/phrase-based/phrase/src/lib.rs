//! Phrase-based translation: phrase tables, and the search for the best sequence of phrases.
#![forbid(unsafe_code)]

mod candidates;
mod counters;
mod coverage;
mod error;
mod features;
mod graph;
mod index;
mod ini;
mod ini_text;
mod lattice;
mod lines;
mod markup;
mod memo;
mod model;
mod nbest;
mod option_cache;
mod options;
mod ranking;
mod ready;
mod rest_cost;
mod search;
mod sentence;
mod source;
mod stack;
mod table;
mod text_table;
mod translation;

pub use counters::Counters;
pub use error::Error;
pub use features::{Features, UNKNOWN_WORD};
pub use ini::MosesIni;
pub use ini_text::reweighted;
pub use lattice::{PhraseArc, PhraseLattice, PhraseNode};
pub use markup::Markup;
pub use metaphrase_lattice::Lattice;
pub use metaphrase_ngram::Model as LanguageModel;
pub use model::{FeatureNames, PhraseModel};
pub use options::{LookAhead, Presort, SearchOptions, UnknownWords};
pub use ready::{ReadyModel, Results};
pub use search::{Decoder, Workspace};
pub use source::{ForcedTranslation, LONGEST_FORCED, Source};
pub use table::{Builder, PairId, PhraseTable, REORDERING_SCORES};
pub use text_table::{LOWEST_SCORE, PhraseLine, ReorderingLine, log_score};
pub use translation::{Phrase, Target, Translation};
