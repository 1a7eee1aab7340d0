//! The recipe: everything about a training run, in one TOML file.

use crate::TrainerSettings;
use crate::data::{BatchSettings, CorpusFiles, Limits};
pub use crate::vocabulary::{VocabularyKind, VocabularyRecipe, VocabularyTraining};
use metaphrase_models::{Architecture, DecoderDefaults};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A training run. File names are relative to the recipe's folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Recipe {
    /// Parallel text.
    pub data: Data,
    /// Words and their ids.
    pub vocabulary: VocabularyRecipe,
    /// The network.
    pub model: ModelRecipe,
    /// How it learns.
    pub training: Training,
    /// How well it does.
    #[serde(default)]
    pub validation: Validation,
}

/// Parallel text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Data {
    /// The text to learn from.
    pub train: Vec<CorpusFiles>,
    /// The text on which quality is measured.
    pub dev: CorpusFiles,
    /// Which training pairs are too long.
    #[serde(default)]
    pub limits: Limits,
}

/// The network, as in a model directory's `config.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ModelRecipe {
    /// The network, with the settings of its kind.
    pub architecture: Architecture,
    /// The recommendations of the model for decoding.
    #[serde(default)]
    pub decoding: DecoderDefaults,
}

/// How the network learns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Training {
    /// The seed of parameters, of the order of sentences and of dropout.
    #[serde(default = "one")]
    pub seed: u64,
    /// The number of updates after which the run ends.
    pub updates: u64,
    /// Batches.
    #[serde(default)]
    pub batch: BatchSettings,
    /// Loss, dropout and optimizer.
    #[serde(default)]
    pub update: TrainerSettings,
}

/// How well the network does, on the development set.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Validation {
    /// Updates between two validations; after each a checkpoint and a model are written.
    pub every: u64,
    /// Beam of the translation that BLEU is measured on.
    pub beam_size: usize,
    /// Length normalisation of the same.
    pub normalize: f32,
    /// The number that tells the best model.
    pub metric: Metric,
    /// The number of validations without a better value after which the run ends; 0: the run goes on.
    pub patience: u32,
    /// The number of last models that are kept, beside the best.
    pub keep: usize,
}

impl Default for Validation {
    fn default() -> Self {
        Self { every: 1000, beam_size: 4, normalize: 1.0, metric: Metric::Bleu, patience: 0, keep: 4 }
    }
}

/// The measure of the best model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// BLEU of the development set's translation, as sacreBLEU has it.
    #[default]
    Bleu,
    /// Cross-entropy per word.
    CrossEntropy,
}

const fn one() -> u64 {
    1
}

/// A recipe that can not be followed.
#[derive(Debug, thiserror::Error)]
pub enum RecipeError {
    /// The file can not be read.
    #[error("can not read the recipe {path}: {source}")]
    Read {
        /// The recipe.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The text is not a recipe.
    #[error("{path}, line {line}: {problem}")]
    Content {
        /// The recipe.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The fault.
        problem: String,
    },
    /// A number that training can not work with.
    #[error("{path}: {problem}")]
    Number {
        /// The recipe.
        path: PathBuf,
        /// The number or setting, and the values that are allowed.
        problem: String,
    },
    /// A setting given on the command line is not one.
    #[error("`{setting}` does not set anything: {problem}; write for example `training.seed=2`")]
    Setting {
        /// The setting as it was given.
        setting: String,
        /// The fault.
        problem: String,
    },
}

impl Recipe {
    /// Reads a recipe; `settings` such as `training.seed=2` replace or add values.
    ///
    /// # Errors
    /// If the file can not be read or is no recipe, with the line.
    pub fn read(path: &Path, settings: &[String]) -> Result<Self, RecipeError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| RecipeError::Read { path: path.to_owned(), source })?;
        let mut recipe = Self::parse(path, &text, settings)?;
        recipe.check().map_err(|problem| RecipeError::Number { path: path.to_owned(), problem })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        recipe.files().for_each(|file| *file = folder.join(&*file));
        Ok(recipe)
    }

    fn parse(path: &Path, text: &str, settings: &[String]) -> Result<Self, RecipeError> {
        let problem = |error: toml::de::Error| {
            let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            let problem = error.message().lines().collect::<Vec<_>>().join("; ");
            RecipeError::Content { path: path.to_owned(), line, problem }
        };
        let recipe: Self = toml::from_str(text).map_err(problem)?;
        if settings.is_empty() {
            return Ok(recipe);
        }
        let mut table: toml::Table = text.parse().map_err(problem)?;
        for setting in settings {
            let wrong = |problem: &str| RecipeError::Setting { setting: setting.clone(), problem: problem.to_owned() };
            let set: toml::Table = setting.parse().map_err(|e: toml::de::Error| wrong(e.message()))?;
            let names = setting.split('=').next().unwrap_or_default().split('.').count();
            set_in(&mut table, set, names);
            table.clone().try_into::<Self>().map_err(|e| wrong(e.message()))?;
        }
        table.try_into().map_err(problem)
    }

    /// Refuses networks and numbers that training can not work with.
    fn check(&self) -> Result<(), String> {
        crate::networks::check(&self.model.architecture).map_err(|error| error.to_string())?;
        let TrainerSettings { loss, dropout, optimizer, .. } = self.training.update;
        optimizer.check().map_err(|error| format!("training.update.optimizer: {error}"))?;
        let share = |name: &str, value: f32| match (0.0..1.0).contains(&value) {
            true => Ok(()),
            false => Err(format!("{name} is {value}; it must be at least 0 and less than 1")),
        };
        share("training.update.loss.label-smoothing", loss.label_smoothing)?;
        for (name, value) in [
            ("layer", dropout.layer),
            ("attention", dropout.attention),
            ("feed-forward", dropout.feed_forward),
            ("source-words", dropout.source_words),
            ("target-words", dropout.target_words),
            ("recurrent", dropout.recurrent),
            ("output", dropout.output),
        ] {
            share(&format!("training.update.dropout.{name}"), value)?;
        }
        let Validation { beam_size, normalize, every, .. } = self.validation;
        if !(1..=10_000).contains(&beam_size) {
            return Err(format!("validation.beam-size is {beam_size}; it must be from 1 to 10000"));
        }
        if !(normalize.is_finite() && normalize >= 0.0) {
            return Err(format!("validation.normalize is {normalize}; it must be 0 or more"));
        }
        if every == 0 {
            return Err("validation.every is 0; it must be at least 1".to_owned());
        }
        if self.training.updates == 0 {
            return Err("training.updates is 0; it must be at least 1".to_owned());
        }
        let costs = [("self-normalisation", loss.self_normalisation), ("guided-alignment", loss.guided_alignment)];
        match costs.iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0)) {
            Some((name, value)) => Err(format!("training.update.loss.{name} is {value}; it must be 0 or more")),
            None => Ok(()),
        }
    }

    /// All files that the recipe names.
    fn files(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let corpora = self.data.train.iter_mut().chain([&mut self.data.dev]);
        let corpora = corpora.flat_map(|c| [&mut c.source, &mut c.target].into_iter().chain(&mut c.alignment));
        corpora.chain(self.vocabulary.files_mut())
    }
}

