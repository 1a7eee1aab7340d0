//! The promises of a search, one behaviour a test, on scripted models.

use crate::common::{Sentence, one, search, sentence, words};
use metaphrase_base::{OptionFault, WordId};
use metaphrase_search::{Hypothesis, Options, OptionsError, Outcome, SamplingPool, Searcher, Stop, Strategy, Task};
use metaphrase_testkit::FakeModel;

const END: WordId = WordId(0);

/// Sentences of all lengths, more than fit in a batch, some with a prefix.
fn many() -> Vec<Sentence> {
    let sentence = |id: u32| Sentence {
        id: id as usize,
        source: (0..1 + id * 7 % 13).map(|j| WordId(id * 31 + j)).chain([END]).collect(),
        prefix: words(if id.is_multiple_of(5) { &[2, 3] } else { &[] }),
        seed: u64::from(id),
        scorer: None,
        constraints: None,
    };
    (0..60).map(sentence).collect()
}

#[test]
fn a_sentence_in_a_batch_equals_itself_alone() {
    let model = FakeModel::random(11, 9, 4.0);
    for stop in [Stop::Shrink, Stop::FILL] {
        for sampling in [None, Some(SamplingPool::Full.at(1.0))] {
            let options = Options { beam_size: 4, n_best: 4, stop, sampling, attention: true, ..Options::default() };
            let alone: Vec<Outcome<usize>> = many().iter().map(|s| one(&model, &options, s)).collect();
            for batch in [1, 2, 7, 64, 10_000] {
                assert_eq!(search(&model, &options, batch, &many()), alone, "{batch} {stop:?} {sampling:?}");
                let mut shuffled = many();
                shuffled.sort_by_key(|s| s.id * 37 % 60);
                assert_eq!(search(&model, &options, batch, &shuffled), alone, "shuffled");
            }
        }
    }
}

#[test]
fn a_batch_without_room_is_divided_until_it_has_room() {
    let model = || FakeModel::random(11, 9, 4.0);
    for (strategy, room) in [(Strategy::Beam, 9), (Strategy::CUBE, 13)] {
        let options = Options { beam_size: 4, n_best: 4, strategy, ..Options::default() };
        let (expected, small) = (search(&model(), &options, 1, &many()), model().with_room(room));
        for batch in [1, 7, 64, 10_000] {
            assert_eq!(search(&small, &options, batch, &many()), expected, "{batch} {strategy:?}");
        }
    }
    // A sentence alone that has no room has no translation.
    let options = Options { beam_size: 4, ..Options::default() };
    let outcomes = search(&model().with_room(2), &options, 64, &many());
    assert_eq!(outcomes.len(), many().len());
    assert!(outcomes.iter().all(|outcome| outcome.hypotheses.is_empty()));
}

#[test]
fn a_finished_hypothesis_leaves_the_beam_or_its_place_is_filled() {
    let script = |_: &[WordId], so_far: &[WordId]| match so_far {
        [] => vec![-0.5, -1.0, -2.0],
        [WordId(1)] => vec![-3.0, -0.1, -0.2],
        [WordId(1), WordId(1)] => vec![-2.0, -1.5, -4.0],
        _ => vec![-0.1, -3.0, -4.0],
    };
    let model = FakeModel::new(3, script);
    let shrink = Options { beam_size: 2, n_best: 2, normalize: 0.0, ..Options::default() };
    let fill = Options { stop: Stop::FILL, ..shrink.clone() };
    let texts = |options| {
        let outcome = one(&model, options, &sentence(&[5, 0]));
        outcome.hypotheses.into_iter().map(|h| (h.words, h.score)).collect::<Vec<_>>()
    };
    // Both take the end at once. Marian continues with one place: "1", "1 1", "1 1 1", and ends there.
    assert_eq!(texts(&shrink), [(vec![], -0.5), (words(&[1, 1, 1]), -1.0 + -0.1 + -1.5 + -0.1)]);
    // Algorithm 1 fills the place up with "1 2", which ends better.
    assert_eq!(texts(&fill), [(vec![], -0.5), (words(&[1, 2]), -1.0 + -0.2 + -0.1)]);
}

#[test]
fn an_end_that_never_survives_is_kept_on_the_second_stack() {
    // Ending is always possible and never among the best two.
    let model = FakeModel::new(4, |_, so_far| vec![-5.0 + so_far.len() as f32, -0.5, -1.0, -9.0]);
    let options =
        Options { beam_size: 2, stop: Stop::FILL, max_length_factor: 1.0, normalize: 0.0, ..Options::default() };
    let outcome = one(&model, &options, &sentence(&[4, 4, 0]));
    // At length 1, 2, 3: -5.0; -0.5 + -4.0; -0.5 + -0.5 + -3.0 = -4.0, the best.
    assert_eq!(outcome.hypotheses[0].words, words(&[1, 1]));
    assert!(outcome.hypotheses[0].complete);
    assert_eq!(outcome.hypotheses[0].score, -4.0);
    // Marian instead returns the hypotheses that the limit cut off.
    let marian = one(&model, &Options { stop: Stop::Shrink, ..options }, &sentence(&[4, 4, 0]));
    assert_eq!(marian.hypotheses[0].words, words(&[1, 1, 1]));
    assert!(!marian.hypotheses[0].complete);
    assert_eq!(marian.hypotheses[0].score, -1.5);
}

