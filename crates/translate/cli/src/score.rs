//! `metaphrase score`.

use crate::alignment::append_alignment;
use crate::io::append;
use crate::io::{Input, Output, check_one_stdin};
use crate::lines::Lines;
use crate::messages::Terminal;
use crate::model::ModelArgs;
use crate::nbest::{Entry, with_feature};
use crate::print::append_word_scores;
use crate::progress::Progress;
use crate::stream::{self, Source, Ticket};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use metaphrase::{AlignmentKind, Hypothesis, Request};
use metaphrase_base::SixDigits;
use std::path::{Path, PathBuf};

/// Score given translations, or the translations of an n-best list
///
/// Prints the log-probability of each translation on a line: natural logarithm, end of sentence included.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A file of sources and a file of their translations, line by line; or one file or standard input with a source, a
    /// tab and a translation on each line
    #[arg(value_name = "SOURCE TARGET", num_args = 0..=2)]
    files: Vec<PathBuf>,
    /// Score the lines of this n-best list, `N ||| translation ||| features ||| score`, and add a feature to each line
    #[arg(conflicts_with_all = ["files", "word_scores", "alignment"])]
    #[arg(long, value_name = "FILE", requires = "source", help_heading = "N-best list")]
    n_best: Option<PathBuf>,
    /// The sources of the n-best list: N is the number of a line of this file, from 0
    #[arg(long, value_name = "FILE", requires = "n_best", help_heading = "N-best list")]
    source: Option<PathBuf>,
    /// The name of the new feature
    #[arg(long, value_name = "NAME", default_value = "Score", value_parser = feature_name, help_heading = "N-best list")]
    #[arg(visible_alias = "n-best-feature", requires = "n_best")]
    feature_name: String,
    /// The file for the scores, written completely or not at all; a name in .gz is compressed [default: standard
    /// output, which is also -]
    #[arg(short, long, value_name = "FILE", help_heading = "Result")]
    output: Option<PathBuf>,
    /// Divide each score by the number of target pieces, end of sentence included
    #[arg(short, long, help_heading = "Result")]
    normalize: bool,
    /// Also print the log-probability of each target piece and of the end of sentence
    #[arg(long, conflicts_with = "summary", help_heading = "Result")]
    word_scores: bool,
    /// Print the word alignment from attention, as `metaphrase translate` does
    #[arg(long, value_name = "hard|soft|THRESHOLD", help_heading = "Result")]
    #[arg(require_equals = true, num_args = 0..=1, default_missing_value = "hard", conflicts_with = "summary")]
    alignment: Option<AlignmentKind>,
    /// Print one number for all lines
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Result")]
    #[arg(conflicts_with_all = ["normalize", "n_best"])]
    summary: Option<Summary>,
    /// The language of the sources, for a model that has to know it: en, or eng [default: the model's own setting]
    #[arg(long, value_name = "LANG", help_heading = "Model")]
    source_language: Option<String>,
    /// The language of the translations, for a model whose vocabulary has words such as >>deu<< for several: deu, or de
    /// [default: the word that a source begins with]
    #[arg(long, value_name = "LANG", help_heading = "Model")]
    target_language: Option<String>,
    /// Cut off sources and translations after N pieces, with a warning [default: 1000]
    #[arg(long, visible_alias = "max-length", value_name = "N", help_heading = "Model")]
    #[arg(value_parser = crate::number::whole::<std::num::NonZeroUsize>)]
    max_source_length: Option<std::num::NonZeroUsize>,
    #[command(flatten)]
    model: ModelArgs,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase score -m model/ talk.en talk.de
  paste talk.en talk.de | metaphrase score --summary perplexity
  metaphrase score -m model/ --n-best talk.nbest --source talk.en --feature-name Back > talk.rescored";

/// One number for all lines.
#[derive(Clone, Copy, ValueEnum)]
enum Summary {
    /// Mean negative log-probability of a line
    CeMean,
    /// Mean negative log-probability of a target piece
    CeMeanWords,
    /// Negative log-probability of all lines together
    CeSum,
    /// Perplexity of a target piece, exp(ce-mean-words)
    Perplexity,
}

fn feature_name(name: &str) -> Result<String, String> {
    let good = !name.is_empty() && name.chars().all(|c| !c.is_whitespace() && c != '=' && c != '|');
    if good { Ok(name.to_owned()) } else { Err("a name must not be empty, and must not contain spaces, = or |".into()) }
}

/// Scores the input.
pub fn run(args: &Args, terminal: &Terminal) -> Result<()> {
    args.model.check()?;
    let source = args.pairs()?;
    let translator = args.model.load(|builder| builder)?;
    let mut options = translator.options();
    options.search.normalize = f32::from(u8::from(args.normalize));
    options.search.word_penalty = 0.0;
    options.search.attention = args.alignment.is_some();
    options.source_language = args.source_language.clone().or(options.source_language);
    options.target_language = args.target_language.clone().or(options.target_language);
    options.max_source_length = args.max_source_length.map_or(options.max_source_length, std::num::NonZeroUsize::get);
    let output = Output::create(args.output.as_deref())?;
    let progress = Progress::start(terminal, None, !output.is_terminal());
    let mut total = Total::default();
    let one_by_one = args.model.one_by_one();
    let print = |text: &mut String, ticket: Ticket<String>, translation: metaphrase::Translation| {
        let nothing = Hypothesis { score: f32::NEG_INFINITY, log_prob: f32::NEG_INFINITY, ..Hypothesis::default() };
        let hypothesis = translation.hypotheses.first().unwrap_or(&nothing);
        total.add(hypothesis);
        if args.summary.is_none() {
            args.print(text, &ticket.extra, hypothesis);
        }
    };
    let output = stream::run(&translator, &options, one_by_one, source, output, progress, print)?;
    total.print(args.summary, output)
}

