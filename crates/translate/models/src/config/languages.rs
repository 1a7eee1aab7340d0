//! Languages of a model of several.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The words by which a model of several languages knows which of them to read and to write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LanguageWords {
    /// The places of the words.
    pub places: LanguagePlaces,
    /// The source language, by its word, where a request names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The target language, by its word, where a request names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The words and their ids, which are the same in both vocabularies: `__de__`, `deu_Latn`, `de_DE`. None where
    /// the vocabulary itself shows them (`<2de>`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub words: BTreeMap<String, u32>,
}

impl LanguageWords {
    /// The words that the vocabulary itself shows (`<2de>`), which stand before the source.
    pub(crate) const fn in_vocabulary() -> Self {
        Self { places: LanguagePlaces::TargetBeforeSource, source: None, target: None, words: BTreeMap::new() }
    }
}

/// Where the words stand that name languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LanguagePlaces {
    /// The source language before the source, the target language before the translation: M2M-100, NLLB-200, mBART-50.
    SourceAndTarget,
    /// The source language after the end of the source, the target language before the translation: the first
    /// tokenisers of NLLB-200.
    SourceLast,
    /// The target language before the source: SMaLL-100, MADLAD-400.
    TargetBeforeSource,
    /// The target language before the translation: some packages of Argos Translate.
    Target,
}
