//! `metaphrase man`.

use crate::Usage;
use crate::io::Output;
use anyhow::{Context, Result, bail};
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
pub fn run(args: &Args, overwrite: bool) -> Result<()> {
    // Builds the sub-commands: names as they are typed, options of the whole program.
    let mut program = crate::Cli::command();
    program.build();
    if let Some(folder) = &args.output {
        let mut all = Vec::new();
        pages(&program, "metaphrase", &mut all)?;
        return write(&all, folder, overwrite);
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

/// A page and its name.
struct Page {
    name: String,
    text: Vec<u8>,
}

/// Appends the page of a command and those of its sub-commands.
fn pages(command: &Command, name: &str, all: &mut Vec<Page>) -> Result<()> {
    all.push(Page { name: name.to_owned(), text: page(command, name)? });
    let named = command.get_subcommands().filter(|command| command.get_name() != "help");
    named.into_iter().try_for_each(|below| pages(below, &format!("{name}-{}", below.get_name()), all))
}

/// Writes pages into a folder. They replace pages with the same titles alone, as those of an older version; with
/// `overwrite` any file.
fn write(pages: &[Page], folder: &Path, overwrite: bool) -> Result<()> {
    let path = |page: &Page| folder.join(format!("{}.1", page.name));
    for page in pages.iter().filter(|_| !overwrite) {
        let path = path(page);
        let old = match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            old => old.with_context(|| format!("cannot read {}", path.display()))?,
        };
        if !String::from_utf8_lossy(&old).contains(&heading(&page.name)) {
            let path = path.display();
            bail!("{path} is not a page of this program; name another folder, or add --overwrite to replace it");
        }
    }
    std::fs::create_dir_all(folder).with_context(|| format!("cannot write {}", folder.display()))?;
    pages.iter().try_for_each(|page| {
        let path = path(page);
        NewFile::write(&path, &page.text).with_context(|| format!("cannot write {}", path.display()))
    })
}

/// How the line with the title of a page begins.
fn heading(name: &str) -> String {
    format!(".TH {} 1 ", name.to_uppercase())
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