#[test]
fn every_hypothesis_starts_with_the_prefix() {
    let model = FakeModel::random(3, 8, 3.0);
    let prefix = words(&[7, 3, 5]);
    for sampling in [None, Some(SamplingPool::TopK(3).at(0.8))] {
        let options = Options { n_best: 5, sampling, ..Options::default() };
        let prefixed = Sentence { prefix: prefix.clone(), ..sentence(&[9, 9, 9, 0]) };
        let outcome = one(&model, &options, &prefixed);
        assert_eq!(outcome.hypotheses.len(), 5);
        assert!(outcome.hypotheses.iter().all(|h| h.words.starts_with(&prefix)));
    }
}

#[test]
fn the_word_of_a_language_is_read_without_a_score() {
    // After word 3, which is improbable, 1 and then the end are likely.
    let script = |_: &[WordId], so_far: &[WordId]| match so_far {
        [WordId(3)] => vec![-2.0, -0.5, -1.0, -9.0],
        [WordId(3), ..] => vec![-0.25, -3.0, -4.0, -9.0],
        _ => vec![-1.0, -9.0, -0.1, -7.0],
    };
    let model = FakeModel::new(4, script);
    let options = Options { beam_size: 2, n_best: 2, normalize: 1.0, explored: true, ..Options::default() };
    let task = |prefix: &[u32]| Task {
        prefix: words(prefix),
        language_words: 1,
        ..Task::new((), words(&[5, 0]), &options.clone().check(&model).expect("usable options"))
    };
    let run = |prefix: &[u32]| {
        let (mut tasks, mut outcomes) = (vec![task(prefix)].into_iter(), Vec::new());
        Searcher::new(&model, 1).run(|| tasks.next(), |outcome| outcomes.push(outcome));
        outcomes.remove(0)
    };
    let best = &run(&[3]).hypotheses[0];
    assert_eq!((&best.words, best.log_prob), (&words(&[1]), -0.5 + -0.25));
    // The word counts in the length, as in Hugging Face's search.
    assert_eq!((best.score, &best.word_log_probs[..]), (-0.75 / 3.0, &[-0.5, -0.25][..]));
    let explored = run(&[3]).explored;
    assert!(explored.iter().all(|found| found.word != WordId(3)) && explored[0].parent.is_none(), "{explored:?}");
    // A prefix and a given translation follow it.
    let given = &run(&[3, 2]).hypotheses[0];
    assert_eq!((&given.words, given.log_prob), (&words(&[2]), -1.0 + -0.25));
    assert_eq!(run(&[3, 2, 0]).hypotheses[0].log_prob, -1.0 + -0.25);
}

#[test]
fn excluded_words_never_appear() {
    let model = FakeModel::new(4, |_, _| vec![-4.0, -0.1, -3.0, -3.5]);
    let options = Options { n_best: 6, excluded: words(&[1]), ..Options::default() };
    for sampling in [None, Some(SamplingPool::Full.at(2.0))] {
        let outcome = one(&model, &Options { sampling, ..options.clone() }, &sentence(&[9, 9, 0]));
        assert!(outcome.hypotheses.iter().all(|h| !h.words.contains(&WordId(1))), "{outcome:?}");
    }
}

#[test]
fn draws_differ_from_each_other_and_repeat_with_the_seed() {
    let model = FakeModel::random(3, 50, 1.0);
    let sampling = Some(SamplingPool::Full.at(1.0));
    // More draws than the beam has places.
    let options = Options { n_best: 4, beam_size: 1, sampling, ..Options::default() };
    let source = sentence(&[9, 9, 9, 9, 0]);
    let first = one(&model, &options, &source);
    assert_eq!(first, one(&model, &options, &source));
    assert_ne!(first, one(&model, &options, &Sentence { seed: 6, ..source }));
    assert_ne!(first.hypotheses[0].words, first.hypotheses[1].words);
}

