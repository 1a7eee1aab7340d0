//! `metaphrase man`.

use crate::Usage;
use crate::io::Output;
use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use metaphrase_base::NewFile;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Print the manual page of the program or of a command, or write all pages into a folder
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The command, such as `translate` or `phrase train` [default: the program]
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// The folder for the pages of all commands, which is made if it is not there
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase man translate | man -l -
  metaphrase man -o ~/.local/share/man/man1";

/// Prints a page or writes all of them.
pub fn run(args: &Args) -> Result<()> {
    // Builds the sub-commands: names as they are typed, options of the whole program.
    let mut program = crate::Cli::command();
    program.build();
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot write {}", folder.display()))?;
        return write_pages(&program, "metaphrase", folder);
    }
    let mut command = &program;
    for name in &args.command {
        command = command.find_subcommand(name).ok_or_else(|| {
            Usage::error(format!("there is no command '{}'; `metaphrase --help` lists them", args.command.join(" ")))
        })?;
    }
    let mut output = Output::create(None)?;
    output.write_all(&page(command, &page_name(&args.command))?).with_context(|| output.cannot_write())?;
    output.finish()
}

/// Writes the page of a command and those of its sub-commands.
fn write_pages(command: &Command, name: &str, folder: &Path) -> Result<()> {
    let path = folder.join(format!("{name}.1"));
    NewFile::write(&path, page(command, name)?).with_context(|| format!("cannot write {}", path.display()))?;
    let named = command.get_subcommands().filter(|command| command.get_name() != "help");
    named.into_iter().try_for_each(|below| write_pages(below, &format!("{name}-{}", below.get_name()), folder))
}

/// The name of a command's page: `metaphrase-phrase-train`.
fn page_name(command: &[String]) -> String {
    std::iter::once("metaphrase").chain(command.iter().map(String::as_str)).collect::<Vec<_>>().join("-")
}

/// The page in the language of `man`.
fn page(command: &Command, name: &str) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    let about = command.clone().name(name.to_owned()).display_name(name.to_owned());
    Man::new(about).title(name.to_uppercase()).render(&mut page)?;
    Ok(page)
}
