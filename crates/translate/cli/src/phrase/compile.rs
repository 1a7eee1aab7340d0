//! `metaphrase phrase compile`.

use crate::Usage;
use crate::io::Output;
use anyhow::{Context, Result};
use clap::ValueHint;
use metaphrase_phrase::PhraseTable;
use std::path::PathBuf;

/// Compile the tables of a model into one file that is mapped into memory
///
/// The file replaces the phrase table and the reordering table of a moses.ini. It loads at once, and programs share its
/// memory. Name it as path= of the phrase table in moses.ini; the reordering table is then no longer read.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a directory with a moses.ini, or the moses.ini itself
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    model: PathBuf,
    /// The file for the compiled table [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase phrase compile -m moses/ -o moses/tables.bin
  sed -i '/^PhraseDictionaryMemory/s/path=[^ ]*/path=tables.bin/' moses/moses.ini
  metaphrase lm compile -m moses/lm.arpa.gz -o moses/lm.bin";

/// Compiles the tables.
pub fn run(args: &Args) -> Result<()> {
    let table = PhraseTable::read_moses(&args.model)?;
    let mut output = Output::create(args.output.as_deref())?;
    if output.is_terminal() {
        return Err(Usage::error("a compiled table is not text for a terminal: name a file with -o"));
    }
    table.write(&mut output).with_context(|| output.cannot_write())?;
    output.finish()?;
    tracing::info!("{} phrase pairs", table.len());
    Ok(())
}
