//! `metaphrase phrase tune`.

use super::display::Display;
use crate::Usage;
use crate::io::{Input, Output, check_one_stdin};
use crate::lines::Lines;
use crate::messages::Terminal;
use crate::number;
use anyhow::{Context, Result};
use clap::{ValueEnum, ValueHint};
use metaphrase_phrase::{PhraseModel, SearchOptions, reweighted};
use metaphrase_phrase_train::{DevSet, TuneOptions, tune};
use metaphrase_tune::{MertOptions, Method, MiraOptions};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Tune the weights of a phrase-based model
///
/// Translates a text again and again, and after each round finds weights with which the translations found so far come
/// close to those of people (BLEU). Ends when nothing new comes up. Prints the model's moses.ini with the weights that
/// reached most. The same seed gives the same weights on any number of threads. Text has to be tokenised as the model's.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a directory with a `moses.ini`, or such a file; tuning begins with its weights
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    model: PathBuf,
    /// The text to translate; `.gz` is decompressed
    #[arg(value_hint = ValueHint::FilePath)]
    source: PathBuf,
    /// Human translations of the text; several files: several translations of each line
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    references: Vec<PathBuf>,
    /// Where the new moses.ini goes [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    #[command(flatten)]
    tuning: Tuning,
    /// How many source words a jump may pass; -1: any number [default: the model's]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Tuning")]
    distortion_limit: Option<i64>,
    /// Threads [default: as many as the machine has]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase phrase tune -m model/ dev.tok.de dev.tok.en -o model/moses.tuned.ini
  metaphrase phrase tune -m moses.ini --method mert --seed 7 dev.tok.de dev.tok.en > tuned.ini";

/// How weights are found.
#[derive(clap::Args)]
#[command(next_help_heading = "Tuning")]
pub struct Tuning {
    /// How weights are found
    #[arg(long, value_enum, value_name = "NAME", default_value_t = MethodName::Mira)]
    method: MethodName,
    /// How often the text is translated, at most
    #[arg(long, value_name = "N", default_value_t = TuneOptions::default().rounds)]
    rounds: usize,
    /// Translations of a line that a round adds, at most
    #[arg(long, value_name = "N", default_value_t = TuneOptions::default().n_best)]
    n_best: usize,
    /// Random starting points of mert, beside the best weights so far
    #[arg(long, value_name = "N", default_value_t = MertOptions::default().restarts)]
    restarts: usize,
    /// The largest step of mira
    #[arg(long, value_name = "C", default_value_t = MiraOptions::default().step)]
    step: f64,
    /// The same seed gives the same weights
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Coverages kept per number of translated words, and hypotheses kept per coverage
    #[arg(long, num_args = 2, value_names = ["N_C", "N_L"], default_values = ["16", "16"])]
    cardinality_beam: Vec<NonZeroUsize>,
    /// Translation options per source phrase; 0: all
    #[arg(long, value_name = "N_O", default_value_t = 100)]
    options: usize,
}

/// [`Method`] by name.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum MethodName {
    /// Minimum error rate training: exact line searches from many starting points
    Mert,
    /// Batch MIRA: large margins
    Mira,
}

impl Tuning {
    /// As the library takes them.
    ///
    /// # Errors
    /// Numbers that make no sense.
    pub fn options(&self, threads: NonZeroUsize) -> Result<TuneOptions> {
        let [coverages, hypotheses] = self.cardinality_beam[..] else {
            return Err(Usage::error("--cardinality-beam takes two numbers, N_c and N_l"));
        };
        if !(self.step.is_finite() && self.step > 0.0) {
            return Err(Usage::error("--step is a number above 0, as 0.01"));
        }
        let method = match self.method {
            MethodName::Mert => Method::Mert(MertOptions {
                restarts: self.restarts,
                seed: self.seed,
                threads,
                ..MertOptions::default()
            }),
            MethodName::Mira => {
                Method::Mira(MiraOptions { step: self.step, seed: self.seed, ..MiraOptions::default() })
            }
        };
        let search = SearchOptions {
            coverages: coverages.into(),
            hypotheses: hypotheses.into(),
            options: (self.options > 0).then_some(self.options),
            ..SearchOptions::default()
        };
        Ok(TuneOptions { method, rounds: self.rounds, n_best: self.n_best.max(1), search, threads })
    }
}

/// Tunes a model.
pub fn run(args: &Args, terminal: &Terminal) -> Result<()> {
    check_one_stdin(std::iter::once(&args.source).chain(&args.references).map(Some))?;
    let threads = number::threads(args.threads);
    let mut options = args.tuning.options(threads)?;
    let dev = read_dev(&args.source, &args.references, |_, line| line)?;
    let output = Output::create(args.output.as_deref())?;
    let mut model = PhraseModel::read_moses(&args.model)?;
    options.search.distortion_limit = match args.distortion_limit {
        Some(limit) => usize::try_from(limit).ok(),
        None => model.distortion_limit,
    };
    let mut display = Display::new(terminal);
    display.stage("tuning");
    let tuned = tune(&mut model, &dev, &options, &mut |round| display.round(round))?;
    drop(display);
    tracing::info!("BLEU {:.2}", tuned.score);
    write(args, &model, output)
}

/// Writes the model's `moses.ini` with its new weights.
fn write(args: &Args, model: &PhraseModel, mut output: Output) -> Result<()> {
    let ini = if args.model.is_dir() { args.model.join("moses.ini") } else { args.model.clone() };
    let text = std::fs::read_to_string(&ini).with_context(|| format!("cannot read {}", ini.display()))?;
    let folder = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folder.canonicalize().with_context(|| format!("cannot read {}", folder.display()))
    };
    let from = folder(&ini)?;
    let same = match args.output.as_deref() {
        Some(path) if !output.is_stdout() => folder(path)? == from,
        _ => false,
    };
    output.write(&reweighted(&text, model.names(), &model.weights, (!same).then_some(from.as_path())))?;
    output.finish()
}

/// Reads a development set; `change` changes lines of the source (`true`) and of its translations.
pub fn read_dev(source: &Path, references: &[PathBuf], change: impl Fn(bool, String) -> String) -> Result<DevSet> {
    let read = |path: &Path, is_source: bool| -> Result<Vec<String>> {
        let lines = Lines::new(Input::open(Some(path))?).all()?;
        for (number, line) in lines.iter().enumerate() {
            for note in &line.notes {
                tracing::warn!("{}, line {}: {note}", path.display(), number + 1);
            }
        }
        Ok(lines.into_iter().map(|line| change(is_source, line.text)).collect())
    };
    let references: Vec<_> = references.iter().map(|path| read(path, false)).collect::<Result<_>>()?;
    Ok(DevSet::new(read(source, true)?, references)?)
}
