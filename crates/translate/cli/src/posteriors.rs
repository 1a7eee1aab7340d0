//! `metaphrase posteriors`.

mod sources;

use crate::evidence::{CountingArgs, WordArgs};
use crate::io::{Input, Output};
use crate::lines::Lines;
use crate::model::PackageArgs;
use crate::posterior_files::numbered_path;
use anyhow::{Result, bail};
use metaphrase::{EvidenceCounter, NgramNumber};
use metaphrase_base::pipeline::{Limit, in_order};
pub use sources::{Format, Item, Sentences};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Count the n-grams of lattices and n-best lists
///
/// Prints, for each sentence and each n-gram of a model's target pieces, the probability that a translation contains
/// the n-gram, as `numbers of pieces : probability`. `translate --lmbr` reads this. A sentence that cannot be read has
/// no n-grams, and a message on standard error names it.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    model: PackageArgs,
    /// The lattices or lists; a name in .gz is decompressed [default: standard input]
    #[arg(short, long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// The file for the posteriors; a name in .gz is compressed. With %d in the name, which is the number of a
    /// sentence, each sentence has its own file, as SGNMT reads them [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format of the input
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Format,
    /// Print the expected count of each n-gram, which may exceed 1, instead of its posterior
    #[arg(long)]
    expected: bool,
    #[command(flatten)]
    words: WordArgs,
    #[command(flatten)]
    counting: CountingArgs,
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = crate::number::thread_count)]
    threads: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase tokenize -l de --escape < talk.de | metaphrase phrase lattice -m smt/ --format compact |
    metaphrase posteriors -m nmt/ --format compact --evidence-tokenize de en -o talk.posteriors.gz
  metaphrase posteriors -m nmt/ --format n-best -i talk.nbest -o posteriors/%d.txt
  metaphrase translate -m nmt/ --lmbr talk.posteriors.gz < talk.de";

/// The most sentences in flight, and the most bytes of their evidence.
const WINDOW: Limit = Limit { items: 1024, weight: 256 << 20 };

/// Counts n-grams.
pub fn run(args: &Args) -> Result<()> {
    let mut counter = EvidenceCounter::new(&args.model.package()?)?.capitalized(args.words.evidence_capitalize);
    if let [_, target] = &args.words.evidence_tokenize[..] {
        counter = counter.tokenized(target)?;
    }
    let options = args.counting.options()?;
    options.check()?;
    let lines = Lines::new(Input::open(args.input.as_deref())?);
    let name = lines.name().to_owned();
    let mut sentences = Sentences::new(lines, args.format);
    let mut files = PosteriorFiles::create(args)?;
    let mut read = Ok(());
    let items = std::iter::from_fn(|| match sentences.next() {
        Ok(item) => item,
        Err(error) => {
            read = Err(error);
            None
        }
    });
    let shown = if args.expected { NgramNumber::ExpectedCount } else { NgramNumber::Posterior };
    let count = |_: &mut (), item: Item| {
        let number = item.number;
        let evidence = item.evidence();
        let posteriors =
            evidence.and_then(|found| counter.posteriors(&found, &options).map_err(|error| error.to_string()));
        (number, posteriors.map(|posteriors| counter.to_text(&posteriors, shown)))
    };
    let write = |(number, text): (usize, Result<String, String>)| -> Result<()> {
        let text = text.unwrap_or_else(|problem| {
            tracing::warn!("{name}, sentence {number}: {problem}");
            String::new()
        });
        files.write(number, &text)
    };
    in_order(WINDOW, Item::size, crate::number::threads(args.threads), || (), items, count, write)?;
    read?;
    files.finish()
}

/// The destination of the posteriors.
enum PosteriorFiles {
    One(Output),
    /// A file for each sentence.
    Each(String),
}

impl PosteriorFiles {
    fn create(args: &Args) -> Result<Self> {
        Ok(match args.output.as_deref() {
            Some(path) if path.to_string_lossy().contains("%d") => match path.to_str() {
                Some(pattern) => Self::Each(pattern.to_owned()),
                None => bail!("the name {} is not valid UTF-8", path.display()),
            },
            path => Self::One(Output::create(path)?),
        })
    }

    fn write(&mut self, number: usize, text: &str) -> Result<()> {
        match self {
            Self::One(output) => output.write(&format!("# {number}\n{text}\n")),
            Self::Each(pattern) => {
                let mut output = Output::create(Some(&numbered_path(pattern, number)))?;
                output.write(text)?;
                output.finish()
            }
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::One(output) => output.finish(),
            Self::Each(_) => Ok(()),
        }
    }
}