#[test]
fn attention_follows_the_words() {
    let model = FakeModel::random(3, 8, 3.0);
    let options = Options { attention: true, n_best: 3, ..Options::default() };
    let outcome = one(&model, &options, &sentence(&[9, 8, 0]));
    for hypothesis in &outcome.hypotheses {
        assert_eq!(hypothesis.attention.len(), hypothesis.word_log_probs.len() * 3);
        for (place, weights) in hypothesis.attention.chunks(3).enumerate() {
            assert_eq!(weights.iter().position(|w| *w == 1.0), Some(place % 3));
        }
    }
}

#[test]
fn word_scores_sum_to_the_score() {
    let outcome = one(&FakeModel::random(3, 8, 3.0), &Options::default(), &sentence(&[9, 8, 0]));
    let best = &outcome.hypotheses[0];
    assert_eq!(best.word_log_probs.len(), best.words.len() + usize::from(best.complete));
    assert!((best.word_log_probs.iter().sum::<f32>() - best.log_prob).abs() < 1e-5);
}

#[test]
fn a_model_without_hope_ends_the_sentence() {
    for bad in [f32::NEG_INFINITY, f32::NAN] {
        let model = FakeModel::new(3, move |_, _| vec![bad; 3]);
        for stop in [Stop::Shrink, Stop::FILL] {
            for sampling in [None, Some(SamplingPool::Full.at(1.0))] {
                let options = Options { stop, sampling, ..Options::default() };
                let outcome = one(&model, &options, &sentence(&[1, 0]));
                assert!(outcome.hypotheses.len() <= 1, "{outcome:?}");
            }
        }
    }
}

#[test]
fn options_that_cannot_work_are_refused() {
    let model = FakeModel::random(1, 4, 1.0);
    let refused = |options: Options| options.check(&model).unwrap_err();
    let none = refused(Options { beam_size: 0, ..Options::default() });
    assert_eq!(none.to_string(), "beam_size is 0; it must be a whole number from 1 to 10000");
    assert_eq!(
        refused(Options { n_best: 7, ..Options::default() }).to_string(),
        "7 best hypotheses asked of a beam of 6; use a beam of at least 7"
    );
    let wide = refused(Options { beam_size: 100_000, ..Options::default() });
    assert_eq!(wide.to_string(), "beam_size is 100000; it must be a whole number from 1 to 10000");
    assert_eq!(refused(Options { excluded: vec![END], ..Options::default() }), OptionsError::EndExcluded);
    for options in [
        Options { normalize: f32::NAN, ..Options::default() },
        Options { max_length_factor: 0.0, ..Options::default() },
        Options { sampling: Some(SamplingPool::Nucleus(1.5).at(1.0)), ..Options::default() },
        Options { sampling: Some(SamplingPool::Full.at(0.0)), ..Options::default() },
    ] {
        assert!(matches!(refused(options), OptionsError::Option(OptionFault::Value { .. })));
    }
}

#[test]
fn ends_beside_the_beam_take_no_places() {
    // "1" ends at once and well, so that one place is left for "1 1" and "2 1".
    let script = |_: &[WordId], so_far: &[WordId]| match so_far {
        [] => vec![-9.0, -0.5, -0.75],
        [WordId(1)] => vec![-0.25, -1.0, -8.0],
        [WordId(2)] => vec![-7.0, -0.875, -8.0],
        [WordId(2), WordId(1)] => vec![-0.125, -8.0, -8.0],
        _ => vec![-4.0, -5.0, -6.0],
    };
    let model = FakeModel::new(3, script);
    let inside = Options { beam_size: 2, n_best: 2, stop: Stop::FILL, normalize: 0.0, ..Options::default() };
    let in_addition = Options { stop: Stop::Fill { ends_beside: true }, ..inside.clone() };
    let texts = |options| {
        let outcome = one(&model, options, &sentence(&[5, 5, 0]));
        outcome.hypotheses.into_iter().map(|h| (h.words, h.score)).collect::<Vec<_>>()
    };
    // In the beam: the end of "1" and "1 1" (-1.5) leave no place for "2 1" (-1.625).
    assert_eq!(texts(&inside), [(words(&[1]), -0.75), (words(&[1, 1]), -5.5)]);
    assert_eq!(texts(&in_addition), [(words(&[1]), -0.75), (words(&[2, 1]), -1.75)]);
}

#[test]
fn ends_beside_the_beam_go_with_batches_and_cubes() {
    let model = FakeModel::random(12, 9, 4.0);
    for strategy in [metaphrase_search::Strategy::Beam, metaphrase_search::Strategy::CUBE] {
        let options =
            Options { beam_size: 3, n_best: 3, stop: Stop::Fill { ends_beside: true }, strategy, ..Options::default() };
        let alone: Vec<Outcome<usize>> = many().iter().map(|s| one(&model, &options, s)).collect();
        assert_eq!(search(&model, &options, 64, &many()), alone, "{strategy:?}");
    }
}

