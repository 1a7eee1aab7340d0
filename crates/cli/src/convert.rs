//! `metaphrase convert`.

use anyhow::Result;
use clap::ValueEnum;
use metaphrase::Precision;
use std::path::PathBuf;

/// Convert a model of any known format to our own directory
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a directory, or a file in its directory
    #[arg(short, long, value_name = "PATH")]
    model: PathBuf,
    /// The directory to write; it must not exist yet, and is written whole or not at all
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// How matrices are stored; f16 and bf16 take half the space and round the weights
    #[arg(long, value_enum, default_value_t = PrecisionArg::F32)]
    precision: PrecisionArg,
}

const EXAMPLES: &str = "\
Example:
  metaphrase convert -m opus-mt-en-de/ --to en-de --precision f16";

#[derive(Clone, Copy, ValueEnum)]
enum PrecisionArg {
    F32,
    F16,
    Bf16,
}

/// Converts a model.
pub fn run(args: &Args) -> Result<()> {
    let precision = match args.precision {
        PrecisionArg::F32 => Precision::F32,
        PrecisionArg::F16 => Precision::F16,
        PrecisionArg::Bf16 => Precision::Bf16,
    };
    metaphrase::convert(&args.model, &args.to, precision)?;
    Ok(())
}
