//! Trains a SentencePiece model on the lines of text files.
//!
//! `cargo run --release --example train_pieces -- unigram|bpe SIZE MODEL [OPTION…] FILE…` writes MODEL, with Marian's
//! ids. `--byte-fallback`, `--identity` (no normalisation) and `--symbols=A,B,…` (user-defined ones) may come before
//! the files; all else is as by default. Progress and time are written to stderr.
//! `testdata/text/compare_training.py` compares the model with that of the C++ library.

use metaphrase_text::sentencepiece::train::{Normalization, Progress, TrainOptions, train_bpe, train_unigram};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, size, model, rest @ ..] = arguments.as_slice() else {
        return Err("usage: train_pieces unigram|bpe SIZE MODEL [OPTION…] FILE…".into());
    };
    let mut options = TrainOptions { vocab_size: size.parse()?, ..TrainOptions::default() };
    let (flags, files) = rest.split_at(rest.iter().take_while(|argument| argument.starts_with("--")).count());
    for flag in flags {
        match flag.split_once('=').unwrap_or((flag, "")) {
            ("--byte-fallback", "") => options.byte_fallback = true,
            ("--identity", "") => options.normalization = Normalization::Identity,
            ("--symbols", list) => options.user_defined_symbols = list.split(',').map(str::to_owned).collect(),
            _ => return Err(format!("unknown option `{flag}`").into()),
        }
    }
    let start = Instant::now();
    let texts = files.iter().map(std::fs::read_to_string).collect::<Result<Vec<_>, _>>()?;
    let lines = texts.iter().flat_map(|text| text.lines());
    let progress = |step: Progress| eprintln!("{:6.2} s {step:?}", start.elapsed().as_secs_f64());
    let trained = match kind.as_str() {
        "unigram" => train_unigram(lines, &options, progress)?,
        "bpe" => train_bpe(lines, &options, progress)?,
        other => return Err(format!("`{other}` is no kind of model, expected unigram or bpe").into()),
    };
    eprintln!("{:6.2} s {:?}", start.elapsed().as_secs_f64(), trained.report);
    Ok(std::fs::write(model, trained.model)?)
}
