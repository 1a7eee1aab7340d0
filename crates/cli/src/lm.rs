//! `metaphrase lm`: n-gram language models.

mod compile;
mod estimate;
mod query;

use crate::messages::Terminal;
use anyhow::Result;

/// Estimate, compile and query n-gram language models
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Estimate(estimate::Args),
    Compile(compile::Args),
    Query(query::Args),
}

/// Does what the sub-command says.
pub fn run(args: &Args, terminal: &Terminal) -> Result<()> {
    match &args.command {
        Command::Estimate(args) => estimate::run(args, terminal),
        Command::Compile(args) => compile::run(args),
        Command::Query(args) => query::run(args),
    }
}
