//! Writes the German-English text at hand as `docs/results/align.md` uses it: tokenised, lower-cased, one sentence pair
//! a line in `corpus.de` and `corpus.en`, the hand-aligned pairs (already tokenised) last.
//!
//! `cargo run --release -p metaphrase-align --example alignment_corpus -- SHARED_DATA_FOLDER OUTPUT_FOLDER`
#![allow(clippy::unwrap_used, reason = "a tool for measurements")]

use flate2::read::MultiGzDecoder;
use metaphrase_text::moses::{MosesTokenizer, TokenizerOptions};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Files with `.de.gz` and `.en.gz`.
const SETS: [&str; 29] = [
    "tatoeba-de-en/train",
    "tatoeba-de-en/dev",
    "tatoeba-de-en/test",
    "multi30k/train",
    "multi30k/val",
    "multi30k/test_2016_flickr",
    "multi30k/test_2017_flickr",
    "phpdoc-de-en/train",
    "phpdoc-de-en/dev",
    "phpdoc-de-en/test",
    "ntrex128/test",
    "wmt-news/newstest2008",
    "wmt-news/newstest2009",
    "wmt-news/newstest2010",
    "wmt-news/newstest2011",
    "wmt-news/newstest2012",
    "wmt-news/newstest2013",
    "wmt-news/newstest2014.de-en",
    "wmt-news/newstest2015.de-en",
    "wmt-news/newstest2016.de-en",
    "wmt-news/newstest2017.de-en",
    "wmt-news/newstest2018.de-en",
    "wmt-news/newstest2019.de2en",
    "wmt-news/newstest2019.en2de",
    "wmt-news/newstest2020.de2en",
    "wmt-news/newstest2020.en2de",
    "wmt-news/newstest2021.de2en",
    "wmt-news/newstest2021.en2de",
    "word-alignment-de-en/test",
];

fn main() {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [data, output] = &folders[..] else { panic!("name the folder of the data and the folder to write to") };
    let sides = ["de", "en"].map(|language| {
        let tokenizer =
            MosesTokenizer::with_options(language, TokenizerOptions { escape: false, ..TokenizerOptions::default() });
        let lines = SETS.iter().map(|set| lines(&data.join(format!("{set}.{language}.gz"))));
        let tokenised = SETS.iter().map(|set| set.starts_with("word-alignment"));
        let side: Vec<String> = lines
            .zip(tokenised)
            .flat_map(|(lines, tokenised)| {
                let split = |line: String| if tokenised { line } else { tokenizer.tokenize_line(&line) };
                lines.into_iter().map(|line| split(line).to_lowercase()).collect::<Vec<_>>()
            })
            .collect();
        side
    });
    assert_eq!(sides[0].len(), sides[1].len());
    std::fs::create_dir_all(output).unwrap();
    let mut files = ["de", "en"].map(|l| BufWriter::new(File::create(output.join(format!("corpus.{l}"))).unwrap()));
    let mut joined = BufWriter::new(File::create(output.join("corpus.de-en")).unwrap());
    // fast_align refuses lines with an empty side; the same pairs go to every program.
    for (de, en) in sides[0].iter().zip(&sides[1]).filter(|(de, en)| !de.is_empty() && !en.is_empty()) {
        writeln!(files[0], "{de}").unwrap();
        writeln!(files[1], "{en}").unwrap();
        writeln!(joined, "{de} ||| {en}").unwrap();
    }
}

fn lines(path: &Path) -> Vec<String> {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    BufReader::new(MultiGzDecoder::new(file)).lines().map(Result::unwrap).collect()
}
