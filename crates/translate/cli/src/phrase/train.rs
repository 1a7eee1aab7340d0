//! `metaphrase phrase train`.

use super::display::Display;
use super::tune::{TuningArgs, read_dev};
use crate::Usage;
use crate::align::Side;
use crate::io::check_one_stdin;
use crate::messages::{Terminal, warn_if_useless};
use crate::number;
use anyhow::{Result, bail};
use clap::ValueHint;
use metaphrase_align::{ExtractOptions, Smoothing, Symmetrization};
use metaphrase_ngram::MAX_ORDER;
use metaphrase_phrase::{PhraseModel, SearchOptions};
use metaphrase_phrase_train::{DevSet, TrainOptions, evaluate, train};
use metaphrase_text::language::{Language, WordTokenizer};
use metaphrase_text::moses::TokenizerOptions;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Train a phrase-based model from parallel text
///
/// Aligns words, makes phrase and reordering tables, estimates a language model of the target, and tunes weights. The
/// result is a directory for `metaphrase phrase translate -m`; Moses, run in that directory, reads it too. Spaces must
/// separate the words of the text, unless --tokenize names its languages. Text to translate must have the same form.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The source text; a name in .gz is decompressed
    #[arg(value_hint = ValueHint::FilePath)]
    source: PathBuf,
    /// The target text: line n is the translation of line n
    #[arg(value_hint = ValueHint::FilePath)]
    target: PathBuf,
    /// Text to tune on: a source and one or more translations; without it the weights are those with which Moses starts
    #[arg(long, num_args = 2.., value_names = ["SOURCE", "TARGET"], value_hint = ValueHint::FilePath)]
    dev: Vec<PathBuf>,
    /// Text to translate at the end: a source and one or more translations; its BLEU is printed
    #[arg(long, num_args = 2.., value_names = ["SOURCE", "TARGET"], value_hint = ValueHint::FilePath)]
    test: Vec<PathBuf>,
    /// The model directory; it is created if it does not exist
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: PathBuf,
    /// Continue a training that was stopped; a stage whose files are in the directory is not repeated
    #[arg(long)]
    resume: bool,
    /// Split text into words as `metaphrase tokenize --escape` does, for these languages, such as de en; zh and ja are
    /// split into characters
    #[arg(long, num_args = 2, value_names = ["SOURCE", "TARGET"])]
    tokenize: Vec<Language>,
    /// Distinguish upper and lower case when aligning words
    #[arg(long, help_heading = "Tables")]
    align_cased: bool,
    /// The method that merges the links of both directions into one alignment; see `metaphrase align`
    #[arg(long, value_name = "METHOD", default_value = "grow-diag-final-and", help_heading = "Tables")]
    symmetrize: Symmetrization,
    /// Leave out sentences with more than N words
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = number::within(1..=4096_u16))]
    #[arg(help_heading = "Tables")]
    max_words: u16,
    /// Number of words of the longest phrases, from 1 to 8
    #[arg(long, value_name = "N", default_value_t = ExtractOptions::default().max_length, help_heading = "Tables")]
    #[arg(value_parser = number::whole::<usize>)]
    max_length: usize,
    /// The smoothing of phrase probabilities: none, good-turing, kneser-ney
    #[arg(long, value_name = "METHOD", default_value = "good-turing", help_heading = "Tables")]
    smoothing: Smoothing,
    /// Leave out phrase pairs whose target phrase has a probability below P, given the source phrase
    #[arg(long, value_name = "P", default_value_t = ExtractOptions::default().min_probability)]
    #[arg(value_parser = crate::extract::probability, help_heading = "Tables")]
    min_probability: f64,
    /// Do not compile the tables and the language model; moses.ini then names the text files
    #[arg(long, help_heading = "Tables")]
    text_tables: bool,
    /// Use this language model of the target, ARPA text, instead of estimating one from the target text
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Language model")]
    lm: Option<PathBuf>,
    /// Number of words of the longest n-grams
    #[arg(long, value_name = "N", default_value_t = 5, conflicts_with = "lm", help_heading = "Language model")]
    #[arg(value_parser = number::within(1..=MAX_ORDER))]
    order: usize,
    /// Leave out n-grams that occur at most COUNT times: one count for each order from 1 on; the last count applies to
    /// all higher orders
    #[arg(long, value_name = "COUNT", num_args = 1..=MAX_ORDER, help_heading = "Language model")]
    #[arg(value_parser = number::whole::<u64>)]
    prune: Vec<u64>,
    #[command(flatten)]
    tuning: TuningArgs,
    /// The largest number of source words that a jump skips
    #[arg(long, value_name = "N", default_value_t = TrainOptions::default().distortion_limit, help_heading = "Tuning")]
    #[arg(value_parser = number::whole::<usize>)]
    distortion_limit: usize,
    /// Memory for sorting, a number with K, M or G; text and tables take memory in addition
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = crate::extract::memory)]
    memory: usize,
    /// Number of threads; the result does not depend on it [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = crate::number::thread_count)]
    threads: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase phrase train train.de.gz train.en.gz --dev dev.de.gz dev.en.gz --tokenize de en -o model
  metaphrase tokenize -l de --escape < talk.de | metaphrase phrase translate -m model |
    metaphrase detokenize -l en --escape";

