//! `metaphrase train`.

use crate::messages::{Terminal, warn_if_useless};
use anyhow::Result;
use clap::ValueHint;
use indicatif::ProgressBar;
use metaphrase::Device;
use metaphrase_train::{Observer, Progress, Recipe, RecipeError, TrainError, ValidationReport, train_on_cpu};
use std::path::PathBuf;
use std::time::Instant;

/// Train a model from parallel text
///
/// A recipe names the text, the vocabulary, the network and the settings of the training; docs/training.md describes
/// recipes, and recipes/ has examples. Each validation writes a checkpoint and a model to the output directory, which
/// also has the best model (`best`, for `metaphrase translate -m`) and the log. With --resume an interrupted run
/// continues as if it had not been interrupted.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The recipe
    #[arg(short, long, value_name = "TOML", value_hint = ValueHint::FilePath)]
    config: PathBuf,
    /// The directory of the run; must not exist yet, unless the run is resumed
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: PathBuf,
    /// Change a setting of the recipe; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Continue the run in the output directory
    #[arg(long)]
    resume: bool,
    /// Number of threads; the same number gives the same bits [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = crate::number::thread_count)]
    threads: Option<std::num::NonZeroUsize>,
    /// The device that computes updates: `cpu`, or `cuda:0` for the first NVIDIA GPU, which needs its driver and the
    /// libraries of CUDA 12 or 13
    #[arg(long, value_name = "DEVICE", default_value_t = Device::Cpu)]
    device: Device,
    /// Number of updates between two lines of progress, if no progress bar can be shown
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = crate::number::whole::<u64>)]
    report_every: u64,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase train -c recipes/en-de.toml -o runs/en-de
  metaphrase train -c recipes/en-de.toml -o runs/en-de --resume
  metaphrase train -c recipes/en-de.toml -o runs/gpu --device cuda:0
  metaphrase train -c recipes/cgru.toml -o runs/seed2 --set training.seed=2";

/// Trains as the recipe says.
pub fn run(args: &Args, terminal: &Terminal) -> Result<()> {
    let recipe = Recipe::read(&args.config, &args.set).map_err(print_faults)?;
    let threads = crate::number::threads(args.threads).get();
    match args.device {
        Device::Cpu => {
            let train = |display: &mut Display| train_on_cpu(&recipe, &args.output, threads, args.resume, display);
            follow(train, args, terminal)
        }
        #[cfg(feature = "cuda")]
        Device::Cuda(_) if recipe.training.update.precision == metaphrase_train::TrainingPrecision::Int8 => {
            anyhow::bail!(
                "{}: `training.update.precision` is \"int8\", which only the CPU can train: choose \"bf16\", or `--device cpu`",
                args.config.display()
            )
        }
        #[cfg(feature = "cuda")]
        Device::Cuda(gpus) if gpus.count() > 1 => {
            anyhow::bail!("`--device {}`: a model is trained on one GPU; choose one of these", args.device)
        }
        #[cfg(feature = "cuda")]
        Device::Cuda(gpus) => {
            let shards = gpus.numbers().map(metaphrase_cuda::Cuda::open).collect::<Result<_, _>>()?;
            let execution = metaphrase_train::Execution { shards, threads, resume: args.resume };
            let train = |display: &mut Display| metaphrase_train::train(&recipe, &args.output, execution, display);
            follow(train, args, terminal)
        }
        #[cfg(not(feature = "cuda"))]
        Device::Cuda(_) => anyhow::bail!(
            "this program was built without CUDA, which `{}` needs: build it with \
             `cargo build --release -p metaphrase-cli --features cuda`, or train with `--device cpu`",
            args.device
        ),
    }
}

/// Probable causes of a useless model.
const CAUSES: &str = "train for more updates, and check that line n of both files of a pair is the same sentence";

/// Prints all faults of a recipe except the last, which is returned as the error that ends the program.
fn print_faults(error: RecipeError) -> anyhow::Error {
    let RecipeError::Faults(mut faults) = error else { return error.into() };
    let Some(last) = faults.pop() else { return anyhow::anyhow!("the recipe has a fault") };
    faults.iter().for_each(|fault| tracing::error!("{fault}"));
    last.into()
}

/// Runs `train` and shows its progress.
fn follow(
    train: impl FnOnce(&mut Display) -> Result<Option<(f64, u64)>, TrainError>,
    args: &Args,
    terminal: &Terminal,
) -> Result<()> {
    let mut display = Display::new(terminal, args.report_every);
    let best = train(&mut display).map_err(|error| match error {
        TrainError::Recipe(error) => print_faults(error),
        error => error.into(),
    })?;
    if let Some((value, update)) = best {
        display.message(&format!("best: {value:.4} after update {update}, in {}", args.output.join("best").display()));
    }
    if let Some(bleu) = display.bleu {
        warn_if_useless(bleu, CAUSES);
    }
    Ok(())
}

/// Shows the progress of training: a bar on a terminal, lines elsewhere.
struct Display {
    bar: Option<ProgressBar>,
    quiet: bool,
    every: u64,
    words: usize,
    loss: f64,
    since: Instant,
    /// The highest BLEU so far.
    bleu: Option<f64>,
}

impl Display {
    fn new(terminal: &Terminal, every: u64) -> Self {
        let bar = terminal.bar(ProgressBar::new(0), "{pos}/{len} {wide_bar} {msg}, {eta} left");
        let quiet = terminal.quiet;
        Self { bar, quiet, every: every.max(1), words: 0, loss: 0.0, since: Instant::now(), bleu: None }
    }

    /// Starts the interval over which the next line of progress averages.
    fn start_interval(&mut self) {
        self.words = 0;
        self.loss = 0.0;
        self.since = Instant::now();
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{text}")),
            None if self.quiet => {}
            None => eprintln!("{text}"),
        }
    }
}

impl Observer for Display {
    fn message(&mut self, text: &str) {
        self.line(text);
    }

    fn progress(&mut self, progress: &Progress) {
        self.words += progress.words;
        self.loss += progress.loss * progress.words as f64;
        let now = progress.update.is_multiple_of(self.every) || progress.update == 1;
        if self.bar.is_none() && !now {
            return;
        }
        let speed = self.words as f64 / self.since.elapsed().as_secs_f64().max(1e-9);
        let loss = self.loss / self.words.max(1) as f64;
        let rate = progress.rate;
        let text = format!("loss {loss:.4}, {speed:.0} words/s, rate {rate:.2e}, epoch {}", progress.epoch + 1);
        match &self.bar {
            Some(bar) => {
                bar.set_length(progress.of);
                bar.set_position(progress.update);
                bar.set_message(text);
            }
            None => self.line(&format!("update {}/{}: {text}", progress.update, progress.of)),
        }
        if now {
            self.start_interval();
        }
    }

    fn validated(&mut self, v: &ValidationReport) {
        let best = if v.best { ", the best so far" } else { "" };
        let (mean, deviation) = v.log_z;
        self.line(&format!(
            "update {}: cross-entropy {:.4}, BLEU {:.2}, ln Z {mean:.3} ± {deviation:.3}{best}",
            v.update, v.cross_entropy, v.bleu
        ));
        self.bleu = Some(self.bleu.map_or(v.bleu, |best| best.max(v.bleu)));
        // The speed of updates does not include the time of a validation.
        self.start_interval();
    }
}
