//! Why a translator can not be made, or can not translate.

use metaphrase_base::OptionFault;
use metaphrase_base::pipeline::NotReady;
use metaphrase_document::Error as DocumentError;
use metaphrase_models::ModelError;
use metaphrase_ngram::LmError;
use metaphrase_phrase::Error as PhraseError;
use metaphrase_search::OptionsError;
use metaphrase_shortlist::ShortlistError;
use metaphrase_text::language::LanguageError;
use metaphrase_text::vocab::VocabularyError;
use std::path::PathBuf;

/// Why a translator can not be made, or can not translate: one sentence that reports the fault and its place, and
/// suggests what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No model was given.
    #[error("no model was given; name a model's directory, or a bundled model such as `en-de`")]
    NoModel,
    /// A device that is not there, or can not run a model.
    #[error("{problem}")]
    Device {
        /// The device.
        device: crate::Device,
        /// One sentence.
        problem: String,
    },
    /// A model file that can not be read or used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A vocabulary file that can not be read.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    /// A vocabulary that belongs to another model.
    #[error(
        "{} has {words} words but the model {} was trained with {expected} {side} words; give the vocabulary that belongs to the model",
        vocabulary.display(), model.display()
    )]
    VocabularySize {
        /// Source or target.
        side: &'static str,
        /// The vocabulary's file.
        vocabulary: PathBuf,
        /// The model's file.
        model: PathBuf,
        /// Words in the vocabulary.
        words: usize,
        /// Words in the model.
        expected: usize,
    },
    /// A model file has this number of vocabularies instead of one or two.
    #[error("{0} vocabularies given; give one for both languages, or the source's and the target's")]
    VocabularyCount(usize),
    /// Models of an ensemble with different vocabularies.
    #[error("{first} and {other} have different {side} vocabularies; the models of an ensemble must share theirs")]
    EnsembleVocabulary {
        /// The first model.
        first: String,
        /// The one that differs.
        other: String,
        /// Source or target.
        side: &'static str,
    },
    /// A target language that the model does not know.
    #[error("the model does not translate into `{language}`; its target languages are {known}")]
    TargetLanguage {
        /// The code that was given.
        language: String,
        /// The codes of the model, with commas between them.
        known: String,
    },
    /// A source language that the model does not know.
    #[error("the model does not translate from `{language}`; its languages are {known}")]
    SourceLanguage {
        /// The code that was given.
        language: String,
        /// The codes of the model, with commas between them.
        known: String,
    },
    /// A source language for a model that does not need it.
    #[error(
        "the model does not need the source language, so `{language}` can not be chosen; leave the source language out"
    )]
    NoSourceLanguages {
        /// The code that was given.
        language: String,
    },
    /// A model of several languages without a request for one of them.
    #[error("the model translates between several languages; name the {side} language, one of {known}")]
    LanguageNeeded {
        /// "source" or "target".
        side: &'static str,
        /// The codes of the model, with commas between them.
        known: String,
    },
    /// A target language for a model that has none to choose from.
    #[error(
        "the model has no target languages to choose from (words such as `>>deu<<`), so `{language}` can not be chosen; leave the \
         target language out"
    )]
    NoTargetLanguages {
        /// The code that was given.
        language: String,
    },
    /// A model whose languages are to be known, and are not.
    #[error(
        "{}: its languages are not known, neither from its files nor from its name; rename its directory to SOURCE-TARGET, such as en-de",
        model.display()
    )]
    LanguagesUnknown {
        /// The model's directory.
        model: PathBuf,
    },
    /// A language model that can not be read.
    #[error(transparent)]
    LanguageModel(#[from] LmError),
    /// A language model whose words are not the target pieces.
    #[error(
        "{}: only {known} of the language model's {words} words are target pieces of the translation model; estimate it on \
         text from `metaphrase tokenize --vocabulary`", path.display()
    )]
    LanguageModelWords {
        /// The language model's file.
        path: PathBuf,
        /// Number of its words that the translation model has.
        known: usize,
        /// Number of its words.
        words: usize,
    },
    /// A weight of a language model that is negative, infinite or not a number.
    #[error("the weight of a language model is {0}; it has to be a number from 0 on")]
    LanguageModelWeight(f32),
    /// An option's value that can not be used.
    #[error(transparent)]
    Option(#[from] OptionFault),
    /// A language code that text can not be split with.
    #[error(transparent)]
    Language(#[from] LanguageError),
    /// A shortlist that can not be read or used.
    #[error(transparent)]
    Shortlist(#[from] ShortlistError),
    /// Options that can not work with the model.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// A phrase-based model that can not be read or searched.
    #[error(transparent)]
    Phrase(#[from] PhraseError),
    /// A part or an option that a phrase-based translator does not have.
    #[error(
        "{what} was given to a phrase-based translator, which has no use for it; leave it out or use a neural model"
    )]
    PhraseBased {
        /// The part or option.
        what: &'static str,
    },
    /// A part or an option that two translators, one after the other, do not have.
    #[error("{what} were given to two models, one after the other, which have no use for them; use one model")]
    Pivot {
        /// The part or option.
        what: &'static str,
    },
    /// A document that can not be read.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// A text was to be put together from more or fewer answers than it has requests.
    #[error("{found} answers were given for a text of {expected} requests; give the answer of each request, in order")]
    Answers {
        /// Number of requests.
        expected: usize,
        /// Number of answers.
        found: usize,
    },
    /// The threads could not be started.
    #[error("cannot start the worker threads: {0}; ask for fewer threads")]
    Threads(std::io::Error),
    /// The translator was used before the process was forked, and its threads are not in this process.
    #[error(
        "the translator was used in process {0}, and its threads stayed there when this process was forked; make a \
         translator after the fork, or do not translate before it"
    )]
    Forked(u32),
    /// A thread panicked: a defect of this library.
    #[error("a worker thread failed and the remaining lines were not translated; please report this")]
    WorkerFailed,
    /// The caller stopped the work.
    #[error("the work was stopped by its caller")]
    Cancelled,
}

impl Error {
    /// The option's value that can not be used, if that is why: an interface names the option in its own way.
    #[must_use]
    pub fn option_fault(&self) -> Option<&OptionFault> {
        match self {
            Self::Option(fault) | Self::Options(OptionsError::Option(fault)) => Some(fault),
            _ => None,
        }
    }
}

impl From<NotReady> for Error {
    fn from(error: NotReady) -> Self {
        match error {
            NotReady::Threads(error) => Self::Threads(error),
            NotReady::Forked(process) => Self::Forked(process),
        }
    }
}
