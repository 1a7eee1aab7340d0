//! The `metaphrase` program: a thin shell over the libraries. [`run`] is the whole program; the Python package has it, too.
//!
//! Text comes in on standard input, the result goes out on standard output, messages go to standard error.
//! Each sub-command is a module: its options (`Args`) and what it does (`run`).

mod align;
mod alignment;
mod average;
mod bench;
mod convert;
mod corpus;
mod curves;
mod draw;
mod drawings;
mod evaluate;
mod evidence;
mod extract;
mod input_format;
mod inspect;
mod io;
mod legs;
mod lines;
mod lm;
mod mbr;
mod messages;
mod model;
mod nbest;
mod number;
mod option_args;
mod outputs;
mod phrase;
mod posteriors;
mod print;
mod progress;
mod request;
mod score;
mod search;
#[cfg(feature = "serve")]
mod serve;
mod shortlist;
mod signals;
mod stdout;
mod stream;
mod text;
mod tokenize;
mod train;
mod translate;
mod tune_evidence;
mod values;
mod vocabulary;

pub use draw::lattice_svg;
pub use drawings::search_svg;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use messages::{Messages, Terminal};
use metaphrase::OptionFault;
use std::ffi::OsString;
use std::fmt;
use std::path::Path;

/// Translates text with neural models, which Marian, OPUS-MT and Hugging Face MarianMT models are, and with phrase-based ones
///
/// Each line of standard input gives one line of standard output, in order; messages go to standard error. The exit status
/// is 0 for success, 1 for a failure and 2 for a wrong command line.
#[derive(Parser)]
#[command(name = "metaphrase", version, propagate_version = true, max_term_width = 110, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    messages: Messages,
    /// Let an output replace a file that the command reads, and a folder of the command's own that was changed since
    #[arg(long, global = true)]
    overwrite: bool,
}

const EXAMPLES: &str = "\
Examples:
  echo 'Good morning!' | metaphrase translate
  metaphrase translate -m opus-mt-en-de/ -i talk.en -o talk.de.gz
  metaphrase evaluate --metric bleu,chrf reference.de < talk.de";

#[derive(Subcommand)]
enum Command {
    Translate(Box<translate::Args>),
    #[cfg(feature = "serve")]
    Serve(Box<serve::Args>),
    Score(Box<score::Args>),
    Evaluate(evaluate::Args),
    Convert(convert::Args),
    Inspect(inspect::Args),
    Corpus(corpus::Args),
    Train(train::Args),
    #[command(subcommand)]
    Vocabulary(vocabulary::Command),
    Average(average::Args),
    #[command(subcommand)]
    Shortlist(shortlist::Command),
    Bench(Box<bench::Args>),
    Curves(curves::Args),
    #[command(subcommand)]
    Phrase(phrase::Command),
    #[command(subcommand)]
    Lm(lm::Command),
    Tokenize(tokenize::TokenizeArgs),
    /// Join the words of tokenised text again
    Detokenize(tokenize::Args),
    Align(align::Args),
    Extract(extract::Args),
    Posteriors(posteriors::Args),
    TuneEvidence(Box<tune_evidence::Args>),
    Mbr(mbr::Args),
    Draw(draw::Args),
}

impl Command {
    /// Whether it waits for signals itself, as a server does, which leaves no file unfinished.
    fn ends_itself(&self) -> bool {
        #[cfg(feature = "serve")]
        return matches!(self, Self::Serve(_));
        #[cfg(not(feature = "serve"))]
        false
    }

    /// Does what the command line says.
    fn run(self, terminal: &Terminal, overwrite: bool) -> anyhow::Result<()> {
        match self {
            #[cfg(feature = "serve")]
            Self::Serve(args) => serve::run(&args),
            Self::Translate(args) => translate::run(&args, terminal),
            Self::Score(args) => score::run(&args, terminal),
            Self::Evaluate(args) => evaluate::run(&args),
            Self::Convert(args) => convert::run(&args),
            Self::Inspect(args) => inspect::run(&args),
            Self::Corpus(args) => corpus::run(&args, terminal, overwrite),
            Self::Train(args) => train::run(&args, terminal),
            Self::Vocabulary(command) => vocabulary::run(&command),
            Self::Average(args) => average::run(&args),
            Self::Shortlist(command) => shortlist::run(&command, terminal),
            Self::Bench(args) => bench::run(&args, terminal),
            Self::Curves(args) => curves::run(&args),
            Self::Phrase(command) => phrase::run(&command, terminal),
            Self::Lm(command) => lm::run(&command, terminal),
            Self::Tokenize(args) => tokenize::tokenize(&args),
            Self::Detokenize(args) => tokenize::detokenize(&args),
            Self::Align(args) => align::run(&args, terminal),
            Self::Extract(args) => extract::run(&args, overwrite),
            Self::Posteriors(args) => posteriors::run(&args),
            Self::TuneEvidence(args) => tune_evidence::run(&args, terminal),
            Self::Mbr(args) => mbr::run(&args),
            Self::Draw(args) => draw::run(&args),
        }
    }
}

/// The exit status for a wrong command line.
const MISUSE: u8 = 2;

