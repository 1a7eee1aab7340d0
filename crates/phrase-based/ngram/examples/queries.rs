//! Queries per second of a model on a text: in order; in random order, as a decoder's are; and of many words after one
//! history, by its state and by its context.
//!
//! ```text
//! cargo run --release -p metaphrase-ngram --example queries -- lm.bin text.en
//! ```

use metaphrase_ngram::{END, Model, State, WordId};
use std::path::Path;

const ROUNDS: usize = 5;
/// The number of words scored after one history.
const WORDS: usize = 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, text] = &arguments[..] else { panic!("usage: queries MODEL TEXT") };
    let start = seconds();
    let model = Model::open(Path::new(model)).expect("a model");
    let ngrams: usize = model.counts().iter().sum();
    let size = model.bytes();
    println!("loaded    {:.2} s, {ngrams} n-grams, {:.2} bytes each", seconds() - start, size as f64 / ngrams as f64);

    let text = std::fs::read_to_string(text).expect("a text");
    let ids = |line: &str| line.split_ascii_whitespace().map(|w| model.vocabulary().id(w)).chain([END]).collect();
    let sentences: Vec<Vec<WordId>> = text.lines().map(ids).collect();
    let in_order = || sentences.iter().map(|words| sentence(&model, words, |_, _| ())).sum::<f64>();
    report("in order", sentences.iter().map(Vec::len).sum(), in_order);

    let mut queries: Vec<(State, WordId)> = Vec::new();
    for words in &sentences {
        sentence(&model, words, |state, word| queries.push((state, word)));
    }
    shuffle(&mut queries);
    report("random", queries.len(), || {
        queries.iter().map(|(state, word)| f64::from(model.score(state, *word).0)).sum()
    });

    // Words of the text after each history, as a phrase-based search asks for first words: by the state, by its
    // context.
    let histories = &queries[..queries.len() / 8];
    let following = |i: usize| (i * WORDS..).take(WORDS).map(|at| queries[at % queries.len()].1);
    report("states", histories.len() * WORDS, || {
        let score =
            |(i, (state, _)): (usize, &(State, WordId))| following(i).map(|word| model.score(state, word).0).sum();
        histories.iter().enumerate().map(score).map(|sum: f32| f64::from(sum)).sum()
    });
    report("contexts", histories.len() * WORDS, || {
        let score = |(i, (state, _)): (usize, &(State, WordId))| {
            let context = model.context(state);
            following(i).map(|word| context.score(word)).sum()
        };
        histories.iter().enumerate().map(score).map(|sum: f32| f64::from(sum)).sum()
    });
}

fn sentence(model: &Model, words: &[WordId], mut visit: impl FnMut(State, WordId)) -> f64 {
    let mut state = model.begin();
    let score = |&word: &WordId| {
        visit(state, word);
        let (log10, next) = model.score(&state, word);
        state = next;
        f64::from(log10)
    };
    words.iter().map(score).sum()
}

/// The best of some rounds.
fn report(name: &str, queries: usize, run: impl Fn() -> f64) {
    let mut best = f64::MAX;
    let mut sum = 0.0;
    for _ in 0..ROUNDS {
        let start = seconds();
        sum = run();
        best = best.min(seconds() - start);
    }
    println!("{name:<9} {:.2} M/s  sum {sum:.3}", queries as f64 / best / 1e6);
}

/// Seconds that this thread has been running, by Linux: other programs take nothing from it but caches.
fn seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    stat.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).expect("nanoseconds") / 1e9
}

/// Fisher and Yates, with a linear congruential generator.
fn shuffle<T>(items: &mut [T]) {
    let mut state = 1u64;
    for i in (1..items.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(i, (state >> 33) as usize % (i + 1));
    }
}