/// Sets the values of `change` in `table`, under `names` names, one inside the other; old values are replaced.
fn set_in(table: &mut toml::Table, change: toml::Table, names: usize) {
    for (key, change) in change {
        match (table.get_mut(&key), change) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new)) if names > 1 => set_in(old, new, names - 1),
            (_, change) => _ = table.insert(key, change),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    const RECIPE: &str = r#"
[data]
train = [{ source = "a.en.gz", target = "a.de.gz" }]
dev = { source = "d.en", target = "d.de" }
[vocabulary.files]
source = "v.spm"
target = "v.spm"
[model.architecture.transformer]
dim-emb = 16
heads = 2
encoder-depth = 1
decoder-depth = 1
encoder-ffn = { dim = 32, depth = 2 }
decoder-ffn = { dim = 32, depth = 2 }
activation = "relu"
preprocess = ""
postprocess = "an"
postprocess-emb = ""
postprocess-top = ""
decoder-layer = "self-attention"
tied-embeddings = { source-target = true, target-output = true }
tied-layers = []
positions = "sinusoidal-marian"
scale-embeddings = true
alignment-layer = 1
attention-projection = true
layer-norm-epsilon = 1e-6
output-bias = true
[training]
updates = 10
"#;

    fn parse(text: &str, settings: &[&str]) -> Result<Recipe, String> {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        Recipe::parse(Path::new("r.toml"), text, &settings).map_err(|e| e.to_string())
    }

    #[test]
    fn what_is_not_said_has_a_default() {
        let recipe = parse(RECIPE, &[]).unwrap();
        assert_eq!((recipe.training.seed, recipe.validation), (1, Validation::default()));
        assert_eq!(parse(&toml::to_string(&recipe).unwrap(), &[]).unwrap(), recipe);
    }

    #[test]
    fn settings_replace_and_add() {
        let recipe = parse(RECIPE, &["training.seed = 5", "training.update.dropout.layer=0.1"]).unwrap();
        assert_eq!((recipe.training.seed, recipe.training.update.dropout.layer), (5, 0.1));
        // A table is replaced whole, as it may be one of several alternatives.
        let decay = "training.update.optimizer.schedule.decay";
        let settings = [
            format!("{decay} = {{ linear = {{ to = 9 }} }}"),
            format!("{decay} = {{ inverse-square-root = {{ from = 3 }} }}"),
        ];
        let recipe = parse(RECIPE, &[&settings[0], &settings[1]]).unwrap();
        assert_eq!(recipe, parse(RECIPE, &[&settings[1]]).unwrap());
        let error = parse(RECIPE, &["training.seeds = 5"]).unwrap_err();
        assert!(error.starts_with("`training.seeds = 5` does not set anything: unknown field `seeds`"), "{error}");
        assert!(parse(RECIPE, &["training.seed"]).is_err());
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let problem = |setting: &str| parse(RECIPE, &[setting]).unwrap().check().unwrap_err();
        let dropout = problem("training.update.dropout.layer = 1.0");
        assert_eq!(dropout, "training.update.dropout.layer is 1; it must be at least 0 and less than 1");
        assert!(problem("validation.beam-size = 0").contains("must be from 1 to 10000"));
        assert!(problem("training.updates = 0").contains("must be at least 1"));
        assert!(problem("validation.every = 0").contains("at least 1"));
        assert!(problem("training.update.loss.self-normalisation = -1").contains("must be 0 or more"));
        let network = problem("model.architecture.transformer.preprocess = \"a\"");
        assert!(network.starts_with("the setting `preprocess` is `a`"), "{network}");
        assert!(problem("training.update.optimizer.clip-norm = nan").starts_with("training.update.optimizer: "));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let error = parse(&RECIPE.replace("updates = 10", "updates = 10\nwarmup = 3"), &[]).unwrap_err();
        assert!(error.starts_with("r.toml, line 31: unknown field `warmup`"), "{error}");
        let error = parse(&RECIPE.replace("updates = 10", ""), &[]).unwrap_err();
        assert!(error.contains("missing field `updates`"), "{error}");
    }
}
