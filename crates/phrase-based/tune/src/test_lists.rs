//! Data of tests: a metric that can be worked out in one's head, and lists of random numbers.

use crate::lists::NBestLists;
use metaphrase_metrics::{Arithmetic, Metric, Setting};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Per cent of right words. Statistics: right words, words.
pub(crate) struct Matches;

/// The one there is.
pub(crate) const MATCHES: Matches = Matches;

impl Metric for Matches {
    fn name(&self) -> String {
        "matches".into()
    }

    fn settings(&self) -> Vec<Setting> {
        Vec::new()
    }

    fn stats_len(&self) -> usize {
        2
    }

    fn sentence_stats(&self, hypothesis: &str, references: &[&str], stats: &mut [f64]) {
        let right = hypothesis.split(' ').zip(references[0].split(' ')).filter(|(a, b)| a == b).count();
        stats.copy_from_slice(&[right as f64, hypothesis.split(' ').count() as f64]);
    }

    fn value(&self, sums: &[f64], _: Arithmetic) -> f64 {
        if sums[1] == 0.0 { 0.0 } else { 100.0 * sums[0] / sums[1] }
    }

    fn sample_arithmetic(&self) -> Arithmetic {
        Arithmetic::Double
    }
}

/// Lists for [`MATCHES`], all features and statistics random.
pub(crate) fn random_lists(seed: u64, sentences: usize, translations: usize, features: usize) -> NBestLists {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut lists = NBestLists::new(sentences, features, 2);
    for sentence in 0..sentences {
        for _ in 0..translations {
            let values: Vec<f32> = (0..features).map(|_| random.random_range(-5.0..5.0)).collect();
            let right = f64::from(random.random_range(0..=10u8));
            lists.add(sentence, &values, &[right, 10.0]).unwrap();
        }
    }
    lists
}