#[test]
fn what_was_explored_is_a_tree_with_the_results_in_it() {
    let model = FakeModel::random(4, 8, 3.0);
    for stop in [Stop::Shrink, Stop::FILL] {
        let plain = Options { beam_size: 4, n_best: 3, stop, max_length_factor: 2.0, ..Options::default() };
        for source in many() {
            let outcome = one(&model, &Options { explored: true, ..plain.clone() }, &source);
            let explored = &outcome.explored;
            let words_of = |place: usize| {
                let mut path: Vec<usize> = std::iter::successors(Some(place), |&n| explored[n].parent).collect();
                path.reverse();
                path.into_iter().map(|n| explored[n].word).filter(|&word| word != END).collect::<Vec<_>>()
            };
            assert!(explored.iter().enumerate().all(|(place, node)| node.parent.is_none_or(|parent| parent < place)));
            let best = explored.iter().position(|node| node.best).expect("a best one");
            assert_eq!(words_of(best), outcome.hypotheses[0].words);
            for hypothesis in &outcome.hypotheses {
                let found = (0..explored.len()).find(|&n| explored[n].ended && words_of(n) == hypothesis.words);
                assert_eq!(explored[found.expect("it was explored")].log_prob, hypothesis.log_prob);
            }
            assert_eq!(Outcome { explored: vec![], ..outcome }, one(&model, &plain, &source));
        }
    }
}

#[test]
fn sentences_whose_caller_left_leave_and_others_do_not_notice() {
    let model = FakeModel::random(7, 9, 1.0);
    let options = Options { beam_size: 3, max_length_factor: 20.0, ..Options::default() };
    let sentences: Vec<_> = (0..12).map(|id| Sentence { id, ..sentence(&[3, 4 + id as u32 % 3, 0]) }).collect();
    let expected = search(&model, &options, 1, &sentences);
    let checked = options.check(&model).expect("usable options");
    for leave_after in [0, 1, 5, 40] {
        let mut searcher = Searcher::new(&model, 9);
        let mut outcomes = Vec::new();
        // The second round uses the memory that sentences of the first one left.
        for all_stay in [false, true] {
            let mut tasks = sentences.iter().map(|s| Task::new(s.id, s.source.clone(), &checked));
            let questions = core::cell::Cell::new(0);
            let wanted = |id: &usize| {
                questions.set(questions.get() + 1);
                all_stay || id.is_multiple_of(2) || questions.get() <= leave_after
            };
            outcomes.clear();
            let emit = |outcome| {
                outcomes.push(outcome);
                None
            };
            searcher.run_while(wanted, || tasks.next(), emit);
            outcomes.sort_by_key(|outcome| outcome.tag);
            for outcome in &outcomes {
                assert_eq!(outcome.hypotheses, expected[outcome.tag].hypotheses);
            }
            let even = outcomes.iter().filter(|outcome| outcome.tag.is_multiple_of(2)).count();
            assert_eq!(even, 6);
            assert!(if all_stay { outcomes.len() == 12 } else { outcomes.len() < 12 });
        }
    }
}

#[test]
fn a_further_search_of_a_sentence_finds_what_a_first_one_finds() {
    let model = FakeModel::random(7, 9, 1.0);
    let checked = |beam_size, n_best| {
        let options = Options { beam_size, n_best, max_length_factor: 20.0, ..Options::default() };
        options.check(&model).expect("usable options")
    };
    let (first, further) = (checked(1, 1), checked(4, 3));
    let source = |id: usize| [3, 4 + id as u32 % 3, 0].map(WordId).to_vec();
    let prefix = |id: usize| vec![WordId(2 + id as u32 % 4)];
    let task = |id: usize, searched: usize| match searched {
        0 => Task::new((id, 0), source(id), &first),
        // The same source, and another one.
        1 => Task { prefix: prefix(id), ..Task::new((id, 1), source(id), &further) },
        _ => Task::new((id, 2), source(id + 1), &further),
    };
    let mut expected = Vec::new();
    for searched in 0..3 {
        let mut tasks = (0..12).map(|id| task(id, searched));
        Searcher::new(&model, 9).run(|| tasks.next(), |outcome| expected.push((outcome.tag, outcome.hypotheses)));
    }
    let mut tasks = (0..12).map(|id| task(id, 0));
    let mut found = Vec::new();
    let emit = |outcome: Outcome<(usize, usize)>| {
        let (id, searched) = outcome.tag;
        found.push((outcome.tag, outcome.hypotheses));
        (searched < 2).then(|| task(id, searched + 1))
    };
    Searcher::new(&model, 9).run_while(|_| true, || tasks.next(), emit);
    let tag = |(tag, _): &((usize, usize), Vec<Hypothesis>)| *tag;
    expected.sort_by_key(tag);
    found.sort_by_key(tag);
    assert_eq!(found, expected);
}
