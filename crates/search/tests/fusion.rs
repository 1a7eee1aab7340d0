//! A scorer beside the model: with every strategy, with and without constraints, as if the model said it all.

mod common;

use common::{Sentence, one_of, sentence, words};
use metaphrase_base::{Scorer, StepModel, WordId};
use metaphrase_search::{Constraints, Fused, Options, Stop, Strategy};
use metaphrase_testkit::FakeModel;
use std::sync::Arc;

/// A bigram model without weights: the score of a word after another is a function of both.
struct Bigrams;

fn bigram(before: u32, word: u32) -> f32 {
    ((before * 7 + word * 5) % 11) as f32 / -4.0
}

impl Scorer for Bigrams {
    type State = u32;

    fn start(&self) -> u32 {
        99
    }

    fn after(&self, _: u32, word: WordId) -> u32 {
        word.0
    }

    fn add(&self, state: u32, weight: f32, scores: &mut [f32]) {
        scores.iter_mut().zip(0..).for_each(|(score, word)| *score += weight * bigram(state, word));
    }
}

#[test]
fn fused_scores_are_the_sums() {
    let constraints = Constraints::new(&[vec![words(&[4, 5])], vec![words(&[6])]], &[words(&[2])], None);
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
            assert_eq!(fused.scores_are_log_probs(), weight >= 0.0);
            for strategy in [Strategy::Beam, Strategy::Grid, Strategy::Cube, Strategy::AcceleratedCube] {
                for constraints in [None, Some(constraints.clone())] {
                    let given = Sentence { constraints, ..sentence(&[1, 2, 3]) };
                    // `Fill` ends a sentence early where scores are log-probabilities; `Shrink` never asks.
                    let options = Options { strategy, n_best: 3, stop: Stop::Shrink, ..Options::default() };
                    assert_eq!(one_of(&fused, &options, &given), one_of(&summed, &options, &given), "{strategy:?}");
                }
            }
        }
    }
}
