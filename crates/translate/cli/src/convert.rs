//! `metaphrase convert`.

use crate::config::Config;
use crate::models;
use crate::values::choice;
use anyhow::Result;
use metaphrase::{Choice, StoredPrecision};
use std::path::PathBuf;

/// Convert a model from any known format to Metaphrase's own directory format
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a directory, a file in its directory, or the name of a bundled one
    #[arg(short, long, value_name = "PATH")]
    model: PathBuf,
    /// The directory to write, completely or not at all; it must be absent or empty
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// The number format of the stored matrices; all but f32 round the weights
    #[arg(long, value_parser = choice::<StoredPrecision>(), default_value = StoredPrecision::F32.name())]
    precision: StoredPrecision,
}

const EXAMPLES: &str = "\
Example:
  metaphrase convert -m opus-mt-en-de/ --to en-de --precision f16";

/// Converts a model.
pub fn run(args: &Args) -> Result<()> {
    metaphrase::convert(models::locate(&args.model, &Config::load()?)?, &args.to, args.precision)?;
    Ok(())
}
