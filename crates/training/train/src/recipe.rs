//! The recipe: everything about a training run, in one TOML file.

mod check;
mod defaults;
mod document;
mod places;

pub use places::Fault;

use crate::TrainerSettings;
use crate::data::{BatchSettings, CorpusFiles, Limits};
pub use crate::vocabulary::{VocabularyKind, VocabularyRecipe, VocabularyTraining};
use metaphrase_models::{Architecture, DecoderDefaults};
use places::Places;
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
    /// Where its keys were written.
    #[serde(skip)]
    pub(crate) places: Places,
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
    /// The source words that mark terms in the text, if it has some: see `Config::inline_terms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inline_terms: Option<[String; 3]>,
    /// The recommendations of the model for decoding.
    #[serde(default)]
    pub decoding: DecoderDefaults,
    /// A model of the same vocabularies whose parameters are the first ones; otherwise they are drawn at random. Its
    /// network is the same or a Transformer of fewer layers: the layers that it lacks come last and pass on what they
    /// get, at first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_from: Option<PathBuf>,
}

/// How the network learns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Training {
    /// The seed of parameters, of the order of sentences and of dropout.
    #[serde(default = "one")]
    pub seed: u64,
    /// The number of updates after which the run ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updates: Option<u64>,
    /// The time after which the run ends, without that of reading data, but with that of validations. The rate of such
    /// a run may end with it: `decay = { until-end = { from = 0.35 } }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
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
    /// The number that decides which model is the best.
    pub metric: Metric,
    /// The number of validations without a better value after which the run ends; 0: the run goes on.
    pub patience: u32,
    /// The number of last models that are kept, in addition to the best.
    pub keep: usize,
}

impl Training {
    /// The share of the run that is over after these updates and seconds; 1 or more: the run is over.
    pub(crate) fn over(&self, updates: u64, seconds: f64) -> f64 {
        let by_updates = self.updates.map_or(0.0, |all| updates as f64 / all as f64);
        by_updates.max(self.seconds.map_or(0.0, |all| seconds / all))
    }
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
    /// All faults of the recipe and of the additional settings, at least one.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Faults(Vec<Fault>),
}

