//! Shortlists: a model scores the words of a sentence's list as it scores all words, normalised over the list; with a
//! list of all words nothing changes; what a sentence gets does not depend on the lists of the others.

use crate::common::{fixtures, marian_options};
use metaphrase_base::{
    Parent, Row, SentId, Sentence, Shortlist, Step, StepDemand, StepModel, StepRow, StepScores, WordId,
};
use metaphrase_models::{Model, Precision};
use metaphrase_search::{Options, Outcome, SamplingPool, Searcher, Strategy, Task};

/// A Transformer, an SSRU, recurrent models, one with layers on top, and an ensemble.
fn models() -> Vec<(String, Model)> {
    let transformers =
        ["post-relu-tied-all", "pre-gelu-tied-src", "ssru-pre-projection"].map(|name| ("transformer", name));
    let recurrent = ["amun", "nematus-norm-deep", "s2s-lstm-uni-tied"].map(|name| ("recurrent", name));
    let load = |(folder, name): (&str, &str), precision| {
        let (config, weights) = metaphrase_models::load(&fixtures(folder).join(format!("{name}.npz"))).unwrap();
        Model::with_precision(config, &weights, precision).unwrap()
    };
    let names = transformers.into_iter().chain(recurrent);
    let mut models: Vec<_> = names.map(|name| (name.1.to_owned(), load(name, Precision::F32))).collect();
    for precision in [Precision::Bf16, Precision::Int8] {
        models.push((format!("{precision:?}"), load(("transformer", "post-relu-tied-all"), precision)));
    }
    let two = ["s2s-ssru", "amun"].map(|name| load(("recurrent", name), Precision::F32));
    models.push(("ensemble".into(), Model::ensemble(two.into(), &[0.7, 0.3]).unwrap()));
    models
}

fn sentences() -> Vec<Vec<WordId>> {
    let word = |i: usize, j: usize| WordId(2 + ((7 * i + 5 * j + i * j) % 15) as u32);
    (0..12).map(|i| (0..(5 * i) % 13).map(|j| word(i, j)).chain([WordId(0)]).collect()).collect()
}

/// A list for a sentence; every third sentence has none.
fn list(model: &Model, number: usize, source: &[WordId]) -> Option<Shortlist> {
    let words = model.facts().target_words;
    let word = |j: usize| WordId::new((number * 11 + j * 7 + source.len()) % words);
    (number % 3 != 2).then(|| Shortlist::new((0..words / 3).map(word).collect()))
}

fn all_words(model: &Model) -> Shortlist {
    Shortlist::new((0..model.facts().target_words).map(WordId::new).collect())
}

fn search(
    model: &Model,
    options: &Options,
    batch_tokens: usize,
    list: impl Fn(usize, &[WordId]) -> Option<Shortlist>,
) -> Vec<Outcome<usize>> {
    let options = options.clone().check(model).unwrap();
    let mut tasks = sentences().into_iter().enumerate().map(|(i, source)| {
        let shortlist = list(i, &source);
        Task { shortlist, ..Task::new(i, source, &options) }
    });
    let mut outcomes = Vec::new();
    Searcher::new(model, batch_tokens).run(|| tasks.next(), |outcome| outcomes.push(outcome));
    outcomes.sort_by_key(|outcome| outcome.tag);
    outcomes
}

fn ways(model: &Model) -> Vec<Options> {
    let plain = Options { attention: true, ..marian_options(model, 5, 1.0) };
    let strategies = [Strategy::Beam, Strategy::Cube { merge_words: 1 }, Strategy::AcceleratedCube { merge_words: 1 }];
    let mut ways: Vec<_> = strategies.map(|strategy| Options { strategy, ..plain.clone() }).into();
    ways.push(Options { sampling: Some(SamplingPool::Full.at(1.0)), n_best: 2, ..plain });
    ways
}

#[test]
fn a_list_of_all_words_changes_no_bit() {
    for (name, model) in models() {
        for options in ways(&model) {
            let plain = search(&model, &options, 37, |_, _| None);
            let listed = search(&model, &options, 37, |_, _| Some(all_words(&model)));
            assert_eq!(listed, plain, "{name}, {:?}", options.strategy);
            let some = search(&model, &options, 37, |i, _| (i % 2 == 0).then(|| all_words(&model)));
            assert_eq!(some, plain, "{name}, {:?}, half of the sentences", options.strategy);
        }
    }
}

#[test]
fn a_list_is_a_sentence_s_own_in_any_batch() {
    for (name, model) in models() {
        for options in ways(&model) {
            let alone = search(&model, &options, 1, |i, source| list(&model, i, source));
            for batch_tokens in [10, 1000] {
                let together = search(&model, &options, batch_tokens, |i, source| list(&model, i, source));
                assert_eq!(together, alone, "{name}, {:?}, batch {batch_tokens}", options.strategy);
            }
            for (outcome, source) in alone.iter().zip(sentences()) {
                let Some(list) = list(&model, outcome.tag, &source) else { continue };
                let mut words = outcome.hypotheses.iter().flat_map(|hypothesis| &hypothesis.words);
                assert!(words.all(|&word| list.place(word).is_some()), "{name}");
            }
        }
    }
}

/// The plain form: all words are scored, those of the list are normalised again.
#[test]
fn listed_words_are_scored_as_all_words_are() {
    for (name, model) in models() {
        if name == "ensemble" {
            continue; // its members are normalised before they vote
        }
        let (mut state, mut scores) = (model.new_state(), model.new_scores());
        let (mut all, mut listed) = (vec![0.0; model.facts().target_words], vec![0.0; model.facts().target_words]);
        let source = &sentences()[2];
        let shortlist = list(&model, 0, source).unwrap();
        let sentence = |slot| Sentence::new(SentId(slot), source);
        model.encode(&[sentence(0), Sentence { shortlist: Some(&shortlist), ..sentence(1) }], &mut state);
        let mut parent = [None, None];
        for step in 0..6u32 {
            let rows = [0, 1].map(|slot| StepRow { sentence: SentId(slot), parent: parent[slot as usize] });
            model.step(Step::New, StepDemand::ANYTHING, &rows, &mut state, &mut scores);
            scores.row(Row(0), &mut all);
            scores.row(Row(1), &mut listed);
            let mass: f32 = shortlist.words().iter().map(|word| all[word.index()].exp()).sum();
            for (word, (all, listed)) in all.iter().zip(&listed).enumerate() {
                match shortlist.place(WordId::new(word)) {
                    None => assert_eq!(*listed, f32::NEG_INFINITY),
                    Some(_) => assert!((all - mass.ln() - listed).abs() < 1e-4, "{name}: {all} {listed}"),
                }
            }
            parent = [0, 1].map(|row| Some(Parent { row: Row(row), word: WordId(2 + step) }));
        }
    }
}
