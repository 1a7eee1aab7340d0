//! Iglesias et al. 2018, table 2 and figure 1: the research set-up against the accelerated one, with evidence and
//! without.
//!
//! Each measurement is a process of its own, so that its largest memory is that of its system alone. Systems take
//! turns; the fastest of several runs counts, and its memory. Another run of each system measures where the time goes,
//! because the clocks cost time.

use super::phrase_based::Partner;
use crate::setup::{Setup, bleu, cpu_seconds, round};
use crate::{memory, process};
use anyhow::Result;
use metaphrase::{
    EvidenceOptions, LookAhead, PhraseOptions, Precision, Presort, Request, TranslateOptions, Translator,
    TranslatorBuilder, Unit, UnitTimes,
};
use metaphrase_metrics::BleuOptions;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// The systems.
#[derive(clap::Args)]
pub struct Args {
    /// A neural model, a directory or the name of a bundled one; several models are the ensemble of the research set-up
    #[arg(long, value_name = "PATH", required = true)]
    neural: Vec<PathBuf>,
    /// The one model of the accelerated set-up, as the ensemble shrunk to one [default: the first model]
    #[arg(long, value_name = "PATH")]
    accelerated: Option<PathBuf>,
    #[command(flatten)]
    partner: Partner,
    /// The sizes of the accelerated phrase-based search: coverages, hypotheses of each, translation options, distortion
    /// limit
    #[arg(long, num_args = 4, value_names = ["N_c", "N_l", "N_o", "D"], default_values_t = [4, 4, 10, 4])]
    phrase_sizes: Vec<usize>,
    /// Arcs of a lattice that less than this share of its translations take are left out of the accelerated systems'
    /// evidence
    #[arg(long, value_name = "P", default_value_t = 0.01)]
    prune: f64,
    /// The neural models compute in f32, as those of the paper do [default: as `metaphrase translate` chooses]
    #[arg(long)]
    f32: bool,
    /// Runs of each system
    #[arg(long, value_name = "N", default_value_t = 3)]
    turns: usize,
    /// Measure one system and print it: the program calls itself so
    #[arg(long, hide = true, value_name = "N")]
    one: Option<usize>,
    /// Measure the parts of its time
    #[arg(long, hide = true)]
    parts: bool,
}

/// The systems of table 2, the smallest first. FNMT is the paper's name for the neural system alone, LNMT for that with
/// evidence.
#[derive(Clone, Copy)]
struct System {
    name: &'static str,
    /// The number of the system that differs from it in the evidence alone.
    without: Option<usize>,
    accelerated: bool,
    best_paths: Option<usize>,
    phrases: Phrases,
}

/// The sizes of the phrase-based search.
#[derive(Clone, Copy, PartialEq)]
enum Phrases {
    /// The defaults of the program.
    Research,
    /// The same sizes; options are sorted by the language model, and lists are left early (Wuebker et al. 2012).
    Sorted,
    /// Those of `--phrase-sizes`, sorted as well.
    Small,
}

const FNMT: System =
    System { name: "FNMT, accelerated", without: None, accelerated: true, best_paths: None, phrases: Phrases::Small };
const LNMT: System = System { name: "LNMT, accelerated, small phrase search", without: Some(0), ..FNMT };

const SYSTEMS: [System; 7] = [
    FNMT,
    System { name: "LNMT, accelerated, small phrase search, 200-best", best_paths: Some(200), ..LNMT },
    LNMT,
    System { name: "LNMT, accelerated, sorted phrase search", phrases: Phrases::Sorted, ..LNMT },
    System { name: "LNMT, accelerated, research phrase search", phrases: Phrases::Research, ..LNMT },
    System { name: "FNMT, research", accelerated: false, ..FNMT },
    System { name: "LNMT, research", without: Some(5), accelerated: false, phrases: Phrases::Research, ..FNMT },
];

/// The units of the work of evidence, as figure 1 shows them; everything else is the beam's.
const PARTS: [(Unit, &str); 4] = [
    (Unit::PhraseSearch, "phrase-based search"),
    (Unit::Posteriors, "n-gram posteriors"),
    (Unit::Matrix, "matrix L"),
    (Unit::Scorers, "adding L"),
];

/// The measurements that a process reports.
#[derive(Serialize, Deserialize)]
struct Measurement {
    seconds: f64,
    megabytes: Option<f64>,
    bleu: f64,
    words: usize,
    /// Shares of the time, in the order of [`PARTS`].
    shares: Vec<f64>,
}

#[derive(Serialize)]
struct Report {
    lines: usize,
    words: usize,
    batch_tokens: usize,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    system: &'static str,
    bleu: f64,
    words_per_minute: f64,
    seconds: f64,
    /// The largest memory of the process, models included.
    memory_mb: Option<f64>,
    /// Speed, as a multiple of that of the same system without evidence.
    speed_with_evidence: Option<f64>,
    /// Share of the time that building L and adding it take.
    share_of_matrix: f64,
    parts: Vec<Part>,
}

/// A part of the time.
#[derive(Serialize)]
struct Part {
    part: &'static str,
    milliseconds_per_word: f64,
}

/// Table 2 and figure 1.
pub fn run(setup: &Setup, args: &Args) -> Result<()> {
    if let Some(number) = args.one {
        println!("{}", serde_json::to_string(&args.measure(setup, number)?)?);
        return Ok(());
    }
    let mut best: Vec<Option<Measurement>> = SYSTEMS.iter().map(|_| None).collect();
    for _ in 0..args.turns.max(1) {
        for (number, best) in best.iter_mut().enumerate() {
            let found = in_a_process(number, false)?;
            if best.as_ref().is_none_or(|best| found.seconds < best.seconds) {
                *best = Some(found);
            }
        }
    }
    let best: Vec<Measurement> = best.into_iter().flatten().collect();
    let mut rows = Vec::new();
    for (number, (system, measured)) in SYSTEMS.iter().zip(&best).enumerate() {
        let shares = in_a_process(number, true)?.shares;
        rows.push(row(*system, measured, &shares, &best));
        println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
    }
    let (words, lines) = (best[0].words, setup.text()?.source.len());
    setup.write("iglesias-table2", &Report { lines, words, batch_tokens: setup.batch_tokens, rows })
}

