//! `metaphrase lm compile`.

use crate::Usage;
use crate::io::Output;
use anyhow::{Context, Result};
use clap::ValueHint;
use metaphrase_ngram::Model;
use std::path::PathBuf;

/// Compile a language model into a file that is mapped into memory
///
/// A compiled model loads at once, and programs share its memory. It is smaller than ARPA text, and still smaller with
/// --quantise.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: ARPA text, plain or gzip, or a compiled model
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    model: PathBuf,
    /// The file for the compiled model [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Number of bits for probabilities and for back-off weights, from 2 to 16 each; the mean of its bin replaces each
    /// value
    #[arg(long, num_args = 2, value_names = ["BITS", "BITS"], value_parser = crate::number::within(2..=16_u32))]
    quantise: Option<Vec<u32>>,
    /// Write ARPA text instead of a compiled model
    #[arg(long, conflicts_with = "quantise")]
    arpa: bool,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase lm compile -m lm.arpa.gz -o lm.bin
  metaphrase lm compile -m lm.arpa.gz -o lm.q8.bin --quantise 8 8
  metaphrase lm compile -m lm.bin --arpa -o lm.arpa";

/// Compiles a model.
pub fn run(args: &Args) -> Result<()> {
    let model = Model::open(&args.model)?;
    let mut output = Output::create(args.output.as_deref())?;
    if output.is_terminal() && !args.arpa {
        return Err(Usage::error("a compiled model is not text for a terminal: name a file with -o"));
    }
    let written = match args.quantise.as_deref() {
        _ if args.arpa => metaphrase_ngram::arpa::write(&model, &mut output),
        Some(&[log10, backoff]) => model.quantised(log10, backoff).write(&mut output),
        _ => model.write(&mut output),
    };
    written.with_context(|| output.cannot_write())?;
    output.finish()
}
