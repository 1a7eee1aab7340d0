//! Options of the model and the machine, and the translator that they describe.

use crate::Usage;
use crate::config::Config;
use crate::models;
use crate::values::{AUTO, PrecisionChoice, precision};
use anyhow::Result;
use metaphrase::{Device, Package, Precision, Translator, TranslatorBuilder};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The models, and how they use the machine.
#[derive(clap::Args)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// The directory of a model (of Marian, of OPUS-MT with its decoder.yml, of Firefox, of Hugging Face, of
    /// CTranslate2, of Argos Translate, or in Metaphrase's own format), an archive with such a directory (.zip,
    /// .argosmodel, .tar.gz), a name that `metaphrase models` lists, or a model file with --vocab. Several models, each
    /// with its own -m, form an ensemble; they must have the same vocabularies. The models en-de and de-en, for English
    /// and German, are part of the program [default: METAPHRASE_MODEL, else the model of `metaphrase config`, else
    /// en-de]
    #[arg(short, long = "model", value_name = "PATH")]
    models: Vec<PathBuf>,
    /// The weight of each model of an ensemble [default: 1/n for each of n models]
    #[arg(long, value_name = "W", num_args = 1.., requires = "models", allow_negative_numbers = true)]
    #[arg(value_parser = crate::number::real::<f32>)]
    weights: Vec<f32>,
    /// Use the outputs of the last layer as scores, without the softmax; for models that were trained with
    /// self-normalisation
    #[arg(long)]
    raw_scores: bool,
    /// The vocabulary of a model file: one file for both languages, or a file for the source and a file for the target
    /// (.spm, .yml, .json, or one word on each line); of CTranslate2: the SentencePiece models
    #[arg(short, long = "vocab", visible_alias = "vocabs", value_name = "FILE", num_args = 1..=2, requires = "models")]
    vocabularies: Vec<PathBuf>,
    /// Number of threads, which share the model [default: that of `metaphrase config`, else one for each processor]
    #[arg(long, visible_alias = "cpu-threads", value_name = "N", help_heading = "Machine")]
    #[arg(value_parser = crate::number::thread_count)]
    threads: Option<NonZeroUsize>,
    /// The device that computes the model: cpu, cuda:0 for the first NVIDIA GPU, or cuda:0,1 for two of them, which
    /// share the lines; the driver and the libraries of CUDA 12 or 13 are looked for then
    #[arg(long, value_name = "DEVICE", default_value_t = Device::Cpu, help_heading = "Machine")]
    device: Device,
    /// The batch of each thread: number of source pieces that are translated together; 1 translates each line alone.
    /// This changes the speed and never a translation [default: 256, or 8192 for a GPU]
    #[arg(long, value_name = "N", help_heading = "Machine")]
    #[arg(value_parser = crate::number::whole::<NonZeroUsize>)]
    batch_tokens: Option<NonZeroUsize>,
    /// Translate one line at a time on all threads: the shortest time for a single line, with a model whose layers have
    /// 512 units or more. Without it each thread translates other lines, which is faster for a whole text. This changes
    /// the speed and never a translation
    #[arg(long, conflicts_with = "batch_tokens", help_heading = "Machine")]
    latency: bool,
    /// The precision of the model's matrix products. Scores differ from those of f32 in the last digits; a line has the
    /// same translation in every batch and on every CPU
    #[arg(long, value_parser = precision(), default_value = AUTO, help_heading = "Machine")]
    precision: PrecisionChoice,
}

/// The model whose pieces are the units of n-grams.
#[derive(clap::Args)]
#[command(next_help_heading = "Model")]
pub struct PackageArgs {
    /// The neural model, as for `metaphrase translate`, with the same default
    #[arg(short, long, value_name = "PATH")]
    model: Option<PathBuf>,
    /// The vocabulary of a model file
    #[arg(short, long = "vocab", value_name = "FILE", num_args = 1..=2, requires = "model")]
    vocabularies: Vec<PathBuf>,
}

