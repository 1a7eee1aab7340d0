//! `metaphrase inspect`.

use crate::io::Output;
use anyhow::{Result, bail};
use std::path::PathBuf;

/// Show what a model is: its format, settings, tensors and vocabularies, and whether they fit together
///
/// Exit status 1 if anything does not fit.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a directory, or a file in its directory
    #[arg(value_name = "PATH")]
    model: PathBuf,
}

const EXAMPLES: &str = "\
Example:
  metaphrase inspect opus-mt-en-de/";

/// Prints what a model is.
pub fn run(args: &Args) -> Result<()> {
    let report = metaphrase::inspect(&args.model)?;
    let mut output = Output::create(None)?;
    output.write(&report.to_string())?;
    output.finish()?;
    match report.problems.len() {
        0 => Ok(()),
        count => {
            bail!("{} has {count} problem{}, listed above", report.model.display(), if count == 1 { "" } else { "s" })
        }
    }
}
