//! A translator: text in, text out.
//!
//! [`Translator`] translates on its own threads, with neural models or a phrase-based one; [`Translator::builder`]
//! makes it from models, a language model and a glossary.
//!
//! ```
//! # fn main() -> Result<(), metaphrase::Error> {
//! let translator = metaphrase::Translator::bundled()?;
//! for translation in translator.translate(&["Good morning!", "", "Where is the station?"])? {
//!     println!("{}", translation.text());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A [`Request`] is a line with its terms, [`TranslateOptions`] specify how lines are translated, a [`Translation`] is
//! the answer. The translation of a line is the same, to the bit, in any batch and on any number of threads. The folder
//! `examples` has a program for each use.
#![forbid(unsafe_code)]

mod alignment;
mod builder;
mod bundled;
mod capitals;
mod carried;
mod check;
mod compounds;
mod constraints;
mod device;
mod document;
mod engine;
mod error;
mod evidence;
mod evidence_options;
mod export;
mod folding;
mod forms;
mod glossary;
mod language_model;
mod languages;
mod lengths;
mod linked;
mod lost;
mod model_languages;
mod names;
mod neural;
mod options;
mod package;
mod packed;
mod parts;
mod phrase_based;
mod pivot;
mod plan;
mod reply;
mod runs;
mod search_graph;
mod spelling;
mod stream;
mod term_options;
mod terms;
mod translation;
mod translator;
mod unknown;
mod vocabulary_files;

pub use alignment::{AlignmentKind, Attention};
pub use builder::TranslatorBuilder;
pub use carried::UnknownCharacters;
pub use device::{Device, Gpus, UnknownDevice};
pub use document::{Document, DocumentSentence, TranslatedDocument};
pub use engine::{AlignmentUnit, Engine, EngineFacts, Plan, Session};
pub use error::Error;
pub use evidence::{Evidence, EvidenceCounter};
pub use evidence_options::EvidenceOptions;
pub use export::export;
pub use glossary::{
    Case, Glossary, GlossaryError, GlossaryFile, GlossaryFileError, GlossaryFormat, alternatives, required_terms,
};
pub use lost::Lost;
pub use metaphrase_base::{
    Choice, Flag, Named, NumberRange, OptionFacts, OptionFault, OptionGroup, OptionKind, OptionValue, Unit, UnitTime,
    UnitTimes, UnknownName, WordId,
};
pub use metaphrase_document::{
    Comments, Entries, Error as DocumentError, FileFormat, FileOptions, Format as TextFormat, Keep,
    Options as TextOptions, Split, TextEncoding,
};
pub use metaphrase_evidence::{EvidenceError, NGram, NgramNumber, Posteriors, Theta};
pub use metaphrase_lattice::{Diagram, DiagramArc, Lattice, LatticeError};
pub use metaphrase_models::{ForeignFormat, ModelError, Optimizations, Precision, StoredPrecision};
pub use metaphrase_ngram::LmError;
pub use metaphrase_phrase::{Error as PhraseError, LookAhead, Presort, SearchOptions as PhraseOptions, UnknownWords};
pub use metaphrase_search::{
    Counts, Options as SearchOptions, OptionsError, RestCosts, Sampling, SamplingPool, Stop, Strategy,
};
pub use metaphrase_shortlist::{ShortlistError, ShortlistOptions};
pub use metaphrase_text::numbers::MissingNumber;
pub use metaphrase_text::spans;
pub use metaphrase_text::vocab::{Vocabulary, VocabularyError};
pub use model_languages::ModelLanguages;
pub use options::{TranslateOption, TranslateOptions};
pub use package::{Package, Report, convert, inspect};
pub use reply::{Cancel, Reply};
pub use search_graph::{GraphUnits, SearchGraph};
pub use term_options::{TermForms, TermPlaces, TermUse};
pub use terms::{Endings, Met, RequiredTerm, Terms};
pub use translation::{Hypothesis, Request, Translation};
pub use translator::Translator;
pub use unknown::{Dictionary, DictionaryError};

/// The code of the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../../README.md")]
struct Readme;