impl PackageArgs {
    /// The files of the model.
    pub fn package(&self) -> Result<Package> {
        let config = Config::load()?;
        self.model
            .as_ref()
            .map_or_else(|| models::default_package(&config), |model| package(model, &self.vocabularies, &config))
    }
}

impl ModelArgs {
    /// Refuses options that exclude each other.
    pub fn check(&self) -> Result<()> {
        let models = self.models.len().max(1);
        if !self.weights.is_empty() && self.weights.len() != models {
            let weights = self.weights.len();
            return Err(Usage::error(format!(
                "--weights has {weights} numbers for {models} models; give one for each"
            )));
        }
        if let Some(weight) = self.weights.iter().find(|weight| !(**weight > 0.0 && weight.is_finite())) {
            return Err(Usage::error(format!("--weights has {weight}; each weight has to be a number above 0")));
        }
        if models > 1 && !self.vocabularies.is_empty() {
            let advice = "give directories that have their vocabularies with -m, see `metaphrase convert`";
            return Err(Usage::error(format!("--vocab goes with one model; for an ensemble {advice}")));
        }
        Ok(())
    }

    /// The number of threads: the option's, the user's settings', or one for each processor.
    pub fn threads(&self, config: &Config) -> NonZeroUsize {
        crate::number::threads(self.threads.or(config.threads.value))
    }

    /// The device that computes the models.
    pub fn device(&self) -> Device {
        self.device
    }

    /// The batch of each thread, in source pieces.
    pub fn batch_tokens(&self) -> usize {
        self.batch_tokens.map_or(self.device.batch_tokens(), NonZeroUsize::get)
    }

    /// Whether each sentence is translated alone.
    pub fn one_by_one(&self) -> bool {
        self.latency || self.batch_tokens() == 1
    }

    /// Reads the models and starts the threads of a translator; `change` adds to its builder.
    pub fn load(&self, change: impl FnOnce(TranslatorBuilder) -> TranslatorBuilder) -> Result<Translator> {
        self.load_in(self.precision.0, change)
    }

    /// [`load`](Self::load) in another precision.
    pub fn load_in(
        &self,
        precision: impl Into<Option<Precision>>,
        change: impl FnOnce(TranslatorBuilder) -> TranslatorBuilder,
    ) -> Result<Translator> {
        let begun = Instant::now();
        let precision = precision.into();
        let config = Config::load()?;
        let mut builder = self.builder(&config);
        if !self.weights.is_empty() {
            builder = builder.weights(&*self.weights);
        }
        for package in self.packages(&config)? {
            builder = builder.package(package.with_raw_scores(self.raw_scores).with_precision(precision));
        }
        let translator = change(builder).build()?;
        let milliseconds = begun.elapsed().as_millis();
        let names: Vec<String> = self.models.iter().map(|path| path.display().to_string()).collect();
        let name = if names.is_empty() { config.model.value.display().to_string() } else { names.join(", ") };
        let threads = self.threads(&config);
        tracing::info!("{name} loaded in {milliseconds} ms; threads: {threads}");
        Ok(translator)
    }

    /// The builder of a translator, with the options of the machine and without a model.
    pub fn builder(&self, config: &Config) -> TranslatorBuilder {
        let threads = self.threads(config).get();
        let builder = Translator::builder().device(self.device).threads(threads);
        builder.batch_tokens(self.batch_tokens()).latency(self.latency)
    }

    /// The precision of the models' products; `None`: the one that each model recommends.
    pub fn precision(&self) -> Option<Precision> {
        self.precision.0
    }

    fn packages(&self, config: &Config) -> Result<Vec<Package>> {
        match &*self.models {
            [] => Ok(vec![models::default_package(config)?]),
            models => models.iter().map(|model| package(model, &self.vocabularies, config)).collect(),
        }
    }
}

/// The model that a user names, with the vocabularies that the user names or else its own.
fn package(model: &Path, vocabularies: &[PathBuf], config: &Config) -> Result<Package> {
    let model = models::locate(model, config)?;
    Ok(if vocabularies.is_empty() { Package::find(model)? } else { Package::files(model, vocabularies)? })
}
