//! Rows that are added to a step are as if they had been in it; ensembles score by the weighted sum of their members.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{fixtures, search};
use metaphrase_base::{Parent, Row, SentId, Sentence, Step, StepDemand, StepModel, StepRow, StepScores, WordId};
use metaphrase_models::{Model, ModelError};
use metaphrase_search::{Options, Strategy};

/// All tiny models.
fn models() -> Vec<(String, Model)> {
    let mut paths = Vec::new();
    for folder in ["transformer", "recurrent"] {
        paths.extend(std::fs::read_dir(fixtures(folder)).unwrap().map(|entry| entry.unwrap().path()));
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "npz"));
    paths.sort();
    assert!(paths.len() > 10, "{paths:?}");
    paths.into_iter().map(|path| (path.display().to_string(), Model::load(&path).unwrap())).collect()
}

/// The outputs of the rows of a step: all scores, and attention.
fn answers(
    model: &Model,
    order: &[usize],
    state: &metaphrase_models::State,
    scores: &mut metaphrase_models::Scores,
) -> Vec<(Vec<f32>, Vec<f32>)> {
    let answer = |row: &usize| {
        let mut words = vec![0.0; model.facts().target_words];
        scores.row(Row::new(*row), &mut words);
        (words, model.attention(state, Row::new(*row)).to_vec())
    };
    order.iter().map(answer).collect()
}

#[test]
fn rows_can_come_in_two_parts() {
    let sentences =
        [vec![WordId(3), WordId(9), WordId(0)], vec![WordId(5), WordId(4), WordId(7), WordId(2), WordId(0)]];
    for (name, model) in models() {
        let (mut whole, mut whole_scores) = (model.new_state(), model.new_scores());
        let (mut parts, mut part_scores) = (model.new_state(), model.new_scores());
        for state in [&mut whole, &mut parts] {
            let with_attention =
                |slot| Sentence { attention: true, ..Sentence::new(SentId(slot), &sentences[slot as usize]) };
            model.encode(&[0, 1].map(with_attention), state);
        }
        // Places of the rows of `whole` among the rows of `parts`.
        let mut places = vec![0, 1];
        let start = |slot| StepRow { sentence: SentId(slot), parent: None };
        model.step(Step::New, StepDemand::ANYTHING, &[start(0), start(1)], &mut whole, &mut whole_scores);
        model.step(Step::New, StepDemand::ANYTHING, &[start(0), start(1)], &mut parts, &mut part_scores);
        for step in 0u32..12 {
            // Three rows of each sentence; every row extends any row of its sentence.
            let step_row = |i: u32| {
                let before = if step == 0 { 1 } else { 3 };
                let row = Row((i / 3) * before + (i + step) % before);
                StepRow { sentence: SentId(i / 3), parent: Some(Parent { row, word: WordId(2 + (3 * i + step) % 9) }) }
            };
            let rows: Vec<StepRow> = (0..6).map(step_row).collect();
            model.step(Step::New, StepDemand::ANYTHING, &rows, &mut whole, &mut whole_scores);
            let moved = |row: &StepRow| {
                let parent = row.parent.unwrap();
                StepRow { parent: Some(Parent { row: Row::new(places[parent.row.index()]), ..parent }), ..*row }
            };
            let first = |i: &usize| !(*i as u32 + step).is_multiple_of(3);
            let (mut order, later): (Vec<usize>, Vec<usize>) = (0..6).partition(first);
            model.step(
                Step::New,
                StepDemand::ANYTHING,
                &order.iter().map(|&i| moved(&rows[i])).collect::<Vec<_>>(),
                &mut parts,
                &mut part_scores,
            );
            model.step(
                Step::Same,
                StepDemand::ANYTHING,
                &later.iter().map(|&i| moved(&rows[i])).collect::<Vec<_>>(),
                &mut parts,
                &mut part_scores,
            );
            order.extend(later);
            places = (0..6).map(|i| order.iter().position(|&at| at == i).unwrap()).collect();
            assert_eq!(
                answers(&model, &places, &parts, &mut part_scores),
                answers(&model, &[0, 1, 2, 3, 4, 5], &whole, &mut whole_scores),
                "{name}, step {step}"
            );
        }
    }
}

