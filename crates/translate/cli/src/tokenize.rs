//! `metaphrase tokenize` and `metaphrase detokenize`.

use crate::io::{Input, Output};
use crate::lines::Lines;
use anyhow::Result;
use metaphrase_text::language::{Language, WordTokenizer};
use metaphrase_text::moses::TokenizerOptions;
use metaphrase_text::vocab::Vocabulary;
use std::path::PathBuf;

/// Split text into words as Moses does, or into the pieces of a vocabulary
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct TokenizeArgs {
    /// The language of the text, such as de; zh and ja are split into characters
    #[arg(short, long, value_name = "CODE", default_value = "en")]
    language: Language,
    /// Write the characters & | < > ' " [ ] as XML entities, as Moses does; `detokenize --escape` reads them back
    #[arg(long)]
    escape: bool,
    #[command(flatten)]
    files: Files,
    /// Split text into the pieces of this vocabulary, as its model does
    #[arg(long, value_name = "FILE", conflicts_with_all = ["language", "escape"])]
    vocabulary: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase tokenize -l de < talk.de > talk.tok.de
  metaphrase tokenize --vocabulary model/source.spm < talk.en > talk.pieces.en";

/// Join the words of tokenised text into plain text
#[derive(clap::Args)]
#[command(after_help = DETOKENIZE_EXAMPLES)]
pub struct DetokenizeArgs {
    /// The language of the text, such as de; zh, ja, th, lo, km and my are joined without spaces
    #[arg(short, long, value_name = "CODE", default_value = "en")]
    language: Language,
    /// Read XML entities, as `tokenize --escape` writes them, as the characters & | < > ' " [ ]
    #[arg(long)]
    escape: bool,
    #[command(flatten)]
    files: Files,
}

const DETOKENIZE_EXAMPLES: &str = "\
Examples:
  metaphrase detokenize -l de < talk.tok.de > talk.de
  metaphrase phrase translate -m smt/ < talk.tok.en | metaphrase detokenize -l de --escape";

/// The files that `tokenize` and `detokenize` read and write.
#[derive(clap::Args)]
struct Files {
    /// The text; a name in .gz is decompressed [default: standard input]
    #[arg(short, long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// The file for the result; a name in .gz is compressed [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Splits lines into words.
pub fn tokenize(args: &TokenizeArgs) -> Result<()> {
    if let Some(path) = &args.vocabulary {
        let vocabulary = Vocabulary::open(path)?;
        return args.files.each_line(|line| {
            let read = vocabulary.reads(line);
            let bytes = line.len();
            let note = format!("cut off after {read} of {bytes} bytes: normalisation expands them to 1 MiB");
            (vocabulary.pieces(line).join(" "), (read < bytes).then_some(note))
        });
    }
    let options = TokenizerOptions { escape: args.escape, ..TokenizerOptions::default() };
    let tokenizer = WordTokenizer::new(args.language, options);
    args.files.each_line(|line| (tokenizer.tokenize_line(line), None))
}

/// Joins the words of each line.
pub fn detokenize(args: &DetokenizeArgs) -> Result<()> {
    let detokenizer = args.language.detokenizer().unescape(args.escape);
    args.files.each_line(|line| (detokenizer.detokenize_line(line), None))
}

impl Files {
    /// Writes each line as `change` returns it. The second value that `change` returns is a message about the line.
    fn each_line(&self, change: impl Fn(&str) -> (String, Option<String>)) -> Result<()> {
        let mut lines = Lines::new(Input::open(self.input.as_deref())?);
        let mut output = Output::create(self.output.as_deref())?;
        while let Some(line) = lines.next_text()? {
            let (changed, note) = change(&line);
            if let Some(note) = note {
                tracing::warn!("{}, line {}: {note}", lines.name(), lines.read());
            }
            output.write(&(changed + "\n"))?;
            if output.is_terminal() || !lines.has_next() {
                output.flush()?;
            }
        }
        output.finish()
    }
}
