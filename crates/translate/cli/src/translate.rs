//! `metaphrase translate`.

use crate::Usage;
use crate::drawings::{LatticeArgs, LatticeFiles};
use crate::evidence::EvidenceArgs;
use crate::input_format::Format;
use crate::io::{Input, Output, check_one_stdin};
use crate::leave;
use crate::legs::LegsArgs;
use crate::lines::Lines;
use crate::messages::Terminal;
use crate::model::ModelArgs;
use crate::number;
use crate::posteriors::Blocks;
use crate::print::{Form, Keys, Printer};
use crate::progress::Progress;
use crate::request::{self, Fields};
use crate::search::SearchArgs;
use crate::shortlist::ShortlistArgs;
use crate::stream::{self, Source, Ticket};
use crate::text::{self, TextArgs, WholeFormat};
use anyhow::{Result, bail};
use clap::ValueEnum;
use metaphrase::{AlignmentKind, Evidence, EvidenceCounter, EvidenceOptions, Request, TextFormat};
use std::num::NonZeroUsize;
use std::path::PathBuf;

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
    /// The text to translate; a name in .gz is decompressed [default: standard input, which is also -]
    #[arg(short, long, value_name = "FILE", help_heading = "Text")]
    input: Option<PathBuf>,
    /// The file for the translations, written completely or not at all; a name in .gz is compressed [default: standard
    /// output, which is also -]
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

const AFTER_HELP: &str = "\
Examples:
  echo 'Good morning!' | metaphrase translate
  metaphrase translate -m opus-mt-en-de/ -i talk.en -o talk.de.gz
  metaphrase translate -m model.npz --vocab vocab.spm -b 12 --n-best 12 < talk.en > talk.nbest
  metaphrase translate --sampling topk:10 --n-best 5 --seed 7 < talk.en
  metaphrase translate --input-format json --output-format json < talk.jsonl
  metaphrase translate --glossary terms.tsv < talk.en
  metaphrase translate -m de-en --then opus-mt-en-fr/ < talk.de
  metaphrase translate -m model/ --shortlist model/shortlist < talk.en
  metaphrase translate --lattice talk-%d.svg < talk.en
  metaphrase translate --lm pieces.arpa --lm-weight 0.1 < talk.en
  metaphrase translate --split < chapter.en.txt
  metaphrase translate -i page.en.html -o page.de.html
  printf 'He took a cab home.\\tTaxi\\n' | metaphrase translate --input-format tsv

