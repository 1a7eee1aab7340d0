//! `metaphrase phrase train`.

use super::display::Display;
use super::tune::{Tuning, read_dev};
use crate::io::check_one_stdin;
use crate::messages::Terminal;
use crate::number;
use anyhow::{Result, bail};
use clap::ValueHint;
use metaphrase_align::{ExtractOptions, Smoothing, Symmetrization};
use metaphrase_ngram::MAX_ORDER;
use metaphrase_phrase_train::{TrainOptions, train};
use metaphrase_text::moses::{MosesTokenizer, TokenizerOptions};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Train a phrase-based model from parallel text
///
/// Aligns words, makes phrase and reordering tables, estimates a language model of the target and tunes weights. The
/// directory that comes out is for `phrase translate -m` and for Moses (run in that directory). Text is taken as it is,
/// with words between spaces, unless --tokenize says which languages it is in; what is translated later has to be in the
/// same form.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The source text; `.gz` is decompressed
    #[arg(value_hint = ValueHint::FilePath)]
    source: PathBuf,
    /// The target text: line n is the translation of line n
    #[arg(value_hint = ValueHint::FilePath)]
    target: PathBuf,
    /// Text to tune on, the source and one or more translations; without it weights are those Moses begins with
    #[arg(long, num_args = 2.., value_names = ["SOURCE", "TARGET"], value_hint = ValueHint::FilePath)]
    dev: Vec<PathBuf>,
    /// The model directory; it is made if it does not exist
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: PathBuf,
    /// Go on with a training that was stopped: stages whose files are in the directory are not done again
    #[arg(long)]
    resume: bool,
    /// Split text into words as `metaphrase tokenize --escape` does: source and target language, as `de en`
    #[arg(long, num_args = 2, value_names = ["SOURCE", "TARGET"])]
    tokenize: Vec<String>,
    /// Align words as they are, not in lower case
    #[arg(long, help_heading = "Tables")]
    align_cased: bool,
    /// How the links of both directions become one alignment; see `metaphrase align`
    #[arg(long, value_name = "METHOD", default_value = "grow-diag-final-and", help_heading = "Tables")]
    symmetrize: Symmetrization,
    /// Sentences with more words are not learnt from
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..=4096))]
    #[arg(help_heading = "Tables")]
    max_words: u16,
    /// Words of a phrase at most, 1 to 8
    #[arg(long, value_name = "N", default_value_t = ExtractOptions::default().max_length, help_heading = "Tables")]
    max_length: usize,
    /// How phrase probabilities are estimated: none, good-turing, kneser-ney
    #[arg(long, value_name = "METHOD", default_value = "good-turing", help_heading = "Tables")]
    smoothing: Smoothing,
    /// Leave out phrase pairs with a smaller probability of the target phrase
    #[arg(long, value_name = "P", default_value_t = ExtractOptions::default().min_probability)]
    #[arg(value_parser = crate::extract::probability, help_heading = "Tables")]
    min_probability: f64,
    /// A language model of the target that is there, ARPA, instead of one of the target text
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Language model")]
    lm: Option<PathBuf>,
    /// Words of the longest n-grams
    #[arg(long, value_name = "N", default_value_t = 5, help_heading = "Language model")]
    #[arg(value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=MAX_ORDER as u64))]
    order: usize,
    /// Leave out n-grams that occur at most COUNT times, by order; the last number holds for higher orders
    #[arg(long, value_name = "COUNT", num_args = 1..=MAX_ORDER, help_heading = "Language model")]
    prune: Vec<u64>,
    #[command(flatten)]
    tuning: Tuning,
    /// How many source words a jump may pass
    #[arg(long, value_name = "N", default_value_t = TrainOptions::default().distortion_limit, help_heading = "Tuning")]
    distortion_limit: usize,
    /// Memory for sorting: a number with K, M or G; text and tables come on top of it
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = crate::extract::memory)]
    memory: usize,
    /// Threads; the result does not depend on their number [default: as many as the machine has]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase phrase train train.de.gz train.en.gz --dev dev.de.gz dev.en.gz --tokenize de en -o model
  metaphrase tokenize -l de --escape < talk.de | metaphrase phrase translate -m model |
    metaphrase detokenize -l en --escape";

/// Trains a model.
pub fn run(args: &Args, terminal: &Terminal) -> Result<()> {
    check_one_stdin([&args.source, &args.target].into_iter().chain(&args.dev).map(Some))?;
    let options = options(args)?;
    let tokenize = tokenizer(args);
    let dev = match &args.dev[..] {
        [] => None,
        [_] => bail!(crate::Usage("--dev takes a source text and its translation".into())),
        [source, references @ ..] => Some(read_dev(source, references, &tokenize)?),
    };
    let corpus = crate::align::read_as(&args.source, &args.target, &tokenize)?;
    crate::align::note_lines_without_links(&corpus, options.align.max_words);
    let mut display = Display::new(terminal);
    train(&corpus, dev.as_ref(), &options, &args.output, args.resume, &mut |event| display.event(&event))?;
    Ok(())
}

fn options(args: &Args) -> Result<TrainOptions> {
    let threads = number::threads(args.threads);
    let mut options = TrainOptions {
        lowercase: !args.align_cased,
        language_model: args.lm.clone(),
        distortion_limit: args.distortion_limit,
        tune: args.tuning.options(threads)?,
        ..TrainOptions::default()
    };
    options.align.symmetrization = args.symmetrize;
    options.align.max_words = args.max_words.into();
    options.align.threads = threads;
    options.extract.max_length = args.max_length;
    options.extract.smoothing = args.smoothing;
    options.extract.min_probability = args.min_probability;
    options.extract.memory = args.memory;
    options.extract.threads = threads;
    options.estimate.order = args.order;
    options.estimate.prune.clone_from(&args.prune);
    options.estimate.memory = args.memory;
    options.estimate.threads = threads.into();
    Ok(options)
}

/// Changes lines of the source (`true`) and of the target.
fn tokenizer(args: &Args) -> impl Fn(bool, String) -> String {
    let tokenizer = |language: &String| {
        MosesTokenizer::with_options(language, TokenizerOptions { escape: true, ..TokenizerOptions::default() })
    };
    let tokenizers = match &args.tokenize[..] {
        [source, target] => Some((tokenizer(source), tokenizer(target))),
        _ => None,
    };
    move |is_source, line| match &tokenizers {
        Some((source, target)) => if is_source { source } else { target }.tokenize_line(&line),
        None => line,
    }
}
