//! Minimum error rate training (Och 2003, "Minimum Error Rate Training in Statistical Machine Translation").

use crate::TunedWeights;
use crate::axes::Axes;
use crate::error::Error;
use crate::line_search::line_search;
use crate::lists::NBestLists;
use metaphrase_base::in_parallel;
use metaphrase_metrics::Metric;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::num::NonZeroUsize;

/// A climb goes on as long as a pass over its directions gains so much of the metric's score.
const GAIN: f64 = 1e-3;

/// How hard to look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MertOptions {
    /// Random starting points, in addition to the given weights.
    pub restarts: usize,
    /// Random directions per pass, in addition to those of the single weights. Each takes as long as about ten of
    /// those.
    pub directions: usize,
    /// The same seed gives the same weights.
    pub seed: u64,
    /// Threads, each with starting points of its own; the result does not depend on their number.
    pub threads: NonZeroUsize,
}

impl Default for MertOptions {
    fn default() -> Self {
        Self { restarts: 20, directions: 0, seed: 1, threads: NonZeroUsize::MIN }
    }
}

/// Finds weights, of absolute sum 1, whose translations have the highest score of the metric; there may be higher ones,
/// as the score has many local maxima.
///
/// From each starting point the weights climb along straight lines, each to its exact optimum ([`line_search`]): along
/// all axes in random order and then some random directions, again and again until nothing is gained any more. The best
/// end of all climbs wins.
///
/// # Errors
/// Lists without translations, or another number of weights than of features.
pub fn mert(
    lists: &NBestLists,
    metric: &(dyn Metric + Sync),
    start: &[f64],
    options: &MertOptions,
) -> Result<TunedWeights, Error> {
    lists.check(start)?;
    let axes = Axes::new(lists, options.threads);
    let climb = |number| climb(&axes, metric, start, number, options);
    let climbs = in_parallel(options.threads.get(), 0..=options.restarts, climb);
    // The first one among equals.
    climbs.into_iter().rev().max_by(|a, b| a.score.total_cmp(&b.score)).ok_or(Error::Empty)
}

/// Climbs from starting point `number`; 0 is `start` itself.
fn climb(axes: &Axes<'_>, metric: &dyn Metric, start: &[f64], number: usize, options: &MertOptions) -> TunedWeights {
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    random.set_stream(number as u64);
    let mut weights = if number == 0 { start.to_vec() } else { around(start, &mut random) };
    let mut score = axes.lists().score(metric, &weights);
    let mut order: Vec<usize> = (0..weights.len()).collect();
    loop {
        let before = score;
        normalize(&mut weights);
        let mut scores = axes.scores(&weights);
        order.shuffle(&mut random);
        for &axis in &order {
            let found = axes.search(metric, axis, &scores);
            if found.score > score {
                score = found.score;
                weights[axis] += found.step;
                axes.step(&mut scores, axis, found.step);
            }
        }
        for _ in 0..options.directions {
            let direction: Vec<f64> = weights.iter().map(|_| random.random_range(-1.0..=1.0)).collect();
            let found = line_search(axes.lists(), metric, &weights, &direction);
            if found.score > score {
                score = found.score;
                weights.iter_mut().zip(&direction).for_each(|(weight, d)| *weight += found.step * d);
            }
        }
        if score - before < GAIN {
            normalize(&mut weights);
            return TunedWeights { score: axes.lists().score(metric, &weights), weights };
        }
    }
}

/// A random point around `start`, each weight as far away as the largest one is from 0, at most.
fn around(start: &[f64], random: &mut ChaCha8Rng) -> Vec<f64> {
    let largest = start.iter().fold(0.0, |largest: f64, weight| largest.max(weight.abs()));
    let far = if largest > 0.0 { largest } else { 1.0 };
    start.iter().map(|weight| weight + random.random_range(-far..=far)).collect()
}

/// To an absolute sum of 1: which translations are chosen does not depend on it.
fn normalize(weights: &mut [f64]) {
    let sum: f64 = weights.iter().map(|weight| weight.abs()).sum();
    if sum > 0.0 && sum.is_finite() {
        weights.iter_mut().for_each(|weight| *weight /= sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_lists::{MATCHES, random_lists};

    /// Sentences in which the right translation is the one with the highest score under `hidden`.
    fn solvable(hidden: &[f64]) -> NBestLists {
        let random = random_lists(7, 40, 12, hidden.len());
        let mut lists = NBestLists::new(40, hidden.len(), 2);
        for sentence in 0..random.sentences() {
            let features = |number| random.features_of(sentence, number);
            let right = random.best(sentence, |number| crate::lists::dot(hidden, features(number))).unwrap();
            for number in 0..random.len_of(sentence) {
                let matches = if number == right { 10.0 } else { (number % 5) as f64 };
                lists.add(sentence, features(number), &[matches, 10.0]).unwrap();
            }
        }
        lists
    }

    #[test]
    fn the_optimum_of_a_toy_problem_is_found() {
        let lists = solvable(&[0.5, -0.3, 0.2]);
        let tuned = mert(&lists, &MATCHES, &[0.1, 0.1, 0.1], &MertOptions::default()).unwrap();
        assert_eq!(tuned.score, 100.0);
        assert_eq!(lists.score(&MATCHES, &tuned.weights), 100.0);
        let sum: f64 = tuned.weights.iter().map(|weight| weight.abs()).sum();
        assert!((sum - 1.0).abs() < 1e-12);
        for (weight, hidden) in tuned.weights.iter().zip([0.5, -0.3, 0.2]) {
            assert!((weight - hidden).abs() < 0.05, "{:?}", tuned.weights);
        }
    }

    #[test]
    fn the_result_depends_on_the_seed_and_not_on_the_threads() {
        let lists = random_lists(3, 30, 20, 4);
        let run = |seed, threads| {
            let options = MertOptions { seed, threads: NonZeroUsize::new(threads).unwrap(), ..Default::default() };
            mert(&lists, &MATCHES, &[1.0, 0.0, 0.0, 0.0], &options).unwrap()
        };
        let one = run(1, 1);
        assert_eq!(one, run(1, 1));
        assert_eq!(one, run(1, 3));
        assert_ne!(one.weights, run(2, 1).weights);
    }

    #[test]
    fn restarts_leave_local_maxima() {
        let lists = random_lists(11, 30, 20, 4);
        let score = |restarts| {
            let options = MertOptions { restarts, ..Default::default() };
            mert(&lists, &MATCHES, &[1.0, 0.0, 0.0, 0.0], &options).unwrap().score
        };
        assert!(score(0) > lists.score(&MATCHES, &[1.0, 0.0, 0.0, 0.0]));
        assert!(score(30) > score(0));
    }
}
