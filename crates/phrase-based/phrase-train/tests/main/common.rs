//! Texts, options and runs that the tests share.

use flate2::read::GzDecoder;
use metaphrase_align::Corpus;
use metaphrase_phrase_train::{DevSet, Event, Stage, TrainOptions, train};
use metaphrase_tune::{MertOptions, Method};
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// A text of `testdata/phrase`; punctuation becomes words, which is enough here.
pub fn lines(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/phrase").join(name);
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    let split = |line: &str| line.replace('.', " .").replace('?', " ?").replace('!', " !").replace(',', " ,");
    text.lines().map(split).collect()
}

pub fn corpus() -> Corpus {
    let mut corpus = Corpus::default();
    lines("train.de.gz").iter().zip(lines("train.en.gz")).for_each(|(source, target)| corpus.push(source, &target));
    corpus
}

pub fn dev() -> DevSet {
    DevSet::new(lines("dev.de.gz"), vec![lines("dev.en.gz")]).unwrap()
}

/// Fewer rounds and smaller searches than by default.
pub fn options(threads: usize) -> TrainOptions {
    let threads = NonZeroUsize::new(threads).unwrap();
    let mut options = TrainOptions::default();
    (options.align.threads, options.extract.threads, options.estimate.threads) = (threads, threads, threads.get());
    options.tune.threads = threads;
    options.tune.method = Method::Mert(MertOptions { threads, restarts: 6, ..MertOptions::default() });
    (options.tune.rounds, options.tune.n_best) = (4, 30);
    (options.tune.search.coverages, options.tune.search.hypotheses) = (8, 8);
    options
}

/// Trains, and returns the stages that were done.
pub fn run(corpus: &Corpus, options: &TrainOptions, folder: &Path, resume: bool) -> Result<Vec<Stage>, String> {
    run_with(corpus, &dev(), options, folder, resume)
}

/// The same with another development set.
pub fn run_with(
    corpus: &Corpus,
    dev: &DevSet,
    options: &TrainOptions,
    folder: &Path,
    resume: bool,
) -> Result<Vec<Stage>, String> {
    let mut stages = Vec::new();
    let mut observer = |event: Event<'_>| {
        if let Event::Begin(stage) = event {
            stages.push(stage);
        }
    };
    train(corpus, Some(dev), options, folder, resume, &mut observer).map_err(|error| error.to_string())?;
    Ok(stages)
}

pub fn read(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap()
}

pub fn names(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into()).collect();
    names.sort();
    names
}

pub const ALL: [Stage; 5] = [Stage::Align, Stage::Extract, Stage::LanguageModel, Stage::Compile, Stage::Tune];
