//! A phrase-based model: tables, a language model, weights.

use crate::error::Error;
use crate::features::Features;
use crate::ini::MosesIni;
use crate::table::{PairId, PhraseTable, REORDERING_SCORES};
use metaphrase_base::WordId;
use metaphrase_ngram::{Model as LanguageModel, State};
use std::path::Path;

/// A phrase-based model. It never changes during a search.
#[derive(Debug)]
pub struct PhraseModel {
    table: PhraseTable,
    language_model: LanguageModel,
    /// The words of all target phrases as the language model numbers them, beside `table.targets()`.
    lm_targets: Vec<WordId>,
    /// Beside them: log10 probability of a word and those behind it in its phrase, after those before it in its phrase.
    lm_suffixes: Vec<f32>,
    /// What the language model remembers after each pair's target phrase alone.
    lm_states: Vec<State>,
    names: FeatureNames,
    /// The weights of the features.
    pub weights: Features,
    /// How far the search may jump, in source words; none: as far as it likes.
    pub distortion_limit: Option<usize>,
}

/// What n-best lists call the features.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureNames {
    /// None: the model has no lexicalised reordering.
    pub reordering: Option<String>,
    /// Distance of jumps.
    pub distortion: String,
    /// The language model.
    pub language_model: String,
    /// Number of words.
    pub word_penalty: String,
    /// Number of phrases.
    pub phrase_penalty: String,
    /// The phrase table's scores.
    pub translation: String,
}

impl FeatureNames {
    /// As Moses' training calls them.
    #[must_use]
    pub fn of_moses(reordering: bool) -> Self {
        Self {
            reordering: reordering.then(|| "LexicalReordering0".into()),
            distortion: "Distortion0".into(),
            language_model: "LM0".into(),
            word_penalty: "WordPenalty0".into(),
            phrase_penalty: "PhrasePenalty0".into(),
            translation: "TranslationModel0".into(),
        }
    }
}

impl PhraseModel {
    /// Reads a model of Moses: a directory with a `moses.ini`, or such a file.
    pub fn read_moses(path: &Path) -> Result<Self, Error> {
        let path = if path.is_dir() { path.join("moses.ini") } else { path.to_owned() };
        let ini = MosesIni::read(&path)?;
        let mut table = PhraseTable::read(&ini.phrase_table.path, ini.phrase_table.weights.len())?;
        if let Some(reordering) = &ini.reordering {
            table.read_reordering(&reordering.path)?;
        }
        let language_model = LanguageModel::open(&ini.language_model.path)?;
        let mut model = Self::new(table, language_model, weights_of(&ini), names_of(&ini));
        model.distortion_limit = ini.distortion_limit;
        Ok(model)
    }

    /// A model from its parts.
    #[must_use]
    pub fn new(table: PhraseTable, language_model: LanguageModel, weights: Features, names: FeatureNames) -> Self {
        let ids: Vec<WordId> = table.target_words().iter().map(|word| language_model.vocabulary().id(word)).collect();
        let lm_targets = table.targets().iter().map(|word| ids[word.index()]).collect();
        let mut model = Self {
            table,
            language_model,
            lm_targets,
            lm_suffixes: Vec::new(),
            lm_states: Vec::new(),
            names,
            weights,
            distortion_limit: Some(6),
        };
        model.score_phrases();
        model
    }

    /// Scores all target phrases by themselves.
    fn score_phrases(&mut self) {
        self.lm_suffixes = vec![0.0; self.lm_targets.len()];
        self.lm_states = Vec::with_capacity(self.table.len());
        for pair in 0..self.table.len() {
            let words = self.table.target_range(pair);
            let mut state = self.language_model.null();
            for word in words.clone() {
                (self.lm_suffixes[word], state) = self.language_model.score(&state, self.lm_targets[word]);
            }
            for word in words.rev().skip(1) {
                self.lm_suffixes[word] += self.lm_suffixes[word + 1];
            }
            self.lm_states.push(state);
        }
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

    /// What n-best lists call the features.
    #[must_use]
    pub fn names(&self) -> &FeatureNames {
        &self.names
    }

    /// The words of all target phrases, for the language model.
    pub(crate) fn lm_targets(&self) -> &[WordId] {
        &self.lm_targets
    }

    /// Beside [`lm_targets`](Self::lm_targets): log10 probability of the rest of a phrase after what is before it.
    pub(crate) fn lm_suffixes(&self) -> &[f32] {
        &self.lm_suffixes
    }

    /// What the language model remembers after a pair's target phrase alone.
    pub(crate) fn lm_state(&self, pair: PairId) -> State {
        self.lm_states[pair.index()]
    }
}

fn weights_of(ini: &MosesIni) -> Features {
    let mut reordering = [0.0; REORDERING_SCORES];
    if let Some(table) = &ini.reordering {
        reordering.copy_from_slice(&table.weights);
    }
    Features {
        reordering,
        distortion: ini.distortion.weight,
        language_model: ini.language_model.weights[0],
        word_penalty: ini.word_penalty.weight,
        phrase_penalty: ini.phrase_penalty.weight,
        translation: ini.phrase_table.weights.clone(),
        unknown_word: ini.unknown_word.weight,
    }
}

fn names_of(ini: &MosesIni) -> FeatureNames {
    FeatureNames {
        reordering: ini.reordering.as_ref().map(|table| table.name.clone()),
        distortion: ini.distortion.name.clone(),
        language_model: ini.language_model.name.clone(),
        word_penalty: ini.word_penalty.name.clone(),
        phrase_penalty: ini.phrase_penalty.name.clone(),
        translation: ini.phrase_table.name.clone(),
    }
}
