//! Estimates a model from the standard input, prints it as ARPA text.
//!
//! ```text
//! cargo run --release -p metaphrase-ngram --example estimate -- 3 < text.en > lm.arpa
//! ```

use metaphrase_ngram::{EstimateOptions, estimate};
use std::io::{stdin, stdout};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let order = std::env::args().nth(1).ok_or("usage: estimate ORDER")?.parse()?;
    let options = EstimateOptions { order, threads: 2, ..EstimateOptions::default() };
    let (text, arpa) = (Path::new("standard input"), Path::new("standard output"));
    let report = estimate(&mut stdin().lock(), text, &options, &mut stdout().lock(), arpa)?;
    eprintln!("{} words in {} sentences", report.words, report.sentences);
    Ok(())
}
