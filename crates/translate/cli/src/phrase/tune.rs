//! `metaphrase phrase tune`.

use super::display::Display;
use super::search::{LONGEST, default_beam, default_options, search_options};
use crate::Usage;
use crate::align::Side;
use crate::io::{Input, Output, check_one_stdin};
use crate::lines::Lines;
use crate::messages::Terminal;
use crate::number;
use crate::values::choice;
use anyhow::{Context, Result};
use clap::ValueHint;
use metaphrase_phrase::{PhraseModel, reweighted};
use metaphrase_phrase_train::{DevSet, TuneOptions, tune};
use metaphrase_tune::{MertOptions, Method, MethodName, MiraOptions};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Tune the weights of a phrase-based model
///
/// Translates a text in rounds. Each round finds the weights with the highest BLEU on the translations of all rounds so
/// far. Tuning ends after a round without new translations. Prints the model's moses.ini with the best weights. The
/// same seed gives the same weights on any number of threads. The text must be tokenised like the training text.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a directory with a moses.ini, or the moses.ini itself; tuning starts from its weights
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    model: PathBuf,
    /// The text to translate; a name in .gz is decompressed
    #[arg(value_hint = ValueHint::FilePath)]
    source: PathBuf,
    /// Translations of the text by people; several files contain several translations of each line
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    references: Vec<PathBuf>,
    /// The file for the new moses.ini [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    #[command(flatten)]
    tuning: TuningArgs,
    /// The largest number of source words that a jump skips; -1 sets no limit [default: the model's]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Tuning")]
    #[arg(value_parser = number::whole::<i64>)]
    distortion_limit: Option<i64>,
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = crate::number::thread_count)]
    threads: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase phrase tune -m model/ dev.tok.de dev.tok.en -o model/moses.tuned.ini
  metaphrase phrase tune -m moses.ini --method mert --seed 7 dev.tok.de dev.tok.en > tuned.ini";

/// The options of tuning.
#[derive(clap::Args)]
#[command(next_help_heading = "Tuning")]
pub struct TuningArgs {
    /// The method that finds weights
    #[arg(long, value_name = "NAME", default_value = "mira", value_parser = choice::<MethodName>())]
    method: MethodName,
    /// The largest number of rounds
    #[arg(long, value_name = "N", default_value_t = TuneOptions::default().rounds)]
    #[arg(value_parser = number::whole::<usize>)]
    rounds: usize,
    /// The largest number of translations of a line in a round
    #[arg(long, value_name = "N", default_value_t = TuneOptions::default().n_best)]
    #[arg(value_parser = number::whole::<usize>)]
    n_best: usize,
    /// Number of random starting points of mert, in addition to the best weights so far
    #[arg(long, value_name = "N", default_value_t = MertOptions::default().restarts)]
    #[arg(value_parser = number::whole::<usize>)]
    restarts: usize,
    /// The largest step of mira
    #[arg(long, value_name = "C", default_value_t = MiraOptions::default().step)]
    #[arg(value_parser = number::real::<f64>)]
    step: f64,
    /// The seed; the same seed gives the same weights
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::whole::<u64>)]
    seed: u64,
    /// Number of coverages kept for each number of translated words, and of hypotheses kept for each coverage
    #[arg(long, num_args = 2, value_names = ["N_C", "N_L"], default_values_t = default_beam())]
    #[arg(value_parser = number::whole::<NonZeroUsize>)]
    cardinality_beam: Vec<NonZeroUsize>,
    /// Number of translation options of a source phrase; 0 takes all
    #[arg(long, value_name = "N_O", default_value_t = default_options(), value_parser = number::whole::<usize>)]
    options: usize,
}

impl TuningArgs {
    /// The options of the library.
    ///
    /// # Errors
    /// A number is out of its range.
    pub fn options(&self, threads: NonZeroUsize) -> Result<TuneOptions> {
        let search = search_options(&self.cardinality_beam, self.options)?;
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

/// The line without the words after the longest source. A warning names a line that is cut off.
fn cut(path: &Path, number: usize, text: String) -> String {
    let words = text.split_ascii_whitespace().count();
    let longest = LONGEST.get();
    if words <= longest {
        return text;
    }
    let name = path.display();
    tracing::warn!(
        "{name}, line {number}: the line has {words} words and is cut off after {longest}; split it into sentences"
    );
    text.split_ascii_whitespace().take(longest).collect::<Vec<_>>().join(" ")
}

/// Reads a development set; `change` edits each line of the source and of its translations.
pub fn read_dev(source: &Path, references: &[PathBuf], change: impl Fn(Side, String) -> String) -> Result<DevSet> {
    let read = |path: &Path, side: Side| -> Result<Vec<String>> {
        let texts = Lines::new(Input::open(Some(path))?).texts()?;
        let changed = |(number, text)| cut(path, number, change(side, text));
        Ok((1..).zip(texts).map(changed).collect())
    };
    let references: Vec<_> = references.iter().map(|path| read(path, Side::Target)).collect::<Result<_>>()?;
    Ok(DevSet::new(read(source, Side::Source)?, references)?)
}
