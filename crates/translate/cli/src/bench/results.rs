//! The results of measurements, and the figures that follow from them.

use super::machine::Machine;
use anyhow::{Result, anyhow};
use metaphrase::Precision;
use serde::{Deserialize, Serialize};

/// The result of a measurement.
#[derive(Serialize, Deserialize)]
pub(super) enum MeasurementResult {
    Batched(BatchedRuns),
    Single(SingleFigures),
    Units(Vec<UnitCost>),
}

/// The times of runs in batches, and the translations of the last run.
#[derive(Serialize, Deserialize)]
pub(super) struct BatchedRuns {
    pub(super) beam_size: usize,
    pub(super) start_seconds: f64,
    pub(super) seconds: Vec<f64>,
    pub(super) cpu_seconds: Option<Vec<f64>>,
    pub(super) peak_mb: Option<f64>,
    pub(super) translations: Vec<String>,
}

/// The figures of runs in batches; words are source words.
#[derive(Serialize)]
pub(super) struct BatchedFigures {
    pub(super) words_per_second: f64,
    pub(super) words_per_cpu_second: Option<f64>,
    /// Operations of matrix products per second of processor time, as a share of the peak of a thread.
    pub(super) share_of_peak: Option<f64>,
    /// Wall time of each run.
    pub(super) seconds: Vec<f64>,
    /// Processor time of each run, summed over the threads.
    pub(super) cpu_seconds: Option<Vec<f64>>,
    /// The largest resident memory.
    pub(super) peak_mb: Option<f64>,
    /// Wall time until the model is ready.
    pub(super) start_seconds: f64,
}

/// The figures of one sentence at a time, on one thread.
#[derive(Serialize, Deserialize)]
pub(super) struct SingleFigures {
    pub(super) sentences: usize,
    pub(super) latency_ms: Latency,
    pub(super) words_per_second: f64,
    pub(super) cpu_seconds: Option<f64>,
    /// The largest resident memory.
    pub(super) peak_mb: Option<f64>,
}

/// Milliseconds of wall time of a sentence: the mean, percentiles and the maximum.
#[derive(Serialize, Deserialize)]
pub(super) struct Latency {
    pub(super) mean: f64,
    pub(super) p50: f64,
    pub(super) p95: f64,
    pub(super) p99: f64,
    pub(super) max: f64,
}

/// The cost of a unit of work.
#[derive(Serialize, Deserialize)]
pub(super) struct UnitCost {
    pub(super) unit: String,
    /// Summed over the threads.
    pub(super) seconds: f64,
    /// Share of the seconds of all units.
    pub(super) share: f64,
    /// Number of entries into the unit.
    pub(super) calls: u64,
    /// Multiplications and additions of matrix products.
    pub(super) operations: u64,
    /// The rate of these operations as a share of the peak of a thread; `None` for units without products.
    pub(super) share_of_peak: Option<f64>,
}

impl MeasurementResult {
    pub(super) fn batched(self) -> Result<BatchedRuns> {
        if let Self::Batched(runs) = self { Ok(runs) } else { Err(wrong_kind()) }
    }

    pub(super) fn single(self) -> Result<SingleFigures> {
        if let Self::Single(single) = self { Ok(single) } else { Err(wrong_kind()) }
    }

    pub(super) fn units(self) -> Result<Vec<UnitCost>> {
        if let Self::Units(units) = self { Ok(units) } else { Err(wrong_kind()) }
    }
}

fn wrong_kind() -> anyhow::Error {
    anyhow!("a process returned the result of another kind of measurement")
}

impl BatchedRuns {
    /// The figures of these runs over `words` source words, with `operations` in products of `precision`.
    pub(super) fn figures(
        self,
        machine: &Machine,
        precision: Precision,
        words: usize,
        operations: u64,
    ) -> BatchedFigures {
        let least = |seconds: &[f64]| seconds.iter().copied().fold(f64::INFINITY, f64::min).max(1e-9);
        let least_cpu = self.cpu_seconds.as_deref().map(least);
        BatchedFigures {
            words_per_second: words as f64 / least(&self.seconds),
            words_per_cpu_second: least_cpu.map(|seconds| words as f64 / seconds),
            share_of_peak: least_cpu.map(|seconds| machine.share(precision, operations, seconds)),
            seconds: self.seconds,
            cpu_seconds: self.cpu_seconds,
            peak_mb: self.peak_mb,
            start_seconds: self.start_seconds,
        }
    }
}

impl Latency {
    /// The latency of sentences that took these times, in any order.
    pub(super) fn from_milliseconds(mut milliseconds: Vec<f64>) -> Self {
        milliseconds.sort_by(f64::total_cmp);
        let n = milliseconds.len();
        // Nearest rank: the smallest time that is not exceeded by this share of the sentences.
        let at = |percent: usize| milliseconds.get((percent * n).div_ceil(100).max(1) - 1).copied().unwrap_or(0.0);
        let mean = milliseconds.iter().sum::<f64>() / n.max(1) as f64;
        Self { mean, p50: at(50), p95: at(95), p99: at(99), max: at(100) }
    }
}

impl UnitCost {
    /// The same, with its share of the machine's peak in this precision.
    pub(super) fn with_share(mut self, machine: &Machine, precision: Precision) -> Self {
        self.share_of_peak = (self.operations > 0).then(|| machine.share(precision, self.operations, self.seconds));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_the_nearest_ranks() {
        let of = |n: u32| {
            let Latency { mean, p50, p95, p99, max } =
                Latency::from_milliseconds((1..=n).rev().map(f64::from).collect());
            [mean, p50, p95, p99, max]
        };
        assert_eq!(of(100), [50.5, 50.0, 95.0, 99.0, 100.0]);
        assert_eq!(of(3), [2.0, 2.0, 3.0, 3.0, 3.0]);
        assert_eq!(of(1), [1.0; 5]);
        assert_eq!(of(0), [0.0; 5]);
    }
}
