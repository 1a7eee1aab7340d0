//! The `metaphrase` program: a thin shell over the libraries. [`run`] is the whole program; the Python package calls
//! it, too.
//!
//! Text is read from standard input, results are written to standard output, messages to standard error.
//! Each sub-command is a module with its options (`Args`) and its function `run`.

mod align;
mod alignment;
mod arguments;
mod average;
mod bench;
mod completions;
mod config;
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
mod jobs;
mod json_output;
mod language;
mod legs;
mod line_source;
mod lines;
mod lm;
mod man;
mod mbr;
mod messages;
mod model;
mod models;
mod nbest;
mod number;
mod option_args;
mod outputs;
mod phrase;
mod posterior_files;
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

/// Translates text and documents with neural and phrase-based models
///
/// Each line of standard input gives one line of standard output, in order; messages go to standard error. The exit
/// status is 0 for success, 1 for a failure and 2 for a wrong command line.
#[derive(Parser)]
#[command(name = "metaphrase", version, propagate_version = true, max_term_width = 110, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    messages: Messages,
    /// Let an output replace a file that the command reads, files in the folder of several outputs, or a folder that
    /// the command wrote and that was changed since
    #[arg(long, global = true)]
    overwrite: bool,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase translate 'Good morning!'
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
    Detokenize(tokenize::DetokenizeArgs),
    Align(align::Args),
    Extract(extract::Args),
    Posteriors(posteriors::Args),
    TuneEvidence(Box<tune_evidence::Args>),
    Mbr(mbr::Args),
    Draw(draw::Args),
    Models(models::Args),
    Config(config::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Command {
    /// Whether the command handles signals itself. A server does; it leaves no unfinished files.
    fn handles_signals(&self) -> bool {
        #[cfg(feature = "serve")]
        return matches!(self, Self::Serve(_));
        #[cfg(not(feature = "serve"))]
        false
    }

    /// Runs the sub-command.
    fn run(self, terminal: &Terminal, overwrite: bool) -> anyhow::Result<()> {
        match self {
            #[cfg(feature = "serve")]
            Self::Serve(args) => serve::run(&args),
            Self::Translate(args) => translate::run(&args, terminal, overwrite),
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
            Self::Models(args) => models::run(&args),
            Self::Config(args) => config::run(&args),
            Self::Completions(args) => completions::run(&args),
            Self::Man(args) => man::run(&args, overwrite),
        }
    }
}

/// The exit status for a wrong command line.
const MISUSE: u8 = 2;

/// Runs the program with these arguments, the first of which is the program's own name. Returns the exit status.
///
/// Call it once in a process: it sets up signals and messages for the whole process, and some failures end the process.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let mut command = Cli::command();
    command.build();
    let arguments = arguments::with_texts_apart(&command, arguments.into_iter().collect());
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
    if !cli.command.handles_signals() {
        signals::clean_up();
    }
    let checked = outputs::check_inputs(&command, &matches, cli.overwrite);
    match checked.and_then(|()| cli.command.run(&terminal, cli.overwrite)) {
        Ok(()) => 0,
        Err(error) => failure(&error),
    }
}

/// Prints why the program ends and returns its exit status. A reader that closes the output, such as `| head`, is no
/// failure.
fn failure(error: &anyhow::Error) -> u8 {
    if is_closed_output(error) {
        return 0;
    }
    if let Some(fault) = option_fault(error) {
        tracing::error!("{}", fault.sentence(option_args::flag));
        return MISUSE;
    }
    tracing::error!("{}", sentence(error));
    use metaphrase::Error::{LanguageModelWeight, Options};
    let options = matches!(error.downcast_ref(), Some(Options(_) | LanguageModelWeight(_)));
    if options || error.is::<Usage>() { MISUSE } else { 1 }
}

/// Whether the reader of the output has closed it.
fn is_closed_output(error: &anyhow::Error) -> bool {
    let closed = |cause: &std::io::Error| cause.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().filter_map(|cause| cause.downcast_ref()).any(closed)
}

/// The fault of an option's value, if the error is one.
fn option_fault(error: &anyhow::Error) -> Option<&OptionFault> {
    error.downcast_ref().or_else(|| error.downcast_ref::<metaphrase::Error>()?.option_fault())
}

/// Names of options in messages of the libraries, and the flags of the command line.
const FLAGS: [(&str, &str); 5] = [
    ("`longest_sentence`", "--longest-sentence"),
    ("`resume`", "--resume"),
    ("`skip_symbols`", "--skip-symbols"),
    ("`fallback`", "--discount-fallback"),
    ("`tokenizer_model`", "--tokenizer-model"),
];

