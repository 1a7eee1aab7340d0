//! Search against the oracle: with a beam as wide as the search space nothing is lost.

use crate::common::{Sentence, one, search, sentence, words};
use metaphrase_base::WordId;
use metaphrase_search::{ByteWords, Constraints, Hypothesis, Options, Outcome, SamplingPool, Stop, Strategy};
use metaphrase_testkit::{FakeModel, exhaustive};

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
                stop: Stop::FILL,
                ..Options::default()
            };
            let oracle = exhaustive(&model, &words(&[1]), 5, |log_prob, length| score(&options, log_prob, length));
            let found = one(&model, &options, &sentence(&[1]));
            assert_eq!(found.hypotheses.len(), 30);
            for (hypothesis, expected) in found.hypotheses.iter().zip(&oracle) {
                assert_eq!(hypothesis.words, expected.words, "seed {seed} {normalize}");
                assert_eq!(hypothesis.score, expected.score);
                assert_eq!(hypothesis.log_prob, expected.log_prob);
            }
        }
    }
}

/// Words 1 to 3 are the bytes C3, A4 and 61: hypotheses that break a character off are those that are missing.
#[test]
fn no_character_is_broken() {
    let bytes = [0xC3, 0xA4, 0x61];
    let pairs = (1..).map(WordId).zip(bytes);
    for seed in 0..20 {
        let model = FakeModel::random(seed, 5, 3.0);
        let options = Options {
            beam_size: 700,
            n_best: 30,
            max_length_factor: 5.0,
            stop: Stop::FILL,
            bytes: ByteWords::new(pairs.clone()),
            ..Options::default()
        };
        let mut oracle = exhaustive(&model, &words(&[1]), 5, |log_prob, length| score(&options, log_prob, length));
        // The other word stands for a letter.
        let text = |words: &[WordId]| -> Vec<u8> {
            words.iter().map(|word| bytes.get(word.index().wrapping_sub(1)).copied().unwrap_or(b'x')).collect()
        };
        let all = oracle.len();
        oracle.retain(|hypothesis| str::from_utf8(&text(&hypothesis.words)).is_ok());
        assert!(oracle.len() > 30 && oracle.len() < all / 2);
        let found = one(&model, &options, &sentence(&[1]));
        for (hypothesis, expected) in found.hypotheses.iter().zip(&oracle) {
            assert_eq!((&hypothesis.words, hypothesis.score), (&expected.words, expected.score), "seed {seed}");
        }
        let sampling = Some(SamplingPool::Full.at(2.0));
        let mut all = vec![Options { sampling, stop: Stop::Shrink, ..options.clone() }];
        let small = Options { beam_size: 4, n_best: 4, ..options };
        all.extend([Stop::Shrink, Stop::Wait, Stop::FILL, Stop::Collect].map(|stop| Options { stop, ..small.clone() }));
        let strategies = [Strategy::Grid, Strategy::States, Strategy::CUBE, Strategy::ACCELERATED_CUBE];
        all.extend(strategies.map(|strategy| Options { strategy, ..small.clone() }));
        for (options, terms) in all.iter().flat_map(|options| [(options, false), (options, true)]) {
            let term = Constraints::new(&[vec![words(&[4, 3])]], None, None).unwrap();
            let constraints = Some(term).filter(|_| terms && options.sampling.is_none());
            let found = one(&model, options, &Sentence { constraints, ..sentence(&[1]) });
            for hypothesis in &found.hypotheses {
                assert!(str::from_utf8(&text(&hypothesis.words)).is_ok(), "{options:?}: {hypothesis:?}");
            }
        }
    }
}

