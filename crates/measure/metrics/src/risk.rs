//! Minimum Bayes risk: the translation that is most like all others.

use crate::{Error, Metric};

/// The expected gain of each candidate: its sentence scores with the others as references, weighted by the
/// probabilities of the others (Kumar and Byrne 2004). `probabilities` sum to 1. The metric is one of which more is
/// better, as BLEU with `effective_order` or chrF; of TER the expected score is a risk, and the least is the best.
///
/// The cost is the square of the number of different candidates: equal ones are scored once.
///
/// # Errors
/// If there are not as many probabilities as candidates, or one is no finite number from 0 on.
pub fn expected_scores(metric: &dyn Metric, candidates: &[&str], probabilities: &[f64]) -> Result<Vec<f64>, Error> {
    if candidates.len() != probabilities.len() || probabilities.iter().any(|p| !(p.is_finite() && *p >= 0.0)) {
        return Err(Error::Probabilities { candidates: candidates.len() });
    }
    // Different candidates, the first of equals for all.
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&number| (candidates[number], number));
    let mut distinct: Vec<(&str, f64)> = Vec::new();
    let mut place = vec![0; candidates.len()];
    for number in order {
        match distinct.last_mut() {
            Some((same, probability)) if *same == candidates[number] => *probability += probabilities[number],
            _ => distinct.push((candidates[number], probabilities[number])),
        }
        place[number] = distinct.len() - 1;
    }
    let mut stats = vec![0.0; metric.stats_len()];
    let mut expected = |candidate: &str| -> f64 {
        let gain = |&(reference, probability): &(&str, f64)| {
            stats.fill(0.0);
            metric.sentence_stats(candidate, &[reference], &mut stats);
            probability * metric.score(&stats).value
        };
        distinct.iter().map(gain).sum()
    };
    let scores: Vec<f64> = distinct.iter().map(|(candidate, _)| expected(candidate)).collect();
    Ok(place.into_iter().map(|place| scores[place]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bleu, BleuOptions, Chrf, ChrfOptions, Ter, TerOptions};

    #[test]
    fn the_translation_in_the_middle_has_the_least_risk() {
        let candidates = ["the old house is big", "the old house is large", "a bird sang", "the old house is big"];
        let probabilities = [0.3, 0.3, 0.2, 0.2];
        let bleu = Bleu::new(BleuOptions { effective_order: true, ..BleuOptions::default() }).unwrap();
        let chrf = Chrf::new(ChrfOptions::default()).unwrap();
        let ter = Ter::new(TerOptions::default());
        for metric in [&bleu as &dyn Metric, &chrf, &ter] {
            let found = expected_scores(metric, &candidates, &probabilities).unwrap();
            let of = |a: usize, b: usize| metric_score(metric, candidates[a], candidates[b]);
            for (number, found) in found.iter().enumerate() {
                let expected: f64 = (0..4).map(|other| probabilities[other] * of(number, other)).sum();
                assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
            assert_eq!(found[0].to_bits(), found[3].to_bits());
            let better = if metric.name() == "TER" { found[0] < found[1] } else { found[0] > found[1] };
            assert!(better, "{}: 0.5 in all, more than 0.3", metric.name());
        }
        assert!(expected_scores(&chrf, &["a"], &[]).is_err());
        assert!(expected_scores(&chrf, &["a"], &[f64::NAN]).is_err());
    }

    fn metric_score(metric: &dyn Metric, candidate: &str, reference: &str) -> f64 {
        let mut stats = vec![0.0; metric.stats_len()];
        metric.sentence_stats(candidate, &[reference], &mut stats);
        metric.score(&stats).value
    }
}
