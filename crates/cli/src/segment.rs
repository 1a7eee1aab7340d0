//! `metaphrase segment`.

use crate::io::{Input, Output};
use crate::lines::Lines;
use anyhow::Result;
use clap::{ValueEnum, ValueHint};
use metaphrase::Package;
use std::path::PathBuf;

/// Cut text into the pieces of a model, with spaces between them
///
/// What a language model for `translate --lm` is estimated on. A line's end is not a piece; what the model does not know
/// stays as it is.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model's directory, or its file together with --vocab [default: the one that comes with the program]
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    model: Option<PathBuf>,
    /// Vocabulary of a model file: one file for both languages, or one for the source and one for the target
    #[arg(short, long = "vocab", visible_alias = "vocabs", value_name = "FILE", num_args = 1..=2, requires = "model")]
    vocabularies: Vec<PathBuf>,
    /// Which language the text is in
    #[arg(long, value_enum, value_name = "SIDE", default_value_t = Side::Target)]
    side: Side,
    /// Where the text comes from; `.gz` is decompressed [default: standard input]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    input: Option<PathBuf>,
    /// Where the result goes; `.gz` is compressed [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Example: a language model for fusion
  metaphrase segment -m model/ < more.de | metaphrase lm estimate -o 5 --skip-symbols > pieces.arpa
  metaphrase lm compile -m pieces.arpa -o pieces.bin
  metaphrase translate -m model/ --lm pieces.bin --lm-weight 0.1 < talk.en";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Side {
    Source,
    Target,
}

/// Cuts the input line by line.
pub fn run(args: &Args) -> Result<()> {
    let package = match (&args.model, &*args.vocabularies) {
        (None, _) => Package::bundled(),
        (Some(model), []) => Package::find(model)?,
        (Some(model), vocabularies) => Package::files(model, vocabularies)?,
    };
    let (source, target) = package.vocabularies()?;
    let vocabulary = if args.side == Side::Source { source } else { target };
    let mut lines = Lines::new(Input::open(args.input.as_deref())?);
    let mut output = Output::create(args.output.as_deref())?;
    while let Some(line) = lines.next_line()? {
        for note in &line.notes {
            tracing::warn!("{}, line {}: {note}", lines.name(), lines.read());
        }
        output.write(&vocabulary.pieces(&line.text).join(" "))?;
        output.write("\n")?;
        if output.is_terminal() || !lines.has_next() {
            output.flush()?;
        }
    }
    output.finish()
}
