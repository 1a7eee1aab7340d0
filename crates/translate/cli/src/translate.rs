//! `metaphrase translate`.

use crate::Usage;
use crate::drawings::{LatticeArgs, LatticeFiles};
use crate::evidence::EvidenceArgs;
use crate::input_format::Format;
use crate::io::{Input, Output, check_one_stdin};
use crate::jobs::{self, Job, Task};
use crate::language::LanguageCheck;
use crate::leave;
use crate::legs::LegsArgs;
use crate::line_source::{Posteriors, Text};
use crate::lines::Lines;
use crate::messages::Terminal;
use crate::model::ModelArgs;
use crate::number;
use crate::print::{Form, Keys, Printer};
use crate::progress::Progress;
use crate::search::SearchArgs;
use crate::shortlist::ShortlistArgs;
use crate::stream::{self, Ticket};
use crate::text::{self, TextArgs, WholeFormat};
use anyhow::Result;
use clap::ValueEnum;
use indicatif::ProgressBar;
use metaphrase::{AlignmentKind, TextFormat, TranslateOptions, Translation, Translator};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Translate text, line by line
///
/// Each line of the input gives one line of the output, in order, and is translated as soon as it arrives. An empty
/// line gives an empty line, invalid UTF-8 is read as U+FFFD, and a line that is too long is cut off; messages on
/// standard error name such lines. Only a line feed ends a line; a carriage return before it is dropped.
///
/// A file with the extension of a known format, such as page.html or report.docx, is translated as a whole.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Text to translate, each argument a line. It is split into sentences as with --split, unless an option of lines
    /// such as --n-best is given, or --input-format plain
    #[arg(value_name = "TEXT", help_heading = "Text", conflicts_with_all = ["inputs", "prefix"])]
    text_lines: Vec<String>,
    /// The file to translate; a name in .gz is decompressed. Several files, or a folder, need a folder as --output
    /// [default: standard input, which is also -]
    #[arg(short, long = "input", value_name = "FILE", num_args = 1.., help_heading = "Text")]
    inputs: Vec<PathBuf>,
    /// The file for the translations, written completely or not at all; a name in .gz is compressed. In a folder the
    /// translation has the name of its input [default: standard output, which is also -]
    #[arg(short, long, value_name = "FILE", help_heading = "Text")]
    output: Option<PathBuf>,
    /// The format of the input [default: the one of its extension, such as html for page.html and md for page.md; plain
    /// for all other names, including .txt, .tsv and .json, and for standard input]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Text")]
    input_format: Option<Format>,
    /// The format of the output
    #[arg(long, value_enum, default_value_t = OutputFormat::Plain, value_name = "FORMAT", help_heading = "Text")]
    output_format: OutputFormat,
    /// A file whose line n is the beginning of the translation of line n
    #[arg(long, value_name = "FILE", help_heading = "Text")]
    prefix: Option<PathBuf>,
    #[command(flatten)]
    legs: LegsArgs,
    /// Print up to K translations of each line, as `N ||| translation ||| F0= log-probability ||| score`
    #[arg(long, value_name = "K", help_heading = "Result", value_parser = number::whole::<NonZeroUsize>)]
    n_best: Option<NonZeroUsize>,
    /// Print the word alignment from attention: for each target word the pair source-target with the greatest weight
    /// (hard), all pairs with a weight above a threshold between 0 and 1, or all weights (soft). Positions are those of
    /// sub-word pieces, from 0, with the end of sentence
    #[arg(long, value_name = "hard|soft|THRESHOLD", help_heading = "Result")]
    #[arg(num_args = 0..=1, default_missing_value = "hard")]
    alignment: Option<AlignmentKind>,
    /// Print the log-probability of each target piece and of the end of sentence
    #[arg(long, help_heading = "Result")]
    word_scores: bool,
    /// Compare each translation with its source: a warning names the amounts, times, dates and other numbers of the
    /// source that the translation lacks in every notation [default: numbers with --output-format json, without
    /// warnings; else none]
    #[arg(long, value_enum, value_name = "numbers|none", help_heading = "Result")]
    check: Option<Check>,
    #[command(flatten)]
    lattices: LatticeArgs,
    /// A language model over the target pieces, ARPA text or compiled, whose log-probabilities are added to those of
    /// the model (shallow fusion); see `metaphrase tokenize --vocabulary` and `metaphrase lm`
    #[arg(long, value_name = "FILE", help_heading = "Search")]
    lm: Option<PathBuf>,
    /// The weight of the language model; the model has weight 1
    #[arg(long, value_name = "W", default_value_t = 0.1, requires = "lm", help_heading = "Search")]
    #[arg(allow_negative_numbers = true, value_parser = number::real::<f32>)]
    lm_weight: f32,
    #[command(flatten)]
    text: TextArgs,
    #[command(flatten)]
    evidence: EvidenceArgs,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    shortlist: ShortlistArgs,
}