/// Probable causes of a useless model.
const CAUSES: &str = "check that line n of both texts is the same sentence, and that --tokenize names the languages of text \
    that is not tokenised";

/// Trains a model.
pub fn run(args: &Args, terminal: &Terminal) -> Result<()> {
    check_one_stdin([&args.source, &args.target].into_iter().chain(&args.dev).chain(&args.test).map(Some))?;
    let options = options(args)?;
    let tokenize = tokenizer(args);
    let [dev, test] = [("--dev", &args.dev), ("--test", &args.test)].map(|(name, files)| match &files[..] {
        [] => Ok(None),
        [_] => bail!(Usage(format!("{name} takes a source text and its translation"))),
        [source, references @ ..] => read_dev(source, references, &tokenize).map(Some),
    });
    let dev = dev?;
    let test = test?;
    let corpus = crate::align::read_with(&args.source, &args.target, &tokenize)?;
    crate::align::note_lines_without_links(&corpus, options.align.max_words);
    let mut display = Display::new(terminal);
    train(&corpus, dev.as_ref(), &options, &args.output, args.resume, &mut |event| display.event(&event))?;
    drop(display);
    for (name, text) in [("development", dev), ("test", test)] {
        let Some(text) = text else { continue };
        let bleu = bleu(args, &options, &text)?;
        terminal.print(&format!("BLEU {bleu:.2} on the {name} set of {} sentences, on tokenised words", text.len()));
        warn_if_useless(bleu, CAUSES);
    }
    Ok(())
}

/// BLEU of the trained model on a text.
fn bleu(args: &Args, options: &TrainOptions, text: &DevSet) -> Result<f64> {
    let model = PhraseModel::read_moses(&args.output)?;
    let search = SearchOptions { distortion_limit: model.distortion_limit, ..options.tune.search.clone() };
    Ok(evaluate(&model, text, &search, options.tune.threads)?)
}

fn options(args: &Args) -> Result<TrainOptions> {
    let threads = number::threads(args.threads);
    let mut options = TrainOptions {
        lowercase: !args.align_cased,
        language_model: args.lm.clone(),
        compile: !args.text_tables,
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
    if let Some(problem) = options.estimate.problem() {
        return Err(crate::Usage::error(format!("--prune or --order: {problem}")));
    }
    Ok(options)
}

/// The function that tokenises a line of each side.
fn tokenizer(args: &Args) -> impl Fn(Side, String) -> String {
    let tokenizer = |&language: &Language| {
        WordTokenizer::new(language, TokenizerOptions { escape: true, ..TokenizerOptions::default() })
    };
    let tokenizers = match &args.tokenize[..] {
        [source, target] => Some((tokenizer(source), tokenizer(target))),
        _ => None,
    };
    move |side, line| match (&tokenizers, side) {
        (Some((source, _)), Side::Source) => source.tokenize_line(&line),
        (Some((_, target)), Side::Target) => target.tokenize_line(&line),
        (None, _) => line,
    }
}
