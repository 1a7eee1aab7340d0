//! The measurements. Each runs in a separate process.

use super::job::{Job, Kind};
use super::machine::{cpu_seconds, peak_mb};
use super::results::{BatchedRuns, Latency, MeasurementResult, SingleFigures, UnitCost};
use super::{Args, SHORTLIST, setting_precision};
use crate::io::Input;
use crate::lines::Lines;
use anyhow::Result;
use metaphrase::{Request, TranslateOptions, Translation, Translator, TranslatorBuilder, Unit, UnitTimes};
use std::io::{Write, stdout};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

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