const AFTER_HELP: &str = include_str!("translate.txt");

/// A check of translations.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Check {
    /// Report the numbers of the source that the translation lacks
    Numbers,
    /// Check nothing
    None,
}

/// A format of the output.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    /// A line of text
    Plain,
    /// A JSON object on each line, see below
    Json,
}

/// Translates the input.
pub fn run(args: &Args, terminal: &Terminal, overwrite: bool) -> Result<()> {
    let jobs = args.jobs().and_then(|jobs| jobs::keep_existing(jobs, overwrite))?;
    let checked: Vec<CheckedJob<'_>> = jobs.iter().map(|job| args.check_job(job)).collect::<Result<_>>()?;
    match &*checked {
        [one] => {
            // A file that cannot be read is reported before the model is loaded.
            let input = one.job.input.open()?;
            Session::new(args, terminal)?.translate(one, input)
        }
        several => Session::new(args, terminal)?.translate_all(several),
    }
}

/// A job that can be done, and its format.
#[derive(Clone, Copy)]
struct CheckedJob<'j> {
    job: &'j Job,
    format: Format,
    /// The format of a job that is translated as a whole; `None`: lines.
    whole: Option<WholeFormat>,
}

impl Args {
    /// What to translate. Refuses options that exclude each other.
    fn jobs(&self) -> Result<Vec<Job>> {
        self.model.check()?;
        self.evidence.check()?;
        if !(0.0..f32::INFINITY).contains(&self.lm_weight) {
            return Err(Usage::error(format!("--lm-weight is {}; it has to be a number from 0 on", self.lm_weight)));
        }
        let streams = [PathBuf::from("-")];
        let inputs = if self.inputs.is_empty() && self.text_lines.is_empty() { &streams[..] } else { &self.inputs };
        let others = self.prefix.iter().chain(self.legs.file()).chain(self.evidence.file());
        check_one_stdin(others.chain(inputs).map(Some))?;
        let jobs = jobs::jobs(&self.text_lines, &self.inputs, self.output.as_deref(), self.input_format)?;
        let for_one = [
            ("--prefix", self.prefix.is_some()),
            ("--lmbr FILE", self.evidence.file().is_some()),
            ("--lattice", self.lattices.is_given()),
        ];
        match for_one.iter().find(|(_, given)| *given && jobs.len() != 1) {
            Some((name, _)) => Err(Usage::error(format!("{name} goes with one input, and these are {}", jobs.len()))),
            None => Ok(jobs),
        }
    }

