//! The five papers together: one system with each of their techniques, and one with all of them.
//!
//! Each measurement is a process of its own, so that its largest memory is that of its system alone. Systems take
//! turns, and the fastest of several runs counts.

use crate::post::with_random_words;
use crate::setup::{Setup, Text, measure, round};
use crate::{memory, process};
use anyhow::Result;
use metaphrase::{Precision, Request, ShortlistOptions, Strategy, Translation, Translator};
use metaphrase_metrics::{
    Bleu, BleuOptions, Chrf, ChrfOptions, CorpusStats, DEFAULT_SAMPLES, DEFAULT_SEED, Metric, References,
    paired_bootstrap,
};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The translations that are evidence where no phrase-based model is.
const OWN: usize = 12;

/// The models next to the neural one, which is the experiment's.
#[derive(clap::Args)]
pub struct Args {
    /// The phrase-based model whose lattices are evidence [default: the neural system's own list of the 12 best]
    #[arg(long, value_name = "PATH")]
    evidence: Option<PathBuf>,
    /// The languages of its words, which are as `metaphrase tokenize --escape` makes them
    #[arg(long, num_args = 2, value_names = ["SOURCE", "TARGET"])]
    evidence_tokenize: Vec<String>,
    /// The shortlist of the neural model, as `metaphrase shortlist learn` writes it
    #[arg(long, value_name = "FILE")]
    shortlist: PathBuf,
    /// Runs of each system
    #[arg(long, value_name = "N", default_value_t = 3)]
    turns: usize,
    /// Measure one system and print it: the program calls itself so
    #[arg(long, hide = true, value_name = "N")]
    one: Option<usize>,
}

/// The techniques that a system uses.
#[derive(Clone, Copy)]
struct System {
    name: &'static str,
    /// Iglesias et al. 2018; the phrase-based search is that of Wuebker et al. 2012.
    evidence: bool,
    /// Zhang et al. 2018.
    cube: bool,
    /// Post and Vilar 2018: a random word of each reference.
    terms: bool,
    /// Devlin 2017, §3.
    shortlist: bool,
    /// Devlin 2017, §4.1.
    int8: bool,
}

const PLAIN: System =
    System { name: "plain, f32", evidence: false, cube: false, terms: false, shortlist: false, int8: false };

const SYSTEMS: [System; 8] = [
    PLAIN,
    System { name: "+ LMBR", evidence: true, ..PLAIN },
    System { name: "+ cube pruning", cube: true, ..PLAIN },
    System { name: "+ terms", terms: true, ..PLAIN },
    System { name: "+ shortlist", shortlist: true, ..PLAIN },
    System { name: "+ int8", int8: true, ..PLAIN },
    System { name: "all but terms", evidence: true, cube: true, terms: false, shortlist: true, int8: true },
    System { name: "all", evidence: true, cube: true, terms: true, shortlist: true, int8: true },
];

/// The measurements that a process reports.
#[derive(Serialize, Deserialize)]
struct Measurement {
    seconds: f64,
    megabytes: Option<f64>,
    /// Required words that are not in the translations.
    missing: usize,
    translations: Vec<String>,
}

#[derive(Serialize)]
struct Row {
    system: &'static str,
    bleu: f64,
    /// Half the width of the 95 % interval.
    confidence: f64,
    /// The p-value of a paired bootstrap test against the first row.
    p: Option<f64>,
    chrf: f64,
    /// Source words per CPU second.
    words_per_second: f64,
    seconds: f64,
    /// The largest memory of the process, models included.
    memory_mb: Option<f64>,
    missing: usize,
}

/// BLEU, chrF, speed and memory of each system.
pub fn run(setup: &Setup, args: &Args) -> Result<()> {
    let text = setup.text()?;
    if let Some(number) = args.one {
        println!("{}", serde_json::to_string(&args.measure(setup, &text, SYSTEMS[number])?)?);
        return Ok(());
    }
    let mut best: Vec<Option<Measurement>> = SYSTEMS.iter().map(|_| None).collect();
    for _ in 0..args.turns.max(1) {
        for (number, best) in best.iter_mut().enumerate() {
            let found: Measurement = process::measured(&["--one".into(), number.to_string()])?;
            if best.as_ref().is_none_or(|best| found.seconds < best.seconds) {
                *best = Some(found);
            }
        }
    }
    let best: Vec<Measurement> = best.into_iter().flatten().collect();
    let rows = rows(&text, &best)?;
    for row in &rows {
        println!("{}", serde_json::to_string(row)?);
    }
    setup.write("sum", &rows)
}

fn rows(text: &Text, measured: &[Measurement]) -> Result<Vec<Row>> {
    let words: usize = text.source.iter().map(|line| line.split_whitespace().count()).sum();
    let reference: Vec<&str> = text.reference.iter().map(|line| line.trim_end()).collect();
    let reference = [reference];
    let references = References::new(&reference)?;
    let (bleu, chrf) = (Bleu::new(BleuOptions::default())?, Chrf::new(ChrfOptions::default())?);
    let stats = measured.iter().map(|found| CorpusStats::collect(&bleu, &found.translations, &references));
    let stats = stats.collect::<Result<Vec<_>, _>>()?;
    let tested = paired_bootstrap(&bleu, &stats.iter().collect::<Vec<_>>(), DEFAULT_SAMPLES, DEFAULT_SEED)?;
    let row = |((system, found), tested): ((&System, &Measurement), &metaphrase_metrics::Comparison)| {
        Ok(Row {
            system: system.name,
            bleu: round(tested.score, 2),
            confidence: round(tested.interval.map_or(f64::NAN, |interval| interval.half_width), 2),
            p: tested.p_value.map(|p| round(p, 4)),
            chrf: round(chrf.corpus_score(&found.translations, &references)?.value, 2),
            words_per_second: round(words as f64 / found.seconds, 0),
            seconds: round(found.seconds, 2),
            memory_mb: found.megabytes.map(|megabytes| round(megabytes, 0)),
            missing: found.missing,
        })
    };
    SYSTEMS.iter().zip(measured).zip(&tested).map(row).collect()
}

impl Args {
    fn measure(&self, setup: &Setup, text: &Text, system: System) -> Result<Measurement> {
        let model = setup.model.clone().unwrap_or_else(|| Path::new("models/de-en").into());
        let mut builder = Translator::builder().model(model).threads(1).batch_tokens(setup.batch_tokens);
        builder = builder.precision(if system.int8 { Precision::Int8 } else { Precision::F32 });
        if let (true, Some(evidence)) = (system.evidence, &self.evidence) {
            builder = builder.evidence_model(evidence);
            if let [source, target] = &self.evidence_tokenize[..] {
                builder = builder.evidence_languages(source, target);
            }
        }
        if system.shortlist {
            builder = builder.shortlist(&self.shortlist, ShortlistOptions::default());
        }
        let translator = builder.build()?;
        let mut options = translator.options();
        if system.evidence && self.evidence.is_none() {
            options.evidence.own = Some(OWN);
        }
        if system.cube {
            options.search.strategy = Strategy::ACCELERATED_CUBE;
        }
        let requests: Vec<Request> = if system.terms { with_random_words(text, 1) } else { text.requests() };
        let measured = measure(&translator, &options, requests)?;
        Ok(Measurement {
            seconds: measured.seconds,
            megabytes: memory::peak(),
            missing: measured.translations.iter().map(|found| found.missing.len()).sum(),
            translations: measured.translations.iter().map(Translation::text).map(str::to_owned).collect(),
        })
    }
}