fn row(system: System, measured: &Measurement, shares: &[f64], all: &[Measurement]) -> Row {
    let per_word = measured.seconds * 1000.0 / measured.words.max(1) as f64;
    let beam = 1.0 - shares.iter().sum::<f64>();
    let names = PARTS.iter().map(|(_, name)| *name).chain(["beam"]);
    let parts = names.zip(shares.iter().chain([&beam]));
    Row {
        system: system.name,
        bleu: round(measured.bleu, 2),
        words_per_minute: round(measured.words as f64 * 60.0 / measured.seconds, 0),
        seconds: round(measured.seconds, 3),
        memory_mb: measured.megabytes.map(|megabytes| round(megabytes, 0)),
        speed_with_evidence: system.without.map(|without| round(all[without].seconds / measured.seconds, 3)),
        share_of_matrix: round(shares[2] + shares[3], 4),
        parts: parts.map(|(part, share)| Part { part, milliseconds_per_word: round(share * per_word, 4) }).collect(),
    }
}

fn in_a_process(number: usize, parts: bool) -> Result<Measurement> {
    let number = ["--one".to_owned(), number.to_string()];
    process::measured(&if parts { [&number[..], &["--parts".into()]].concat() } else { number.to_vec() })
}

impl Args {
    fn measure(&self, setup: &Setup, number: usize) -> Result<Measurement> {
        let system = SYSTEMS[number];
        let times = Arc::new(UnitTimes::default());
        let mut builder = self.builder(system, setup)?;
        if self.parts {
            builder = builder.unit_times(Arc::clone(&times));
        }
        let (translator, text) = (builder.build()?, setup.text()?);
        let options = self.options(system, &translator);
        let requests: Vec<Request> = text.requests();
        let begun = cpu_seconds();
        let translations = translator.run(&options, requests)?;
        let seconds = cpu_seconds() - begun;
        let all: f64 = Unit::ALL.iter().map(|&unit| times.get(unit).seconds).sum();
        let shares = PARTS.iter().map(|(unit, _)| times.get(*unit).seconds / all.max(f64::MIN_POSITIVE)).collect();
        let found = translations.iter().map(metaphrase::Translation::text);
        Ok(Measurement {
            seconds,
            megabytes: memory::peak(),
            bleu: bleu(BleuOptions::default(), found, &text.reference)?,
            words: text.source.iter().map(|line| line.split_whitespace().count()).sum(),
            shares,
        })
    }

    fn builder(&self, system: System, setup: &Setup) -> Result<TranslatorBuilder> {
        let precision = self.f32.then_some(Precision::F32);
        let mut builder = Translator::builder().threads(1).batch_tokens(setup.batch_tokens).precision(precision);
        if system.accelerated {
            builder = builder.model(self.accelerated.as_ref().unwrap_or(&self.neural[0]));
        } else {
            builder = self.neural.iter().fold(builder, |builder, path| builder.model(path));
        }
        if system.without.is_none() {
            return Ok(builder);
        }
        builder = self.partner.languages(builder.evidence_model(&self.partner.evidence));
        if let (true, &[coverages, hypotheses, options, distortion]) =
            (system.phrases == Phrases::Small, &self.phrase_sizes[..])
        {
            let (options, distortion_limit) = (Some(options), Some(distortion));
            builder =
                builder.phrase_options(PhraseOptions { coverages, hypotheses, options, distortion_limit, ..sorted() });
        } else if system.phrases == Phrases::Sorted {
            builder = builder.phrase_options(sorted());
        }
        Ok(builder)
    }

    fn options(&self, system: System, translator: &Translator) -> TranslateOptions {
        let mut options = translator.options();
        options.search.beam_size_constrained = None;
        (options.search.beam_size, options.search.beam_width) = if system.accelerated { (4, 0.01) } else { (12, 0.0) };
        let prune = if system.accelerated { self.prune } else { 0.0 };
        options.evidence = EvidenceOptions { best_paths: system.best_paths, prune, ..self.partner.options() };
        options
    }
}

fn sorted() -> PhraseOptions {
    PhraseOptions { presort: Presort::Full, look_ahead: LookAhead::PhraseOnly, ..PhraseOptions::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_time() {
        let measured =
            |seconds| Measurement { seconds, megabytes: Some(9.6), bleu: 30.0, words: 1000, shares: vec![0.0; 4] };
        let all = [measured(1.0), measured(2.0)];
        let found = row(SYSTEMS[1], &all[1], &[0.25, 0.125, 0.0625, 0.0625], &all);
        assert_eq!((found.speed_with_evidence, found.share_of_matrix), (Some(0.5), 0.125));
        assert_eq!((found.words_per_minute, found.memory_mb), (30_000.0, Some(10.0)));
        let sum: f64 = found.parts.iter().map(|part| part.milliseconds_per_word).sum();
        assert!((sum - 2.0).abs() < 1e-9 && found.parts[4].part == "beam");
    }

    #[test]
    fn a_system_is_compared_with_its_like() {
        for system in SYSTEMS {
            assert!(system.without.is_none_or(|without| {
                SYSTEMS[without].without.is_none() && SYSTEMS[without].accelerated == system.accelerated
            }));
        }
    }
}
