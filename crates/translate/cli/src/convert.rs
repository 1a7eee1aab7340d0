//! `metaphrase convert`.

use crate::config::Config;
use crate::models;
use crate::values::choice;
use anyhow::Result;
use metaphrase::{Choice, ForeignFormat, StoredPrecision};
use std::path::PathBuf;

/// Convert a model from any known format to Metaphrase's own, or to that of another program
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a directory, a file in its directory, or the name of a bundled one
    #[arg(short, long, value_name = "PATH")]
    model: PathBuf,
    /// The directory to write, completely or not at all; it must be absent or empty
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// The program that the directory is for [default: Metaphrase]
    #[arg(long, value_name = "FORMAT", value_parser = choice::<ForeignFormat>())]
    format: Option<ForeignFormat>,
    /// The number format of the stored matrices; all but f32 round the weights
    #[arg(long, value_parser = choice::<StoredPrecision>(), default_value = StoredPrecision::F32.name())]
    precision: StoredPrecision,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase convert -m opus-mt-en-de/ --to en-de --precision f16
  metaphrase convert -m en-de --to en-de-ct2 --format ctranslate2 --precision int8";

/// Converts a model.
pub fn run(args: &Args) -> Result<()> {
    let model = models::locate(&args.model, &Config::load()?)?;
    let Some(format) = args.format else { return Ok(metaphrase::convert(model, &args.to, args.precision)?) };
    let left_out = metaphrase::export(model, &args.to, format, args.precision)?;
    if !left_out.is_empty() {
        let parts = left_out.join(", ");
        tracing::warn!(
            "{}: the format has no place for: {parts}; translations without are the same",
            args.to.display()
        );
    }
    Ok(())
}