/// The error and its causes, each once: some errors already contain their cause.
fn sentence(error: &anyhow::Error) -> String {
    with_flags(&causes(error))
}

/// A message of a library, with the flags of the command line for the names of options.
fn with_flags(message: &str) -> String {
    FLAGS.iter().fold(message.to_owned(), |message, (name, flag)| message.replace(name, flag))
}

fn causes(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |message, cause| {
        if message.is_empty() {
            cause
        } else if message.contains(&cause) {
            message
        } else {
            format!("{message}: {cause}")
        }
    })
}

/// Ends the program because a file was truncated while it was read: further results would be wrong.
fn truncated(file: &Path) -> ! {
    tracing::error!(
        "{}: the file was truncated while it was in use; run the command again, and replace files that are in use by \
         renaming others over them",
        file.display()
    );
    std::process::exit(1)
}

/// Exits at once: another thread may be waiting for standard input that never comes.
fn leave(error: &anyhow::Error) -> ! {
    std::process::exit(failure(error).into())
}

/// A wrong command line, in one sentence.
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

/// Prints help as clap lays it out, or an error of the command line on one line.
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
    // A value that begins with a hyphen is hardly what was meant: the option is misspelt, or of another command.
    let lines = what[..end].lines().filter(|line| !line.trim_start().starts_with("tip: to pass "));
    let mut sentence = String::new();
    for word in lines.flat_map(str::split_whitespace) {
        let between = if sentence.is_empty() {
            ""
        } else if word == "tip:" {
            "; "
        } else {
            " "
        };
        sentence += between;
        sentence += &metaphrase_base::shown(word);
    }
    Messages::default().start();
    tracing::error!("{sentence}; try '{}'", help_command(&arguments[1.min(arguments.len())..]));
    MISUSE
}

/// The command that prints the help of the sub-command that these arguments begin with.
fn help_command(arguments: &[OsString]) -> String {
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
    use std::collections::BTreeSet;

    #[test]
    fn the_command_line_is_well_defined() {
        Cli::command().debug_assert();
    }

    /// All commands that have no sub-commands, each with its name and the names of those above it.
    fn leaves<'c>(command: &'c clap::Command, names: &[String], found: &mut Vec<(Vec<String>, &'c clap::Command)>) {
        let names = [names, &[command.get_name().to_owned()]].concat();
        for below in command.get_subcommands() {
            leaves(below, &names, found);
        }
        if !command.has_subcommands() {
            found.push((names, command));
        }
    }

    /// The lines of a screen.
    const SCREEN: usize = 50;

    #[test]
    fn long_help_has_its_options_in_groups() {
        let mut root = Cli::command();
        root.build();
        let mut found = Vec::new();
        leaves(&root, &[], &mut found);
        for (names, command) in found {
            let lines = command.clone().render_long_help().to_string().lines().count();
            let headings: BTreeSet<_> = command.get_arguments().filter_map(clap::Arg::get_help_heading).collect();
            assert!(lines <= 2 * SCREEN || headings.len() > 1, "{names:?}: {lines} lines, {headings:?}");
        }
    }

    #[test]
    fn options_with_a_number_name_what_they_expect() {
        use std::any::TypeId;
        let numbers = [
            TypeId::of::<u8>(),
            TypeId::of::<u16>(),
            TypeId::of::<u32>(),
            TypeId::of::<u64>(),
            TypeId::of::<usize>(),
            TypeId::of::<i64>(),
            TypeId::of::<f32>(),
            TypeId::of::<f64>(),
            TypeId::of::<std::num::NonZeroUsize>(),
            TypeId::of::<metaphrase::OptionValue>(),
        ];
        let root = Cli::command();
        let mut found = Vec::new();
        leaves(&root, &[], &mut found);
        let mut checked = 0;
        for (names, command) in found {
            for arg in command.get_arguments() {
                let Some(long) = arg.get_long() else { continue };
                let kind = arg.get_value_parser().type_id();
                if arg.get_action().takes_values() && numbers.iter().any(|number| kind == *number) {
                    for value in ["x", "99999999999999999999999", "-99999999999999999999999", ""] {
                        let line = names.iter().cloned().chain([format!("--{long}={value}")]);
                        // A float takes great numbers, too.
                        let Err(error) = Cli::command().try_get_matches_from(line) else { continue };
                        let text = error.render().to_string();
                        let foreign = ["digit", "float literal", "target type", "non-zero", "is not in", "from empty"];
                        assert!(
                            !foreign.iter().any(|words| text.contains(words)),
                            "{names:?} --{long}={value}: {text}"
                        );
                    }
                    checked += 1;
                }
            }
        }
        assert!(checked > 60, "{checked} options with numbers");
    }
}
