//! The common part of all commands that search with a phrase-based model: their options, and the loop over lines.

use crate::Usage;
use crate::io::{Input, Output};
use crate::lines::{Line, Lines};
use crate::number;
use crate::stream::PacedOutput;
use crate::values::choice;
use anyhow::Result;
use clap::{ValueEnum, ValueHint};
use metaphrase_base::Choice;
use metaphrase_base::pipeline::{Limit, in_order};
use metaphrase_phrase::{
    Counters, LookAhead, Markup, PhraseModel, Presort, SearchOptions, Source, UnknownWords, Workspace,
};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The most lines in flight between input and output, and the most bytes of these lines and of their results.
const WINDOW: Limit = Limit { items: 1024, weight: 64 << 20 };

/// The default for the most words of a line.
pub const LONGEST: NonZeroUsize = NonZeroUsize::new(1000).unwrap();

/// Model, text and search.
#[derive(clap::Args)]
#[group(skip)]
pub struct Args {
    /// The model: a directory with a moses.ini, or the moses.ini itself
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    model: PathBuf,
    /// The text [default: standard input]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    input: Option<PathBuf>,
    /// The file for the result [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Number of coverages kept for each number of translated words, and of hypotheses kept for each coverage
    #[arg(long, num_args = 2, value_names = ["N_C", "N_L"], default_values_t = default_beam(), help_heading = "Search")]
    #[arg(value_parser = number::whole::<NonZeroUsize>)]
    cardinality_beam: Vec<NonZeroUsize>,
    /// Number of translation options of a source phrase; 0 takes all
    #[arg(long, value_name = "N_O", default_value_t = default_options(), help_heading = "Search")]
    #[arg(value_parser = number::whole::<usize>)]
    options: usize,
    /// The part of a phrase that estimates the language model score of an expansion before the score is computed
    #[arg(long, value_name = "HOW", default_value = LookAhead::FirstWord.name(), help_heading = "Search")]
    #[arg(value_parser = choice::<LookAhead>())]
    look_ahead: LookAhead,
    /// The use of the language model's estimate when translation options are sorted before the search
    #[arg(long, value_name = "HOW", default_value = Presort::default().name(), help_heading = "Search")]
    #[arg(value_parser = choice::<Presort>())]
    presort: Presort,
    /// The largest number of source words that a jump skips; -1 sets no limit [default: the model's]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Search")]
    #[arg(value_parser = number::whole::<i64>)]
    distortion_limit: Option<i64>,
    /// Cut off a line after N words, with a warning
    #[arg(long, value_name = "N", default_value_t = LONGEST, help_heading = "Search")]
    #[arg(value_parser = number::whole::<NonZeroUsize>)]
    max_source_length: NonZeroUsize,
    /// The treatment of words that the model cannot translate
    #[arg(long, value_name = "HOW", default_value = UnknownWords::Copy.name(), help_heading = "Text")]
    #[arg(value_parser = choice::<UnknownWords>())]
    unknown_words: UnknownWords,
    /// The use of translations given within lines, `<n translation="a house" prob="0.8">ein Haus</n>`
    #[arg(long, value_enum, default_value_t = XmlInput::PassThrough, value_name = "HOW", help_heading = "Text")]
    xml_input: XmlInput,
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = crate::number::thread_count)]
    threads: Option<NonZeroUsize>,
}

/// The defaults of `N_c` and `N_l`.
pub fn default_beam() -> [NonZeroUsize; 2] {
    let SearchOptions { coverages, hypotheses, .. } = SearchOptions::default();
    [coverages, hypotheses].map(|size| NonZeroUsize::new(size).unwrap_or(NonZeroUsize::MIN))
}

/// The default of `N_o`; 0 takes all.
pub fn default_options() -> usize {
    SearchOptions::default().options.unwrap_or(0)
}

/// The options of a search of this width.
pub fn search_options(cardinality_beam: &[NonZeroUsize], options: usize) -> Result<SearchOptions> {
    let &[coverages, hypotheses] = cardinality_beam else {
        return Err(Usage::error("--cardinality-beam takes two numbers, N_c and N_l"));
    };
    let options = (options > 0).then_some(options);
    Ok(SearchOptions {
        coverages: coverages.into(),
        hypotheses: hypotheses.into(),
        options,
        ..SearchOptions::default()
    })
}

/// The use of markup in the input, with the names of Moses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum XmlInput {
    /// Treat `<` as a character; there is no markup
    PassThrough,
    /// Remove the markup
    Ignore,
    /// Let the given translations replace those of the model
    Exclusive,
    /// Let the given translations compete with those of the model
    Inclusive,
}

