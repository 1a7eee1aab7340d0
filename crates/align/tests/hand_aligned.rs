//! The hand-aligned sentence pairs, where they are at hand: `METAPHRASE_SHARED`, or a folder `shared` beside the
//! repository. The figures on all text are in `docs/results/align.md`; here a small part has to do.
#![allow(clippy::unwrap_used, reason = "tests")]

use flate2::read::MultiGzDecoder;
use metaphrase_align::{Alignment, Corpus, ErrorRate, Options, align};
use metaphrase_text::moses::{MosesTokenizer, TokenizerOptions};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

fn data() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let data = std::env::var_os("METAPHRASE_SHARED").map_or_else(beside, PathBuf::from).join("data");
    data.exists().then_some(data)
}

fn lines(path: &Path) -> Vec<String> {
    let mut text = String::new();
    MultiGzDecoder::new(File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(str::to_lowercase).collect()
}

#[test]
fn a_few_thousand_pairs_are_enough_for_most_links() {
    let Some(data) = data() else {
        eprintln!("skipped: no reference data at hand");
        return;
    };
    let [german, english] = ["de", "en"].map(|language| {
        let options = TokenizerOptions { escape: false, ..TokenizerOptions::default() };
        let tokenizer = MosesTokenizer::with_options(language, options);
        let news = lines(&data.join(format!("wmt-news/newstest2012.{language}.gz")));
        let aligned = lines(&data.join(format!("word-alignment-de-en/test.{language}.gz")));
        news.iter().map(|line| tokenizer.tokenize_line(line)).chain(aligned).collect::<Vec<_>>()
    });
    let mut corpus = Corpus::default();
    german.iter().zip(&english).for_each(|(german, english)| corpus.push(german, english));
    let found = align(&corpus, &Options::default(), &mut |_| {}).unwrap();
    let gold = lines(&data.join("word-alignment-de-en/test.align.gz"));
    let mut rate = ErrorRate::default();
    for (found, gold) in found[found.len() - gold.len()..].iter().zip(&gold) {
        rate.add(found, &gold.parse::<Alignment>().unwrap());
    }
    println!("alignment error rate {:.4}", rate.error_rate());
    assert!(rate.error_rate() < LIMIT, "{}", rate.error_rate());
}

/// Somewhat above what was measured, 0.266.
const LIMIT: f64 = 0.29;
