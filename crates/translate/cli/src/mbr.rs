//! `metaphrase mbr`.

use crate::Usage;
use crate::io::{Input, Output};
use crate::lines::Lines;
use crate::posteriors::{Format, Item, Sentences};
use crate::values::choice;
use anyhow::Result;
use metaphrase::Evidence;
use metaphrase_base::pipeline::{Limit, in_order};
use metaphrase_metrics::{Bleu, BleuOptions, Chrf, ChrfOptions, Metric, MetricName, Ter, TerOptions, expected_scores};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Choose from each n-best list the translation that is most similar to the others
///
/// Prints the translation with the minimum Bayes risk: the one with the best score against all others as references,
/// weighted by their probabilities. A translation that resembles many others is often better than the most probable
/// one.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The lists; a name in .gz is decompressed [default: standard input]
    #[arg(short, long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// The file for the translations; a name in .gz is compressed [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format of the lists
    #[arg(long, value_enum, default_value_t = ListFormat::NBest, value_name = "FORMAT")]
    format: ListFormat,
    /// The metric that compares translations
    #[arg(long, value_name = "NAME", default_value = "chrf", value_parser = choice::<MetricName>())]
    metric: MetricName,
    /// The scale of the scores in the lists: below 1 translations get more equal probabilities; 0 for lists of samples
    #[arg(long, value_name = "A", default_value_t = 1.0, allow_negative_numbers = true)]
    #[arg(value_parser = crate::number::real::<f64>)]
    scale: f64,
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = crate::number::thread_count)]
    threads: Option<NonZeroUsize>,
}

/// A format of n-best lists.
#[derive(Clone, Copy, clap::ValueEnum)]
enum ListFormat {
    /// N-best lists of Moses or Marian: `N ||| translation ||| features ||| score`
    NBest,
    /// JSON lines of `translate --n-best N --output-format json`
    Json,
}

impl From<ListFormat> for Format {
    fn from(format: ListFormat) -> Self {
        match format {
            ListFormat::NBest => Self::NBest,
            ListFormat::Json => Self::Json,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  metaphrase translate -b 12 --n-best 12 < talk.en | metaphrase mbr > talk.de
  metaphrase translate --sampling full --n-best 50 < talk.en | metaphrase mbr --scale 0 --metric bleu > talk.de";

/// The most sentences in flight, and the most bytes of their lists.
const WINDOW: Limit = Limit { items: 1024, weight: 64 << 20 };

/// Chooses translations.
pub fn run(args: &Args) -> Result<()> {
    if !(args.scale.is_finite() && args.scale >= 0.0) {
        return Err(Usage::error(format!("--scale is {}; it has to be a number from 0 on", args.scale)));
    }
    let lines = Lines::new(Input::open(args.input.as_deref())?);
    let name = lines.name().to_owned();
    let mut sentences = Sentences::new(lines, args.format.into());
    let mut read = Ok(());
    let mut output = Output::create(args.output.as_deref())?;
    let items = std::iter::from_fn(|| match sentences.next() {
        Ok(item) => item,
        Err(error) => {
            read = Err(error);
            None
        }
    });
    let metric = || metric(args.metric);
    metric()?;
    let choose = |metric: &mut Result<Box<dyn Metric>>, item: Item| {
        let number = item.number;
        let chosen = metric.as_ref().map_err(ToString::to_string).and_then(|metric| choose(&**metric, item, args));
        (number, chosen)
    };
    let write = |(number, chosen): (usize, Result<String, String>)| {
        let text = chosen.unwrap_or_else(|problem| {
            tracing::warn!("{name}, sentence {number}: {problem}");
            String::new()
        });
        output.write(&(text + "\n"))
    };
    in_order(WINDOW, Item::size, crate::number::threads(args.threads), metric, items, choose, write)?;
    read?;
    output.finish()
}

fn metric(name: MetricName) -> Result<Box<dyn Metric>> {
    let chrf = |word_order| Chrf::new(ChrfOptions { word_order, ..ChrfOptions::default() });
    Ok(match name {
        MetricName::Bleu => Box::new(Bleu::new(BleuOptions { effective_order: true, ..BleuOptions::default() })?),
        MetricName::Chrf => Box::new(chrf(0)?),
        MetricName::ChrfPlusPlus => Box::new(chrf(2)?),
        MetricName::Ter => Box::new(Ter::new(TerOptions::default())),
    })
}

/// The translation with the least risk; of equals the first.
fn choose(metric: &dyn Metric, item: Item, args: &Args) -> Result<String, String> {
    let Evidence::NBest(list) = item.evidence()? else { return Err("expected an n-best list".into()) };
    if let Some(place) = list.iter().position(|(_, score)| !score.is_finite()) {
        return Err(format!("translation {} has the score {}; expected a finite number", place + 1, list[place].1));
    }
    let best = list.iter().map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = list.iter().map(|(_, score)| (args.scale * (score - best)).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let probabilities: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
    let texts: Vec<&str> = list.iter().map(|(text, _)| text.as_str()).collect();
    let scores = expected_scores(metric, &texts, &probabilities).map_err(|error| error.to_string())?;
    let gain = |place: usize| if args.metric == MetricName::Ter { -scores[place] } else { scores[place] };
    let best = (0..texts.len()).reduce(|best, place| if gain(place) > gain(best) { place } else { best });
    best.map(|place| texts[place].to_owned()).ok_or_else(|| "the list has no translations".into())
}
