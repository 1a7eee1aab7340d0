//! What the settings of a model say about its languages, without its tensors.

use super::{ModelFiles, ctranslate2, moses_scripts};
use crate::ModelError;
use crate::config::LanguageWords;
use crate::formats::{Format, ctranslate2 as directories, directory, hugging_face};

/// What the settings of a model say about its languages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedLanguages {
    /// The codes of the source and the target language of a model of one pair. Either may be that of a group of
    /// languages.
    pub pair: Option<[String; 2]>,
    /// The words that name languages to a model of several.
    pub words: Option<LanguageWords>,
    /// The codes of the source and the target languages that the model's README lists.
    pub readme: [Vec<String>; 2],
}

impl ModelFiles {
    /// What the settings of the model say about its languages; its tensors are not read.
    ///
    /// # Errors
    /// If the settings can not be read.
    pub fn languages(&self) -> Result<NamedLanguages, ModelError> {
        let mut named = match self.format {
            Format::Directory => {
                let config = directory::read_manifest(&self.directory)?.model;
                NamedLanguages { pair: config.languages, words: config.language_words, ..NamedLanguages::default() }
            }
            Format::HuggingFace => hugging_face::languages(&self.directory)?,
            Format::CTranslate2 => {
                NamedLanguages { words: directories::languages(&self.directory)?, ..NamedLanguages::default() }
            }
            Format::MarianNpz | Format::MarianBin => NamedLanguages::default(),
        };
        if let Some(prefix) = &self.target_prefix {
            named.words = Some(ctranslate2::language_words(&self.directory, prefix)?);
        }
        named.pair = self.languages.clone().or(named.pair);
        named.readme = moses_scripts::readme(&self.directory);
        Ok(named)
    }
}
