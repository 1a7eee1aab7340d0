//! Translation on the first NVIDIA GPU next to the CPU, for `benches/gpu/run`: a line of JSON for each measurement.
//!
//! `decode SECONDS MODEL TEXT [LINES [BEAMS [BATCHES [THREADS [AMOUNTS [STRATEGIES [UNITS]]]]]]]` translates lines of the
//! text with a model, with one that is bundled, or with a conditional GRU of random weights, `random:EMBEDDING,STATE,WORDS`,
//! and runs each measurement for about this number of seconds. It first compares the translations of `LINES` lines (256)
//! with those of the CPU, and of batches with those of single lines, to the bit. Then it measures all beams (1,4,12), all
//! batches (1,4,16,64,256,1024 sentences) and all numbers of searches at once (4) with each other, by each strategy of
//! `--strategy` (beam). Nothing is compared where `LINES` is 0. `AMOUNTS` is `keep`, the default of translation, or `model`,
//! where no line is searched twice, as by engines that do not look at amounts. With `units` as the last argument each
//! measurement is followed by the seconds that parts of the work take, in a run that waits for the device at their ends.

mod random_network;

use anyhow::{Context, Result, bail, ensure};
use metaphrase::{
    Choice, Device, Gpus, Lost, Precision, Request, Strategy, TranslateOptions, Translation, Translator, Unit,
    UnitTimes,
};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// A model, the text, and the time for a measurement.
struct Bench {
    model: PathBuf,
    lines: Vec<String>,
    /// Source pieces of a line, on average.
    pieces: usize,
    seconds: f64,
    amounts: Lost,
}

/// A way to use the machine.
#[derive(Clone, Copy)]
struct Setting {
    device: Device,
    /// `None`: the model's own.
    precision: Option<Precision>,
    /// Sentences.
    batch: usize,
    threads: usize,
    strategy: Strategy,
}

/// What a GPU has in f32.
const GPU: Setting = Setting {
    device: Device::Cuda(Gpus::FIRST),
    precision: Some(Precision::F32),
    batch: 256,
    threads: 2,
    strategy: Strategy::Beam,
};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let expected = "expected SECONDS MODEL TEXT [LINES [BEAMS [BATCHES [THREADS [AMOUNTS [STRATEGIES [UNITS]]]]]]]";
    let seconds: f64 = arguments.next().and_then(|n| n.parse().ok()).context(expected)?;
    let [model, text] = [(); 2].map(|()| arguments.next());
    let (model, text) = (model.context(expected)?, text.context(expected)?);
    let mut numbers = |default: &str| -> Result<Vec<usize>> {
        let list = arguments.next().unwrap_or_else(|| default.to_owned());
        list.split(',').map(|number| number.parse().context(expected)).collect()
    };
    let [compared, beams, batches, searches] =
        [numbers("256")?, numbers("1,4,12")?, numbers("1,4,16,64,256,1024")?, numbers("4")?];
    let compared = compared[0];
    let amounts = match arguments.next().as_deref() {
        None | Some("keep") => Lost::Keep,
        Some("model") => Lost::Model,
        Some(_) => bail!(expected),
    };
    let strategies = arguments.next().unwrap_or_else(|| "beam".to_owned());
    let strategies: Vec<Strategy> = strategies.split(',').map(Strategy::from_name).collect::<Result<_, _>>()?;
    let with_units = arguments.next().is_some();
    let text = std::fs::read_to_string(&text).with_context(|| format!("{text} can not be read"))?;
    let lines: Vec<String> = text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
    ensure!(!lines.is_empty(), "the text has no lines");
    let folder = tempfile::tempdir()?;
    let model = match model.strip_prefix("random:") {
        Some(sizes) => random_network::write(sizes, &lines, folder.path())?,
        None => PathBuf::from(model),
    };
    let mut bench = Bench { model, lines, pieces: 1, seconds, amounts };
    let cpu = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu = Setting { device: Device::Cpu, precision: Some(Precision::F32), batch: 16, threads: cpu, ..GPU };
    let translator = bench.translator(cpu)?;
    let pieces: usize = bench.lines.iter().map(|line| translator.segment(line).len()).sum();
    bench.pieces = pieces.div_ceil(bench.lines.len()).max(1);
    if compared > 0 {
        bench.compare(&translator, compared)?;
        bench.compare_batches(compared.min(32))?;
        for precision in [Some(Precision::F32), None] {
            println!("{}", bench.speed(Setting { precision, ..cpu }, 4)?);
        }
    }
    for precision in [Precision::F32, Precision::Bf16] {
        for (&strategy, &beam_size) in
            strategies.iter().flat_map(|strategy| beams.iter().map(move |beam| (strategy, beam)))
        {
            for &batch in &batches {
                // A single sentence has nothing to share between searches.
                for &threads in if batch == 1 { &[1][..] } else { &searches[..] } {
                    let setting = Setting { precision: Some(precision), batch, threads, strategy, ..GPU };
                    println!("{}", bench.speed(setting, beam_size)?);
                    if with_units {
                        println!("{}", bench.units(setting, beam_size)?);
                    }
                }
            }
        }
    }
    Ok(())
}

impl Bench {
    fn translator(&self, setting: Setting) -> Result<Translator> {
        self.translator_with(setting, None)
    }

    fn translator_with(&self, setting: Setting, times: Option<Arc<UnitTimes>>) -> Result<Translator> {
        let tokens = if setting.batch == 1 { 1 } else { setting.batch * self.pieces };
        let builder = Translator::builder().model(&self.model).device(setting.device).precision(setting.precision);
        let builder = builder.threads(setting.threads).batch_tokens(tokens);
        Ok(times.into_iter().fold(builder, |builder, times| builder.unit_times(times)).build()?)
    }

