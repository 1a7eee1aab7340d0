//! The hypotheses that are dropped early, and those that are not.

use crate::common::{one, sentence, words};
use metaphrase_search::{Options, OptionsError, Stop};
use metaphrase_testkit::FakeModel;

#[test]
fn a_relative_beam_of_one_keeps_the_best_alone() {
    for seed in 0..10 {
        let model = FakeModel::random(seed, 9, 4.0);
        let greedy = one(&model, &Options { beam_size: 1, ..Options::default() }, &sentence(&[1, 2]));
        let pruned = one(&model, &Options { beam_size: 6, beam_width: 1.0, ..Options::default() }, &sentence(&[1, 2]));
        assert_eq!(pruned.hypotheses[0].words, greedy.hypotheses[0].words);
        assert_eq!(pruned.counts.hypotheses, pruned.counts.steps, "one hypothesis a step");
    }
}

#[test]
fn pruning_saves_rows_and_wide_margins_change_nothing() {
    let (mut full, mut narrow) = (0, 0);
    for seed in 0..10 {
        let model = FakeModel::random(seed, 9, 6.0);
        let source = sentence(&[1, 2, 3]);
        let stop = Stop::FILL;
        let plain = Options { stop, ..Options::default() };
        let free = one(&model, &plain, &source);
        let wide = Options { beam_width: 1e-30, prune_threshold: Some(60.0), stop_margin: 60.0, ..plain.clone() };
        assert_eq!(one(&model, &wide, &source).hypotheses, free.hypotheses);
        full += free.counts.rows;
        for options in [
            Options { beam_width: 0.1, ..plain.clone() },
            Options { prune_threshold: Some(1.0), ..plain.clone() },
            Options { stop_margin: 1.0, ..plain.clone() },
        ] {
            let counts = one(&model, &options, &source).counts;
            assert!(counts.rows <= free.counts.rows);
            narrow += counts.rows;
        }
    }
    assert!(narrow < 3 * full, "{narrow} {full}");
}

#[test]
fn the_margin_ends_a_sentence_that_can_only_get_worse() {
    // Ends at once with -0.1 or continues with -2.5: δ = 2.
    let model = FakeModel::new(3, |_, _| vec![-0.1, -2.5, -3.5]);
    let options = Options { stop: Stop::FILL, normalize: 0.0, ..Options::default() };
    let counts = one(&model, &Options { stop_margin: 2.0, ..options.clone() }, &sentence(&[1; 9])).counts;
    assert_eq!(counts.steps, 1);
    // With normalisation by length a longer one may still win, so a search with the safe bound alone continues.
    let normalised = Options { normalize: 1.0, ..options };
    let counts = one(&model, &normalised, &sentence(&[1; 9])).counts;
    assert!(counts.steps > 1);
    assert_eq!(one(&model, &normalised, &sentence(&[1; 9])).hypotheses[0].words, words(&[]));
}

#[test]
fn numbers_out_of_range_are_refused() {
    let model = FakeModel::random(1, 4, 1.0);
    for options in [
        Options { beam_width: 1.5, ..Options::default() },
        Options { beam_width: f32::NAN, ..Options::default() },
        Options { prune_threshold: Some(-1.0), ..Options::default() },
        Options { stop_margin: -1.0, ..Options::default() },
    ] {
        assert!(matches!(options.check(&model), Err(OptionsError::Option(_))));
    }
}
