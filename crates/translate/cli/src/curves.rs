//! `metaphrase curves`.

use crate::io::Output;
use anyhow::{Context, Result};
use std::path::PathBuf;

/// Draw the learning curves of training runs in one picture
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The directories of the runs
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// The file for the picture, SVG [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The file for the numbers of the picture, CSV
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Example:
  metaphrase curves runs/cgru runs/cgru-self-normalised -o zhang.svg --table zhang.csv";

/// Draws the curves.
pub fn run(args: &Args) -> Result<()> {
    let mut runs = Vec::new();
    for run in &args.runs {
        let entries = metaphrase_train::log::read(run).with_context(|| format!("{} has no log", run.display()))?;
        let name = run.file_name().map_or_else(|| run.to_string_lossy(), |name| name.to_string_lossy());
        runs.push((name.into_owned(), entries));
    }
    let runs: Vec<_> = runs.iter().map(|(name, entries)| (&name[..], entries.clone())).collect();
    if let Some(path) = &args.table {
        let mut table = Output::create(Some(path))?;
        table.write(&metaphrase_train::curves_table(&runs))?;
        table.finish()?;
    }
    let picture = metaphrase_train::curves(&runs);
    let mut output = Output::create(args.output.as_deref())?;
    output.write(&picture)?;
    output.finish()
}