JSON input has an object on each line, with the keys:
  text            the text to translate
  target_prefix   the beginning of its translation
  constraints     terms that the translation must contain; an inner list has alternatives, an
                  object {\"source\": ..., \"target\": ...} names the words that it translates
  avoid           words and phrases that the translation must not contain
  target_language the language to translate into, for a model of several
  other keys      are copied to JSON output, except its own keys

JSON output has these keys, followed by the keys of the input:
  sentence_id     number of the line, from 0
  translation, score, log_prob
                  the text, its score and its log-probability (natural logarithm)
  pieces, source_pieces
                  sub-word pieces without the ends of sentence
  translations, scores, log_probs
                  lists, best first, with --n-best
  alignment       with --alignment: pairs [source, target], or weights for each target piece
  word_scores     with --word-scores: log-probability of each piece and of the end of sentence
  constraints_met, constraints_missing
                  with constraints: [number, first piece, pieces] of each term that the
                  translation contains, and the numbers of the others. Terms of the line are
                  numbered first, then terms of the glossary
  avoid_present   numbers of the phrases to avoid that the translation contains nevertheless,
                  if there are any
  check           numbers of the source that the translation lacks, if there are any:
                  {\"numbers\": [text, ...]}; --check none omits it
  notes           messages about the line, if there are any
  error           the reason why the line was not translated; `translation` is then empty";

impl Args {
    /// The format of the input.
    fn format(&self) -> Result<Format> {
        self.input_format.map_or_else(|| Format::from_name(self.input.as_deref()), Ok)
    }

    /// The format of an input that is translated as a whole; `None`: lines.
    fn whole(&self, format: Format) -> Result<Option<WholeFormat>> {
        let whole = match format {
            Format::Plain if self.text.split.is_some() => WholeFormat::Text(TextFormat::Text),
            Format::Tsv | Format::Json if self.text.split.is_some() => {
                return Err(Usage::error("--split is for texts; a line of TSV or JSON is one sentence"));
            }
            Format::Plain | Format::Tsv | Format::Json => return self.text.check_lines().map(|()| None),
            Format::Text(form) => WholeFormat::Text(form),
            Format::NamedFile => WholeFormat::File(Format::file_format(self.input.as_deref())?),
            Format::File(format) => WholeFormat::File(format),
        };
        match whole {
            WholeFormat::Text(_) => self.text.check_other_than_files()?,
            WholeFormat::File(format) => TextArgs::check_output(format, self.output.as_deref())?,
        }
        let given = [
            ("--prefix", self.prefix.is_some()),
            ("--n-best", self.n_best.is_some()),
            ("--alignment", self.alignment.is_some()),
            ("--word-scores", self.word_scores),
            ("--output-format json", self.output_format == OutputFormat::Json),
            ("--lmbr FILE", self.evidence.file().is_some()),
            ("--lattice", self.lattices.is_given()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((name, _)) if self.input_format.is_none() && format != Format::Plain => Err(Usage::error(format!(
                "{name} is for lines, and the input is read as {} because of its extension; leave it out, or add --input-format plain",
                format.name()
            ))),
            Some((name, _)) => {
                Err(Usage::error(format!("{name} is for lines; leave it out, or leave out --split and --input-format")))
            }
            None => Ok(Some(whole)),
        }
    }
}

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
pub fn run(args: &Args, terminal: &Terminal) -> Result<()> {
    let format = args.checked_format()?;
    let whole = args.whole(format)?;
    let input = Input::open(args.input.as_deref())?;
    let size = input.size;
    let is_interactive = input.is_terminal;
    let prefixes = args.prefix.as_deref().map(|path| Input::open(Some(path)).map(Lines::new)).transpose()?;
    let translator = args.legs.load(&args.model, |mut builder| {
        if let Some(lm) = &args.lm {
            builder = builder.language_model(lm, args.lm_weight);
        }
        args.shortlist.add_to(args.evidence.add_to(builder))
    })?;
    let mut options = args.search.apply(translator.options(), args.n_best)?;
    options.evidence = args.evidence.options()?;
    options.search.attention = args.alignment.is_some();
    let warns = args.check == Some(Check::Numbers);
    options.check_numbers = warns || (args.check.is_none() && args.output_format == OutputFormat::Json);
    if let Some(whole) = whole {
        return text::run(&translator, &options, &args.text, whole, input, args.output.as_deref());
    }
    let mut lattices = args.lattices.request(&mut options)?;
    let n_best = args.n_best.is_some();
    let form = match args.output_format {
        OutputFormat::Json => Form::Json { n_best },
        OutputFormat::Plain if n_best => Form::NBest,
        OutputFormat::Plain => Form::Plain,
    };
    let printer = Printer { form, alignment: args.alignment, word_scores: args.word_scores };
    let evidence = args.evidence.blocks()?.zip(translator.evidence_counter().cloned());
    let evidence = evidence.map(|(blocks, counter)| Posteriors { blocks, counter, options: options.evidence.clone() });
    let lines = Lines::new(input);
    let lines = if args.input_format.is_none() { lines.text_only() } else { lines };
    let source = Text { lines, prefixes, evidence, format };
    let output = Output::create(args.output.as_deref())?;
    let progress = Progress::start(terminal, size, !is_interactive && !output.is_terminal());
    let print = |text: &mut String, ticket: Ticket<Keys>, translation| {
        if let Some(Err(error)) = lattices.as_mut().map(|files| files.write_search(ticket.number + 1, &translation)) {
            leave(&error);
        }
        if let Some(note) = translation.missing_numbers_note().filter(|_| warns) {
            tracing::warn!("line {}: {note}", ticket.number + 1);
        }
        printer.print(text, ticket, &translation);
    };
    let output = stream::run(&translator, &options, args.model.one_by_one(), source, output, progress, print)?;
    lattices.map_or(Ok(()), LatticeFiles::finish)?;
    output.finish()
}

impl Args {
    /// The format of the input. Refuses options that exclude each other.
    fn checked_format(&self) -> Result<Format> {
        self.model.check()?;
        self.evidence.check()?;
        if !(0.0..f32::INFINITY).contains(&self.lm_weight) {
            return Err(Usage::error(format!("--lm-weight is {}; it has to be a number from 0 on", self.lm_weight)));
        }
        let format = self.format()?;
        if self.prefix.is_some() && matches!(format, Format::Json | Format::Tsv) {
            return Err(Usage::error(match format {
                Format::Json => "--prefix is for plain input; with JSON each line has its own 'target_prefix'",
                _ => "--prefix is for plain input; a line of TSV has no prefix, a line of JSON has 'target_prefix'",
            }));
        }
        check_one_stdin(
            self.prefix
                .iter()
                .chain(self.legs.file())
                .chain(self.evidence.file())
                .map(Some)
                .chain([self.input.as_ref()]),
        )?;
        Ok(format)
    }
}

/// Lines to translate.
struct Text {
    lines: Lines,
    prefixes: Option<Lines>,
    evidence: Option<Posteriors>,
    format: Format,
}

/// The posteriors of the lines.
struct Posteriors {
    blocks: Blocks,
    counter: EvidenceCounter,
    options: EvidenceOptions,
}

impl Posteriors {
    /// The evidence for a line, from 1, or the reason why there is none.
    fn evidence(&mut self, number: usize) -> Result<Result<Evidence, String>> {
        let found = |lines: Vec<String>| {
            let posteriors = self.counter.from_text(lines.iter().map(String::as_str), &self.options);
            posteriors.map(Evidence::Posteriors).map_err(|error| error.to_string())
        };
        Ok(self.blocks.block(number)?.and_then(found))
    }
}

impl Source for Text {
    type Extra = Keys;

    fn next(&mut self) -> Result<Option<(Request, Ticket<Keys>)>> {
        let number = self.lines.read();
        let Some(line) = self.lines.next_line()? else { return self.end() };
        let mut ticket = Ticket::new(number, &line, Ok(Fields::new()));
        let request = match self.format {
            // The part that was cut off might have contained terms.
            Format::Tsv | Format::Json if line.cut => Err("the line is too long and is skipped".to_owned()),
            Format::Tsv => request::from_tsv(&line.text),
            Format::Json => request::from_json(&line.text).map(|(request, fields)| {
                ticket.notes.extend(request::misspelt(&fields));
                ticket.extra = Ok(fields);
                // A field takes at most about twenty times its length; the worst case is the shortest one, `"a":1`.
                Request { attached: 20 * line.text.len(), ..request }
            }),
            _ => Ok(Request { prefix: self.prefix()?, ..Request::translate(line.text) }),
        };
        let evidence = self.evidence.as_mut().map(|posteriors| posteriors.evidence(number + 1)).transpose()?;
        let request = request.map(|request| match evidence {
            Some(Ok(evidence)) => request.evidence(evidence),
            // A line without words needs no evidence, so that no note is due.
            Some(Err(problem)) if !request.source.trim().is_empty() => {
                ticket.notes.push(format!("translated without evidence: {problem}"));
                request
            }
            _ => request,
        });
        let request = request.unwrap_or_else(|problem| {
            ticket.notes.push(problem.clone());
            ticket.extra = Err(problem);
            Request::default()
        });
        Ok(Some((request, ticket)))
    }

    fn has_next(&self) -> bool {
        self.lines.has_next()
    }
}

impl Text {
    /// The prefix of the line that was read last.
    fn prefix(&mut self) -> Result<String> {
        let Some(prefixes) = &mut self.prefixes else { return Ok(String::new()) };
        match prefixes.next_line()? {
            Some(line) => Ok(line.text),
            None => bail!(
                "{} has only {} lines but {} has more; give a prefix for each line, which may be empty",
                prefixes.name(),
                prefixes.read(),
                self.lines.name()
            ),
        }
    }

    /// The end of the text, where its prefixes and posteriors must end, too.
    fn end<T>(&mut self) -> Result<Option<T>> {
        if let Some(evidence) = &mut self.evidence {
            evidence.blocks.end(self.lines.read())?;
        }
        if let Some(prefixes) = &mut self.prefixes
            && prefixes.next_line()?.is_some()
        {
            bail!(
                "{} has more lines than {}, which has {}; give one prefix for each line",
                prefixes.name(),
                self.lines.name(),
                self.lines.read()
            );
        }
        Ok(None)
    }
}