    /// Finds the format of a job, and checks that the options fit it.
    fn check_job<'j>(&self, job: &'j Job) -> Result<CheckedJob<'j>> {
        let named = self.input_format.or(job.format);
        let format = named.map_or_else(|| Format::from_name(job.input.path()), Ok)?;
        if self.prefix.is_some() && matches!(format, Format::Json | Format::Tsv) {
            return Err(Usage::error(match format {
                Format::Json => "--prefix is for plain input; with JSON each line has its own 'target_prefix'",
                _ => "--prefix is for plain input; a line of TSV has no prefix, a line of JSON has 'target_prefix'",
            }));
        }
        let whole = self.whole(format, job)?;
        Ok(CheckedJob { job, format, whole })
    }

    /// The format of a job that is translated as a whole; `None`: lines.
    fn whole(&self, format: Format, job: &Job) -> Result<Option<WholeFormat>> {
        let whole = match format {
            Format::Plain if self.text.split.is_some() || self.reads_text() => WholeFormat::Text(TextFormat::Text),
            Format::Tsv | Format::Json if self.text.split.is_some() => {
                return Err(Usage::error("--split is for texts; a line of TSV or JSON is one sentence"));
            }
            // Options of texts have no effect on those files of a folder that are lines.
            Format::Plain if job.of_several => return Ok(None),
            Format::Plain | Format::Tsv | Format::Json => return self.text.check_lines().map(|()| None),
            Format::Text(form) => WholeFormat::Text(form),
            Format::NamedFile => WholeFormat::File(Format::file_format(job.input.path())?),
            Format::File(format) => WholeFormat::File(format),
        };
        match whole {
            _ if job.of_several && job.output.is_none() => {
                return Err(Usage::error(format!(
                    "several files, of which {} is a {} file, need a folder for their translations; name it with --output",
                    job.input,
                    format.name()
                )));
            }
            WholeFormat::Text(_) if !job.of_several => self.text.check_other_than_files()?,
            WholeFormat::Text(_) => {}
            WholeFormat::File(format) => TextArgs::check_output(format, job.output.as_deref())?,
        }
        self.check_whole(format).map(|()| Some(whole))
    }

    /// Whether arguments are a text that people wrote, in which a line may have several sentences and things that stay.
    fn reads_text(&self) -> bool {
        !self.text_lines.is_empty() && self.input_format.is_none() && self.line_option().is_none()
    }

    /// An option that was given and that is for lines.
    fn line_option(&self) -> Option<&'static str> {
        let given = [
            ("--prefix", self.prefix.is_some()),
            ("--n-best", self.n_best.is_some()),
            ("--alignment", self.alignment.is_some()),
            ("--word-scores", self.word_scores),
            ("--output-format json", self.output_format == OutputFormat::Json),
            ("--lmbr FILE", self.evidence.file().is_some()),
            ("--lattice", self.lattices.is_given()),
        ];
        given.iter().find(|(_, given)| *given).map(|(name, _)| *name)
    }

    /// Refuses options of lines for an input that is translated as a whole.
    fn check_whole(&self, format: Format) -> Result<()> {
        match self.line_option() {
            Some(name) if self.input_format.is_none() && format != Format::Plain => Err(Usage::error(format!(
                "{name} is for lines, and the input is read as {} because of its extension; leave it out, or add --input-format plain",
                format.name()
            ))),
            Some(name) => {
                Err(Usage::error(format!("{name} is for lines; leave it out, or leave out --split and --input-format")))
            }
            None => Ok(()),
        }
    }

    /// Whether messages name the numbers that a translation lacks.
    fn warns_of_numbers(&self) -> bool {
        self.check == Some(Check::Numbers)
    }
}

/// The translator, and the options of all inputs.
struct Session<'a> {
    args: &'a Args,
    terminal: &'a Terminal,
    translator: Translator,
    options: TranslateOptions,
}

impl<'a> Session<'a> {
    fn new(args: &'a Args, terminal: &'a Terminal) -> Result<Self> {
        let translator = args.legs.load(&args.model, |mut builder| {
            if let Some(lm) = &args.lm {
                builder = builder.language_model(lm, args.lm_weight);
            }
            args.shortlist.add_to(args.evidence.add_to(builder))
        })?;
        let mut options = args.search.apply(translator.options(), args.n_best)?;
        options.evidence = args.evidence.options()?;
        options.search.attention = args.alignment.is_some();
        options.check_numbers =
            args.warns_of_numbers() || (args.check.is_none() && args.output_format == OutputFormat::Json);
        Ok(Self { args, terminal, translator, options })
    }

