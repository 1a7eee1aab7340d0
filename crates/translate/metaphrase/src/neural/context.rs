//! The data that callers and workers of a neural engine read.

use crate::EvidenceCounter;
use crate::evidence::EvidenceModel;
use crate::languages::Languages;
use metaphrase_base::{UnitTimes, WordId};
use metaphrase_models::Model;
use metaphrase_search::WrittenWords;
use metaphrase_shortlist::Shortlists;
use metaphrase_text::TermMarks;
use metaphrase_text::vocab::Vocabulary;
use std::sync::Arc;

/// A model and the parts that were loaded with it.
pub(crate) struct Context {
    pub(crate) model: Arc<Model>,
    /// The same model on each of the devices, this one among them.
    pub(crate) models: Arc<[Arc<Model>]>,
    pub(crate) source: Arc<Vocabulary>,
    pub(crate) target: Arc<Vocabulary>,
    /// The languages that lines can choose from.
    pub(crate) languages: Languages,
    /// How target words stand in written words.
    pub(crate) written: WrittenWords,
    /// Counts evidence.
    pub(crate) counter: EvidenceCounter,
    /// Gives evidence for lines without evidence of their own.
    pub(crate) evidence: Option<EvidenceModel>,
    /// The words that may translate a line; `None`: all words.
    pub(crate) shortlists: Option<Shortlists>,
    /// The marks of terms in the source, if the model was trained with them.
    pub(crate) inline_terms: Option<TermMarks>,
    /// The time of each unit of work is added to these.
    pub(crate) unit_times: Option<Arc<UnitTimes>>,
}

impl Context {
    /// The language of translations, if the model names it.
    pub(crate) fn target_language(&self) -> Option<&str> {
        self.model.config().languages.as_ref().map(|[_, target]| &**target)
    }
}

/// The words of a vocabulary as they are written.
pub(crate) fn pieces(vocabulary: &Vocabulary, words: &[WordId]) -> Vec<String> {
    words.iter().map(|&word| vocabulary.word(word).to_owned()).collect()
}