impl Args {
    /// Reads the model.
    pub fn model(&self) -> Result<PhraseModel> {
        Ok(PhraseModel::read_moses(&self.model)?)
    }

    /// The options of the search.
    pub fn options(&self, model: &PhraseModel, keep_recombined: bool) -> Result<SearchOptions> {
        Ok(SearchOptions {
            presort: self.presort,
            look_ahead: self.look_ahead,
            unknown_words: self.unknown_words,
            keep_recombined,
            distortion_limit: self.distortion_limit.map_or(model.distortion_limit, |limit| usize::try_from(limit).ok()),
            ..search_options(&self.cardinality_beam, self.options)?
        })
    }

    /// The text before each word that the model cannot translate.
    pub fn unknown_mark(&self) -> &'static str {
        self.unknown_words.mark()
    }

    /// The words of a line, and the translations given in it. Broken markup is left out and reported in `notes`.
    fn parse<'l>(&self, text: &'l str, notes: &mut Vec<String>) -> Markup<'l> {
        let plain = |words| Markup { words, forced: Vec::new() };
        let mut markup = match self.xml_input {
            XmlInput::PassThrough => plain(text.split_ascii_whitespace().collect()),
            XmlInput::Ignore => plain(Markup::strip(text)),
            XmlInput::Exclusive | XmlInput::Inclusive => Markup::parse(text).unwrap_or_else(|error| {
                notes.push(format!("{error}; translated without the markup"));
                plain(Markup::strip(text))
            }),
        };
        let words = markup.words.len();
        let limit = self.max_source_length.get();
        if words > limit {
            notes.push(format!("the source has {words} words and is cut off after {limit}; split it into sentences"));
            markup.words.truncate(limit);
            markup.forced.retain(|forced| forced.span.end <= limit);
        }
        markup
    }

    /// Calls `work` with each line, on all threads, and writes each result as soon as those before it are written.
    /// `work` takes the number of the line, from 0. Each byte of a line gives about `expansion` bytes of result.
    pub fn run<W>(&self, expansion: usize, work: W) -> Result<()>
    where
        W: Fn(usize, Source, &mut Workspace) -> (String, Counters) + Sync,
    {
        let threads = number::threads(self.threads);
        let mut lines = Lines::new(Input::open(self.input.as_deref())?);
        let mut output = PacedOutput::new(Output::create(self.output.as_deref())?);
        let name = lines.name().to_owned();
        let mut counters = Counters::default();
        let mut read = Ok(());
        let since = Instant::now();
        let next_line = || match lines.next_line() {
            Ok(line) => line.map(|line| (lines.read(), line, !lines.has_next())),
            Err(error) => {
                read = Err(error);
                None
            }
        };
        let exclusive = self.xml_input == XmlInput::Exclusive;
        let work = |workspace: &mut Workspace, (number, line, last): (usize, Line, bool)| {
            let Line { text, mut notes, .. } = line;
            let Markup { words, forced } = self.parse(&text, &mut notes);
            let (text, done) = work(number - 1, Source { words: &words, forced: &forced, exclusive }, workspace);
            LineResult { number, notes, text, done, last }
        };
        let write = |LineResult { number, notes, text, done, last }| -> Result<()> {
            for note in notes {
                tracing::warn!("{name}, line {number}: {note}");
            }
            counters += done;
            output.write(&text, last);
            Ok(())
        };
        let weigh = |(_, line, _): &(usize, Line, bool)| line.text.len().saturating_mul(expansion.saturating_add(1));
        in_order(WINDOW, weigh, threads, Workspace::default, std::iter::from_fn(next_line), work, write)?;
        read?;
        output.end().finish()?;
        report(&counters, since.elapsed(), threads.get());
        Ok(())
    }
}

/// The result of a line.
struct LineResult {
    /// The number of the line, from 1.
    number: usize,
    /// The faults of the line, each in one sentence.
    notes: Vec<String>,
    text: String,
    done: Counters,
    /// Whether the next line had not been read yet.
    last: bool,
}

fn report(counters: &Counters, time: Duration, threads: usize) {
    let words = counters.source_words.max(1) as f64;
    tracing::info!(
        "{} words in {:.2} s on {threads} threads, {:.0} words/s; per word {:.1} options considered, {:.1} expansions, \
         {:.1} LM scores requested, {:.1} computed",
        counters.source_words,
        time.as_secs_f64(),
        words / time.as_secs_f64().max(1e-9),
        counters.considered as f64 / words,
        counters.expansions as f64 / words,
        counters.lm_requests as f64 / words,
        counters.lm_computations as f64 / words,
    );
}