impl Args {
    /// Opens the files with the pairs.
    fn pairs(&self) -> Result<Pairs> {
        check_one_stdin(self.files.iter().chain(&self.n_best).chain(&self.source).map(Some))?;
        let open = |path: &Path| Input::open(Some(path)).map(Lines::new);
        if let (Some(list), Some(source)) = (&self.n_best, &self.source) {
            let sources = open(source)?;
            let file = sources.name().to_owned();
            let sources = sources.all()?.into_iter().map(|line| line.text).collect();
            return Ok(Pairs::List { list: open(list)?, sources, file });
        }
        match &*self.files {
            [source, target] => Ok(Pairs::Files { sources: open(source)?, targets: open(target)? }),
            [both, ..] => Ok(Pairs::Table(open(both)?)),
            [] => Ok(Pairs::Table(Lines::new(Input::open(None)?))),
        }
    }

    /// Appends the output of a line, as Marian's scorer prints it.
    fn print(&self, text: &mut String, line: &str, hypothesis: &Hypothesis) {
        if self.n_best.is_some() {
            text.push_str(&with_feature(line, &self.feature_name, hypothesis.score));
        } else {
            append(text, format_args!("{:.6}", hypothesis.score));
        }
        if let Some(kind) = self.alignment {
            text.push_str(" ||| ");
            append_alignment(text, hypothesis.attention.as_ref(), kind);
        }
        if self.word_scores {
            append_word_scores(text, hypothesis);
        }
        text.push('\n');
    }
}

/// The input: sources and translations.
enum Pairs {
    /// Line by line from two files.
    Files { sources: Lines, targets: Lines },
    /// With a tab between them.
    Table(Lines),
    /// The translations from an n-best list.
    List { list: Lines, sources: Vec<String>, file: String },
}

impl Source for Pairs {
    /// The line of the n-best list.
    type Extra = String;

    fn next(&mut self) -> Result<Option<(Request, Ticket<String>)>> {
        match self {
            Self::Files { sources, targets } => {
                let number = sources.read();
                match (sources.next_line()?, targets.next_line()?) {
                    (None, None) => Ok(None),
                    (Some(source), Some(target)) => {
                        let mut ticket = Ticket::new(number, &source, String::new());
                        ticket.notes.extend(target.notes);
                        Ok(Some((Request::score(source.text, target.text), ticket)))
                    }
                    (source, _) => {
                        let (longer, shorter) = if source.is_some() { (sources, targets) } else { (targets, sources) };
                        bail!(
                            "{} has {} lines and {} has more; line n of both has to be the same sentence",
                            shorter.name(),
                            shorter.read(),
                            longer.name()
                        );
                    }
                }
            }
            Self::Table(lines) => {
                let number = lines.read();
                let Some(line) = lines.next_line()? else { return Ok(None) };
                let (source, target) = line.text.split_once('\t').with_context(|| {
                    format!("line {} of {} has no tab between source and translation", number + 1, lines.name())
                })?;
                let request = Request::score(source, target);
                Ok(Some((request, Ticket::new(number, &line, String::new()))))
            }
            Self::List { list, sources, file } => {
                let number = list.read();
                let Some(line) = list.next_line()? else { return Ok(None) };
                let place = || format!("line {} of {}", number + 1, list.name());
                let entry = Entry::parse(&line.text)
                    .with_context(|| format!("{} is not `N ||| translation ||| features ||| score`", place()))?;
                let source = sources.get(entry.source).with_context(|| {
                    let lines = sources.len();
                    format!("{} has the source {}, counted from 0, but {file} has {lines} lines", place(), entry.source)
                })?;
                let request = Request { attached: line.text.len(), ..Request::score(source, entry.text) };
                let ticket = Ticket::new(number, &line, String::new());
                Ok(Some((request, Ticket { extra: line.text, ..ticket })))
            }
        }
    }

    fn has_next(&self) -> bool {
        match self {
            Self::Files { sources, targets } => sources.has_next() && targets.has_next(),
            Self::Table(lines) | Self::List { list: lines, .. } => lines.has_next(),
        }
    }
}

/// Sums over all lines.
#[derive(Default)]
struct Total {
    lines: f64,
    words: f64,
    log_prob: f64,
}

impl Total {
    fn add(&mut self, hypothesis: &Hypothesis) {
        self.lines += 1.0;
        self.words += hypothesis.piece_log_probs.len() as f64;
        self.log_prob += f64::from(hypothesis.log_prob);
    }

    fn print(&self, summary: Option<Summary>, mut output: Output) -> Result<()> {
        let number = match summary {
            None => return output.finish(),
            Some(_) if self.lines == 0.0 => bail!("there is no line to summarise"),
            Some(Summary::CeMean) => -self.log_prob / self.lines,
            Some(Summary::CeMeanWords) => -self.log_prob / self.words,
            Some(Summary::CeSum) => -self.log_prob,
            Some(Summary::Perplexity) => (-self.log_prob / self.words).exp(),
        };
        output.write(&format!("{}\n", SixDigits((number as f32).into())))?;
        output.finish()
    }
}