fn two() -> [Model; 2] {
    ["s2s-ssru", "amun"].map(|name| Model::load(&fixtures("recurrent").join(format!("{name}.npz"))).unwrap())
}

fn first_scores(model: &Model) -> Vec<f32> {
    let (mut state, mut scores) = (model.new_state(), model.new_scores());
    model.encode(&[Sentence::new(SentId(0), &[WordId(3), WordId(9), WordId(0)])], &mut state);
    model.step(
        Step::New,
        StepDemand::ANYTHING,
        &[StepRow { sentence: SentId(0), parent: None }],
        &mut state,
        &mut scores,
    );
    let mut words = vec![0.0; model.facts().target_words];
    scores.row(Row(0), &mut words);
    words
}

#[test]
fn an_ensemble_sums_weighted_log_probabilities() {
    let [first, second] = two().map(|model| first_scores(&model));
    let ensemble = Model::ensemble(two().into(), &[0.3, 0.7]).unwrap();
    for ((sum, a), b) in first_scores(&ensemble).iter().zip(first).zip(second) {
        assert!((sum - (0.3 * a + 0.7 * b)).abs() < 1e-5, "{sum} {a} {b}");
    }
    let alone = Model::ensemble(two().into_iter().take(1).collect(), &[1.0]).unwrap();
    assert_eq!(first_scores(&alone), first_scores(&two()[0]));
}

#[test]
fn raw_scores_are_those_of_the_output_layer() {
    let [model, _] = two();
    let normalised = first_scores(&model);
    let raw = model.with_raw_scores();
    assert!(!raw.facts().log_probs);
    let normaliser = first_scores(&raw)[0] - normalised[0];
    for (raw, log_prob) in first_scores(&raw).iter().zip(normalised) {
        assert!((raw - normaliser - log_prob).abs() < 1e-4, "they differ by ln Z alone");
    }
}

#[test]
fn ensembles_search_with_every_strategy_in_any_batch() {
    let ensemble = Model::ensemble(two().into(), &[0.5, 0.5]).unwrap();
    let sentence = |i: u32| (0..i % 7).map(|j| WordId(2 + (5 * i + 3 * j) % 15)).chain([WordId(0)]).collect();
    let sentences: Vec<Vec<WordId>> = (0..20).map(sentence).collect();
    for strategy in [Strategy::Beam, Strategy::CUBE, Strategy::ACCELERATED_CUBE] {
        let options = Options { strategy, n_best: 3, attention: true, ..Options::default() };
        let alone = search(&ensemble, &options, 1, &sentences);
        assert_eq!(search(&ensemble, &options, 200, &sentences), alone, "{strategy:?}");
    }
}

#[test]
fn models_that_do_not_go_together_are_refused() {
    let refused = |models: Vec<Model>, weights: &[f32]| match Model::ensemble(models, weights) {
        Err(error @ ModelError::Ensemble { .. }) => error.to_string(),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("accepted"),
    };
    assert!(refused(vec![], &[]).ends_with("there are none"));
    assert!(refused(two().into(), &[1.0]).ends_with("1 weights for 2 models"));
    assert!(refused(two().into(), &[1.0, 0.0]).ends_with("a weight is 0, it must be a positive number"));
    assert!(refused(two().into(), &[1.0, f32::NAN]).contains("NaN"));
    let [first, _] = two();
    let [_, second] = two();
    let mut config = second.config().clone();
    config.end_of_sentence = 1;
    let weights = metaphrase_models::load(&fixtures("recurrent").join("amun.npz")).unwrap().1;
    let other = Model::new(config, &weights).unwrap();
    assert!(refused(vec![first, other], &[0.5, 0.5]).contains("model 2 has 1 as end-of-sentence words"));
}
