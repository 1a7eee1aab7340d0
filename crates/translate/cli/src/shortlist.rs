//! `metaphrase shortlist`, and the options of a shortlist.

mod convert;
mod learn;

use crate::messages::Terminal;
use anyhow::Result;
use metaphrase::{ShortlistOptions, TranslatorBuilder};
use std::path::PathBuf;

/// Make shortlists: the target words that may translate a line, by its source words
#[derive(clap::Subcommand)]
pub enum Command {
    Learn(learn::Args),
    Convert(convert::Args),
}

/// Does what the sub-command says.
pub fn run(command: &Command, terminal: &Terminal) -> Result<()> {
    match command {
        Command::Learn(args) => learn::run(args, terminal),
        Command::Convert(args) => convert::run(args),
    }
}

/// The shortlist of a translator.
#[derive(clap::Args)]
#[command(next_help_heading = "Shortlist")]
pub struct ShortlistArgs {
    /// Look for translations among the words of a shortlist alone, which is faster: a file of `metaphrase shortlist`, or
    /// Marian's lex.s2t (also in .gz) or binary shortlist. Each line has a list of its own
    #[arg(long, value_name = "FILE")]
    shortlist: Option<PathBuf>,
    #[command(flatten)]
    size: Size,
}

impl ShortlistArgs {
    /// Whether there is a shortlist.
    pub fn is_given(&self) -> bool {
        self.shortlist.is_some()
    }

    /// Gives a builder the shortlist.
    pub fn add_to(&self, builder: TranslatorBuilder) -> TranslatorBuilder {
        match &self.shortlist {
            Some(path) => builder.shortlist(path, self.size.options()),
            None => builder,
        }
    }
}

/// How much of a shortlist is used.
#[derive(clap::Args)]
pub struct Size {
    /// Number of target words for each source word, the most probable ones [default: as the file was made; 100 for lex.s2t]
    #[arg(long, value_name = "N", requires = "shortlist")]
    shortlist_words: Option<usize>,
    /// Number of the most frequent target words, which are in the list of every line [default: as the file was made; 100 for
    /// lex.s2t]
    #[arg(long, value_name = "N", requires = "shortlist")]
    shortlist_first: Option<usize>,
    /// Leave out target words whose probability is not above P; for lex.s2t [default: 0]
    #[arg(long, value_name = "P", requires = "shortlist")]
    shortlist_threshold: Option<f32>,
}

impl Size {
    fn options(&self) -> ShortlistOptions {
        let Self { shortlist_words: words, shortlist_first: first, shortlist_threshold: threshold } = *self;
        ShortlistOptions { first, words, threshold }
    }
}
