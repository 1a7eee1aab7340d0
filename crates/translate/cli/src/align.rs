//! `metaphrase align`.

use crate::io::{Input, Output, check_one_stdin};
use crate::lines::Lines;
use crate::messages::Terminal;
use crate::number;
use anyhow::{Result, bail};
use clap::ValueHint;
use indicatif::ProgressBar;
use metaphrase_align::{Corpus, Options, Progress, Symmetrization};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Align the words of parallel text
///
/// Reads two tokenised texts; line n of the target is the translation of line n of the source. Learns which words
/// translate each other, and prints the links of each line as pairs of positions, source and target, from 0: `0-0 1-2`.
/// Text in lower case gives better links. The result does not depend on the number of threads. A single file has lines
/// `source ||| target`, as fast_align reads them.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The source text, or both texts in lines `source ||| target`; a name in .gz is decompressed
    #[arg(value_hint = ValueHint::FilePath)]
    source: PathBuf,
    /// The target text
    #[arg(value_hint = ValueHint::FilePath)]
    target: Option<PathBuf>,
    /// The file for the links; a name in .gz is compressed [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// The method that merges the links of both directions into one alignment: forward, backward, intersection, union,
    /// grow-diag, grow-diag-final, grow-diag-final-and
    #[arg(long, value_name = "METHOD", default_value = "grow-diag-final-and")]
    symmetrize: Symmetrization,
    /// Number of passes with the diagonal model
    #[arg(long, value_name = "N", default_value_t = Options::default().diagonal_iterations)]
    #[arg(value_parser = number::whole::<usize>)]
    diagonal_iterations: usize,
    /// Number of passes with the HMM; with 0 the links come from the diagonal model
    #[arg(long, value_name = "N", default_value_t = Options::default().hmm_iterations)]
    #[arg(value_parser = number::whole::<usize>)]
    hmm_iterations: usize,
    /// Give no links to a line with more than N words on one side
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = number::within(1..=4096_u16))]
    max_words: u16,
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = crate::number::thread_count)]
    threads: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase align train.de.gz train.en.gz -o train.align
  metaphrase align train.de train.en --symmetrize intersection | head
  paste -d '|' train.de train.en | sed 's/|/ ||| /' | metaphrase align -";

/// Aligns two texts.
pub fn run(args: &Args, terminal: &Terminal) -> Result<()> {
    check_one_stdin([&args.source].into_iter().chain(&args.target).map(Some))?;
    let options = Options {
        diagonal_iterations: args.diagonal_iterations,
        hmm_iterations: args.hmm_iterations,
        symmetrization: args.symmetrize,
        max_words: args.max_words.into(),
        threads: number::threads(args.threads),
    };
    let mut output = Output::create(args.output.as_deref())?;
    let corpus = match &args.target {
        Some(target) => read(&args.source, target)?,
        None => read_joined(&args.source)?,
    };
    note_lines_without_links(&corpus, options.max_words);
    let display = Display::new(terminal);
    for alignment in metaphrase_align::align(&corpus, &options, &mut |progress| display.show(progress))? {
        output.write(&format!("{alignment}\n"))?;
    }
    output.finish()
}

/// Reads tokenised parallel text.
pub fn read(source: &Path, target: &Path) -> Result<Corpus> {
    read_with(source, target, |_, line| line)
}

/// What divides the texts of a line.
const BARS: &str = "|||";

/// Reads tokenised parallel text with lines `source ||| target`. An empty line is a pair without words.
fn read_joined(path: &Path) -> Result<Corpus> {
    let mut corpus = Corpus::default();
    let mut lines = Lines::new(Input::open(Some(path))?);
    while let Some(line) = lines.next_text()? {
        match line.split_once(BARS) {
            Some((source, target)) if !target.contains(BARS) => corpus.push(source, target),
            None if line.trim().is_empty() => corpus.push("", ""),
            _ => bail!(
                "{}, line {}: expected `source {BARS} target`; or name two files, one of each language",
                lines.name(),
                lines.read()
            ),
        }
    }
    Ok(corpus)
}

/// A side of parallel text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The text in the source language.
    Source,
    /// Its translation.
    Target,
}

/// Reads parallel text; `change` edits each line of each side.
pub fn read_with(source: &Path, target: &Path, change: impl Fn(Side, String) -> String) -> Result<Corpus> {
    let mut corpus = Corpus::default();
    let mut source = Lines::new(Input::open(Some(source))?);
    let mut target = Lines::new(Input::open(Some(target))?);
    loop {
        match (source.next_text()?, target.next_text()?) {
            (None, None) => return Ok(corpus),
            (Some(source), Some(target)) => {
                corpus.push(&change(Side::Source, source), &change(Side::Target, target));
            }
            (source_text, _) => {
                let [longer, shorter] = if source_text.is_some() { [&source, &target] } else { [&target, &source] };
                bail!(
                    "{} ends after {} lines and {} goes on; line n of both has to be the same sentence",
                    shorter.name(),
                    shorter.read(),
                    longer.name()
                );
            }
        }
    }
}

/// Warns of lines that have words but can have no links.
pub fn note_lines_without_links(corpus: &Corpus, max_words: usize) {
    let mut one_sided = 0;
    let mut first = 0;
    for line in 1..=corpus.len() {
        let pair = corpus.pair(line - 1);
        let [source, target] = [pair.source.len(), pair.target.len()];
        if source.max(target) > max_words {
            tracing::warn!("line {line} has {source} and {target} words, more than --max-words {max_words}: no links");
        } else if (source == 0) != (target == 0) {
            one_sided += 1;
            first = if one_sided == 1 { line } else { first };
        }
    }
    if one_sided > 0 {
        tracing::warn!("{one_sided} lines have words on one side only, the first is line {first}: no links");
    }
}

/// Shows the passes: a bar on a terminal, messages of the level `info` elsewhere.
struct Display {
    bar: Option<ProgressBar>,
    begun: Instant,
}

impl Display {
    fn new(terminal: &Terminal) -> Self {
        let bar = terminal.bar(ProgressBar::new(0), "{pos}/{len} {wide_bar} {msg}, {elapsed}");
        Self { bar, begun: Instant::now() }
    }

    fn show(&self, progress: Progress) {
        let seconds = self.begun.elapsed().as_secs_f64();
        tracing::info!("{seconds:.1} s: pass {} of {}, {}", progress.done + 1, progress.of, progress.stage);
        if let Some(bar) = &self.bar {
            bar.set_length(progress.of as u64);
            bar.set_position(progress.done as u64);
            bar.set_message(progress.stage.to_string());
        }
    }
}
