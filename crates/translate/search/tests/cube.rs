//! Cube pruning (Zhang et al. 2018) against plain beam search.

use crate::common::{Sentence, one, sentence, words};
use metaphrase_base::WordId;
use metaphrase_search::{Constraints, Options, Outcome, Strategy};
use metaphrase_testkit::{AvoidedWords, FakeModel};

/// The scores depend on the last word alone, so hypotheses with the same last word are really alike.
fn bigrams(seed: u64) -> FakeModel {
    let random = FakeModel::random(seed, 9, 4.0);
    FakeModel::new(9, move |source, so_far| {
        let state = so_far.last().map_or(&[][..], core::slice::from_ref);
        random.log_probs(source, state)
    })
}

/// As in the paper, hypotheses with the same last word are merged.
const CUBE: Strategy = Strategy::Cube { merge_words: 1 };
const ACCELERATED: Strategy = Strategy::AcceleratedCube { merge_words: 1 };

fn options(strategy: Strategy, beam_size: usize) -> Options {
    Options { strategy, beam_size, n_best: beam_size, ..Options::default() }
}

#[test]
fn where_last_words_say_all_nothing_is_lost() {
    let (mut hypotheses, mut groups) = (0, 0);
    for seed in 0..20 {
        let model = bigrams(seed);
        let source = sentence(&[1, 2, 3]);
        let constraints =
            Constraints::new(&[vec![words(&[4, 5])], vec![words(&[6])]], AvoidedWords::new(&[words(&[2])]), None)
                .unwrap();
        let guided = Sentence { constraints: Some(constraints), ..source.clone() };
        for (given, beam_size) in [(&source, 6), (&source, 20), (&guided, 6)] {
            let full = one(&model, &options(Strategy::Beam, beam_size), given);
            for strategy in [CUBE, ACCELERATED] {
                let cube = one(&model, &options(strategy, beam_size), given);
                assert_eq!(cube.hypotheses, full.hypotheses, "seed {seed} {strategy:?}");
                assert_eq!(cube.counts.hypotheses, full.counts.hypotheses);
                hypotheses += cube.counts.hypotheses;
                groups += cube.counts.groups;
            }
        }
    }
    assert!(groups * 5 < hypotheses * 4, "{groups} groups of {hypotheses}: they were merged");
}

/// The scores of found translations, and the scores of the same translations when they are given.
fn true_scores(model: &FakeModel, found: &Outcome<usize>) -> Vec<(f32, f32)> {
    let given = |hypothesis: &metaphrase_search::Hypothesis| {
        let prefix: Vec<WordId> = hypothesis.words.iter().copied().chain([WordId(0)]).collect();
        one(model, &Options::default(), &Sentence { prefix, ..sentence(&[1, 2, 3]) }).hypotheses[0].log_prob
    };
    found.hypotheses.iter().filter(|h| h.complete).map(|h| (h.log_prob, given(h))).collect()
}

#[test]
fn naive_cube_pruning_scores_exactly_and_accelerated_does_not() {
    let (mut approximate, mut rescored) = (0, 0);
    for seed in 0..20 {
        let model = FakeModel::random(seed, 9, 4.0);
        let source = sentence(&[1, 2, 3]);
        let exact = one(&model, &options(CUBE, 8), &source);
        let scores = true_scores(&model, &exact);
        assert!(scores.iter().all(|(found, given)| found == given), "seed {seed}: {scores:?}");
        rescored += exact.counts.rows - exact.counts.groups;
        let fast = one(&model, &options(ACCELERATED, 8), &source);
        assert_eq!(fast.counts.rows, fast.counts.groups);
        approximate += true_scores(&model, &fast).iter().filter(|(found, given)| found != given).count();
    }
    assert!(rescored > 0, "some hypotheses were scored again");
    assert!(approximate > 0, "shared states give other scores");
}

#[test]
fn a_beam_of_one_has_nothing_to_merge() {
    let model = FakeModel::random(3, 9, 4.0);
    let plain = one(&model, &options(Strategy::Beam, 1), &sentence(&[1, 2, 3]));
    for strategy in [CUBE, ACCELERATED] {
        assert_eq!(one(&model, &options(strategy, 1), &sentence(&[1, 2, 3])), plain);
    }
}
