//! `metaphrase shortlist convert`.

use super::SizeArgs;
use crate::model::ModelArgs;
use anyhow::{Context, Result};
use clap::ValueHint;
use metaphrase_shortlist::Shortlists;
use std::path::PathBuf;

/// Convert a shortlist of Marian to Metaphrase's own format
///
/// A file in our own format loads faster, and it is refused for a model with other vocabularies. Text with a line
/// `target source probability` for each pair of words is read as Marian reads it; `metaphrase extract` also writes such
/// text (lex.s2t.gz).
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shortlist: Marian's text (plain or .gz), Marian's binary file, or a file in our own format
    #[arg(value_hint = ValueHint::FilePath)]
    shortlist: PathBuf,
    /// The file to write
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: PathBuf,
    #[command(flatten)]
    size: SizeArgs,
    #[command(flatten)]
    model: ModelArgs,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase shortlist convert lex.s2t.gz -m model/ -o model/shortlist --shortlist-words 50
  metaphrase shortlist convert lex.bin -m model.npz --vocab vocab.spm -o shortlist";

/// Converts a file.
pub fn run(args: &Args) -> Result<()> {
    args.model.check()?;
    let translator = args.model.load(|builder| builder)?;
    let vocabularies = translator.vocabularies().context("a phrase-based model has no shortlist")?;
    let vocabularies = [&*vocabularies[0], &*vocabularies[1]];
    let lists = Shortlists::open(&args.shortlist, args.size.options(), vocabularies)?;
    lists.write(&args.output, vocabularies)?;
    Ok(())
}
