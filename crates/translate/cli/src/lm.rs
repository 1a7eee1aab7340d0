//! `metaphrase lm`: n-gram language models.

mod compile;
mod estimate;
mod query;

use crate::messages::Terminal;
use anyhow::Result;

/// Estimate, compile and query n-gram language models
#[derive(clap::Subcommand)]
pub enum Command {
    Estimate(estimate::Args),
    Compile(compile::Args),
    Query(query::Args),
}

/// Runs the sub-command.
pub fn run(command: &Command, terminal: &Terminal) -> Result<()> {
    match command {
        Command::Estimate(args) => estimate::run(args, terminal),
        Command::Compile(args) => compile::run(args),
        Command::Query(args) => query::run(args),
    }
}