/// The best of the hypotheses that are long enough; no strategy has a shorter one.
#[test]
fn no_hypothesis_is_too_short() {
    for seed in 0..20 {
        let model = FakeModel::random(seed, 4, 3.0);
        let min_target_length = 1 + seed as usize % 3;
        let options =
            Options { beam_size: 400, n_best: 30, max_length_factor: 5.0, stop: Stop::FILL, ..Options::default() };
        let options = Options { min_target_length, ..options };
        let mut oracle = exhaustive(&model, &words(&[1]), 5, |log_prob, length| score(&options, log_prob, length));
        let all = oracle.len();
        oracle.retain(|hypothesis| hypothesis.words.len() >= min_target_length);
        assert!(oracle.len() > 30 && oracle.len() < all);
        let found = one(&model, &options, &sentence(&[1]));
        assert_eq!(found.hypotheses.len(), 30);
        for (hypothesis, expected) in found.hypotheses.iter().zip(&oracle) {
            assert_eq!((&hypothesis.words, hypothesis.score), (&expected.words, expected.score), "seed {seed}");
        }
        let small = Options { beam_size: 3, n_best: 3, ..options.clone() };
        let mut all = vec![Options { sampling: Some(SamplingPool::Full.at(2.0)), ..options }];
        all.extend([Stop::Shrink, Stop::Wait, Stop::FILL, Stop::Collect].map(|stop| Options { stop, ..small.clone() }));
        all.push(Options { stop: Stop::Fill { ends_beside: true }, ..small.clone() });
        let strategies = [Strategy::Grid, Strategy::States, Strategy::CUBE, Strategy::ACCELERATED_CUBE];
        all.extend(strategies.map(|strategy| Options { strategy, ..small.clone() }));
        for (options, terms) in all.iter().flat_map(|options| [(options, false), (options, true)]) {
            let term = Constraints::new(&[vec![words(&[3])]], None, None).unwrap();
            let constraints = Some(term).filter(|_| terms && options.sampling.is_none());
            let found = one(&model, options, &Sentence { constraints, ..sentence(&[1]) });
            assert!(!found.hypotheses.is_empty());
            for hypothesis in &found.hypotheses {
                assert!(hypothesis.words.len() >= min_target_length, "{options:?}: {hypothesis:?}");
            }
        }
    }
}

/// A model that has begun a character and has no byte to end it still translates.
#[test]
fn a_broken_character_is_better_than_none() {
    let model = FakeModel::new(3, |_, words| match words {
        [] => vec![f32::NEG_INFINITY, 0.0, f32::NEG_INFINITY],
        _ => vec![0.0, f32::NEG_INFINITY, f32::NEG_INFINITY],
    });
    let options = Options { bytes: ByteWords::new([(WordId(1), 0xC3), (WordId(2), 0xA4)]), ..Options::default() };
    assert_eq!(one(&model, &options, &sentence(&[1])).hypotheses[0].words, words(&[1]));
}

/// `Shrink` with a beam that holds everything: the same list, and below it what the length limit cut off.
#[test]
fn both_ways_to_finish_agree_when_nothing_is_pruned() {
    for seed in 0..20 {
        let model = FakeModel::random(seed, 4, 4.0);
        let fill =
            Options { beam_size: 400, n_best: 400, max_length_factor: 4.0, stop: Stop::FILL, ..Options::default() };
        let shrink = Options { stop: Stop::Shrink, ..fill.clone() };
        let source = sentence(&[2]);
        let complete = |outcome: &Outcome<usize>| -> Vec<Hypothesis> {
            outcome.hypotheses.iter().filter(|h| h.complete).cloned().collect()
        };
        let (fill, shrink) = (one(&model, &fill, &source), one(&model, &shrink, &source));
        assert_eq!(complete(&fill), complete(&shrink), "seed {seed}");
        assert!(fill.hypotheses.iter().all(|h| h.complete));
        assert!(shrink.hypotheses.iter().any(|h| !h.complete), "Marian keeps what the limit cut off");
    }
}

/// A small beam never finds better than the best, and mostly finds it.
#[test]
fn a_small_beam_is_close() {
    let mut equal = 0;
    for seed in 0..50 {
        let model = FakeModel::random(seed, 5, 6.0);
        let options = Options { beam_size: 8, max_length_factor: 5.0, stop: Stop::FILL, ..Options::default() };
        let oracle = exhaustive(&model, &words(&[3]), 5, |log_prob, length| score(&options, log_prob, length));
        let found = one(&model, &options, &sentence(&[3]));
        assert!(found.hypotheses[0].score <= oracle[0].score);
        equal += usize::from(found.hypotheses[0].words == oracle[0].words);
    }
    assert!(equal >= 35, "{equal} of 50");
}

/// The score of a given translation is, to the bit, the score that the search found for it.
#[test]
fn scoring_agrees_with_searching() {
    let model = FakeModel::random(5, 6, 4.0);
    let options = Options { n_best: 6, ..Options::default() };
    let found = one(&model, &options, &sentence(&[1, 2]));
    let given = |(id, hypothesis): (usize, &Hypothesis)| {
        let prefix = hypothesis.words.iter().copied().chain(hypothesis.complete.then_some(WordId(0))).collect();
        Sentence { id, prefix, ..sentence(&[1, 2]) }
    };
    let given: Vec<Sentence> = found.hypotheses.iter().enumerate().map(given).collect();
    let scored = search(&model, &Options::default(), 64, &given);
    let complete = || found.hypotheses.iter().zip(&scored).filter(|(hypothesis, _)| hypothesis.complete);
    assert!(complete().count() > 0);
    for (hypothesis, scored) in complete() {
        assert_eq!(scored.hypotheses, core::slice::from_ref(hypothesis));
    }
}
