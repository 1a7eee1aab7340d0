//! Options of the model and the machine, and the translator that they describe.

use crate::Usage;
use crate::values::{AUTO, Numbers, numbers};
use anyhow::Result;
use metaphrase::{Error, Package, Precision, Translator, TranslatorBuilder};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

/// The models, and how they use the machine.
#[derive(clap::Args)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// A model's directory (of Marian, of OPUS-MT with its decoder.yml, of Hugging Face, or our own), or a model file
    /// together with --vocab. Several models, each after its own -m, vote as an ensemble; they must have the same
    /// vocabularies. en-de and de-en, English and German, come with the program [default: en-de]
    #[arg(short, long = "model", value_name = "PATH")]
    models: Vec<PathBuf>,
    /// The weight of each model of an ensemble [default: 1/n for each of n models]
    #[arg(long, value_name = "W", num_args = 1.., requires = "models", allow_negative_numbers = true)]
    weights: Vec<f32>,
    /// Score words by the output layer alone, without the softmax; for models that were trained with self-normalisation
    #[arg(long)]
    raw_scores: bool,
    /// The vocabulary of a model file: one file for both languages, or a file for the source and a file for the target
    /// (.spm, .yml, .json, or one word on each line)
    #[arg(short, long = "vocab", visible_alias = "vocabs", value_name = "FILE", num_args = 1..=2, requires = "models")]
    vocabularies: Vec<PathBuf>,
    /// Number of threads, which share the model [default: one for each processor]
    #[arg(long, visible_alias = "cpu-threads", value_name = "N", help_heading = "Machine")]
    #[arg(value_parser = crate::number::thread_count)]
    threads: Option<NonZeroUsize>,
    /// The batch of each thread: number of source pieces that are translated together; 1 translates each line alone. This
    /// changes the speed and never a translation
    #[arg(long, value_name = "N", default_value_t = DEFAULT_BATCH, help_heading = "Machine")]
    batch_tokens: NonZeroUsize,
    /// Translate one line after the other, each on all threads together: the shortest time for a line of a model with
    /// layers of 512 and more. Without it each thread translates other lines, and a text takes less time. This changes the
    /// speed and never a translation
    #[arg(long, conflicts_with = "batch_tokens", help_heading = "Machine")]
    latency: bool,
    /// The numbers of the model's products. Scores differ from those of f32 in the last places; a line has the same
    /// translation in every batch and on every CPU
    #[arg(long, value_parser = numbers(), default_value = AUTO, help_heading = "Machine")]
    precision: Numbers,
}

const DEFAULT_BATCH: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// The model whose pieces count.
#[derive(clap::Args)]
#[command(next_help_heading = "Model")]
pub struct PackageArgs {
    /// The neural model, as for `metaphrase translate` [default: en-de]
    #[arg(short, long, value_name = "PATH")]
    model: Option<PathBuf>,
    /// The vocabulary of a model file
    #[arg(short, long = "vocab", value_name = "FILE", num_args = 1..=2, requires = "model")]
    vocabularies: Vec<PathBuf>,
}

impl PackageArgs {
    /// The files of the model.
    pub fn package(&self) -> Result<Package, Error> {
        match &self.model {
            None => Ok(Package::bundled()),
            Some(path) if self.vocabularies.is_empty() => Package::find(path),
            Some(path) => Package::files(path, &self.vocabularies),
        }
    }
}

impl ModelArgs {
    /// Refuses options that do not go together.
    pub fn check(&self) -> Result<()> {
        let models = self.models.len().max(1);
        if !self.weights.is_empty() && self.weights.len() != models {
            let weights = self.weights.len();
            return Err(Usage::error(format!("{weights} --weights were given for {models} models; give one for each")));
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

    /// The number of threads that was asked for.
    pub fn threads(&self) -> Option<NonZeroUsize> {
        self.threads
    }

    /// The batch of each thread, in source pieces.
    pub fn batch_tokens(&self) -> usize {
        self.batch_tokens.get()
    }

    /// Whether each sentence is translated alone.
    pub fn one_by_one(&self) -> bool {
        self.latency || self.batch_tokens.get() == 1
    }

    /// Reads the models and starts the threads of a translator; `change` adds to its builder.
    pub fn load(&self, change: impl FnOnce(TranslatorBuilder) -> TranslatorBuilder) -> Result<Translator> {
        self.load_in(self.precision.0, change)
    }

    /// [`load`](Self::load) in a precision of its own.
    pub fn load_in(
        &self,
        precision: impl Into<Option<Precision>>,
        change: impl FnOnce(TranslatorBuilder) -> TranslatorBuilder,
    ) -> Result<Translator> {
        let begun = Instant::now();
        let (mut builder, precision) = (self.builder(), precision.into());
        if !self.weights.is_empty() {
            builder = builder.weights(&*self.weights);
        }
        for package in self.packages()? {
            builder = builder.package(package.with_raw_scores(self.raw_scores).with_precision(precision));
        }
        let translator = change(builder).build()?;
        let milliseconds = begun.elapsed().as_millis();
        let names: Vec<String> = self.models.iter().map(|path| path.display().to_string()).collect();
        let name = if names.is_empty() { "en-de".into() } else { names.join(", ") };
        let threads = crate::number::threads(self.threads);
        tracing::info!("{name} loaded in {milliseconds} ms; threads: {threads}");
        Ok(translator)
    }

    /// The builder of a translator, which knows the machine and no model.
    pub fn builder(&self) -> TranslatorBuilder {
        let threads = crate::number::threads(self.threads).get();
        Translator::builder().threads(threads).batch_tokens(self.batch_tokens.get()).latency(self.latency)
    }

    /// The numbers of the models' products; `None`: those that each model recommends.
    pub fn precision(&self) -> Option<Precision> {
        self.precision.0
    }

    fn packages(&self) -> Result<Vec<Package>, Error> {
        let find = |path: &PathBuf| match &*self.vocabularies {
            [] => Package::find(path),
            vocabularies => Package::files(path, vocabularies),
        };
        match &*self.models {
            [] => Ok(vec![Package::bundled()]),
            models => models.iter().map(find).collect(),
        }
    }
}
