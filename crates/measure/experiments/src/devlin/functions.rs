//! §4.4: tanh and the logistic function by a table, and in other ways.
//!
//! The search runs on this thread, because the functions are chosen for a thread.

use super::{BEAM, EACH, TURNS, Workload, system, translator};
use crate::iglesias::{SearchRun, faster};
use crate::setup::{Setup, cpu_seconds, round};
use anyhow::Result;
use metaphrase::{Choice, Optimizations, Package, Precision, SearchOptions};
use metaphrase_base::{Shortlist, WordId};
use metaphrase_kernels::{Functions, with_functions};
use metaphrase_models::Model;
use metaphrase_models::config::Top;
use metaphrase_search::{CheckedOptions, Searcher, Task};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::Serialize;

/// Words of each vocabulary: fewer than in table 1, because the output layer computes those of a shortlist anyway.
const FEW_WORDS: usize = 8_000;
/// Those whose embeddings are multiplied when the model is loaded.
const FREQUENT: usize = 800;

/// The ways, that of the paper's baseline first.
const WAYS: [(&str, Functions); 3] = [
    ("the library's, one number at a time", Functions::Library),
    ("a table (4.4)", Functions::Table),
    ("polynomials on vectors, the default", Functions::Polynomials),
];

#[derive(Serialize)]
struct Row {
    precision: String,
    functions: &'static str,
    words_per_second: f64,
    seconds: f64,
    /// How many times faster than with the library's functions, in this precision.
    factor: f64,
    /// Share of the translations that are those with the library's functions.
    identical: f64,
}

/// A sentence and the words that may translate it.
struct Sentence {
    source: Vec<WordId>,
    shortlist: Shortlist,
}

/// The speed of S1 with each way, all other tricks on.
pub fn functions(setup: &Setup) -> Result<()> {
    let given = Workload::with_words(setup, FEW_WORDS)?;
    let path = given.model(system(0, Top::None), 1)?;
    let sentences = sentences(&given, &path)?;
    let words: usize = given.requests.iter().map(|request| request.source.split_whitespace().count()).sum();
    let mut rows: Vec<Row> = Vec::new();
    for precision in [Precision::F32, Precision::Int16, Precision::Int8] {
        let (config, weights) = metaphrase_models::load(&path)?;
        let model = Model::with_precision(config, &weights, precision)?;
        let model = model.with_optimizations(Optimizations { frequent_words: FREQUENT, ..Optimizations::default() });
        let excluded = model.config().never.iter().map(|&word| WordId(word)).collect();
        let options = SearchOptions { beam_size: BEAM, excluded, max_length_factor: 1.0, ..SearchOptions::default() };
        let options = options.check(&model)?;
        let mut best = WAYS.map(|_| None);
        for _ in 0..TURNS {
            for ((_, functions), best) in WAYS.iter().zip(&mut best) {
                *best = faster(best.take(), with_functions(*functions, || search(&model, &sentences, &options)));
            }
        }
        let best: Vec<SearchRun> = best.into_iter().flatten().collect();
        for ((functions, _), run) in WAYS.iter().zip(&best) {
            let same = best[0].translations.iter().zip(&run.translations).filter(|(a, b)| a == b).count();
            rows.push(Row {
                precision: precision.name().to_owned(),
                functions,
                words_per_second: round(words as f64 / run.seconds, 1),
                seconds: round(run.seconds, 3),
                factor: round(best[0].seconds / run.seconds, 3),
                identical: round(same as f64 / sentences.len() as f64, 4),
            });
            println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
        }
    }
    setup.write("devlin-functions", &rows)
}

/// The sentences of the text with random shortlists: some words for each source word, and the most frequent ones.
fn sentences(given: &Workload, path: &std::path::Path) -> Result<Vec<Sentence>> {
    let translator = translator([Package::find(path)?], Precision::F32, None)?;
    let mut numbers = ChaCha8Rng::seed_from_u64(2017);
    let sentence = |request: &metaphrase::Request| {
        let source = translator.segment(&request.source);
        let random = (0..EACH * source.len()).map(|_| 2 + numbers.next_u32() % (FEW_WORDS as u32 - 2));
        let shortlist = Shortlist::new(random.chain(0..102).map(WordId).collect());
        Sentence { source, shortlist }
    };
    Ok(given.requests.iter().map(sentence).collect())
}

/// Translates the sentences one after the other.
fn search(model: &Model, sentences: &[Sentence], options: &CheckedOptions) -> SearchRun {
    let begun = cpu_seconds();
    let mut translations = vec![Vec::new(); sentences.len()];
    let mut waiting = sentences.iter().enumerate();
    let next = || {
        let (number, Sentence { source, shortlist }) = waiting.next()?;
        Some(Task { shortlist: Some(shortlist.clone()), ..Task::new(number, source.clone(), options) })
    };
    Searcher::new(model, 1).run(next, |mut outcome| {
        translations[outcome.tag] = outcome.hypotheses.drain(..).next().map(|best| best.words).unwrap_or_default();
    });
    SearchRun { translations, seconds: cpu_seconds() - begun, megabytes: None }
}
