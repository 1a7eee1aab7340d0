//! `metaphrase completions`.

use crate::io::Output;
use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;

/// Print the completions of a shell: commands, options and their values
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase completions bash > ~/.local/share/bash-completion/completions/metaphrase
  metaphrase completions zsh > ~/.zfunc/_metaphrase          # a folder of $fpath
  metaphrase completions fish > ~/.config/fish/completions/metaphrase.fish";

/// Prints a shell's completions.
pub fn run(args: &Args) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::Cli::command(), "metaphrase", &mut script);
    let mut output = Output::create(None)?;
    output.write_all(&script).with_context(|| output.cannot_write())?;
    output.finish()
}
