//! `metaphrase corpus`.

use crate::io::Output;
use crate::messages::Terminal;
use crate::number;
use crate::outputs::FileList;
use anyhow::{Context, Result, bail};
use clap::ValueHint;
use indicatif::ProgressBar;
use metaphrase_base::{NewFile, NewFolder};
use metaphrase_corpus::{Recipe, Report, SourceReport, Stage, clean};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Clean and weigh parallel text for training
///
/// Reads the sources that a recipe names and leaves out pairs that harm a model: copies, wrong languages, wrong
/// lengths, duplicates, lines of test sets, and pairs whose words do not translate each other. Sets pairs aside for
/// development and tests, repeats sources according to their weights and adds noisy pairs. Writes the text, a report
/// with examples of the pairs that were left out and a picture into a folder, and prints a table.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The recipe, a TOML file
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: PathBuf,
    /// The folder to write. An earlier corpus in it is replaced once the new one is complete; a folder with other files
    /// is refused
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: PathBuf,
    /// Make the training text for the opposite direction: the recipe's sources become targets, and noise is added to
    /// its targets; the same pairs are set aside
    #[arg(long)]
    reverse: bool,
    /// Number of threads; the corpus does not depend on it [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = crate::number::thread_count)]
    threads: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Example:
  metaphrase corpus -c recipes/general/corpus.toml -o corpus/
  metaphrase train -c recipes/en-de.toml -o runs/en-de";

/// The list by which the command recognises a folder that it wrote.
const FILES: FileList = FileList { name: "corpus.checksums", command: "corpus" };

/// Makes the corpus.
pub fn run(args: &Args, terminal: &Terminal, overwrite: bool) -> Result<()> {
    let mut recipe = Recipe::read(&args.config)?;
    recipe.reverse = args.reverse;
    let own = FILES.own_files(&args.output, overwrite)?;
    check_sources(&recipe, args)?;
    let folder =
        NewFolder::create(&args.output).with_context(|| format!("cannot make the folder {}", args.output.display()))?;
    let bar = terminal.bar(ProgressBar::new_spinner(), "{spinner} {msg}, {elapsed}");
    let report = clean(&recipe, folder.part(), number::threads(args.threads), &mut |stage| {
        let what = match stage {
            Stage::Read(source) => format!("reading {source}"),
            Stage::Align => "aligning the words".into(),
            Stage::Terms => "looking for terms".into(),
            Stage::Write => "writing".into(),
        };
        tracing::info!("{what}");
        if let Some(bar) = &bar {
            bar.set_message(what);
            bar.tick();
        }
    })
    .map_err(|error| error.moved(folder.part(), &args.output))?;
    drop(bar);
    let write = |name: &str, text: &str| {
        let path = folder.part().join(name);
        NewFile::write(&path, text).with_context(|| format!("cannot write {}", args.output.join(name).display()))
    };
    write("report.json", &format!("{}\n", serde_json::to_string_pretty(&report)?))?;
    report.picture().map_or(Ok(()), |picture| write("report.svg", &picture))?;
    let cannot_write = || format!("cannot write the folder {}", args.output.display());
    let names = file_names(folder.part()).with_context(cannot_write)?;
    FILES.write(folder.part(), names.iter().map(String::as_str)).with_context(cannot_write)?;
    folder.finish_over(&own).with_context(cannot_write)?;
    let mut output = Output::create(None)?;
    output.write(&table(&report))?;
    output.finish()
}

/// The names of the files in a folder.
fn file_names(folder: &Path) -> std::io::Result<Vec<String>> {
    let entries = std::fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    Ok(entries.iter().filter_map(|entry| entry.file_name().into_string().ok()).collect())
}

/// Checks that the output folder contains none of the input files: they would be removed when it is replaced.
fn check_sources(recipe: &Recipe, args: &Args) -> Result<()> {
    let Ok(output) = args.output.canonicalize() else { return Ok(()) };
    let inside = |path: &&PathBuf| path.canonicalize().is_ok_and(|path| path.starts_with(&output));
    match recipe.files().chain([&args.config]).find(inside) {
        None => Ok(()),
        Some(source) => bail!(
            "{} is read for this corpus and lies in the folder {}, which the corpus would replace; name another folder",
            source.display(),
            args.output.display()
        ),
    }
}

/// A line for each source and a line of totals.
fn table(report: &Report) -> String {
    let mut lines = vec![["source", "read", "kept", "times", "words", "left out"].map(str::to_owned)];
    for source in &report.sources {
        lines.push([
            source.name.clone(),
            source.read.to_string(),
            source.kept.to_string(),
            format!("{:.2}", source.times),
            source.words[0].to_string(),
            left_out(source),
        ]);
    }
    let sum = |number: fn(&SourceReport) -> usize| report.sources.iter().map(number).sum::<usize>().to_string();
    let read = sum(|source| source.read);
    let kept = sum(|source| source.kept);
    let words = sum(|source| source.words[0]);
    let held_out: usize = report.sources.iter().map(|source| source.held_out.iter().sum::<usize>()).sum();
    let terms = match report.with_terms {
        0 => String::new(),
        count => format!(" and {count} with terms"),
    };
    let all = format!("{} pairs written, {} of them noisy{terms}; {held_out} set aside", report.written, report.noisy);
    lines.push(["all".into(), read, kept, String::new(), words, all]);
    let widths: Vec<usize> =
        (0..5).map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0)).collect();
    let line = |line: &[String; 6]| {
        let numbers: String = (1..5).map(|column| format!("  {:>1$}", line[column], widths[column])).collect();
        format!("{:<2$}{numbers}  {}\n", line[0], line[5], widths[0])
    };
    lines.iter().map(line).collect()
}

/// The numbers of pairs that were left out for each reason, the greatest first.
fn left_out(source: &SourceReport) -> String {
    let mut reasons: Vec<_> = source.left_out.iter().collect();
    reasons.sort_by_key(|&(_, &count)| std::cmp::Reverse(count));
    let text = |(reason, count): &(&metaphrase_corpus::Reason, &usize)| format!("{count} {reason}");
    reasons.iter().map(text).collect::<Vec<_>>().join(", ")
}
