//! Options about the model and the machine, and the translator made from them.

use crate::Usage;
use anyhow::Result;
use metaphrase::{Execution, Package, Translator};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

/// Which model, and how it uses the machine.
#[derive(clap::Args)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// A model's directory (Marian's, OPUS-MT's with decoder.yml, Hugging Face's, our own), or a model file together
    /// with --vocab [default: the English-German model that comes with the program]
    #[arg(short, long = "model", value_name = "PATH")]
    models: Vec<PathBuf>,
    /// Vocabulary of a model file: one file for both languages, or one for the source and one for the target
    /// (.spm, .yml, .json, or one word per line)
    #[arg(short, long = "vocab", visible_alias = "vocabs", value_name = "FILE", num_args = 1..=2, requires = "models")]
    vocabularies: Vec<PathBuf>,
    /// Number of threads; they share the model [default: one per processor]
    #[arg(long, visible_alias = "cpu-threads", value_name = "N", help_heading = "Machine")]
    threads: Option<NonZeroUsize>,
    /// Sentences are translated together up to so many source words (sub-word pieces) per thread; 1: one sentence at
    /// a time. Changes the speed, never a translation
    #[arg(long, value_name = "N", default_value_t = DEFAULT_BATCH, help_heading = "Machine")]
    batch_tokens: NonZeroUsize,
    /// Numbers that the model computes with
    #[arg(long, value_enum, default_value_t = Precision::F32, help_heading = "Machine")]
    precision: Precision,
}

const DEFAULT_BATCH: NonZeroUsize = NonZeroUsize::new(256).unwrap();

#[derive(Clone, Copy, clap::ValueEnum)]
enum Precision {
    F32,
}

impl ModelArgs {
    /// Refuses what cannot work.
    pub fn check(&self) -> Result<()> {
        if self.models.len() > 1 {
            return Err(Usage::error(
                "several models were given but ensembles are not supported yet; give one --model",
            ));
        }
        Ok(())
    }

    /// Whether each sentence is translated alone.
    pub fn one_by_one(&self) -> bool {
        self.batch_tokens.get() == 1
    }

    /// Reads the model and starts its threads.
    pub fn load(&self) -> Result<Translator> {
        let begun = Instant::now();
        let package = match (self.models.first(), &*self.vocabularies) {
            (None, _) => Package::bundled(),
            (Some(path), []) => Package::find(path)?,
            (Some(path), vocabularies) => Package::files(path, vocabularies)?,
        };
        let Precision::F32 = self.precision;
        let mut execution = Execution { batch_tokens: self.batch_tokens.get(), ..Execution::default() };
        execution.threads = self.threads.map_or(execution.threads, NonZeroUsize::get);
        let translator = Translator::load(&package, execution)?;
        let (threads, milliseconds) = (execution.threads, begun.elapsed().as_millis());
        let name = self.models.first().map_or("the bundled model".into(), |path| path.display().to_string());
        tracing::info!("{name} loaded in {milliseconds} ms; threads: {threads}");
        Ok(translator)
    }
}