    /// Seconds of the parts of the work, for the lines of a batch of each search.
    fn units(&self, setting: Setting, beam_size: usize) -> Result<serde_json::Value> {
        let times = Arc::new(UnitTimes::default());
        let translator = self.translator_with(setting, Some(Arc::clone(&times)))?;
        let lines = self.some(0, setting.batch * setting.threads);
        self.translate(&translator, beam_size, setting.strategy, &lines)?; // warm
        let before = Unit::ALL.map(|unit| times.get(unit).seconds);
        self.translate(&translator, beam_size, setting.strategy, &lines)?;
        let parts = Unit::ALL.iter().zip(before).map(|(&unit, before)| (unit, times.get(unit).seconds - before));
        let parts =
            parts.filter(|(_, seconds)| *seconds > 0.0).map(|(unit, seconds)| (unit.to_string(), json!(seconds)));
        Ok(json!({ "units": parts.collect::<serde_json::Map<_, _>>(), "beam-size": beam_size, "lines": lines.len(),
            "strategy": setting.strategy.name(), "batch": setting.batch }))
    }

    /// Lines from `first` on, from the beginning again after the last one.
    fn some(&self, first: usize, count: usize) -> Vec<&str> {
        self.lines.iter().cycle().skip(first % self.lines.len()).take(count).map(String::as_str).collect()
    }

    /// Translations on the GPU next to those of the CPU in f32.
    fn compare(&self, cpu: &Translator, count: usize) -> Result<()> {
        let lines = self.some(0, count.min(self.lines.len()));
        let expected = self.translate(cpu, 4, Strategy::Beam, &lines)?;
        for precision in [Precision::F32, Precision::Bf16] {
            let device = self.translator(Setting { precision: Some(precision), ..GPU })?;
            let got = self.translate(&device, 4, Strategy::Beam, &lines)?;
            let pairs = || got.iter().zip(&expected);
            let equal = pairs().filter(|(got, expected)| got.text() == expected.text()).count();
            // Scores of other translations say nothing about rounding.
            let same = pairs().filter(|(got, expected)| got.text() == expected.text());
            let difference = same.map(|(got, expected)| (score(got) - score(expected)).abs()).fold(0.0, f32::max);
            let precision = precision.name();
            println!(
                "{}",
                json!({ "compared": "CPU", "precision": precision, "lines": lines.len(), "equal": equal,
                    "largest-score-difference": difference })
            );
        }
        Ok(())
    }

    /// Lines alone next to the same lines in batches: texts and scores, to the bit.
    fn compare_batches(&self, count: usize) -> Result<()> {
        let lines = self.some(0, count.min(self.lines.len()));
        let of = |batch| -> Result<Vec<(String, u32)>> {
            let translator = self.translator(Setting { batch, threads: 1, ..GPU })?;
            let translations = self.translate(&translator, 4, Strategy::Beam, &lines)?;
            Ok(translations.iter().map(|t| (t.text().to_owned(), score(t).to_bits())).collect())
        };
        let alone = of(1)?;
        for batch in [3, 1024] {
            let equal = of(batch)?.iter().zip(&alone).filter(|(got, alone)| got == alone).count();
            println!("{}", json!({ "compared": "one by one", "batch": batch, "lines": lines.len(), "equal": equal }));
        }
        Ok(())
    }

    /// Source words per second. Rounds have twice as many lines until one takes long enough; the first one has four batches
    /// for each search, so that beginnings and ends of batches weigh little.
    fn speed(&self, setting: Setting, beam_size: usize) -> Result<serde_json::Value> {
        let translator = self.translator(setting)?;
        self.translate(&translator, beam_size, setting.strategy, &self.some(0, setting.batch.min(64)))?; // warm
        let (mut first, mut count) = (0, (4 * setting.batch * setting.threads).max(8));
        loop {
            let lines = self.some(first, count);
            let words: usize = lines.iter().map(|line| line.split_whitespace().count()).sum();
            let begun = Instant::now();
            self.translate(&translator, beam_size, setting.strategy, &lines)?;
            let seconds = begun.elapsed().as_secs_f64();
            if seconds >= self.seconds / 2.0 {
                let precision = setting.precision.map_or("auto", Choice::name);
                return Ok(
                    json!({ "device": setting.device.to_string(), "precision": precision, "beam-size": beam_size,
                    "batch": setting.batch, "threads": setting.threads, "lines": count, "amounts": self.amounts.name(),
                    "strategy": setting.strategy.name(),
                    "words-per-second": words as f64 / seconds, "ms-per-line": 1000.0 * seconds / count as f64 }),
                );
            }
            (first, count) = (first + count, 2 * count);
        }
    }

    fn translate(
        &self,
        translator: &Translator,
        beam_size: usize,
        strategy: Strategy,
        lines: &[&str],
    ) -> Result<Vec<Translation>> {
        let mut options: TranslateOptions = translator.options();
        (options.search.beam_size, options.search.strategy) = (beam_size, strategy);
        options.amounts = self.amounts;
        let requests = lines.iter().map(|&line| Request::translate(line)).collect();
        let translations = translator.run(&options, requests)?;
        let failed = translations.iter().find_map(|translation| translation.error.as_ref());
        ensure!(failed.is_none(), "a line has no translation: {}", failed.map_or("", |error| error));
        Ok(translations)
    }
}

fn score(translation: &Translation) -> f32 {
    translation.hypotheses.first().map_or(f32::NAN, |best| best.score)
}
