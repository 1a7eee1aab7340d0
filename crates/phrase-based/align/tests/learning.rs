//! What is learnt from text, on any number of threads.
#![allow(clippy::unwrap_used, reason = "tests")]

use metaphrase_align::{Alignment, Corpus, ErrorRate, Link, Options, Stage, Symmetrization, align};
use std::num::NonZeroUsize;

/// Numbers below `limit` that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        // The multiplier and increment of Knuth's MMIX.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Sentences of a language of 60 words and their translations, word by word, neighbours changing places now and then;
/// and a word that has no translation in each sentence.
fn made_up(pairs: usize) -> (Corpus, Vec<Alignment>) {
    let (mut corpus, mut links, mut numbers) = (Corpus::default(), Vec::new(), Numbers(5));
    for _ in 0..pairs {
        let source: Vec<usize> = (0..3 + numbers.below(6)).map(|_| numbers.below(60)).collect();
        let mut order: Vec<usize> = (0..source.len()).collect();
        for at in 1..order.len() {
            if numbers.below(4) == 0 {
                order.swap(at - 1, at);
            }
        }
        let target: Vec<String> = order.iter().map(|&at| format!("t{}", source[at])).collect();
        let source: Vec<String> = source.iter().map(|word| format!("s{word}")).collect();
        corpus.push(&source.join(" "), &format!("{} ende", target.join(" ")));
        let link = |(target, &source)| Link { source: source as u32, target: target as u32 };
        links.push((0..).zip(&order).map(link).collect());
    }
    (corpus, links)
}

fn error_rate(found: &[Alignment], wanted: &[Alignment]) -> f64 {
    let mut rate = ErrorRate::default();
    found.iter().zip(wanted).for_each(|(found, wanted)| rate.add(found, wanted));
    rate.error_rate()
}

#[test]
fn a_made_up_language_is_learnt() {
    let (corpus, links) = made_up(600);
    for (symmetrization, limit) in [
        (Symmetrization::GrowDiagFinalAnd, 0.03),
        (Symmetrization::Intersection, 0.03),
        (Symmetrization::Forward, 0.06),
    ] {
        let options = Options { symmetrization, ..Options::default() };
        let mut passes = Vec::new();
        let found = align(&corpus, &options, &mut |progress| passes.push(progress.stage)).unwrap();
        let rate = error_rate(&found, &links);
        assert!(rate < limit, "{symmetrization:?}: {rate}");
        assert_eq!((passes.len(), passes[0], passes[6]), (7, Stage::Diagonal, Stage::Links));
    }
    let diagonal = Options { hmm_iterations: 0, ..Options::default() };
    let rate = error_rate(&align(&corpus, &diagonal, &mut |_| {}).unwrap(), &links);
    assert!(rate < 0.2, "{rate}");
}

#[test]
fn links_do_not_depend_on_threads() {
    let (corpus, _) = made_up(2000);
    let links = |threads| {
        let options = Options { threads: NonZeroUsize::new(threads).unwrap(), ..Options::default() };
        align(&corpus, &options, &mut |_| {}).unwrap()
    };
    let one = links(1);
    for threads in [2, 7] {
        assert!(links(threads) == one, "{threads} threads");
    }
}

#[test]
fn sentences_at_the_limit_are_aligned() {
    let (mut corpus, _) = made_up(50);
    let first = corpus.len();
    let words = |letter: char, count: usize| (0..count).map(|n| format!("{letter}{} ", n % 60)).collect::<String>();
    corpus.push(&words('s', 300), &words('t', 300));
    corpus.push(&words('s', 301), &words('t', 1));
    corpus.push("", "t1");
    corpus.push("s1", "t1");
    let options = Options { max_words: 300, ..Options::default() };
    let found = align(&corpus, &options, &mut |_| {}).unwrap();
    let count = |at: usize| found[first + at].links().len();
    assert!(count(0) > 250, "{}", count(0));
    assert_eq!((count(1), count(2), count(3)), (0, 0, 1));
}
