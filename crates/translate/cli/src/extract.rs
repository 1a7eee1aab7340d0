//! `metaphrase extract`.

use crate::io::{Input, check_one_stdin};
use crate::lines::Lines;
use crate::number;
use crate::outputs::FileList;
use anyhow::{Context, Result, bail, ensure};
use clap::ValueHint;
use metaphrase_align::{Alignment, ExtractOptions, Smoothing, TABLES, extract, extract_lexicon};
use metaphrase_base::MadeFolder;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Make phrase tables and word translation tables from aligned text
///
/// Reads two tokenised texts and the links between their words that `metaphrase align` prints. Writes these files into
/// a folder: phrase-table.gz and reordering-table.wbe-msd-bidirectional-fe.gz in the formats of Moses, lex.s2t.gz and
/// lex.t2s.gz with word translation probabilities as Marian reads them, and candidates.s2t.gz with the best
/// translations of each source word.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The source text; a name in .gz is decompressed
    #[arg(value_hint = ValueHint::FilePath)]
    source: PathBuf,
    /// The target text
    #[arg(value_hint = ValueHint::FilePath)]
    target: PathBuf,
    /// The links of each line, such as `0-0 1-2`
    #[arg(value_hint = ValueHint::FilePath)]
    links: PathBuf,
    /// The folder to write into; it is created if it does not exist. Tables of an earlier extraction are replaced;
    /// other files stay
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: PathBuf,
    /// Number of words of the longest phrases, from 1 to 8
    #[arg(long, value_name = "N", default_value_t = ExtractOptions::default().max_length)]
    #[arg(value_parser = number::whole::<usize>)]
    max_length: usize,
    /// The smoothing of phrase probabilities: none, good-turing, kneser-ney
    #[arg(long, value_name = "METHOD", default_value = "good-turing")]
    smoothing: Smoothing,
    /// Leave out phrase pairs whose target phrase has a probability below P, given the source phrase
    #[arg(long, value_name = "P", default_value_t = ExtractOptions::default().min_probability, value_parser = probability)]
    min_probability: f64,
    /// Number of target words for each source word in candidates.s2t.gz
    #[arg(long, value_name = "N", default_value_t = ExtractOptions::default().candidates)]
    #[arg(value_parser = number::whole::<usize>)]
    candidates: usize,
    /// Write only the word translation tables
    #[arg(long)]
    lexicon_only: bool,
    /// Memory for phrase pairs, a number with K, M or G; more phrase pairs are sorted in temporary files in the output
    /// folder
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = memory)]
    memory: usize,
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = crate::number::thread_count)]
    threads: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase align train.de.gz train.en.gz -o train.align
  metaphrase extract train.de.gz train.en.gz train.align -o model
  metaphrase extract train.de.gz train.en.gz train.align -o shortlist --lexicon-only";

/// The list by which the command recognises tables that it wrote.
const FILES: FileList = FileList { name: "extract.checksums", command: "extract" };

/// Makes the tables.
pub fn run(args: &Args, overwrite: bool) -> Result<()> {
    let written = if args.lexicon_only { &TABLES[2..] } else { &TABLES[..] };
    let before = FILES.check(&args.output, written, overwrite)?;
    check_one_stdin([Some(&args.source), Some(&args.target), Some(&args.links)])?;
    let options = ExtractOptions {
        max_length: args.max_length,
        smoothing: args.smoothing,
        min_probability: args.min_probability,
        candidates: args.candidates,
        memory: args.memory,
        threads: number::threads(args.threads),
    };
    let corpus = crate::align::read(&args.source, &args.target)?;
    let links = read_links(&args.links)?;
    let folder = args.output.as_path();
    let names = TABLES.into_iter().chain([FILES.name]);
    let made =
        MadeFolder::create(folder, names).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    if args.lexicon_only {
        extract_lexicon(&corpus, &links, &options, folder)?;
    } else {
        let done = extract(&corpus, &links, &options, folder)?;
        tracing::info!("{} different phrase pairs, {} of them in the tables", done.phrase_pairs, done.kept);
    }
    let is_own = |name: &&str| written.contains(name) || matches!(before.first_unlisted(folder, [name]), Ok(None));
    let own = TABLES.into_iter().filter(|name| folder.join(name).exists()).filter(is_own);
    FILES.write(folder, own).with_context(|| format!("cannot write {}", folder.join(FILES.name).display()))?;
    made.keep();
    Ok(())
}

/// The least memory. With less there would be thousands of temporary files to merge.
const LEAST_MEMORY: usize = 16 << 20;

/// Reads the number of bytes of memory for sorting.
pub fn memory(text: &str) -> Result<usize> {
    let size = number::size(text)?;
    ensure!(size >= LEAST_MEMORY, "expected at least 16M");
    Ok(size)
}

/// Reads a probability.
pub fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|p| (0.0..=1.0).contains(p));
    number.ok_or_else(|| "expected a probability from 0 to 1".into())
}

fn read_links(path: &Path) -> Result<Vec<Alignment>> {
    let mut lines = Lines::new(Input::open(Some(path))?);
    let mut links = Vec::new();
    while let Some(line) = lines.next_line()? {
        if line.cut {
            bail!("{}, line {}: {}", lines.name(), lines.read(), line.notes.join("; "));
        }
        links.push(line.text.parse().with_context(|| format!("{}, line {}", lines.name(), lines.read()))?);
    }
    Ok(links)
}
