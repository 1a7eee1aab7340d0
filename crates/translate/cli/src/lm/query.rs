//! `metaphrase lm query`.

use crate::io::{Input, Output};
use crate::lines::Lines;
use anyhow::Result;
use clap::{ValueEnum, ValueHint};
use metaphrase_ngram::{END, Model, UNKNOWN, WordId};
use std::fmt::Write;
use std::path::PathBuf;

/// Score text with a language model
///
/// Prints the log10 probability and the number of unknown words of each line; with --level word also those of each
/// word; with --level summary the perplexity of the whole text alone.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: compiled, or ARPA text, plain or gzip
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    model: PathBuf,
    /// The text, with white space between words; a name in .gz is decompressed [default: standard input]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    input: Option<PathBuf>,
    /// The file for the scores [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// The level of detail
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Level::Sentence)]
    level: Level,
    /// Score lines as parts of sentences, without <s> before and </s> after them
    #[arg(long)]
    no_sentence: bool,
}

const EXAMPLES: &str = "\
Examples:
  metaphrase lm query -m lm.bin --level summary < test.tok.en
  echo 'the house' | metaphrase lm query -m lm.bin --level word";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Level {
    /// For each word `word=id order log10`, then the numbers of the sentence, with tabs between them
    Word,
    /// Log10 probability, tab, number of unknown words
    Sentence,
    /// Perplexity with and without unknown words, and counts
    Summary,
}

/// Sums over words.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Total {
    words: u64,
    unknown: u64,
    log10: f64,
    log10_unknown: f64,
}

impl Total {
    fn add(&mut self, word: WordId, log10: f32) {
        self.words += 1;
        self.log10 += f64::from(log10);
        if word == UNKNOWN {
            self.unknown += 1;
            self.log10_unknown += f64::from(log10);
        }
    }

    fn add_all(&mut self, other: &Self) {
        self.words += other.words;
        self.unknown += other.unknown;
        self.log10 += other.log10;
        self.log10_unknown += other.log10_unknown;
    }

    /// The perplexity of all words, and of the known words alone.
    fn perplexities(&self) -> [f64; 2] {
        let perplexity = |log10: f64, words: u64| 10f64.powf(-log10 / words as f64);
        [perplexity(self.log10, self.words), perplexity(self.log10 - self.log10_unknown, self.words - self.unknown)]
    }
}

/// Scores the input.
pub fn run(args: &Args) -> Result<()> {
    let model = Model::open(&args.model)?;
    let mut lines = Lines::new(Input::open(args.input.as_deref())?);
    let mut output = Output::create(args.output.as_deref())?;
    let mut all = Total::default();
    let mut sentences = 0u64;
    let mut text = String::new();
    while let Some(line) = lines.next_text()? {
        text.clear();
        let total = score(&model, &line, args, &mut text);
        if args.level != Level::Summary {
            writeln!(text, "{:.6}\t{}", total.log10, total.unknown)?;
            output.write(&text)?;
        }
        all.add_all(&total);
        sentences += 1;
        if !lines.has_next() {
            output.flush()?;
        }
    }
    if args.level == Level::Summary {
        output.write(&summary(&all, sentences))?;
    }
    output.finish()
}

/// The sums of a line; with [`Level::Word`] its words are appended to `text`.
fn score(model: &Model, line: &str, args: &Args, text: &mut String) -> Total {
    let mut total = Total::default();
    let mut state = if args.no_sentence { model.null() } else { model.begin() };
    let words = line.split([' ', '\t', '\r', '\0']).filter(|word| !word.is_empty());
    let words = words.map(|word| (word, model.vocabulary().id(word)));
    for (word, id) in words.chain((!args.no_sentence).then_some(("</s>", END))) {
        let scored = model.scored(&state, id);
        total.add(id, scored.log10);
        state = scored.state;
        if args.level == Level::Word {
            // Writing to a string cannot fail.
            let _ = write!(text, "{word}={id} {} {:.6}\t", scored.order, scored.log10);
        }
    }
    total
}

fn summary(all: &Total, sentences: u64) -> String {
    let [with, without] = all.perplexities();
    format!(
        "perplexity with unknown words:\t{with:.4}\nperplexity without unknown words:\t{without:.4}\n\
         words, sentence ends included:\t{}\nunknown words:\t{}\nsentences:\t{sentences}\nlog10 probability:\t{:.4}\n",
        all.words, all.unknown, all.log10
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perplexities() {
        let mut total = Total::default();
        [(WordId(7), -1.0), (UNKNOWN, -4.0), (END, -1.0)].iter().for_each(|&(word, log10)| total.add(word, log10));
        assert_eq!(total.perplexities(), [100.0, 10.0], "10^(6/3) and 10^(2/2)");
    }
}
