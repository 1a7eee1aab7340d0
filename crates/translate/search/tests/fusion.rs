//! A scorer in addition to the model: with every strategy, with and without constraints, search finds the same as with
//! one model that gives the summed scores.

use crate::common::{Sentence, one_of, sentence, words};
use metaphrase_base::{ScoreBuffer, Scorer, Sentence as Encoded, StepModel, WordId, WordScores};
use metaphrase_search::{Constraints, Fused, Options, Stop, Strategy};
use metaphrase_testkit::{AvoidedWords, FakeModel, Pairs, exhaustive};
use std::sync::Arc;

/// A bigram model without weights: the score of a word after another is a function of both.
struct Bigrams;

fn bigram(before: u32, word: u32) -> f32 {
    ((before * 7 + word * 5) % 11) as f32 / -4.0
}

impl Scorer for Bigrams {
    type State = u32;

    fn start(&self, _: &Encoded<'_>) -> u32 {
        99
    }

    fn after(&self, _: u32, word: WordId) -> u32 {
        word.0
    }

    fn scores<'a>(&'a self, state: u32, weight: f32, buffer: &'a mut ScoreBuffer) -> WordScores<'a> {
        buffer.dense.clear();
        buffer.dense.extend((0..9).map(|word| weight * bigram(state, word)));
        WordScores::Dense(&buffer.dense)
    }
}

#[test]
fn fused_scores_are_the_sums() {
    let constraints =
        Constraints::new(&[vec![words(&[4, 5])], vec![words(&[6])]], AvoidedWords::new(&[words(&[2])]), None);
    let constraints = constraints.expect("usable constraints");
    for weight in [0.0, 0.5, -0.2] {
        for seed in 0..5 {
            let random = FakeModel::random(seed, 9, 4.0);
            let summed = FakeModel::new(9, move |source, so_far| {
                let before = so_far.last().map_or(99, |word| word.0);
                let log_probs = random.log_probs(source, so_far).into_iter().zip(0..);
                log_probs.map(|(log_prob, word)| log_prob + weight * bigram(before, word)).collect()
            });
            let fused = Fused::new(Arc::new(FakeModel::random(seed, 9, 4.0)), Bigrams, weight);
            assert_eq!(fused.facts().log_probs, weight >= 0.0);
            for strategy in [Strategy::Beam, Strategy::Grid, Strategy::CUBE, Strategy::ACCELERATED_CUBE] {
                for constraints in [None, Some(constraints.clone())] {
                    let given = Sentence { constraints, ..sentence(&[1, 2, 3]) };
                    // `Fill` ends a sentence early where scores are log-probabilities; `Shrink` never checks this.
                    let normalize_constrained = Some(1.0);
                    let options = Options {
                        strategy,
                        n_best: 3,
                        stop: Stop::Shrink,
                        normalize_constrained,
                        ..Options::default()
                    };
                    assert_eq!(one_of(&fused, &options, &given), one_of(&summed, &options, &given), "{strategy:?}");
                }
            }
        }
    }
}

/// The summed scores of the model and two sparse scorers.
fn summed(seed: u64, weight: f32) -> FakeModel {
    let random = FakeModel::random(seed, 4, 3.0);
    let (bonus, mask) = (Pairs::bonus(4), Pairs::allowing(4));
    FakeModel::new(4, move |source, so_far| {
        let log_probs = random.log_probs(source, so_far).into_iter().zip(0..);
        let with = |(log_prob, word): (f32, u32)| {
            let (last, word) = (so_far.last().copied(), WordId(word));
            (log_prob + weight * bonus.score(last, word)) + mask.score(last, word)
        };
        log_probs.map(with).collect()
    })
}

/// 4 words, at most 5 of them; the beam holds everything.
#[test]
fn sparse_scorers_are_searched_exhaustively() {
    for seed in 0..10 {
        let weight = 0.4;
        let with_bonus = Fused::new(Arc::new(FakeModel::random(seed, 4, 3.0)), Pairs::bonus(4), weight);
        let fused = Fused::new(Arc::new(with_bonus), Pairs::allowing(4), 1.0);
        assert!(!fused.facts().log_probs, "a bonus is above 0");
        let mut oracle =
            exhaustive(&summed(seed, weight), &words(&[1]), 5, |log_prob, length| log_prob / length as f32);
        oracle.retain(|found| found.log_prob > f32::NEG_INFINITY);
        for strategy in [Strategy::Beam, Strategy::Grid] {
            let stop = Stop::FILL;
            let options =
                Options { strategy, beam_size: 400, n_best: 30, max_length_factor: 5.0, stop, ..Options::default() };
            let found = one_of(&fused, &options, &sentence(&[1]));
            let texts: Vec<_> = found.hypotheses.iter().map(|h| (&h.words, h.score)).collect();
            let expected: Vec<_> = oracle.iter().take(30).map(|f| (&f.words, f.score)).collect();
            assert_eq!(texts, expected, "seed {seed}, {strategy:?}");
        }
    }
}
