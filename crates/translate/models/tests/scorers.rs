//! Sparse scorers with real models: the same bits as dense rows, in any batch, and as exhaustive search finds.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::fixtures;
use metaphrase_base::{Scorer, StepModel, WordId};
use metaphrase_models::Model;
use metaphrase_search::{Constraints, Fused, Options, Outcome, Searcher, Stop, Strategy, Task};
use metaphrase_testkit::{AvoidedWords, Densely, Pairs, exhaustive};
use std::sync::Arc;

fn load(folder: &str, name: &str) -> Model {
    Model::load(&fixtures(folder).join(format!("{name}.npz"))).unwrap()
}

/// An architecture of each kind, a self-normalised model, and an ensemble.
fn models() -> Vec<(&'static str, Arc<Model>)> {
    let two = ["s2s-ssru", "amun"].map(|name| load("recurrent", name));
    let models = [
        ("transformer", load("transformer", "post-relu-tied-all")),
        ("recurrent", load("recurrent", "nematus-norm-deep")),
        ("raw", load("recurrent", "amun").with_raw_scores()),
        ("ensemble", Model::ensemble(two.into(), &[0.6, 0.4]).unwrap()),
    ];
    models.map(|(name, model)| (name, Arc::new(model))).into()
}

fn words(model: &Model) -> u32 {
    model.facts().target_words as u32
}

fn sentences() -> Vec<Vec<WordId>> {
    let sentence = |i: u32| (0..i % 7).map(|j| WordId(2 + (5 * i + 3 * j) % 13)).chain([WordId(0)]).collect();
    (0..14).map(sentence).collect()
}

fn search<M: StepModel>(
    model: &M,
    options: &Options,
    batch_tokens: usize,
    constraints: Option<&Constraints>,
    sentences: &[Vec<WordId>],
) -> Vec<Outcome<usize>> {
    let options = options.clone().check(model).unwrap();
    let task = |(i, source)| Task { constraints: constraints.cloned(), ..Task::new(i, source, &options) };
    let mut tasks = sentences.iter().cloned().enumerate().map(task);
    let mut outcomes = Vec::new();
    Searcher::new(model, batch_tokens).run(|| tasks.next(), |outcome| outcomes.push(outcome));
    outcomes.sort_by_key(|outcome| outcome.tag);
    outcomes
}

/// `sparse` finds what `dense` finds, with every strategy, with and without constraints, in any batch.
fn assert_same(name: &str, sparse: &impl StepModel, dense: &impl StepModel) {
    assert_eq!(sparse.facts(), dense.facts());
    let sentences = sentences();
    let terms = [vec![vec![WordId(4), WordId(5)]], vec![vec![WordId(6)]]];
    let constraints = Constraints::new(&terms, AvoidedWords::new(&[vec![WordId(2)]]), None).unwrap();
    for strategy in [Strategy::Beam, Strategy::Grid, Strategy::States, Strategy::CUBE, Strategy::ACCELERATED_CUBE] {
        for (stop, given) in [(Stop::Shrink, None), (Stop::FILL, None), (Stop::Shrink, Some(&constraints))] {
            let excluded = vec![WordId(1)];
            let options = Options { strategy, stop, beam_size: 4, n_best: 4, excluded, ..Options::default() };
            let expected = search(dense, &options, 1, given, &sentences);
            for batch_tokens in [1, 9, 1000] {
                let found = search(sparse, &options, batch_tokens, given, &sentences);
                assert_eq!(found, expected, "{name}, {strategy:?}, {stop:?}, batch {batch_tokens}");
            }
        }
    }
}

#[test]
fn sparse_scores_have_the_bits_of_dense_ones() {
    for (name, model) in models() {
        let words = words(&model);
        for (scorer, weight) in [
            (Pairs::bonus as fn(u32) -> Pairs, 0.7),
            (Pairs::bonus, -0.2),
            (Pairs::forbidding, 1.0),
            (Pairs::allowing, 1.0),
        ] {
            let densely = Densely { scorer: scorer(words), words: words as usize };
            let sparse = Fused::new(Arc::clone(&model), scorer(words), weight);
            assert_same(name, &sparse, &Fused::new(Arc::clone(&model), densely, weight));
        }
    }
}

/// `model` with three scorers, one after the other.
fn stack<M: StepModel>(model: &Arc<M>, first: impl Scorer, second: impl Scorer, third: impl Scorer) -> impl StepModel {
    let one = Fused::new(Arc::clone(model), first, 0.3);
    Fused::new(Arc::new(Fused::new(Arc::new(one), second, 0.7)), third, 1.0)
}

#[test]
fn scorers_stack_in_any_order() {
    for (name, model) in models() {
        let words = words(&model);
        let dense = |scorer| Densely { scorer, words: words as usize };
        let (first, second, third) = (
            || Pairs::forbidding(words),
            || Pairs::bonus(words),
            || Pairs::new(words, 0.1, |_, word| (word % 3 == 0).then_some(-0.2)),
        );
        let all_dense = stack(&model, dense(first()), dense(second()), dense(third()));
        assert_same(name, &stack(&model, first(), second(), third()), &all_dense);
        assert_same(name, &stack(&model, dense(first()), second(), third()), &all_dense);
        assert_same(name, &stack(&model, first(), second(), dense(third())), &all_dense);
        assert_same(name, &stack(&model, first(), dense(second()), third()), &all_dense);
    }
}

/// Translations of at most 3 words from a beam that holds everything; each score is that of the model and the scorer.
#[test]
fn a_beam_that_holds_everything_finds_the_best() {
    for (name, model) in models() {
        let words = words(&model);
        let (weight, source, limit) = (0.5, [WordId(0)], 3);
        let fused = Fused::new(Arc::clone(&model), Pairs::bonus(words), weight);
        let options = Options { beam_size: 9_000, n_best: 50, stop: Stop::FILL, ..Options::default() };
        let found = &search(&fused, &options, 1, None, &[source.to_vec()])[0].hypotheses;
        let normalise = |log_prob: f32, length: usize| log_prob / length as f32;
        let oracle = exhaustive(&fused, &source, limit, normalise);
        assert!(oracle.len() > 200, "{name}: {}", oracle.len());
        for (hypothesis, expected) in found.iter().zip(&oracle) {
            assert_eq!((&hypothesis.words, hypothesis.score), (&expected.words, expected.score), "{name}");
        }
        // Independently: the model's own score of the same words, and the bonus of each pair.
        let alone = exhaustive(&*model, &source, limit, normalise);
        let bonus = Pairs::bonus(words);
        for hypothesis in found {
            let unscored = alone.iter().find(|other| other.words == hypothesis.words).unwrap();
            let mut last = None;
            let pairs = hypothesis.words.iter().chain([&WordId(0)]).map(|&word| bonus.score(last.replace(word), word));
            let sum = unscored.log_prob + weight * pairs.sum::<f32>();
            assert!((sum - hypothesis.log_prob).abs() < 1e-4, "{name}: {sum} {}", hypothesis.log_prob);
        }
    }
}