/// Runs the program with these arguments, the first of which is the program's own name. Gives the exit status.
///
/// For one call in a process: signals and messages are set up for the whole process, and some failures end the process here.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let mut command = Cli::command();
    let parsed = command
        .try_get_matches_from_mut(&arguments)
        .and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return misuse(&error, &arguments),
    };
    let terminal = cli.messages.start();
    metaphrase_base::report_truncated_files(truncated);
    signals::large_files_are_errors();
    if !cli.command.ends_itself() {
        signals::clean_up();
    }
    let checked = outputs::check_inputs(&command, &matches, cli.overwrite);
    match checked.and_then(|()| cli.command.run(&terminal, cli.overwrite)) {
        Ok(()) => 0,
        Err(error) => failure(&error),
    }
}

/// Says why the program ends and gives its exit status. That nobody reads the output any more, as before
/// `| head`, is an end like any other.
fn failure(error: &anyhow::Error) -> u8 {
    let closed = |cause: &std::io::Error| cause.kind() == std::io::ErrorKind::BrokenPipe;
    if error.chain().filter_map(|cause| cause.downcast_ref()).any(closed) {
        return 0;
    }
    if let Some(fault) = option_fault(error) {
        tracing::error!("{}", fault.sentence(option_args::flag_of));
        return MISUSE;
    }
    tracing::error!("{}", sentence(error));
    use metaphrase::Error::{LanguageModelWeight, Options};
    let options = matches!(error.downcast_ref(), Some(Options(_) | LanguageModelWeight(_)));
    if options || error.is::<Usage>() { MISUSE } else { 1 }
}

/// The option's value that can not be used, if that is the error.
fn option_fault(error: &anyhow::Error) -> Option<&OptionFault> {
    error.downcast_ref().or_else(|| error.downcast_ref::<metaphrase::Error>()?.option_fault())
}

/// Names in messages of the libraries, as the command line writes them.
const FLAGS: [(&str, &str); 5] = [
    ("`longest_sentence`", "--longest-sentence"),
    ("`resume`", "--resume"),
    ("`skip_symbols`", "--skip-symbols"),
    ("`fallback`", "--discount-fallback"),
    ("`tokenizer_model`", "--tokenizer-model"),
];

/// The error and its causes, each once: some errors name their cause themselves.
fn sentence(error: &anyhow::Error) -> String {
    in_flags(&causes(error))
}

/// A message of a library with the flags of the command line.
fn in_flags(said: &str) -> String {
    FLAGS.iter().fold(said.to_owned(), |said, (name, flag)| said.replace(name, flag))
}

fn causes(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |said, cause| {
        if said.is_empty() {
            cause
        } else if said.contains(&cause) {
            said
        } else {
            format!("{said}: {cause}")
        }
    })
}

/// Ends the program because a file that it reads from became shorter: no further result would be right.
fn truncated(file: &Path) -> ! {
    tracing::error!(
        "{}: the file was truncated while it was in use; run the command again, and replace files that are in use by \
         renaming others over them",
        file.display()
    );
    std::process::exit(1)
}

/// Exits at once: another thread may wait for standard input for ever.
fn leave(error: &anyhow::Error) -> ! {
    std::process::exit(failure(error).into())
}

/// Options that do not go together.
#[derive(Debug)]
struct Usage(String);

impl Usage {
    fn error(sentence: impl Into<String>) -> anyhow::Error {
        Self(sentence.into()).into()
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Prints help as clap lays it out, and an error of the command line on one line.
fn misuse(error: &clap::Error, arguments: &[OsString]) -> u8 {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let printed = stdout::check().and_then(|()| Ok(error.print()?));
        return printed.map_or_else(
            |error| {
                Messages::default().start();
                failure(&error)
            },
            |()| 0,
        );
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = error.print();
        return MISUSE;
    }
    let text = error.render().to_string();
    let what = text.strip_prefix("error: ").unwrap_or(&text);
    let end = ["\n\nUsage:", "\n\nFor more"].iter().filter_map(|mark| what.find(mark)).min().unwrap_or(what.len());
    let words: Vec<String> = what[..end].split_whitespace().map(metaphrase_base::shown).collect();
    let what = EXPECTED.iter().fold(words.join(" "), |what, (problem, expected)| what.replace(problem, expected));
    Messages::default().start();
    tracing::error!("{what}; try '{}'", help_of(&arguments[1.min(arguments.len())..]));
    MISUSE
}

/// What the standard library says of a number, and what was expected.
const EXPECTED: [(&str, &str); 4] = [
    ("number would be zero for non-zero type", "expected a whole number from 1 on"),
    ("number too large to fit in target type", "the number is too large"),
    ("invalid digit found in string", "expected a whole number"),
    ("invalid float literal", "expected a number"),
];

/// The command that prints the help of the sub-command that these arguments begin with.
fn help_of(arguments: &[OsString]) -> String {
    let mut command = &Cli::command();
    let mut names = vec!["metaphrase".to_owned()];
    for argument in arguments {
        let Some(found) = command.find_subcommand(argument) else { break };
        names.push(found.get_name().to_owned());
        command = found;
    }
    format!("{} --help", names.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_defined() {
        Cli::command().debug_assert();
    }
}
