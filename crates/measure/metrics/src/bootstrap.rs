//! Scores of bootstrap samples (Koehn 2004, "Statistical Significance Tests for Machine Translation Evaluation").
//!
//! A sample of a text of n lines is n lines, drawn with replacement. A score depends on the sum of the lines'
//! statistics, so a sample costs n additions of rows, for every metric.

use crate::random::NumpyRng;
use crate::{Arithmetic, CorpusStats, Interval, Metric};

/// The default seed of sacreBLEU.
pub const DEFAULT_SEED: u64 = 12345;
/// The default number of samples of sacreBLEU.
pub const DEFAULT_SAMPLES: usize = 1000;

/// The scores of the samples of one system.
#[derive(Debug, Clone)]
pub(crate) struct Samples {
    pub(crate) scores: Vec<f64>,
    /// The arithmetic of the scores, and of the numbers that are computed from the scores.
    pub(crate) arithmetic: Arithmetic,
}

impl Samples {
    /// Draws samples of lines, the same for all systems, and scores them. All systems have the same number of lines.
    pub(crate) fn draw(metric: &dyn Metric, systems: &[&CorpusStats], samples: usize, rng: &mut NumpyRng) -> Vec<Self> {
        let tables: Vec<Table> = systems.iter().map(|stats| Table::new(stats)).collect();
        let arithmetic = metric.sample_arithmetic();
        let empty = Self { scores: Vec::with_capacity(samples), arithmetic };
        let mut drawn = vec![empty; systems.len()];
        let lines = systems.first().map_or(0, |stats| stats.len());
        let mut sample = vec![0; lines];
        for _ in 0..samples {
            sample.fill_with(|| rng.below(lines as u32));
            for (table, system) in tables.iter().zip(&mut drawn) {
                system.scores.push(metric.value(&table.sums(&sample), Arithmetic::Single));
            }
        }
        drawn
    }

    /// Mean and half the width of the range that is left without the 2.5 % at each end.
    ///
    /// `mean` gets the scores in ascending order.
    pub(crate) fn interval(&self, mean: impl Fn(&[f64], Arithmetic) -> f64) -> Option<Interval> {
        let mut scores = self.scores.clone();
        scores.sort_unstable_by(f64::total_cmp);
        let tail = scores.len() / 40;
        let (low, high) = (scores.get(tail)?, scores.get(scores.len() - tail - 1)?);
        let half_width = 0.5 * self.arithmetic.round(high - low);
        Some(Interval { mean: mean(&scores, self.arithmetic), half_width })
    }
}

/// The confidence interval of one system's score, 95 %; `None` if the number of samples is 0.
///
/// sacreBLEU's `--confidence`. Costs `samples × lines` additions of a row.
pub fn confidence(metric: &dyn Metric, stats: &CorpusStats, samples: usize, seed: u64) -> Option<Interval> {
    let mut drawn = Samples::draw(metric, &[stats], samples, &mut NumpyRng::new(seed));
    drawn.pop()?.interval(exact_mean)
}

/// The statistics of all lines as sacreBLEU gives them to NumPy: `lines × width`, in f32.
struct Table {
    values: Vec<f32>,
    width: usize,
}

impl Table {
    fn new(stats: &CorpusStats) -> Self {
        let values = stats.rows().flatten().map(|&value| value as f32).collect();
        Self { values, width: stats.width() }
    }

    /// The sums over the lines of a sample, added up in f32 in its order.
    fn sums(&self, sample: &[u32]) -> Vec<f64> {
        let mut sums = vec![0.0f32; self.width];
        for &line in sample {
            let start = line as usize * self.width;
            for (sum, value) in sums.iter_mut().zip(&self.values[start..start + self.width]) {
                *sum += value;
            }
        }
        sums.into_iter().map(f64::from).collect()
    }
}

/// Python's `statistics.mean`: the exact mean, rounded once. Here with a compensated sum (Neumaier 1974), which is as
/// good for thousands of numbers of like size.
pub(crate) fn exact_mean(values: &[f64], arithmetic: Arithmetic) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0f64);
    for &value in values {
        let next = sum + value;
        lost += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
        sum = next;
    }
    // The division's own error is made good, too: sum + lost = mean * count + rest.
    let count = values.len() as f64;
    let mean = (sum + lost) / count;
    let rest = (-mean).mul_add(count, sum) + lost;
    arithmetic.round(mean + rest / count)
}

/// NumPy's `mean`: a pairwise sum, divided.
pub(crate) fn numpy_mean(values: &[f64], arithmetic: Arithmetic) -> f64 {
    arithmetic.round(pairwise_sum(values, arithmetic) / values.len() as f64)
}

/// NumPy's sum of contiguous numbers: eight running sums in blocks of up to 128, and halves beyond that.
fn pairwise_sum(values: &[f64], arithmetic: Arithmetic) -> f64 {
    const BLOCK: usize = 128;
    let add = |a: f64, b: &f64| arithmetic.round(a + b);
    if values.len() > BLOCK {
        let half = values.len() / 2;
        let (left, right) = values.split_at(half - half % 8);
        return add(pairwise_sum(left, arithmetic), &pairwise_sum(right, arithmetic));
    }
    let mut eights = values.chunks_exact(8);
    let start = match eights.next() {
        None => 0.0,
        Some(first) => {
            let mut sums: [f64; 8] = std::array::from_fn(|i| first[i]);
            for eight in &mut eights {
                sums = std::array::from_fn(|i| add(sums[i], &eight[i]));
            }
            let [a, b, c, d, e, f, g, h] = sums;
            let left = add(add(a, &b), &add(c, &d));
            add(left, &add(add(e, &f), &add(g, &h)))
        }
    };
    eights.remainder().iter().fold(start, add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_those_of_python_and_numpy() {
        // NumPy 2.4.6: x = (np.arange(1000) * 37 % 101 / 7); repr(float(np.mean(x))), the same of x.astype("f4"), and
        // statistics.mean of both.
        let values: Vec<f64> = (0..1000).map(|i| f64::from(i * 37 % 101) / 7.0).collect();
        let single: Vec<f64> = values.iter().map(|&x| Arithmetic::Single.round(x)).collect();
        assert_eq!(numpy_mean(&values, Arithmetic::Double), 7.144285714285714);
        assert_eq!(numpy_mean(&single, Arithmetic::Single), 7.144285678863525);
        assert_eq!(exact_mean(&values, Arithmetic::Double), 7.144285714285714);
        assert_eq!(exact_mean(&single, Arithmetic::Single), 7.144285678863525);
    }

    #[test]
    fn the_interval_leaves_out_a_fortieth_at_each_end() {
        let samples = Samples { scores: (0..100).rev().map(f64::from).collect(), arithmetic: Arithmetic::Double };
        let interval = samples.interval(exact_mean).unwrap();
        assert_eq!(interval, Interval { mean: 49.5, half_width: 0.5 * (97.0 - 2.0) });
        let none = Samples { scores: Vec::new(), arithmetic: Arithmetic::Double };
        assert_eq!(none.interval(exact_mean), None);
    }
}
