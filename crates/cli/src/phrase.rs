//! `metaphrase phrase`: phrase-based translation.

mod compile;
mod display;
mod lattice;
mod print;
mod search;
mod train;
mod translate;
mod tune;

use crate::messages::Terminal;
use anyhow::Result;

/// Train, tune and use phrase-based models of Moses' kind
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Translate(translate::Args),
    Lattice(lattice::Args),
    Compile(compile::Args),
    Train(Box<train::Args>),
    Tune(tune::Args),
}

/// Does what the sub-command says.
pub fn run(args: &Args, terminal: &Terminal) -> Result<()> {
    match &args.command {
        Command::Translate(args) => translate::run(args),
        Command::Lattice(args) => lattice::run(args),
        Command::Compile(args) => compile::run(args),
        Command::Train(args) => train::run(args, terminal),
        Command::Tune(args) => tune::run(args, terminal),
    }
}
