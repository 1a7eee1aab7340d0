//! `metaphrase shortlist`, and the options of a shortlist.

mod convert;
mod learn;

use crate::messages::Terminal;
use anyhow::Result;
use metaphrase::{ShortlistOptions, TranslatorBuilder};
use std::path::{Path, PathBuf};

/// The value of `--shortlist` that turns it off.
const NONE: &str = "none";

/// Make shortlists: the target words that may translate a line, by its source words
#[derive(clap::Subcommand)]
pub enum Command {
    Learn(learn::Args),
    Convert(convert::Args),
}

/// Runs the sub-command.
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
    /// Restrict translations to the words of a shortlist, which is faster: a file of `metaphrase shortlist`, or
    /// Marian's lex.s2t or binary shortlist (both also in .gz). Each line has its own list. `none`: all words, also
    /// with a model that comes with a shortlist [default: that of the model's directory, if it has one]
    #[arg(long, value_name = "FILE|none")]
    shortlist: Option<PathBuf>,
    #[command(flatten)]
    size: SizeArgs,
}

impl ShortlistArgs {
    /// Whether there is a shortlist.
    pub fn is_given(&self) -> bool {
        self.shortlist.as_ref().is_some_and(|path| path != Path::new(NONE))
    }

    /// Adds the shortlist to a builder.
    pub fn add_to(&self, builder: TranslatorBuilder) -> TranslatorBuilder {
        match &self.shortlist {
            Some(path) if path == Path::new(NONE) => builder.without_shortlist(),
            Some(path) => builder.shortlist(path, self.size.options()),
            None => builder,
        }
    }
}

/// The size of the lists.
#[derive(clap::Args)]
pub struct SizeArgs {
    /// Number of target words for each source word, the most probable ones [default: all in the file; 100 for lex.s2t]
    #[arg(long, value_name = "N", requires = "shortlist", value_parser = crate::number::whole::<usize>)]
    shortlist_words: Option<usize>,
    /// Number of the most frequent target words, which are in the list of every line [default: all in the file; 100 for
    /// lex.s2t]
    #[arg(long, value_name = "N", requires = "shortlist", value_parser = crate::number::whole::<usize>)]
    shortlist_first: Option<usize>,
    /// Leave out target words with a probability of P or less; for lex.s2t [default: 0]
    #[arg(long, value_name = "P", requires = "shortlist", value_parser = crate::number::real::<f32>)]
    shortlist_threshold: Option<f32>,
}

impl SizeArgs {
    fn options(&self) -> ShortlistOptions {
        let Self { shortlist_words: words, shortlist_first: first, shortlist_threshold: threshold } = *self;
        ShortlistOptions { first, words, threshold }
    }
}