    /// Translates several files. A failure of one does not stop the others.
    fn translate_all(&self, several: &[CheckedJob<'_>]) -> Result<()> {
        let bar = self.terminal.bar(ProgressBar::new(several.len() as u64), "{pos} of {len} files, {msg}");
        let mut failed = 0;
        for checked in several {
            bar.iter().for_each(|bar| bar.set_message(checked.job.input.to_string()));
            let span = tracing::error_span!("file", message = %checked.job.input);
            if let Err(error) = span.in_scope(|| self.translate_or_copy(checked)) {
                if crate::is_closed_output(&error) {
                    return Err(error);
                }
                tracing::error!("{}", crate::sentence(&error));
                failed += 1;
            }
            bar.iter().for_each(|bar| bar.inc(1));
        }
        let texts = several.iter().filter(|checked| checked.job.task == Task::Translate).count();
        anyhow::ensure!(failed == 0, "{failed} of {texts} files were not translated");
        Ok(())
    }

    /// Translates one of several files. A file without text is copied, so that the folder of the translations is whole.
    fn translate_or_copy(&self, checked: &CheckedJob<'_>) -> Result<()> {
        if checked.job.task == Task::Copy {
            return checked.job.copy();
        }
        let input = checked.job.input.open()?;
        let is_empty = input.size == Some(0);
        match self.translate(checked, input) {
            Err(error) if checked.whole.is_some() && (is_empty || text::has_no_text(&error)) => {
                tracing::warn!("{}: there is nothing to translate; it is copied", checked.job.input);
                checked.job.copy()
            }
            result => result,
        }
    }

    fn translate(&self, checked: &CheckedJob<'_>, input: Input) -> Result<()> {
        checked.job.make_folder()?;
        let output = checked.job.output.as_deref();
        match checked.whole {
            Some(whole) => text::run(&self.translator, &self.options, &self.args.text, whole, input, output),
            None => self.lines(checked.format, input, output),
        }
    }

    /// Translates the lines of an input.
    fn lines(&self, format: Format, input: Input, output: Option<&Path>) -> Result<()> {
        let Self { args, translator, .. } = self;
        let mut options = self.options.clone();
        let size = input.size;
        let is_interactive = input.is_terminal;
        let prefixes = args.prefix.as_deref().map(|path| Input::open(Some(path)).map(Lines::new)).transpose()?;
        let mut lattices = args.lattices.request(&mut options)?;
        let evidence = args.evidence.blocks()?.zip(translator.evidence_counter().cloned());
        let evidence =
            evidence.map(|(blocks, counter)| Posteriors { blocks, counter, options: options.evidence.clone() });
        let lines = Lines::new(input);
        let lines = if args.input_format.is_none() { lines.text_only() } else { lines };
        let source = Text { lines, prefixes, evidence, format, language: LanguageCheck::new(translator) };
        let output = Output::create(output)?;
        let progress = Progress::start(self.terminal, size, !is_interactive && !output.is_terminal());
        let printer = self.printer();
        let print = |text: &mut String, ticket: Ticket<Keys>, translation: Translation| {
            if let Some(Err(error)) = lattices.as_mut().map(|files| files.write_search(ticket.number + 1, &translation))
            {
                leave(&error);
            }
            if let Some(note) = translation.missing_numbers_note().filter(|_| args.warns_of_numbers()) {
                tracing::warn!("line {}: {note}", ticket.number + 1);
            }
            printer.print(text, ticket, &translation);
        };
        let output = stream::run(translator, &options, args.model.one_by_one(), source, output, progress, print)?;
        lattices.map_or(Ok(()), LatticeFiles::finish)?;
        output.finish()
    }

    fn printer(&self) -> Printer {
        let n_best = self.args.n_best.is_some();
        let form = match self.args.output_format {
            OutputFormat::Json => Form::Json { n_best },
            OutputFormat::Plain if n_best => Form::NBest,
            OutputFormat::Plain => Form::Plain,
        };
        Printer { form, alignment: self.args.alignment, word_scores: self.args.word_scores }
    }
}
