//! `metaphrase bench`.

mod job;
mod machine;
mod measure;
mod report;
mod results;

use crate::Usage;
use crate::config::Config;
use crate::io::{Input, Output, check_one_stdin};
use crate::lines::Lines;
use crate::messages::Terminal;
use crate::model::ModelArgs;
use crate::number;
use crate::search::SearchArgs;
use crate::shortlist::ShortlistArgs;
use crate::values::choice;
use anyhow::{Result, bail};
use indicatif::ProgressBar;
use job::Job;
use machine::Machine;
use metaphrase::{Choice, Precision};
use metaphrase_metrics::{Bleu, BleuOptions, Metric, References};
use results::{BatchedFigures, SingleFigures, UnitCost};
use serde::Serialize;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Measure the speed of a model on this machine with your own text
///
/// Translates the text in batches, and then one sentence at a time, with each setting. Each measurement is a separate
/// process, so that it has its own memory and its own start. Prints a table; --json and --picture write files. Close
/// other programs first: they take processor time and displace the contents of its caches.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// The text to translate; a name in .gz is decompressed, and - is standard input [default: forty everyday
    /// sentences]
    #[arg(short, long, value_name = "FILE", help_heading = "Text")]
    input: Option<PathBuf>,
    /// The reference translation of the text; the table then has BLEU
    #[arg(short, long, value_name = "FILE", requires = "input", help_heading = "Text")]
    reference: Option<PathBuf>,
    /// Use the first N lines of the text
    #[arg(long, value_name = "N", help_heading = "Text", value_parser = number::whole::<NonZeroUsize>)]
    lines: Option<NonZeroUsize>,
    /// The precisions to measure; --precision lists them. The others are compared with the first. With --shortlist each
    /// is measured without and with the shortlist [default: all]
    #[arg(long, value_parser = choice::<Precision>(), value_delimiter = ',', help_heading = "Measurement")]
    #[arg(value_name = "PRECISION,…")]
    precisions: Vec<Precision>,
    /// Translate the text N times in batches; the fastest counts
    #[arg(long, value_name = "N", default_value = "3", help_heading = "Measurement")]
    #[arg(value_parser = number::whole::<NonZeroUsize>)]
    runs: NonZeroUsize,
    /// Translate at most N sentences one at a time
    #[arg(long, value_name = "N", default_value = "500", help_heading = "Measurement")]
    #[arg(value_parser = number::whole::<NonZeroUsize>)]
    single_lines: NonZeroUsize,
    /// Write all figures as JSON; - is standard output, instead of the table
    #[arg(long, value_name = "FILE", help_heading = "Result")]
    json: Option<PathBuf>,
    /// Draw the time of each unit of work, as SVG
    #[arg(long, value_name = "FILE", help_heading = "Result")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    shortlist: ShortlistArgs,
    /// Do this measurement on the lines of standard input and print it as JSON; the program starts itself with this
    /// option
    #[arg(long, value_name = "JOB", hide = true)]
    job: Option<Job>,
}

const AFTER_HELP: &str = "\
Examples:
  metaphrase bench
  metaphrase bench -m opus-mt-en-de/ -i test.en -r test.de --json bench.json --picture bench.svg
  metaphrase bench -m model/ -i test.en -b 1 --threads 2 --precisions f32,int8 --shortlist lex.s2t

The columns of the table:
  words/s         words of the text per second of wall time, in batches, with all threads
  per CPU s       words per second of processor time, summed over the threads: this hardly
                  changes when other programs run
  of peak         operations of matrix products per second of processor time, as a share of the
                  fastest rate of this CPU, which is measured first
  p50, p95, p99   milliseconds of one sentence when sentences come one at a time, on one thread:
                  50 %, 95 %, 99 % of them take no longer than this
  start s         seconds from the start of the program until the model is ready
  MB, single MB   the largest memory of the process, in batches and one sentence at a time
  BLEU            with --reference
  identical       share of the lines with the same translation as with the first setting, in %

Then a line for each setting has the time of each unit of work, in per cent, in batches:
  segmentation    from text to words and back
  encoder         the source sentence, once
  embedding       vectors of the target words
  decoder         products of the decoder and the operations between them
  attention       of the decoder, over the source and the previous words
  output layer    a score for each target word
  softmax         from scores to probabilities
  top-k           the best continuations
  scorers         language models
  search          everything else";

/// The suffix of the name of a setting with a shortlist.
const SHORTLIST: &str = ", shortlist";

/// A link to the example, of which the packaged crate has a copy.
const SENTENCES: &str = include_str!("everyday.en");

/// All figures of a run of the command.
#[derive(Serialize)]
struct Report {
    machine: Machine,
    text: Text,
    beam_size: usize,
    threads: usize,
    batch_tokens: usize,
    settings: Vec<Setting>,
}

/// The text that is translated.
#[derive(Serialize)]
struct Text {
    name: String,
    lines: usize,
    /// Source words, separated by white space.
    words: usize,
}

/// The figures of one setting.
#[derive(Serialize)]
struct Setting {
    name: String,
    batched: BatchedFigures,
    single: SingleFigures,
    /// From a run in batches with a clock, which slows it a little. The seconds of the units add up to `units_seconds`.
    units: Vec<UnitCost>,
    units_seconds: f64,
    bleu: Option<f64>,
    /// Share of the lines with the same translation as with the first setting.
    identical: f64,
}

