//! The measurements. Each runs in a separate process.

use super::job::{Job, Kind};
use super::machine::{Machine, cpu_seconds, peak_mb};
use super::{Args, SHORTLIST, setting_precision};
use crate::io::Input;
use crate::lines::Lines;
use anyhow::Result;
use metaphrase::{Precision, Request, TranslateOptions, Translation, Translator, TranslatorBuilder, Unit, UnitTimes};
use serde::{Deserialize, Serialize};
use std::io::{Write, stdout};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

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
    start_seconds: f64,
    seconds: Vec<f64>,
    cpu_seconds: Option<Vec<f64>>,
    peak_mb: Option<f64>,
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
    seconds: Vec<f64>,
    /// Processor time of each run, summed over the threads.
    cpu_seconds: Option<Vec<f64>>,
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
    cpu_seconds: Option<f64>,
    /// The largest resident memory.
    pub(super) peak_mb: Option<f64>,
}

/// Milliseconds of wall time of a sentence: the mean, percentiles and the maximum.
#[derive(Serialize, Deserialize)]
pub(super) struct Latency {
    mean: f64,
    pub(super) p50: f64,
    pub(super) p95: f64,
    pub(super) p99: f64,
    max: f64,
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
    calls: u64,
    /// Multiplications and additions of matrix products.
    pub(super) operations: u64,
    /// The rate of these operations as a share of the peak of a thread; `None` for units without products.
    share_of_peak: Option<f64>,
}

/// Measures. Prints an empty line for each translated line, and then the result as a line of JSON.
pub(super) fn run(args: &Args, job: &Job) -> Result<()> {
    let begun = Instant::now();
    let lines = Lines::new(Input::open(None)?).texts()?;
    let read = begun.elapsed().as_secs_f64();
    let result = match job.kind {
        Kind::Batched => {
            let translator = args.load(job, |builder| builder)?;
            let start_seconds = begun.elapsed().as_secs_f64() - read;
            MeasurementResult::Batched(args.batched(&translator, &lines, start_seconds)?)
        }
        Kind::Single => {
            let translator = args.load(job, |builder| builder.threads(1).batch_tokens(1))?;
            MeasurementResult::Single(args.single(&translator, &lines)?)
        }
        Kind::Units => {
            let times = Arc::new(UnitTimes::default());
            let translator = args.load(job, |builder| builder.unit_times(Arc::clone(&times)))?;
            translate(&translator, &args.options(&translator)?, &lines)?;
            drop(translator);
            MeasurementResult::Units(costs(&times))
        }
    };
    writeln!(stdout().lock(), "{}", serde_json::to_string(&result)?)?;
    Ok(())
}

impl Args {
    /// The translator of a setting.
    fn load(&self, job: &Job, change: impl FnOnce(TranslatorBuilder) -> TranslatorBuilder) -> Result<Translator> {
        self.model.load_in(setting_precision(&job.setting)?, |builder| {
            change(if job.setting.ends_with(SHORTLIST) {
                self.shortlist.add_to(builder)
            } else {
                builder.without_shortlist()
            })
        })
    }

    fn options(&self, translator: &Translator) -> Result<TranslateOptions> {
        self.search.apply(translator.options(), None)
    }

    fn batched(&self, translator: &Translator, lines: &[String], start_seconds: f64) -> Result<BatchedRuns> {
        let options = self.options(translator)?;
        let mut seconds = Vec::new();
        let mut cpu = Vec::new();
        let mut translations = Vec::new();
        for _ in 0..self.runs.get() {
            let begun = Instant::now();
            let before = cpu_seconds();
            translations = translate(translator, &options, lines)?;
            seconds.push(begun.elapsed().as_secs_f64());
            cpu.extend(before.zip(cpu_seconds()).map(|(before, after)| after - before));
        }
        let cpu_seconds = (!cpu.is_empty()).then_some(cpu);
        let beam_size = options.search.beam_size;
        Ok(BatchedRuns { beam_size, start_seconds, seconds, cpu_seconds, peak_mb: peak_mb(), translations })
    }

    fn single(&self, translator: &Translator, lines: &[String]) -> Result<SingleFigures> {
        /// Sentences that are translated before the measurement begins, to warm caches and branch predictors.
        const WARM_UP: usize = 3;
        let options = self.options(translator)?;
        let one = |line: &String| translate(translator, &options, std::slice::from_ref(line));
        lines.iter().take(WARM_UP).try_for_each(|line| one(line).map(drop))?;
        let with_words = |line: &&String| !line.trim().is_empty();
        let lines: Vec<&String> = lines.iter().filter(with_words).take(self.single_lines.get()).collect();
        let mut milliseconds = Vec::with_capacity(lines.len());
        let before = cpu_seconds();
        for line in &lines {
            let begun = Instant::now();
            one(line)?;
            milliseconds.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        let cpu_seconds = before.zip(cpu_seconds()).map(|(before, after)| after - before);
        let words: usize = lines.iter().map(|line| line.split_whitespace().count()).sum();
        Ok(SingleFigures {
            sentences: lines.len(),
            words_per_second: words as f64 / milliseconds.iter().sum::<f64>().max(1e-9) * 1e3,
            latency_ms: Latency::from_milliseconds(milliseconds),
            cpu_seconds,
            peak_mb: peak_mb(),
        })
    }
}

/// Translates lines and prints an empty line for each.
fn translate(translator: &Translator, options: &TranslateOptions, lines: &[String]) -> Result<Vec<String>> {
    /// The number of empty lines that are written together.
    const BLOCK: usize = 16;
    let mut translations = Vec::with_capacity(lines.len());
    let report = |lines: usize| drop(stdout().lock().write_all(&[b'\n'; BLOCK][..lines]));
    let take = |translation: Translation| {
        translations.push(translation.text().to_owned());
        if translations.len().is_multiple_of(BLOCK) {
            report(BLOCK);
        }
        ControlFlow::Continue(())
    };
    translator.stream(options, [lines.iter().map(Request::translate).collect::<Vec<_>>()], take)?;
    report(lines.len() % BLOCK);
    Ok(translations)
}

fn costs(times: &UnitTimes) -> Vec<UnitCost> {
    let whole: f64 = Unit::ALL.iter().map(|&unit| times.get(unit).seconds).sum();
    let cost = |unit: Unit| {
        let time = times.get(unit);
        UnitCost {
            unit: unit.to_string(),
            seconds: time.seconds,
            share: time.seconds / whole.max(1e-9),
            calls: time.calls,
            operations: time.operations,
            share_of_peak: None,
        }
    };
    Unit::ALL.into_iter().map(cost).collect()
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
    fn from_milliseconds(mut milliseconds: Vec<f64>) -> Self {
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
