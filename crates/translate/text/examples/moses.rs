//! Moses' tools and byte-pair encoding as filters: lines on stdin, lines on stdout.
//!
//! ```text
//! cargo run --release -p metaphrase-text --example moses -- tokenize en < raw > tokenised
//! ```

use std::error::Error;
use std::io::{self, BufRead, BufWriter, Write};

use metaphrase_text::bpe::{Bpe, BpeVocabulary};
use metaphrase_text::moses::{
    FirstWords, MosesDetokenizer, MosesTokenizer, ProtectedPatterns, PunctuationNormalizer, TokenizerOptions,
    Truecaser, TruecaserOptions, TruecaserTrainer, detruecase_headline, detruecase_line,
};

const USAGE: &str = "usage: moses TOOL ARGUMENT…
  tokenize LANG, tokenize-raw LANG (no entities), tokenize-dashes LANG,
  tokenize-basic LANG and tokenize-web LANG (protect addresses and tags),
  detokenize LANG, normalize LANG
  train-truecaser MODEL (writes it), truecase MODEL, truecase-known MODEL, detruecase headline|text
  bpe CODES, bpe-vocab CODES VOCABULARY THRESHOLD, bpe-join CODES";

type Result<T> = std::result::Result<T, Box<dyn Error>>;
type Converter = Box<dyn Fn(&str) -> String>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["train-truecaser", model] = arguments[..] {
        return train_truecaser(model);
    }
    let convert = converter(&arguments)?;
    let mut out = BufWriter::new(io::stdout().lock());
    each_line(|line| Ok(writeln!(out, "{}", convert(line))?))?;
    Ok(out.flush()?)
}

/// Only `\n` ends a line: what else some tools take for line ends is text here.
fn each_line(mut visit: impl FnMut(&str) -> Result<()>) -> Result<()> {
    for line in io::stdin().lock().split(b'\n') {
        visit(std::str::from_utf8(&line?)?)?;
    }
    Ok(())
}

fn train_truecaser(model: &str) -> Result<()> {
    let mut trainer = TruecaserTrainer::new(FirstWords::Skip);
    each_line(|line| {
        trainer.learn_line(line);
        Ok(())
    })?;
    Ok(trainer.finish().write(BufWriter::new(std::fs::File::create(model)?))?)
}

fn converter(arguments: &[&str]) -> Result<Converter> {
    let default = TokenizerOptions::default;
    Ok(match *arguments {
        ["tokenize", lang] => tokenizer(lang, default()),
        ["tokenize-raw", lang] => tokenizer(lang, TokenizerOptions { escape: false, ..default() }),
        ["tokenize-dashes", lang] => tokenizer(lang, TokenizerOptions { aggressive_dashes: true, ..default() }),
        ["tokenize-basic", lang] => protecting(lang, ProtectedPatterns::basic()),
        ["tokenize-web", lang] => protecting(lang, ProtectedPatterns::web()),
        ["detokenize", lang] => {
            let tool = MosesDetokenizer::new(lang);
            Box::new(move |line| tool.detokenize_line(line))
        }
        ["normalize", lang] => {
            let tool = PunctuationNormalizer::new(lang);
            Box::new(move |line| tool.normalize(line))
        }
        [tool @ ("truecase" | "truecase-known"), model] => {
            let keep_known = tool == "truecase-known";
            let options = TruecaserOptions { keep_known, ..TruecaserOptions::default() };
            let tool = Truecaser::open(model)?.with_options(options);
            Box::new(move |line| tool.truecase_line(line))
        }
        ["detruecase", "headline"] => Box::new(detruecase_headline),
        ["detruecase", _] => Box::new(detruecase_line),
        ["bpe", codes] => {
            let tool = Bpe::open(codes)?;
            Box::new(move |line| tool.segment_line(line))
        }
        ["bpe-vocab", codes, vocabulary, threshold] => {
            let vocabulary = BpeVocabulary::open(vocabulary, threshold.parse()?)?;
            let tool = Bpe::open(codes)?.with_vocabulary(vocabulary);
            Box::new(move |line| tool.segment_line(line))
        }
        ["bpe-join", codes] => {
            let tool = Bpe::open(codes)?;
            Box::new(move |line| tool.join_line(line))
        }
        _ => return Err(USAGE.into()),
    })
}

fn tokenizer(lang: &str, options: TokenizerOptions) -> Converter {
    let tool = MosesTokenizer::with_options(lang, options);
    Box::new(move |line| tool.tokenize_line(line))
}

fn protecting(lang: &str, protected: ProtectedPatterns) -> Converter {
    tokenizer(lang, TokenizerOptions { protected, ..TokenizerOptions::default() })
}