/// Measures all settings.
pub fn run(args: &Args, terminal: &Terminal) -> Result<()> {
    args.model.check()?;
    if let Some(job) = &args.job {
        return measure::run(args, job);
    }
    check_one_stdin(args.input.iter().chain(&args.reference).map(Some))?;
    let (name, lines, reference) = args.text()?;
    let text = Text { name, lines: lines.len(), words: lines.iter().map(|l| l.split_whitespace().count()).sum() };
    if text.words == 0 {
        bail!("{}: there is no word to translate", text.name);
    }
    let names = args.settings();
    let steps = names.len() * (args.runs.get() * lines.len() + args.single_lines.get().min(lines.len()) + lines.len());
    let bar = terminal.bar(ProgressBar::new(steps as u64), "{percent:>3} % {wide_bar} {msg}");
    bar.iter().for_each(|bar| bar.enable_steady_tick(Duration::from_millis(200)));
    let mut known = false;
    let mut measure = |job: Job| {
        bar.iter().for_each(|bar| bar.set_message(job.to_string()));
        job::ask(&job, &lines, terminal, std::mem::replace(&mut known, true), || bar.iter().for_each(|bar| bar.inc(1)))
    };
    let machine = Machine::measure();
    let mut settings = Vec::new();
    let mut first = None::<Vec<String>>;
    let mut beam_size = 0;
    for setting in names {
        let batched = measure(Job::batched(&setting))?.batched()?;
        let single = measure(Job::single(&setting))?.single()?;
        let units = measure(Job::units(&setting))?.units()?;
        beam_size = batched.beam_size;
        let precision = setting_precision(&setting)?;
        let operations = units.iter().map(|unit| unit.operations).sum();
        let translations = &batched.translations;
        let same = first.get_or_insert_with(|| translations.clone()).iter().zip(translations).filter(|(a, b)| a == b);
        settings.push(Setting {
            identical: same.count() as f64 / lines.len() as f64,
            bleu: reference.as_deref().map(|reference| bleu(translations, reference)).transpose()?,
            units_seconds: units.iter().map(|unit| unit.seconds).sum(),
            batched: batched.figures(&machine, precision, text.words, operations),
            single,
            units: units.into_iter().map(|unit| unit.with_share(&machine, precision)).collect(),
            name: setting,
        });
    }
    drop(bar);
    let threads = args.model.threads(&Config::load()?).get();
    let batch_tokens = args.model.batch_tokens();
    let report = Report { machine, text, beam_size, threads, batch_tokens, settings };
    args.write(&report)
}

impl Args {
    /// The name of the text, its lines and their references.
    fn text(&self) -> Result<(String, Vec<String>, Option<Vec<String>>)> {
        let read = |path: &Path| -> Result<Vec<String>> { Lines::new(Input::open(Some(path))?).texts() };
        let Some(path) = &self.input else {
            let lines = SENTENCES.lines().map(str::to_owned).collect();
            return Ok(("everyday sentences".into(), self.cut(lines), None));
        };
        let file =
            |path: &Path| path.file_name().map_or_else(|| "-".into(), |name| name.to_string_lossy().into_owned());
        let lines = read(path)?;
        let reference = self.reference.as_deref().map(read).transpose()?;
        if let Some(found) = reference.as_ref().map(Vec::len).filter(|&found| found != lines.len()) {
            return Err(Usage::error(format!(
                "the text has {} lines and its reference {found}; give a line of reference for each line of text",
                lines.len()
            )));
        }
        Ok((file(path), self.cut(lines), reference.map(|reference| self.cut(reference))))
    }

    fn cut(&self, mut lines: Vec<String>) -> Vec<String> {
        lines.truncate(self.lines.map_or(usize::MAX, NonZeroUsize::get));
        lines
    }

    /// The names of the settings to compare: a precision, and `, shortlist` after it for a setting with one.
    fn settings(&self) -> Vec<String> {
        let lists = if self.shortlist.is_given() { &["", SHORTLIST][..] } else { &[""] };
        let all = self.model.device().precisions();
        let precisions = if self.precisions.is_empty() { all } else { &self.precisions };
        lists.iter().flat_map(|list| precisions.iter().map(move |p| format!("{}{list}", p.name()))).collect()
    }

    fn write(&self, report: &Report) -> Result<()> {
        let write = |path: Option<&Path>, text: &str| -> Result<()> {
            let mut output = Output::create(path)?;
            output.write(text)?;
            output.finish()
        };
        if let Some(path) = &self.picture {
            write(Some(path), &report::picture(report))?;
        }
        let json = serde_json::to_string_pretty(report)? + "\n";
        match &self.json {
            Some(path) if path.as_os_str() == "-" => return write(None, &json),
            Some(path) => write(Some(path), &json)?,
            None => {}
        }
        write(None, &report::table(report))
    }
}

/// The precision of the setting of this name.
fn setting_precision(setting: &str) -> Result<Precision> {
    Ok(Precision::from_name(setting.strip_suffix(SHORTLIST).unwrap_or(setting))?)
}

/// BLEU, as `metaphrase evaluate` computes it.
fn bleu(lines: &[String], reference: &[String]) -> Result<f64> {
    let reference: Vec<&str> = reference.iter().map(|line| line.trim_end()).collect();
    Ok(Bleu::new(BleuOptions::default())?.corpus_score(lines, &References::new(&[reference])?)?.value)
}
