//! `metaphrase inspect`.

use crate::io::Output;
use anyhow::{Result, bail};
use std::path::PathBuf;

/// Describe a model: its format, settings, tensors and vocabularies, and whether they fit together
///
/// The exit status is 1 if a part does not fit the others.
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

/// Prints the description of a model.
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
