//! From 200 sentence pairs to a tuned model, and what is wrong with some.
#![allow(clippy::unwrap_used, reason = "tests")]

use flate2::read::GzDecoder;
use metaphrase_align::Corpus;
use metaphrase_metrics::{Bleu, BleuOptions, Metric, References, Tokenizer};
use metaphrase_phrase::{Decoder, PhraseModel, SearchOptions, Workspace};
use metaphrase_phrase_train::{DevSet, Event, Stage, TrainOptions, train};
use metaphrase_tune::{MertOptions, Method, MiraOptions};
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// A text of `testdata/phrase`; punctuation becomes words, which is enough here.
fn lines(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/phrase").join(name);
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    let split = |line: &str| line.replace('.', " .").replace('?', " ?").replace('!', " !").replace(',', " ,");
    text.lines().map(split).collect()
}

fn corpus() -> Corpus {
    let mut corpus = Corpus::default();
    lines("train.de.gz").iter().zip(lines("train.en.gz")).for_each(|(source, target)| corpus.push(source, &target));
    corpus
}

fn dev() -> DevSet {
    DevSet::new(lines("dev.de.gz"), vec![lines("dev.en.gz")]).unwrap()
}

/// Fewer rounds and smaller searches than by default.
fn options(threads: usize) -> TrainOptions {
    let threads = NonZeroUsize::new(threads).unwrap();
    let mut options = TrainOptions::default();
    (options.align.threads, options.extract.threads, options.estimate.threads) = (threads, threads, threads.get());
    options.tune.threads = threads;
    options.tune.method = Method::Mert(MertOptions { threads, restarts: 6, ..MertOptions::default() });
    (options.tune.rounds, options.tune.n_best) = (4, 30);
    (options.tune.search.coverages, options.tune.search.hypotheses) = (8, 8);
    options
}

/// Trains, and tells which stages were done.
fn run(corpus: &Corpus, options: &TrainOptions, folder: &Path, resume: bool) -> Result<Vec<Stage>, String> {
    let mut stages = Vec::new();
    let mut observer = |event: Event<'_>| {
        if let Event::Begin(stage) = event {
            stages.push(stage);
        }
    };
    train(corpus, Some(&dev()), options, folder, resume, &mut observer).map_err(|error| error.to_string())?;
    Ok(stages)
}

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

fn read(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap()
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into()).collect();
    names.sort();
    names
}

const ALL: [Stage; 5] = [Stage::Align, Stage::Extract, Stage::LanguageModel, Stage::Compile, Stage::Tune];

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
fn what_is_there_is_not_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path();
    let mut options = options(2);
    options.tune.method = Method::Mira(MiraOptions { passes: 10, ..MiraOptions::default() });
    run(&corpus(), &options, model, false).unwrap();
    let (before, table) = (read(model, "moses.ini"), read(model, "phrase-table.gz"));

    let error = run(&corpus(), &options, model, false).unwrap_err();
    assert!(error.contains("has a training already; go on with it (--resume)"), "{error}");
    assert_eq!(run(&corpus(), &options, model, true), Ok(Vec::new()));
    for (gone, expected) in [
        ("moses.ini", &[Stage::Tune][..]),
        ("lm.arpa.gz", &[Stage::LanguageModel]),
        ("phrase-table.gz", &[Stage::Extract]),
        ("tables.bin", &[Stage::Compile]),
    ] {
        std::fs::remove_file(model.join(gone)).unwrap();
        assert_eq!(run(&corpus(), &options, model, true).as_deref(), Ok(expected), "{gone}");
    }
    assert_eq!((read(model, "moses.ini"), read(model, "phrase-table.gz")), (before, table));

    options.extract.max_length = 3;
    let error = run(&corpus(), &options, model, true).unwrap_err();
    assert!(error.contains("longest phrase: 7 then, 3 now"), "{error}");
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
    assert_eq!(names(folder.path()), ["alignment.gz", "training.txt"].map(PathBuf::from));

    let folder = tempfile::tempdir().unwrap();
    let mut empty = Corpus::default();
    empty.push("", "only one side");
    let error = run(&empty, &options(1), folder.path(), false).unwrap_err();
    assert!(error.starts_with("there is no sentence pair with words on both sides"), "{error}");
    assert_eq!(names(folder.path()), ["training.txt"].map(PathBuf::from));
}
