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

/// Train, tune and use phrase-based models in the format of Moses
#[derive(clap::Subcommand)]
pub enum Command {
    Translate(translate::Args),
    Lattice(lattice::Args),
    Compile(compile::Args),
    Train(Box<train::Args>),
    Tune(tune::Args),
}

/// Runs the sub-command.
pub fn run(command: &Command, terminal: &Terminal) -> Result<()> {
    match command {
        Command::Translate(args) => translate::run(args),
        Command::Lattice(args) => lattice::run(args),
        Command::Compile(args) => compile::run(args),
        Command::Train(args) => train::run(args, terminal),
        Command::Tune(args) => tune::run(args, terminal),
    }
}
