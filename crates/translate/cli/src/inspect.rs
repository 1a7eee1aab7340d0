//! `metaphrase inspect`.

use crate::config::Config;
use crate::io::Output;
use crate::models;
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

/// Describe a model: its format, settings, tensors and vocabularies, and whether they fit together
///
/// The exit status is 1 if a part is damaged or does not fit the others.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a directory, a file in its directory, or the name of a bundled one
    #[arg(value_name = "PATH")]
    model: PathBuf,
    /// Check only, and print one line: whether all tensors can be read and fit, and whether the files match the
    /// checksums that were written with them. PATH can also be a checkpoint of `metaphrase train`
    #[arg(long)]
    check: bool,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase inspect opus-mt-en-de/
  metaphrase inspect --check runs/en-de/best && rsync -a runs/en-de/best server:models/";

/// Prints the description of a model.
pub fn run(args: &Args) -> Result<()> {
    let mut output = Output::create(None)?;
    if args.check && metaphrase_train::is_checkpoint(&args.model) {
        let files = metaphrase_train::check_checkpoint(&args.model)?.then_some(2);
        output.write(&sound(&args.model, files, "train on, and the next checkpoint has them"))?;
        return output.finish();
    }
    let report = metaphrase::inspect(models::locate(&args.model, &Config::load()?)?)?;
    if !args.check {
        output.write(&report.to_string())?;
    } else if report.problems.is_empty() {
        output.write(&sound(&args.model, report.checksums, "a model that `metaphrase convert` writes has them"))?;
    } else {
        report.problems.iter().try_for_each(|problem| output.write(&format!("{problem}\n")))?;
    }
    output.finish()?;
    match report.problems.len() {
        0 => Ok(()),
        count => {
            bail!("{} has {count} problem{}, listed above", report.model.display(), if count == 1 { "" } else { "s" })
        }
    }
}

/// The line about a sound model; `files` is the number of its files with checksums.
fn sound(path: &Path, files: Option<usize>, advice: &str) -> String {
    let path = path.display();
    match files {
        Some(files) => format!("{path}: sound, and the checksums of its {files} files are right\n"),
        None => format!("{path}: all parts fit together; it has no checksums ({advice})\n"),
    }
}
