//! The one interface of everything that translates: neural models, phrase-based models, two translators in a row.

use crate::reply::Reply;
use crate::{Error, EvidenceCounter, Request, TranslateOptions};
use metaphrase_text::vocab::Vocabulary;
use std::sync::Arc;

/// The part of a translator that translates lines. A [`Translator`](crate::Translator) plans requests and gives an
/// engine one line, or one part of a long line, at a time.
pub trait Engine: Send + Sync {
    /// The facts about the engine, which never change.
    fn facts(&self) -> EngineFacts;

    /// The default options.
    fn options(&self) -> TranslateOptions {
        TranslateOptions::default()
    }

    /// Checks the options, and starts what lines with these options need.
    ///
    /// # Errors
    /// [`Error`] for options that can not work with this engine, or if there are no threads.
    fn session<'e>(&'e self, options: &TranslateOptions) -> Result<Box<dyn Session + 'e>, Error>;
}

/// An engine that is ready for lines with one set of options.
pub trait Session: Send + Sync {
    /// Begins to translate a line, and returns. The engine finishes the reply when it has the translation, on any
    /// thread.
    fn submit(&self, plan: Plan, reply: Reply);

    /// An estimate of the most bytes that a line and its translation take.
    /// [`Translator::stream`](crate::Translator::stream) keeps the sum within a bound.
    fn weight(&self, plan: &Plan) -> usize {
        plan.request.size().saturating_mul(16)
    }
}

/// The facts about an engine.
#[derive(Debug, Clone, Default)]
pub struct EngineFacts {
    /// The codes of the source and the target language.
    pub languages: Option<[String; 2]>,
    /// The source languages that a request can choose from, in alphabetical order; empty if the engine needs no source
    /// language.
    pub source_languages: Vec<String>,
    /// The target languages that a request can choose from, in alphabetical order; empty if the engine has one.
    pub target_languages: Vec<String>,
    /// The words that the engine reads; `None` if it does not number words.
    pub source_vocabulary: Option<Arc<Vocabulary>>,
    /// The words that the engine writes.
    pub target_vocabulary: Option<Arc<Vocabulary>>,
    /// Letters that the vocabulary has and that the engine garbles: they are dealt with as those that it lacks.
    pub unlearned_letters: String,
    /// The units that word alignments link; `None` if translations have no alignments.
    pub alignment: Option<AlignmentUnit>,
    /// Counts the target words in evidence of other systems.
    pub evidence_counter: Option<EvidenceCounter>,
    /// Whether the engine takes lines of any length as they are, because it divides them itself.
    pub takes_whole_lines: bool,
}

/// The units that an alignment links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlignmentUnit {
    /// The pieces of the vocabularies.
    Pieces,
    /// Written words.
    Words,
}

/// A line, or a part of a long line, as an engine gets it: all required terms are there, those of glossaries too.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The text, its terms and its evidence.
    pub request: Request,
    /// The number of the line among those of its caller, from 0: equal lines draw different samples.
    pub number: usize,
}