impl Recipe {
    /// Reads a recipe; `settings` such as `training.seed=2` replace or add values.
    ///
    /// # Errors
    /// If the file can not be read, or with all faults of the recipe.
    pub fn read(path: &Path, settings: &[String]) -> Result<Self, RecipeError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| RecipeError::Read { path: path.to_owned(), source })?;
        let mut recipe = document::read(path, &text, settings).map_err(RecipeError::Faults)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        recipe.files_mut().into_iter().for_each(|(_, file)| *file = folder.join(&*file));
        recipe.model.start_from.iter_mut().for_each(|model| *model = folder.join(&*model));
        Ok(recipe)
    }

    /// Checks that all files that the recipe names can be opened.
    ///
    /// # Errors
    /// With all that can not.
    pub(crate) fn check_files(&self) -> Result<(), RecipeError> {
        let problem = |file: &Path| match std::fs::File::open(file) {
            Ok(_) if file.is_dir() => Some("it is a directory".to_owned()),
            Ok(_) => None,
            Err(error) => Some(error.to_string()),
        };
        let mut recipe = self.clone();
        let faults = recipe.files_mut().into_iter().filter_map(|(key, file)| {
            let problem = format!("`{key}`: {} can not be opened: {}", file.display(), problem(file)?);
            Some(self.places.fault(&key, problem))
        });
        let faults: Vec<Fault> = faults.collect();
        if faults.is_empty() { Ok(()) } else { Err(RecipeError::Faults(faults)) }
    }

    /// A fault of this recipe that is found later, at a key.
    pub(crate) fn fault(&self, key: &str, problem: String) -> RecipeError {
        RecipeError::Faults(vec![self.places.fault(key, problem)])
    }

    /// All files that the recipe names, with their keys.
    fn files_mut(&mut self) -> Vec<(String, &mut PathBuf)> {
        let Data { train, dev, .. } = &mut self.data;
        let train = train.iter_mut().enumerate().map(|(at, files)| (format!("data.train[{at}]"), files));
        let corpora = train.chain([("data.dev".to_owned(), dev)]);
        let corpora = corpora.flat_map(|(key, files)| {
            let pair = [("source", &mut files.source), ("target", &mut files.target)];
            let files = pair.into_iter().chain(files.alignment.as_mut().map(|file| ("alignment", file)));
            files.map(|(name, file)| (format!("{key}.{name}"), file)).collect::<Vec<_>>()
        });
        corpora.chain(self.vocabulary.files_mut()).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;
    use crate::networks::{Dropout, LossSettings};
    use metaphrase_models::config::{DecoderLayer, FeedForward, RecurrentConfig, TransformerConfig};

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
        let faults = |faults: Vec<Fault>| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        document::read(Path::new("r.toml"), text, &settings).map_err(faults)
    }

    #[test]
    fn missing_keys_have_defaults() {
        let recipe = parse(RECIPE, &[]).unwrap();
        assert_eq!((recipe.training.seed, recipe.validation), (1, Validation::default()));
        assert_eq!(parse(&metaphrase_settings::to_toml(&recipe).unwrap(), &[]).unwrap(), recipe);
    }

    #[test]
    fn a_run_ends_after_updates_or_seconds() {
        let over = |text: &str, settings: &[&str], updates, seconds| {
            parse(text, settings).unwrap().training.over(updates, seconds)
        };
        let by_time = RECIPE.replace("updates = 10", "seconds = 60");
        assert_eq!((over(RECIPE, &[], 5, 999.0), over(&by_time, &[], 999, 15.0)), (0.5, 0.25));
        let both = ["training.seconds = 60.0"];
        assert_eq!((over(RECIPE, &both, 5, 45.0), over(RECIPE, &both, 10, 45.0)), (0.75, 1.0));
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
        assert!(
            error.starts_with("the setting `training.seeds = 5`: unknown key `training.seeds`, expected"),
            "{error}"
        );
        assert!(parse(RECIPE, &["training.seed"]).unwrap_err().starts_with("the setting `training.seed`: "));
        let error = parse(RECIPE, &["training.seed=3", "training.updates=\"x\"", "training.seed=-1"]).unwrap_err();
        let lines: Vec<&str> = error.lines().collect();
        assert!(lines[0].starts_with("the setting `training.seed=-1`: `training.seed`: invalid value"), "{error}");
        assert!(
            lines[1].starts_with("the setting `training.updates=\"x\"`: `training.updates`: invalid type"),
            "{error}"
        );
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let problem = |setting: &str| {
            let error = parse(RECIPE, &[setting]).unwrap_err();
            error.strip_prefix(&format!("the setting `{setting}`: ")).unwrap_or_else(|| panic!("{error}")).to_owned()
        };
        let dropout = problem("training.update.dropout.layer = 1.0");
        assert_eq!(dropout, "`training.update.dropout.layer` is 1; it must be at least 0 and less than 1");
        assert!(problem("validation.beam-size = 0").contains("must be from 1 to 10000"));
        assert!(problem("training.updates = 0").contains("must be at least 1"));
        assert_eq!(problem("training.seconds = 0"), "`training.seconds` is 0; it must be a number above 0");
        assert!(problem("training.update.accumulate = 0").ends_with("is 0; it must be from 1 to 255"));
        assert!(problem("validation.every = 0").contains("at least 1"));
        assert!(problem("training.update.loss.self-normalisation = -1").contains("must be 0 or more"));
        let network = problem("model.architecture.transformer.preprocess = \"a\"");
        assert!(
            network.starts_with("`model.architecture.transformer.preprocess`: the setting `preprocess` is `a`"),
            "{network}"
        );
        assert_eq!(
            problem("training.update.optimizer.clip-norm = nan"),
            "`training.update.optimizer.clip-norm` is NaN, expected a number from 0 on"
        );
        let decay = "training.update.optimizer.schedule.decay = { linear = { to = 0 } }";
        assert!(problem(decay).starts_with("`training.update.optimizer.schedule.decay.linear.to` is 0, expected more"));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let error = parse(&RECIPE.replace("updates = 10", "updates = 10\nwarmup = 3"), &[]).unwrap_err();
        assert!(error.starts_with("r.toml, line 31: unknown key `training.warmup`, expected one of `seed`"), "{error}");
        let error = parse(&RECIPE.replace("updates = 10", ""), &[]).unwrap_err();
        let missing = "the key `training.updates` is missing, which `training.seconds` may replace";
        assert_eq!(error, format!("r.toml, line 29: {missing}"));
        let error = parse("a = 1\nb = [\n", &[]).unwrap_err();
        assert!(error.starts_with("r.toml, line "), "{error}");
        let error = parse("a = { b = { \"c\nd = 1\ne = nan nan { {\n", &[]).unwrap_err();
        let places: Vec<_> = error.lines().map(|line| line.split(':').next()).collect();
        assert!(places.len() > 1 && places.is_sorted_by(|a, b| a < b), "one fault of syntax a line: {error}");
    }

    #[test]
    fn all_mistakes_are_reported_at_once() {
        let text = r#"
[data]
train = [{ source = "a", target = "b", repeat = 0 }, { source = "a" }]
[vocabulary.train]
kind = "word"
size = 0
coverage = 2
[model.architecture.transformer]
heads = 7
activation = "tanh"
alignment-layer = 3
encoder-ffn = { dim = 0 }
dim-embedding = 3
[training]
updates = "many"
update = { dropout = { layer = 1.5 }, optimizer = { clip-norm = -1, schedule = { decay = { linear = {} } } } }
[validation]
every = 0
beam-size = 0
"#;
        let error = parse(text, &["training.seed=x", "training.seed=-3"][1..]).unwrap_err();
        let expected = [
            "line 3: `data.train[0].repeat`: ",
            "line 3: the key `data.train[1].target` is missing",
            "line 2: the key `data.dev` is missing",
            "line 5: `vocabulary.train.kind`: unknown variant `word`",
            "line 6: `vocabulary.train.size` is 0",
            "line 7: `vocabulary.train.coverage` is 2",
            "line 8: `model.architecture.transformer.decoder-ffn.dim`: the decoder feed-forward size is 0",
            "line 9: `model.architecture.transformer.heads`: an embedding size of 512 is not a multiple of 7 heads",
            "line 10: `model.architecture.transformer.activation`: unknown variant `tanh`",
            "line 11: `model.architecture.transformer.alignment-layer`: the alignment layer 3",
            "line 12: `model.architecture.transformer.encoder-ffn.dim`: the encoder feed-forward size is 0",
            "line 13: unknown key `model.architecture.transformer.dim-embedding`",
            "line 15: `training.updates`: invalid type",
            "line 16: `training.update.dropout.layer` is 1.5",
            "line 16: `training.update.optimizer.clip-norm` is -1",
            "line 16: the key `training.update.optimizer.schedule.decay.linear.to` is missing",
            "line 18: `validation.every` is 0",
            "line 19: `validation.beam-size` is 0",
            "the setting `training.seed=-3`: `training.seed`: invalid value",
        ];
        for expected in expected {
            assert!(error.lines().any(|line| line.contains(expected)), "{expected}: {error}");
        }
        assert_eq!(error.lines().count(), expected.len(), "{error}");
        let numbers = error.lines().filter_map(|line| line.split(['e', ':']).nth(1)?.trim().parse::<usize>().ok());
        assert!(numbers.is_sorted(), "{error}");
    }

    #[test]
    fn only_the_data_and_the_number_of_updates_are_required() {
        let text = r#"
[data]
train = [{ source = "a", target = "b" }]
dev = { source = "a", target = "b" }
[vocabulary.train]
[model]
architecture = "transformer"
[training]
updates = 1
"#;
        let recipe = parse(text, &[]).unwrap();
        assert_eq!(recipe.model.architecture, Architecture::Transformer(TransformerConfig::default()));
        let TrainerSettings { loss, dropout, optimizer, .. } = recipe.training.update;
        assert_eq!((loss.label_smoothing, dropout.layer, dropout.output, optimizer.clip_norm), (0.1, 0.1, 0.1, 1.0));
        let network = |settings: &[&str]| parse(text, settings).unwrap().model.architecture;
        let recurrent = network(&["model.architecture = \"recurrent\""]);
        assert_eq!(recurrent, Architecture::Recurrent(RecurrentConfig::default()));
        // The decoder follows the encoder, and the alignment the decoder.
        let key = |setting: &str| format!("model.architecture.transformer.{setting}");
        let Architecture::Transformer(network) = network(&[
            &key("encoder-ffn.dim=64"),
            &key("decoder-ffn.depth=3"),
            &key("decoder-depth=4"),
            &key("decoder-layer='ssru'"),
        ]) else {
            panic!("a Transformer")
        };
        assert_eq!((network.encoder_ffn, network.alignment_layer), (FeedForward { dim: 64, depth: 2 }, 4));
        assert_eq!(network.decoder_ffn, FeedForward { dim: 64, depth: 3 });
        assert_eq!(network.decoder_layer, DecoderLayer::Ssru { projection: false });
        assert!(recipe.data.limits == Limits::default() && recipe.validation == Validation::default());
    }

    /// The settings that were in force when defaults were 0; dropout that the network does not have left out.
    #[test]
    fn the_recipes_of_the_repository_keep_their_settings() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../recipes"));
        for (name, label_smoothing, expected) in [
            ("en-de", 0.1, Dropout { layer: 0.1, ..Dropout::NONE }),
            ("de-en", 0.1, Dropout { layer: 0.1, ..Dropout::NONE }),
            ("cgru", 0.1, Dropout { output: 0.1, ..Dropout::NONE }),
            ("devlin", 0.1, Dropout { output: 0.1, ..Dropout::NONE }),
            ("zhang", 0.0, Dropout { output: 0.3, recurrent: 0.1, ..Dropout::NONE }),
        ] {
            let recipe = Recipe::read(&folder.join(format!("{name}.toml")), &[]).unwrap();
            let TrainerSettings { loss, mut dropout, optimizer, .. } = recipe.training.update;
            match recipe.model.architecture {
                Architecture::Transformer(_) => dropout.output = 0.0,
                Architecture::Recurrent(_) => dropout.layer = 0.0,
            }
            assert_eq!(
                (dropout, loss.label_smoothing, optimizer.clip_norm),
                (expected, label_smoothing, 1.0),
                "{name}"
            );
            assert_eq!(loss, LossSettings { label_smoothing, ..LossSettings::PLAIN }, "{name}");
        }
    }

    #[test]
    fn tied_tables_need_one_vocabulary() {
        let text = RECIPE.replace("[vocabulary.files]\nsource = \"v.spm\"\ntarget = \"v.spm\"", "[vocabulary.train]");
        let error = parse(&text, &[]).unwrap_err();
        assert!(
            error.starts_with("r.toml, line 5: `vocabulary.train.shared` is false, but source and target"),
            "{error}"
        );
        assert!(parse(&text, &["vocabulary.train.shared=true"]).is_ok());
    }
}
