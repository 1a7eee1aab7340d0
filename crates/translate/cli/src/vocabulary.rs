//! `metaphrase vocabulary`.

use crate::values::choice;
use anyhow::Result;
use clap::{Subcommand, ValueHint};
use metaphrase_train::{VocabularyKind, VocabularyTraining, extend_vocabulary};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Train and extend vocabularies
#[derive(Subcommand)]
pub enum Command {
    Train(Args),
    Extend(ExtendArgs),
}

/// Train a vocabulary on text
///
/// `metaphrase train` reads the vocabulary as `vocabulary.files` of a recipe, and `metaphrase tokenize` as
/// --vocabulary. For a vocabulary of both languages, give text in both.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The text; a name in .gz is decompressed
    #[arg(required = true, value_name = "TEXT", value_hint = ValueHint::FilePath)]
    texts: Vec<PathBuf>,
    /// The file for the vocabulary: a SentencePiece model (.spm), or for whole words a list (.yml)
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: PathBuf,
    /// The kind of words
    #[arg(long, value_name = "KIND", default_value = "unigram", value_parser = choice::<VocabularyKind>())]
    kind: VocabularyKind,
    /// Number of words, including special ones
    #[arg(long, value_name = "N", default_value_t = VocabularyTraining::default().size)]
    #[arg(value_parser = crate::number::whole::<usize>)]
    size: usize,
    /// Share of the characters of the text that pieces cover, from 0.98 to 1
    #[arg(long, value_name = "SHARE", default_value_t = VocabularyTraining::default().coverage)]
    #[arg(value_parser = crate::number::real::<f64>)]
    coverage: f64,
    /// Write characters that no piece covers as bytes instead of an unknown word; the bytes take 256 pieces
    #[arg(long)]
    byte_fallback: bool,
    /// Number of threads; the vocabulary does not depend on it [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = crate::number::thread_count)]
    threads: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase vocabulary train train.en.gz train.de.gz -o en-de.spm --size 8000 --byte-fallback
  metaphrase vocabulary train train.tok.de -o de.yml --kind words --size 30000";

/// Add characters to a vocabulary
///
/// Each character becomes a piece and replaces the piece that the text uses least. Without a piece of its own, a
/// character is read and written as two to four bytes, and a model may break it. A model with the old vocabulary can
/// continue its training with the new one (`model.start-from` of a recipe). Only for SentencePiece unigram models.
#[derive(clap::Args)]
#[command(after_help = EXTEND_EXAMPLES)]
pub struct ExtendArgs {
    /// The vocabulary, a SentencePiece model (.spm)
    #[arg(value_hint = ValueHint::FilePath)]
    vocabulary: PathBuf,
    /// Text of both languages, which shows which pieces are used least; a name in .gz is decompressed
    #[arg(required = true, value_name = "TEXT", value_hint = ValueHint::FilePath)]
    texts: Vec<PathBuf>,
    /// The characters to add; those that have a piece already are skipped
    #[arg(long, value_name = "CHARACTERS")]
    characters: String,
    /// The file for the new vocabulary
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: PathBuf,
}

const EXTEND_EXAMPLES: &str = "\
Example:
  metaphrase vocabulary extend en-de.spm train.en.gz train.de.gz --characters '–—€£°' -o more.spm";

fn extend(args: &ExtendArgs) -> Result<()> {
    let ExtendArgs { vocabulary, texts, characters, output } = args;
    let replaced = extend_vocabulary(vocabulary, characters, texts.iter(), output)?;
    for (piece, character) in &replaced {
        tracing::info!("{character} replaces {piece}");
    }
    tracing::info!("{} characters added", replaced.len());
    Ok(())
}

/// Trains or extends a vocabulary.
pub fn run(command: &Command) -> Result<()> {
    let args = match command {
        Command::Train(args) => args,
        Command::Extend(args) => return extend(args),
    };
    let Args { kind, size, coverage, byte_fallback, .. } = *args;
    let training = VocabularyTraining { kind, size, coverage, byte_fallback, shared: false };
    let threads = crate::number::threads(args.threads).get();
    Ok(training.train(args.texts.iter(), &args.output, threads)?)
}
