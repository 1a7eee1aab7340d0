//! `metaphrase phrase`: phrase-based translation.

mod print;
mod translate;

use crate::messages::Terminal;
use anyhow::Result;

/// Phrase-based translation with tables and a language model, as Moses has them
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Translate(translate::Args),
}

/// Does what the sub-command says.
pub fn run(args: &Args, terminal: &Terminal) -> Result<()> {
    match &args.command {
        Command::Translate(args) => translate::run(args, terminal),
    }
}
