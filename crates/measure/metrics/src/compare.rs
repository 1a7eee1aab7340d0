//! Whether two systems differ: paired significance tests.
//!
//! Both tests draw many samples of the lines and count the samples whose difference is larger than the difference of
//! the whole texts. The null hypothesis is that the two outputs come from the same process; a small p speaks against
//! it.

use crate::bootstrap::{Samples, numpy_mean};
use crate::random::NumpyRng;
use crate::{Arithmetic, CorpusStats, Error, Interval, Metric};

/// The default number of trials of sacreBLEU's approximate randomisation.
pub const DEFAULT_TRIALS: usize = 10_000;

/// The result of a test for one system.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Score on the whole text.
    pub score: f64,
    /// Mean and confidence interval of bootstrap samples, if samples were drawn.
    pub interval: Option<Interval>,
    /// Probability of a difference from the baseline this large by chance; `None` for the baseline itself.
    pub p_value: Option<f64>,
}

/// Paired bootstrap resampling (Koehn 2004), sacreBLEU's `--paired-bs`.
///
/// `systems[0]` is the baseline, with which each other one is compared; the result has the same order.
///
/// # Errors
/// If there is no system or no sample, or if systems have different numbers of lines.
pub fn paired_bootstrap(
    metric: &dyn Metric,
    systems: &[&CorpusStats],
    samples: usize,
    seed: u64,
) -> Result<Vec<Comparison>, Error> {
    check(systems, samples, "the number of bootstrap samples")?;
    let drawn = Samples::draw(metric, systems, samples, &mut NumpyRng::new(seed));
    let scores: Vec<f64> = systems.iter().map(|stats| score(metric, stats)).collect();
    let compared = drawn.iter().zip(&scores).enumerate().map(|(i, (system, &score))| Comparison {
        score,
        interval: system.interval(numpy_mean),
        p_value: (i > 0).then(|| bootstrap_p(&drawn[0], system, (scores[0] - score).abs())),
    });
    Ok(compared.collect())
}

/// The share of samples whose difference, less the mean of all differences, exceeds the difference of the whole texts.
fn bootstrap_p(baseline: &Samples, system: &Samples, difference: f64) -> f64 {
    let arithmetic = baseline.arithmetic;
    let differences: Vec<f64> = baseline
        .scores
        .iter()
        .zip(&system.scores)
        .map(|(baseline, system)| arithmetic.round(system - baseline).abs())
        .collect();
    let mean = numpy_mean(&differences, arithmetic);
    let real = arithmetic.round(difference);
    let beyond = differences.iter().filter(|&&sampled| arithmetic.round(sampled - mean) > real).count();
    p_value(beyond, differences.len())
}

/// Paired approximate randomisation (Riezler & Maxwell 2005, "On Some Pitfalls in Automatic Evaluation and Significance
/// Testing for MT"), sacreBLEU's `--paired-ar`.
///
/// Each trial swaps the outputs of the two systems on about half of the lines. `systems[0]` is the baseline, with which
/// each other one is compared; the result has the same order. With `samples` the scores get confidence intervals, too.
///
/// Against sacreBLEU 2.6.0 there is one difference: there `add-k` smoothing loses the fraction of k in this test.
///
/// # Errors
/// If there is no system or no trial, or if systems have different numbers of lines.
pub fn paired_randomization(
    metric: &dyn Metric,
    systems: &[&CorpusStats],
    trials: usize,
    samples: Option<usize>,
    seed: u64,
) -> Result<Vec<Comparison>, Error> {
    check(systems, trials, "the number of trials")?;
    let mut compared = Vec::with_capacity(systems.len());
    for (i, stats) in systems.iter().enumerate() {
        // Each system starts anew, so that all are compared with the same swaps.
        let mut rng = NumpyRng::new(seed);
        let score = score(metric, stats);
        let p_value = (i > 0).then(|| {
            let difference = (self::score(metric, systems[0]) - score).abs();
            randomization_p(metric, systems[0], stats, trials, difference, &mut rng)
        });
        let interval = samples.and_then(|samples| {
            let drawn = Samples::draw(metric, &[stats], samples, &mut rng).pop()?;
            drawn.interval(numpy_mean)
        });
        compared.push(Comparison { score, interval, p_value });
    }
    Ok(compared)
}

/// The share of trials whose difference after swapping exceeds the difference of the whole texts.
fn randomization_p(
    metric: &dyn Metric,
    baseline: &CorpusStats,
    system: &CorpusStats,
    trials: usize,
    difference: f64,
    rng: &mut NumpyRng,
) -> f64 {
    // One stream of bits for all trials: NumPy fills a matrix, so a trial begins in the middle of a word.
    let mut swaps = rng.bools();
    let mut beyond = 0;
    let (mut left, mut right) = (vec![0.0; baseline.width()], vec![0.0; baseline.width()]);
    for _ in 0..trials {
        left.fill(0.0);
        right.fill(0.0);
        for ((baseline, system), keep) in baseline.rows().zip(system.rows()).zip(&mut swaps) {
            let (to_left, to_right) = if keep { (baseline, system) } else { (system, baseline) };
            add(&mut left, to_left);
            add(&mut right, to_right);
        }
        let score = |sums: &[f64]| metric.value(sums, Arithmetic::Double);
        beyond += usize::from((score(&left) - score(&right)).abs() > difference);
    }
    p_value(beyond, trials)
}

fn add(sums: &mut [f64], row: &[f64]) {
    for (sum, value) in sums.iter_mut().zip(row) {
        *sum += value;
    }
}

/// The share of samples beyond the difference of the whole texts. The added 1 keeps the test from rejecting the null
/// hypothesis more often than its level.
fn p_value(beyond: usize, samples: usize) -> f64 {
    (beyond + 1) as f64 / (samples + 1) as f64
}

fn score(metric: &dyn Metric, stats: &CorpusStats) -> f64 {
    metric.value(&stats.sums(), Arithmetic::Double)
}

fn check(systems: &[&CorpusStats], samples: usize, option: &'static str) -> Result<(), Error> {
    let baseline = systems.first().ok_or(Error::NoHypotheses)?;
    if let Some(system) = systems.iter().find(|stats| stats.len() != baseline.len()) {
        return Err(Error::PairedLines { baseline: baseline.len(), system: system.len() });
    }
    if samples == 0 {
        return Err(Error::Option { option, found: "0".to_owned(), allowed: "it has to be 1 or more" });
    }
    Ok(())
}
