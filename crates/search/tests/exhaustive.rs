//! Search against the oracle: with a beam as wide as the search space nothing is lost.

use metaphrase_base::WordId;
use metaphrase_search::{Hypothesis, Options, Outcome, Searcher, Stop, Task};
use metaphrase_testkit::{FakeModel, exhaustive};

fn source(words: &[u32]) -> Vec<WordId> {
    words.iter().copied().map(WordId).collect()
}

fn search(model: &FakeModel, options: &Options, tasks: &[Task]) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut tasks = tasks.iter().cloned();
    Searcher::new(model, options.clone())
        .expect("usable options")
        .run(|| tasks.next(), |outcome| outcomes.push(outcome));
    outcomes.sort_by_key(|o| o.id);
    outcomes
}

fn score(options: &Options, log_prob: f32, length: usize) -> f32 {
    (log_prob - options.word_penalty * length as f32) / (length as f32).powf(options.normalize)
}

/// 4 words, at most 5 of them: 3^4 = 81 histories at the last step; a beam of 400 loses nothing.
#[test]
fn a_beam_that_holds_everything_finds_the_best() {
    for seed in 0..20 {
        let model = FakeModel::random(seed, 4, 3.0);
        for (normalize, word_penalty) in [(0.0, 0.0), (1.0, 0.0), (0.7, 0.3)] {
            let options = Options {
                beam_size: 400,
                n_best: 30,
                normalize,
                word_penalty,
                max_length_factor: 5.0,
                stop: Stop::Fill,
                ..Options::default()
            };
            let oracle = exhaustive(&model, &source(&[1]), 5, |log_prob, length| score(&options, log_prob, length));
            let found = search(&model, &options, &[Task::translate(0, source(&[1]))]);
            assert_eq!(found[0].hypotheses.len(), 30);
            for (hypothesis, expected) in found[0].hypotheses.iter().zip(&oracle) {
                assert_eq!(hypothesis.words, expected.words, "seed {seed} {normalize}");
                assert_eq!(hypothesis.score, expected.score);
                assert_eq!(hypothesis.log_prob, expected.log_prob);
            }
        }
    }
}

/// `Shrink` with a beam that holds everything: the same list, and below it what the length limit cut off.
#[test]
fn both_ways_to_finish_agree_when_nothing_is_pruned() {
    for seed in 0..20 {
        let model = FakeModel::random(seed, 4, 4.0);
        let fill =
            Options { beam_size: 400, n_best: 400, max_length_factor: 4.0, stop: Stop::Fill, ..Options::default() };
        let shrink = Options { stop: Stop::Shrink, ..fill.clone() };
        let task = [Task::translate(0, source(&[2]))];
        let complete = |outcome: &Outcome| -> Vec<Hypothesis> {
            outcome.hypotheses.iter().filter(|h| h.complete).cloned().collect()
        };
        let (fill, shrink) = (search(&model, &fill, &task), search(&model, &shrink, &task));
        assert_eq!(complete(&fill[0]), complete(&shrink[0]), "seed {seed}");
        assert!(fill[0].hypotheses.iter().all(|h| h.complete));
        assert!(shrink[0].hypotheses.iter().any(|h| !h.complete), "Marian keeps what the limit cut off");
    }
}

/// A small beam never finds better than the best, and mostly finds it.
#[test]
fn a_small_beam_is_close() {
    let mut equal = 0;
    for seed in 0..50 {
        let model = FakeModel::random(seed, 5, 6.0);
        let options = Options { beam_size: 8, max_length_factor: 5.0, stop: Stop::Fill, ..Options::default() };
        let oracle = exhaustive(&model, &source(&[3]), 5, |log_prob, length| score(&options, log_prob, length));
        let found = search(&model, &options, &[Task::translate(0, source(&[3]))]);
        assert!(found[0].hypotheses[0].score <= oracle[0].score);
        equal += usize::from(found[0].hypotheses[0].words == oracle[0].words);
    }
    assert!(equal >= 35, "{equal} of 50");
}

/// The score of a given translation is the score that the search gave it, to the bit.
#[test]
fn scoring_agrees_with_searching() {
    let model = FakeModel::random(5, 6, 4.0);
    let options = Options { n_best: 6, ..Options::default() };
    let found = search(&model, &options, &[Task::translate(0, source(&[1, 2]))]);
    let tasks: Vec<Task> = found[0]
        .hypotheses
        .iter()
        .enumerate()
        .map(|(id, hypothesis)| {
            let mut target = hypothesis.words.clone();
            target.extend(hypothesis.complete.then_some(WordId(0)));
            Task::score(id, source(&[1, 2]), target)
        })
        .collect();
    for (scored, hypothesis) in search(&model, &Options::default(), &tasks).iter().zip(&found[0].hypotheses) {
        if hypothesis.complete {
            assert_eq!(scored.hypotheses, core::slice::from_ref(hypothesis));
        }
    }
}
