//! From 200 sentence pairs to a tuned model, and what is wrong with some.

use crate::common::{ALL, corpus, lines, names, options, read, run};
use metaphrase_align::Corpus;
use metaphrase_metrics::{Bleu, BleuOptions, Metric, References, Tokenizer};
use metaphrase_phrase::{Decoder, PhraseModel, SearchOptions, Workspace};
use std::path::{Path, PathBuf};

/// BLEU of the translations of the test sentences with a model.
fn bleu_of(ini: &Path) -> f64 {
    let model = PhraseModel::read_moses(ini).unwrap();
    let wide = SearchOptions { coverages: 16, hypotheses: 16, ..SearchOptions::default() };
    let decoder = Decoder::new(&model, wide).unwrap();
    let mut workspace = Workspace::default();
    let translate = |line: String| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        model.words(&words, &decoder.translate(&words, &mut workspace).0.phrases).join(" ")
    };
    let translations: Vec<String> = lines("test.de.gz").into_iter().map(translate).collect();
    let bleu = Bleu::new(BleuOptions { tokenizer: Tokenizer::None, ..BleuOptions::default() }).unwrap();
    let references = [lines("test.en.gz")];
    let score = bleu.corpus_score(&translations, &References::new(&references).unwrap()).unwrap();
    score.value
}

#[test]
fn two_hundred_sentences_make_a_translator() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    assert_eq!(run(&corpus(), &options(1), &one, false), Ok(ALL.to_vec()));
    let (untuned, tuned) = (bleu_of(&one.join("moses.untuned.ini")), bleu_of(&one));
    assert!(tuned > 30.0, "{tuned} tuned, {untuned} before");
    assert!(tuned > untuned, "{tuned} tuned, {untuned} before");

    run(&corpus(), &options(3), &two, false).unwrap();
    for name in ["phrase-table.gz", "lm.arpa.gz", "tables.bin", "lm.bin", "moses.ini"] {
        assert_eq!(read(&one, name), read(&two, name), "{name}: the same on any number of threads");
    }
    assert_eq!(names(&one), names(&two));
}

#[test]
fn odd_sentences_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let mut corpus = corpus();
    corpus.push("", "");
    corpus.push("nur hier", "");
    corpus.push("", "only here");
    corpus.push(&"lang ".repeat(10_000), &"long ".repeat(10_000));
    let mut options = options(2);
    options.tune.rounds = 1;
    run(&corpus, &options, folder.path(), false).unwrap();
    assert!(bleu_of(folder.path()) > 20.0);
}

#[test]
fn what_fails_leaves_whole_files_only() {
    let folder = tempfile::tempdir().unwrap();
    let mut broken = corpus();
    broken.push("a ||| b", "c d");
    let error = run(&broken, &options(1), folder.path(), false).unwrap_err();
    assert!(error.contains("line 201 has the word '|||'"), "{error}");
    assert_eq!(names(folder.path()), ["alignment.gz", "stages.toml"].map(PathBuf::from));

    let folder = tempfile::tempdir().unwrap();
    let mut empty = Corpus::default();
    empty.push("", "only one side");
    let error = run(&empty, &options(1), folder.path(), false).unwrap_err();
    assert!(error.starts_with("there is no sentence pair with words on both sides"), "{error}");
    assert!(names(folder.path()).is_empty(), "{:?}", names(folder.path()));
}
