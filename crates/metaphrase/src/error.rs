//! What can go wrong between a model's files and a translation.

use metaphrase_models::ModelError;
use metaphrase_ngram::LmError;
use metaphrase_search::OptionsError;
use metaphrase_text::vocab::VocabularyError;
use std::path::PathBuf;

/// One sentence about what went wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A model file.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A vocabulary file.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    /// A vocabulary of another model.
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
    /// Neither one vocabulary nor two.
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
    /// A language model that can not be read.
    #[error(transparent)]
    LanguageModel(#[from] LmError),
    /// A language model over something else than the target pieces.
    #[error(
        "{}: only {known} of the language model's {words} words are target pieces of the translation model; estimate it on \
         text from `metaphrase tokenize --vocabulary`", path.display()
    )]
    LanguageModelWords {
        /// The language model's file.
        path: PathBuf,
        /// Its words that the translation model has.
        known: usize,
        /// Its words.
        words: usize,
    },
    /// A weight of a language model that is below 0 or no number.
    #[error("the weight of a language model is {0}; it has to be a number from 0 on")]
    LanguageModelWeight(f32),
    /// Options that can not work with the model.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// No worker could be started.
    #[error("cannot start the worker threads: {0}; ask for fewer threads")]
    Threads(std::io::Error),
    /// A worker panicked: a defect of this program.
    #[error("a worker thread failed and the remaining lines were not translated; please report this")]
    WorkerFailed,
}
