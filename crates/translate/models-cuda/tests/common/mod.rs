//! Models on the CPU and on the device, and the comparison of their translations.
#![allow(dead_code, reason = "each test uses its part")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use metaphrase_base::{Shortlist, StepModel as _, WordId};
use metaphrase_models::{Config, Model, Weights, load};
use metaphrase_models_cuda::{Cuda, CudaModel, WeightNumbers};
use metaphrase_search::{Constraints, Options, Outcome, Searcher, Task};
use std::path::PathBuf;

/// `METAPHRASE_TESTDATA` names the folder `testdata` on a machine where the tests were not built.
pub fn fixture(name: &str) -> PathBuf {
    let here = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../testdata"));
    let testdata = std::env::var_os("METAPHRASE_TESTDATA").map_or_else(here, PathBuf::from);
    testdata.join(format!("models/transformer/{name}.npz"))
}

/// The model of a file on the CPU and on the device.
pub fn both(name: &str, numbers: WeightNumbers) -> [Model; 2] {
    let (config, weights) = load(&fixture(name)).unwrap();
    both_of(config, &weights, numbers, name.len().is_multiple_of(2))
}

/// A model on the CPU and on the device.
pub fn both_of(config: Config, weights: &Weights, numbers: WeightNumbers, reversed: bool) -> [Model; 2] {
    let device = CudaModel::load(&Cuda::for_tests(reversed), config.clone(), weights, numbers).unwrap();
    [Model::new(config, weights).unwrap(), device]
}

/// Sentences of 1 to 21 words, end of sentence included.
pub fn sentences(count: usize) -> Vec<Vec<WordId>> {
    sentences_below(count, 32)
}

/// The same of the source words of a model.
pub fn sentences_of(model: &Model, count: usize) -> Vec<Vec<WordId>> {
    sentences_below(count, model.config().source_words.min(32))
}

fn sentences_below(count: usize, words: usize) -> Vec<Vec<WordId>> {
    let word = |i: usize, j: usize| WordId(2 + ((7 * i + 5 * j + i * j) % (words - 2)) as u32);
    (0..count).map(|i| (0..(5 * i) % 21).map(|j| word(i, j)).chain([WordId(0)]).collect()).collect()
}

pub fn options(model: &Model, beam_size: usize) -> Options {
    let excluded = model.config().never.iter().copied().map(WordId).collect();
    Options { beam_size, n_best: beam_size, normalize: 1.0, excluded, attention: true, ..Options::default() }
}

/// Outcomes in the order of the tasks, of which up to `batch_tokens` words share a step.
pub fn search(model: &Model, batch_tokens: usize, tasks: Vec<Task<usize>>) -> Vec<Outcome<usize>> {
    let (mut tasks, mut outcomes) = (tasks.into_iter(), Vec::new());
    Searcher::new(model, batch_tokens).run(|| tasks.next(), |outcome| outcomes.push(outcome));
    outcomes.sort_by_key(|outcome| outcome.tag);
    outcomes
}

pub fn tasks(model: &Model, options: &Options, sentences: Vec<Vec<WordId>>) -> Vec<Task<usize>> {
    let options = options.clone().check(model).expect("usable options");
    sentences.into_iter().enumerate().map(|(i, source)| Task::new(i, source, &options)).collect()
}

/// Tasks, of which some get a shortlist, some these terms, and some a prefix.
pub fn mixed(model: &Model, mut tasks: Vec<Task<usize>>, terms: &[Vec<Vec<WordId>>]) -> Vec<Task<usize>> {
    for task in &mut tasks {
        let words = model.facts().target_words;
        let word = |j: usize| WordId::new((task.tag * 11 + j * 7 + 1) % words);
        if task.tag % 3 != 2 {
            task.shortlist = Some(Shortlist::new((0..words / 3 + task.tag).map(word).collect()));
        }
        if task.tag % 2 == 1 {
            task.constraints = Some(Constraints::new(terms, None, None).unwrap());
        }
        if task.tag % 4 == 3 {
            task.prefix = vec![WordId(4), WordId(8)];
        }
    }
    tasks
}

/// Asserts that two lists of outcomes have the same words, and scores and attention within `bound`.
pub fn assert_near(name: &str, got: &[Outcome<usize>], expected: &[Outcome<usize>], bound: f32) {
    assert_eq!(got.len(), expected.len());
    for (got, expected) in got.iter().zip(expected) {
        assert_eq!(got.hypotheses.len(), expected.hypotheses.len(), "{name}, sentence {}", got.tag);
        for (got, expected) in got.hypotheses.iter().zip(&expected.hypotheses) {
            assert_eq!(got.words, expected.words, "{name}: {} and {}", got.score, expected.score);
            let near = |a: &f32, b: &f32| (a - b).abs() <= bound * (1.0 + b.abs());
            assert!(near(&got.score, &expected.score), "{name}: {} and {}", got.score, expected.score);
            assert!(got.word_log_probs.iter().zip(&expected.word_log_probs).all(|(a, b)| near(a, b)), "{name}");
            assert_eq!(got.attention.len(), expected.attention.len(), "{name}");
            assert!(got.attention.iter().zip(&expected.attention).all(|(a, b)| near(a, b)), "{name}, attention");
        }
    }
}
