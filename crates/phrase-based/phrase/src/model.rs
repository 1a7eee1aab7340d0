//! A phrase-based model: tables, a language model, weights.

use crate::error::Error;
use crate::features::{FeatureNames, Features};
use crate::ini::MosesIni;
use crate::table::PhraseTable;
use metaphrase_base::WordId;
use metaphrase_ngram::Model as LanguageModel;
use std::path::Path;

/// A phrase-based model. It never changes during a search.
#[derive(Debug)]
pub struct PhraseModel {
    table: PhraseTable,
    language_model: LanguageModel,
    /// The words of target phrases as the language model numbers them.
    lm_ids: Vec<WordId>,
    names: FeatureNames,
    /// The weights of the features.
    pub weights: Features,
    /// How many source words a jump may pass; `None`: any number.
    pub distortion_limit: Option<usize>,
}

impl PhraseModel {
    /// Reads a model of Moses: a directory with a `moses.ini`, or such a file.
    pub fn read_moses(path: &Path) -> Result<Self, Error> {
        let ini = read_ini(path)?;
        let table = table_of(&ini)?;
        let language_model = LanguageModel::open(&ini.language_model)?;
        let mut model = Self::new(table, language_model, ini.weights, ini.names);
        model.distortion_limit = ini.distortion_limit;
        Ok(model)
    }

    /// A model from its parts.
    #[must_use]
    pub fn new(table: PhraseTable, language_model: LanguageModel, weights: Features, names: FeatureNames) -> Self {
        let words = (0..table.target_word_count()).map(|word| table.target_word(WordId::new(word)));
        let lm_ids = words.map(|word| language_model.vocabulary().id(word)).collect();
        Self { table, language_model, lm_ids, names, weights, distortion_limit: Some(6) }
    }

    /// The phrase pairs.
    #[must_use]
    pub fn table(&self) -> &PhraseTable {
        &self.table
    }

    /// The language model of the target.
    #[must_use]
    pub fn language_model(&self) -> &LanguageModel {
        &self.language_model
    }

    /// The names of the features in n-best lists.
    #[must_use]
    pub fn names(&self) -> &FeatureNames {
        &self.names
    }

    /// A word of a target phrase as the language model numbers it.
    pub(crate) fn lm_id(&self, word: WordId) -> WordId {
        // A false file may have words that it does not list.
        self.lm_ids.get(word.index()).copied().unwrap_or_default()
    }

    /// Words as the language model numbers them.
    pub(crate) fn lm_ids(&self, words: &[&str]) -> impl Iterator<Item = WordId> {
        words.iter().map(|word| self.language_model.vocabulary().id(word))
    }
}

impl PhraseTable {
    /// Reads the tables of a model of Moses: a directory with a `moses.ini`, or such a file.
    pub fn read_moses(path: &Path) -> Result<Self, Error> {
        table_of(&read_ini(path)?)
    }
}

fn read_ini(path: &Path) -> Result<MosesIni, Error> {
    if path.is_dir() { MosesIni::from_folder(path) } else { MosesIni::read(path) }
}

/// A compiled table has the reordering scores in it.
fn table_of(ini: &MosesIni) -> Result<PhraseTable, Error> {
    let (path, scores) = (&ini.phrase_table, ini.weights.translation.len());
    let reordering = ini.reordering.as_deref();
    if !PhraseTable::is_binary(path)? {
        return PhraseTable::read(path, scores, reordering);
    }
    let table = PhraseTable::open(path)?;
    if table.score_count() != scores {
        let what =
            format!("expected {scores} scores, found {}; does `num-features` fit the table?", table.score_count());
        return Err(Error::model(path, what));
    }
    if reordering.is_some() && !table.has_reordering() {
        return Err(Error::model(
            path,
            "the table was compiled without the reordering table of moses.ini; compile it again",
        ));
    }
    Ok(table)
}
