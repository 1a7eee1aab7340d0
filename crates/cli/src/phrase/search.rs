//! What all searches of a phrase-based model share: options, and the way of the lines.

use crate::Usage;
use crate::io::{Input, Output, leave_when_closed};
use crate::lines::{Line, Lines};
use anyhow::Result;
use clap::{ValueEnum, ValueHint};
use metaphrase_phrase::{
    Counters, LookAhead, Markup, PhraseModel, SearchOptions, Source, UnknownWords, Workspace, for_each_sentence,
};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Lines that are searched before anything of them is printed, at most.
const CHUNK: usize = 512;

/// Model, text and search.
#[derive(clap::Args)]
#[group(skip)]
pub struct Args {
    /// The model: a directory with a `moses.ini`, or such a file
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    model: PathBuf,
    /// The text [default: standard input]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    input: Option<PathBuf>,
    /// Where the result goes [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Coverages kept per number of translated words, and hypotheses kept per coverage
    #[arg(long, num_args = 2, value_names = ["N_C", "N_L"], default_values = ["16", "16"], help_heading = "Search")]
    cardinality_beam: Vec<NonZeroUsize>,
    /// Translation options per source phrase; 0: all
    #[arg(long, value_name = "N_O", default_value_t = 100, help_heading = "Search")]
    options: usize,
    /// What an expansion is judged by before its language model score is known
    #[arg(long, value_enum, default_value_t = Look::FirstWord, value_name = "HOW", help_heading = "Search")]
    look_ahead: Look,
    /// Choose and sort translation options without the language model's estimate
    #[arg(long, help_heading = "Search")]
    no_presort: bool,
    /// How many source words a jump may pass; -1: any number [default: the model's]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Search")]
    distortion_limit: Option<i64>,
    /// What becomes of words that the model does not translate
    #[arg(long, value_enum, default_value_t = Unknown::Copy, value_name = "HOW")]
    unknown_words: Unknown,
    /// Whether lines have translations in them, `<n translation="a house" prob="0.8">ein Haus</n>`, and what they are for
    #[arg(long, value_enum, default_value_t = XmlInput::PassThrough, value_name = "HOW")]
    xml_input: XmlInput,
    /// Threads, each with sentences of its own [default: as many as the machine has]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

/// [`LookAhead`] by name.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Look {
    /// Nothing
    None,
    /// Its first word after the history: the same translations, fewer look-ups
    FirstWord,
    /// The phrase alone: fewest look-ups, some other translations
    PhraseOnly,
}

/// [`UnknownWords`] by name, and how they are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Unknown {
    /// They are passed through
    Copy,
    /// They are left out, unless there are digits in them
    Drop,
    /// They are passed through with `UNK` before them
    Mark,
}

/// What the input's markup is for, in Moses' words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum XmlInput {
    /// There is none: `<` is a character
    PassThrough,
    /// It is taken away
    Ignore,
    /// Only the given translations are used for their words
    Exclusive,
    /// The given translations compete with the model's
    Inclusive,
}

impl Args {
    /// Reads the model.
    pub fn model(&self) -> Result<PhraseModel> {
        Ok(PhraseModel::read_moses(&self.model)?)
    }

    /// What the search is told.
    pub fn options(&self, model: &PhraseModel, keep_recombined: bool) -> Result<SearchOptions> {
        let [coverages, hypotheses] = self.cardinality_beam[..] else {
            return Err(Usage::error("--cardinality-beam takes two numbers, N_c and N_l"));
        };
        Ok(SearchOptions {
            coverages: coverages.into(),
            hypotheses: hypotheses.into(),
            options: (self.options > 0).then_some(self.options),
            presort: !self.no_presort,
            look_ahead: match self.look_ahead {
                Look::None => LookAhead::None,
                Look::FirstWord => LookAhead::FirstWord,
                Look::PhraseOnly => LookAhead::PhraseOnly,
            },
            distortion_limit: match self.distortion_limit {
                Some(limit) => usize::try_from(limit).ok(),
                None => model.distortion_limit,
            },
            unknown_words: match self.unknown_words {
                Unknown::Copy | Unknown::Mark => UnknownWords::Copy,
                Unknown::Drop => UnknownWords::Drop,
            },
            keep_recombined,
        })
    }

    /// What stands before words that were passed through.
    pub fn unknown_mark(&self) -> &'static str {
        if self.unknown_words == Unknown::Mark { "UNK" } else { "" }
    }

    /// The words of line `number`, from 1, and the translations in it. If its markup is broken it is left out.
    fn parse<'l>(&self, number: usize, line: &'l Line) -> Markup<'l> {
        let plain = |words| Markup { words, forced: Vec::new() };
        match self.xml_input {
            XmlInput::PassThrough => plain(line.text.split_ascii_whitespace().collect()),
            XmlInput::Ignore => plain(Markup::strip(&line.text)),
            XmlInput::Exclusive | XmlInput::Inclusive => Markup::parse(&line.text).unwrap_or_else(|error| {
                tracing::warn!("line {number}: {error}; translated without the markup");
                plain(Markup::strip(&line.text))
            }),
        }
    }

    /// Does `work` with each line, on all threads, and writes what it gives, in the order of the lines. `work` gets the
    /// number of the line, from 0.
    pub fn run<W>(&self, work: W) -> Result<()>
    where
        W: Fn(usize, Source, &mut Workspace) -> (String, Counters) + Sync,
    {
        let threads = crate::number::threads(self.threads).get();
        let mut lines = Lines::new(Input::open(self.input.as_deref())?);
        let mut output = Output::create(self.output.as_deref())?;
        if output.is_stdout() {
            leave_when_closed();
        }
        let mut workspaces: Vec<Workspace> = std::iter::repeat_with(Workspace::default).take(threads).collect();
        let (mut counters, mut time, mut first) = (Counters::default(), Duration::ZERO, 0);
        loop {
            let chunk = next_chunk(&mut lines)?;
            if chunk.is_empty() {
                break;
            }
            let since = Instant::now();
            let chunk: Vec<Markup> = (first + 1..).zip(&chunk).map(|(number, line)| self.parse(number, line)).collect();
            let exclusive = self.xml_input == XmlInput::Exclusive;
            let work = |line: usize, workspace: &mut Workspace| {
                let Markup { words, forced } = &chunk[line];
                work(first + line, Source { words, forced, exclusive }, workspace)
            };
            for (text, done) in for_each_sentence(chunk.len(), &mut workspaces, work) {
                output.write(&text)?;
                counters += done;
            }
            time += since.elapsed();
            first += chunk.len();
            output.flush()?;
        }
        output.finish()?;
        report(&counters, time, threads);
        Ok(())
    }
}

/// The lines that are there, at least one unless the input is at its end.
fn next_chunk(lines: &mut Lines) -> Result<Vec<Line>> {
    let mut chunk = Vec::new();
    while let Some(line) = lines.next_line()? {
        for note in &line.notes {
            tracing::warn!("{}, line {}: {note}", lines.name(), lines.read());
        }
        chunk.push(line);
        if chunk.len() == CHUNK || !lines.has_next() {
            break;
        }
    }
    Ok(chunk)
}

fn report(counters: &Counters, time: Duration, threads: usize) {
    let words = counters.source_words.max(1) as f64;
    tracing::info!(
        "{} words in {:.2} s on {threads} threads, {:.0} words/s; per word {:.1} expansions, {:.1} LM computations",
        counters.source_words,
        time.as_secs_f64(),
        words / time.as_secs_f64().max(1e-9),
        counters.expansions as f64 / words,
        counters.lm_computations as f64 / words,
    );
}
