//! The hand-aligned sentence pairs of the shared data. The figures on all text are in `docs/results/align.md`; this
//! test aligns a small part.
#![allow(clippy::unwrap_used, reason = "tests")]

use flate2::read::MultiGzDecoder;
use metaphrase_align::{Alignment, Corpus, ErrorRate, Options, align};
use metaphrase_testkit::{Outcome, shared};
use metaphrase_text::moses::{MosesTokenizer, TokenizerOptions};
use std::fs::File;
use std::io::Read;
use std::path::Path;

fn lines(path: &Path) -> Vec<String> {
    let mut text = String::new();
    MultiGzDecoder::new(File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(str::to_lowercase).collect()
}

fn a_few_thousand_pairs_are_enough_for_most_links() -> Outcome {
    let [news, hand_aligned] = [shared("data/wmt-news")?, shared("data/word-alignment-de-en")?];
    let [german, english] = ["de", "en"].map(|language| {
        let options = TokenizerOptions { escape: false, ..TokenizerOptions::default() };
        let tokenizer = MosesTokenizer::with_options(language, options);
        let text = lines(&news.join(format!("newstest2012.{language}.gz")));
        let aligned = lines(&hand_aligned.join(format!("test.{language}.gz")));
        text.iter().map(|line| tokenizer.tokenize_line(line)).chain(aligned).collect::<Vec<_>>()
    });
    let mut corpus = Corpus::default();
    german.iter().zip(&english).for_each(|(german, english)| corpus.push(german, english));
    let found = align(&corpus, &Options::default(), &mut |_| {}).unwrap();
    let gold = lines(&hand_aligned.join("test.align.gz"));
    let mut rate = ErrorRate::default();
    for (found, gold) in found[found.len() - gold.len()..].iter().zip(&gold) {
        rate.add(found, &gold.parse::<Alignment>().unwrap());
    }
    println!("alignment error rate {:.4}", rate.error_rate());
    assert!(rate.error_rate() < LIMIT, "{}", rate.error_rate());
    Ok(())
}

/// Somewhat above the measured rate, 0.266.
const LIMIT: f64 = 0.29;

metaphrase_testkit::tests![a_few_thousand_pairs_are_enough_for_most_links];
