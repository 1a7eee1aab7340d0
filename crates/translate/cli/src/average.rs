//! `metaphrase average`.

use crate::Usage;
use anyhow::{Context, Result};
use metaphrase::{Package, StoredPrecision};
use metaphrase_train::Shrunk;
use metaphrase_train::data::CorpusFiles;
use std::path::{Path, PathBuf};

/// Average the parameters of several models, such as the last models of a training run
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A model; give this option once for each model
    #[arg(short, long = "model", value_name = "PATH")]
    models: Vec<PathBuf>,
    /// The directory of a training run whose last models are averaged
    #[arg(long, value_name = "DIR", conflicts_with = "models")]
    run: Option<PathBuf>,
    /// Number of last models of the run
    #[arg(long, value_name = "N", default_value_t = 4, requires = "run", value_parser = crate::number::whole::<usize>)]
    last: usize,
    /// Unfold the ensemble of the models into one network instead of averaging them; for conditional GRUs of one
    /// architecture
    #[arg(long)]
    unfold: bool,
    /// Shrink that network to the size of one model; the neurons that matter most on the --text stay
    #[arg(long, requires = "unfold", requires = "text")]
    shrink: bool,
    /// A few thousand lines in the source language, and their translations by people or by the ensemble
    #[arg(long, num_args = 2, value_names = ["SOURCE", "TARGET"], requires = "shrink")]
    text: Option<Vec<PathBuf>>,
    /// The model directory to write; it must be absent or empty
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase average --run runs/en-de --last 4 --to en-de-averaged
  metaphrase average -m a -m b --to mean
  metaphrase average -m a -m b -m c --unfold --to one
  metaphrase average -m a -m b -m c --unfold --shrink --text train.de.gz train.en.gz --to small";

/// Averages models.
pub fn run(args: &Args) -> Result<()> {
    let models = match &args.run {
        Some(run) => last_models(run, args.last)?,
        None if args.models.is_empty() => return Err(Usage::error("name models with -m, or a run with --run")),
        None => args.models.clone(),
    };
    if let Some(bundled) = models.iter().find(|model| !model.exists() && Package::find(model).is_ok()) {
        let name = bundled.display();
        return Err(Usage::error(format!(
            "`{name}` is a model in the program; write it to a folder, and average that: `metaphrase convert -m {name} --to FOLDER`"
        )));
    }
    if let (true, Some([source, target])) = (args.shrink, args.text.as_deref()) {
        let text = CorpusFiles::new(source, target);
        let shrunk = metaphrase_train::shrink(&models, &text, &args.to, StoredPrecision::F32)?;
        let Shrunk { words, removed, fitted } = shrunk;
        tracing::info!(
            "{words} target words: cross-entropy {removed:.3} without the neurons, {fitted:.3} fitted again"
        );
    } else if args.unfold {
        metaphrase_train::unfold(&models, &args.to, StoredPrecision::F32)?;
    } else {
        metaphrase_train::average(&models, &args.to, StoredPrecision::F32)?;
    }
    Ok(())
}

/// The last `count` models of a training run.
fn last_models(run: &Path, count: usize) -> Result<Vec<PathBuf>> {
    let models = run.join("models");
    let entries = std::fs::read_dir(&models).with_context(|| format!("{} is not a training run", run.display()))?;
    let number = |path: &PathBuf| path.file_name()?.to_str()?.strip_prefix("update-")?.parse::<u64>().ok();
    let mut found: Vec<_> = entries.flatten().filter_map(|e| Some((number(&e.path())?, e.path()))).collect();
    if found.len() < count || count == 0 {
        return Err(Usage::error(format!(
            "{} has {} models and --last is {count}; `keep` in the recipe is the number of models that a run keeps",
            run.display(),
            found.len()
        )));
    }
    found.sort();
    Ok(found.split_off(found.len() - count).into_iter().map(|(_, path)| path).collect())
}
