//! `metaphrase phrase translate`.

use super::print::Form;
use crate::Usage;
use crate::io::{Input, Output, leave_when_closed};
use crate::lines::{Line, Lines};
use crate::messages::Terminal;
use anyhow::Result;
use clap::{ValueEnum, ValueHint};
use metaphrase_phrase::{Counters, Decoder, LookAhead, PhraseModel, SearchOptions, Workspace};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Lines that are translated before any of them is printed, at most.
const CHUNK: usize = 512;

/// Translate lines with a phrase-based model
///
/// Reads a model of Moses as it is. Words are what stands between spaces: bring the text into the form in which the model
/// was trained (for most models: tokenised). --log info tells the speed and what the search did.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a directory with a `moses.ini`, or such a file
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    model: PathBuf,
    /// The text [default: standard input]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    input: Option<PathBuf>,
    /// Where translations go [default: standard output]
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
    /// Print the best so many translations as lists, `N ||| words ||| features ||| score ||| alignment`
    #[arg(long, value_name = "N")]
    n_best: Option<NonZeroUsize>,
    /// Of translations with the same words, print only the best
    #[arg(long, requires = "n_best")]
    distinct: bool,
    /// Print word alignments behind translations, ` ||| 0-0 1-1`
    #[arg(long)]
    alignment: bool,
    /// Threads, each with sentences of its own [default: as many as the machine has]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase phrase translate -m mert-work/ < talk.tok.de > talk.tok.en
  metaphrase phrase translate -m moses.ini --cardinality-beam 4 4 --look-ahead phrase-only < talk.tok.de
  metaphrase phrase translate -m moses.ini --n-best 100 --distinct < talk.tok.de > talk.nbest";

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

/// Translates the input.
pub fn run(args: &Args, terminal: &Terminal) -> Result<()> {
    let _ = terminal;
    let model = PhraseModel::read_moses(&args.model)?;
    let decoder = Decoder::new(&model, options(args, &model)?)?;
    let threads = args.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, usize::from);
    let job = Job {
        decoder: &decoder,
        form: Form { n_best: args.n_best.is_some(), alignment: args.alignment },
        count: args.n_best.map_or(1, usize::from),
        distinct: args.distinct,
    };
    let mut lines = Lines::new(Input::open(args.input.as_deref())?);
    let mut output = Output::create(args.output.as_deref())?;
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
        for (text, done) in job.translate(&chunk, first, &mut workspaces) {
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

fn options(args: &Args, model: &PhraseModel) -> Result<SearchOptions> {
    let [coverages, hypotheses] = args.cardinality_beam[..] else {
        return Err(Usage::error("--cardinality-beam takes two numbers, N_c and N_l"));
    };
    Ok(SearchOptions {
        coverages: coverages.into(),
        hypotheses: hypotheses.into(),
        options: (args.options > 0).then_some(args.options),
        presort: !args.no_presort,
        look_ahead: match args.look_ahead {
            Look::None => LookAhead::None,
            Look::FirstWord => LookAhead::FirstWord,
            Look::PhraseOnly => LookAhead::PhraseOnly,
        },
        distortion_limit: match args.distortion_limit {
            Some(limit) => usize::try_from(limit).ok(),
            None => model.distortion_limit,
        },
        keep_recombined: args.n_best.is_some(),
    })
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

/// What is done with each line.
struct Job<'a> {
    decoder: &'a Decoder<'a>,
    form: Form,
    count: usize,
    distinct: bool,
}

impl Job<'_> {
    /// Translates lines, the first of which has the number `first`; gives what is to be printed, in their order.
    fn translate(&self, lines: &[Line], first: usize, workspaces: &mut [Workspace]) -> Vec<(String, Counters)> {
        let next = AtomicUsize::new(0);
        let work = |workspace: &mut Workspace| {
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(line) = lines.get(number) else { return done };
                done.push((number, self.line(&line.text, first + number, workspace)));
            }
        };
        let mut done: Vec<(usize, (String, Counters))> = std::thread::scope(|scope| {
            let (own, others) = workspaces.split_at_mut(1);
            // No thread for what this one does alone.
            let wanted = others.len().min(lines.len().saturating_sub(1));
            let threads: Vec<_> = others[..wanted].iter_mut().map(|w| scope.spawn(|| work(w))).collect();
            let mut done = own.first_mut().map(work).unwrap_or_default();
            for thread in threads {
                done.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            done
        });
        done.sort_by_key(|(number, _)| *number);
        done.into_iter().map(|(_, result)| result).collect()
    }

    fn line(&self, text: &str, number: usize, workspace: &mut Workspace) -> (String, Counters) {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let (translations, counters) = if self.form.n_best {
            self.decoder.n_best(&words, self.count, self.distinct, workspace)
        } else {
            let (translation, counters) = self.decoder.translate(&words, workspace);
            (vec![translation], counters)
        };
        (self.form.print(self.decoder.model(), number, &words, &translations), counters)
    }
}
