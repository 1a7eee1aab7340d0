//! Devlin 2017, tables 1 and 2: what each trick brings, and the speed of the systems, one sentence at a time on one
//! thread.
//!
//! The networks have the paper's sizes (§4.6 and §5; 80,000 words) and random weights, as the speed does not depend on
//! their values. Their translations do not end by themselves: each is as long as its source.

mod functions;
mod identical;

pub use functions::functions;
pub use identical::{Args as IdenticalArgs, identical};

use crate::random::{Words, devlin, write_model};
use crate::setup::{MeasuredRun, Setup, measure, round};
use anyhow::{Result, ensure};
use metaphrase::{Choice, Optimizations, Package, Precision, Request, ShortlistOptions, TranslateOptions, Translator};
use metaphrase_models::Architecture;
use metaphrase_models::config::{AttentionFirst, Cell, DecoderForm, EncoderType, LayerNorm, RecurrentConfig, Top};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Words of each vocabulary.
const WORDS: usize = 80_000;
/// Target words of each source word in the shortlist: about 500 for a sentence of 25 words.
const EACH: usize = 20;
/// Each measurement takes turns with the others so often; the fastest counts.
const TURNS: usize = 3;
/// Words whose embeddings are multiplied when the model is loaded (§4.2).
const FREQUENT: usize = 8_000;
const BEAM: usize = 6;

/// Translates in turns, and keeps the fastest run of each translator.
fn in_turns(translators: &[Translator], requests: &[Request]) -> Result<Vec<MeasuredRun>> {
    let mut best: Vec<Option<MeasuredRun>> = translators.iter().map(|_| None).collect();
    for _ in 0..TURNS {
        for (translator, best) in translators.iter().zip(&mut best) {
            let measured = measure(translator, &options(translator), requests.to_vec())?;
            if best.as_ref().is_none_or(|best| measured.seconds < best.seconds) {
                *best = Some(measured);
            }
        }
    }
    Ok(best.into_iter().flatten().collect())
}

fn options(translator: &Translator) -> TranslateOptions {
    let mut options = translator.options();
    options.search.beam_size = BEAM;
    options
}

/// The text, its vocabulary and a shortlist, in a folder that is removed at the end.
struct Workload {
    folder: tempfile::TempDir,
    words: Words,
    shortlist: PathBuf,
    requests: Vec<Request>,
}

impl Workload {
    fn new(setup: &Setup) -> Result<Self> {
        Self::with_words(setup, WORDS)
    }

    /// With vocabularies of `count` words.
    fn with_words(setup: &Setup, count: usize) -> Result<Self> {
        let text = setup.text()?;
        ensure!(!text.source.is_empty(), "the text has no lines");
        let folder = tempfile::tempdir()?;
        let words = Words::new(&text.source, count);
        let shortlist = folder.path().join("lex.s2t");
        words.write_shortlist(&shortlist, EACH)?;
        Ok(Self { folder, words, shortlist, requests: text.requests() })
    }

    /// A model directory with random weights.
    fn model(&self, architecture: Architecture, seed: u64) -> Result<PathBuf> {
        write_model(architecture, &self.words, self.folder.path(), seed)
    }
}

/// A translator of one thread that translates sentence after sentence.
fn translator(
    packages: impl IntoIterator<Item = Package>,
    precision: Precision,
    shortlist_of: Option<&Workload>,
) -> Result<Translator> {
    let mut builder = Translator::builder().threads(1).batch_tokens(1);
    for package in packages {
        builder = builder.package(package.with_precision(precision));
    }
    if let Some(given) = shortlist_of {
        builder = builder.shortlist(&given.shortlist, ShortlistOptions::default());
    }
    Ok(builder.build()?)
}

/// The decoder of 1024 with attention, and `layers` fully-connected layers of 768 below `top`.
fn system(layers: usize, top: Top) -> Architecture {
    devlin(AttentionFirst { dim_attention: 1024, layers, dim_layers: 768, top })
}

/// A system of table 2: its name, what its decoder is, and what the paper reports in words per second.
type System = (&'static str, &'static str, f64, Vec<Architecture>);

fn systems() -> Vec<System> {
    let tanh = Top::Tanh { dim: 1024 };
    let s4 = || system(7, tanh);
    vec![
        ("S1", "1024-AttGRU", 418.0, vec![system(0, Top::None)]),
        ("S2", "1024-AttGRU + 1024-GRU", 242.0, vec![system(0, Top::Gru)]),
        ("S3", "1024-AttGRU + 3 x 768-FC + 1024-FC", 271.0, vec![system(3, tanh)]),
        ("S4", "1024-AttGRU + 7 x 768-FC + 1024-FC", 229.0, vec![s4()]),
        ("S5", "1024-AttGRU + 7 x 768-FC + 1024-GRU", 157.0, vec![system(7, Top::Gru)]),
        ("S6", "1024-AttGRU + 15 x 768-FC + 1024-FC", 163.0, vec![system(15, tanh)]),
        ("S7", "encoder 8 x LSTM; 1024-AttLSTM + 7 x 1024-LSTM", 28.0, vec![deep_lstm()]),
        ("E1", "ensemble of 2 x S4", 102.0, vec![s4(), s4()]),
        ("E2", "ensemble of 3 x S4", 65.0, vec![s4(), s4(), s4()]),
    ]
}

/// Eight layers of LSTM on each side, as Wu et al. 2016 have them.
fn deep_lstm() -> Architecture {
    Architecture::Recurrent(RecurrentConfig {
        dim_emb: 512,
        dim_rnn: 1024,
        encoder_type: EncoderType::BiUnidirectional,
        encoder_cell: Cell::Lstm,
        encoder_depth: 8,
        decoder_cell: Cell::Lstm,
        decoder_cell_base_depth: 1,
        decoder_depth: 8,
        layer_norm: LayerNorm::None,
        decoder: DecoderForm::Conditional,
        ..RecurrentConfig::default()
    })
}

#[derive(Serialize)]
struct OptimizationRow {
    /// The addition to the row above.
    trick: String,
    words_per_second: f64,
    seconds: f64,
    /// How many times faster than the first row.
    factor: f64,
    /// Share of the translations that are those of the row above, in another precision those of the last row in f32.
    identical: f64,
    /// Whether the trick leaves the translations as they are, to the bit.
    exact: bool,
}

/// A row of table 1: its name, whether its translations have to be those of the row above, and the translator.
struct Step {
    name: String,
    exact: bool,
    translator: Translator,
}

/// Table 1: what each trick brings, added one after the other.
pub fn table_1(setup: &Setup) -> Result<()> {
    let given = Workload::new(setup)?;
    let model = given.model(system(0, Top::None), 1)?;
    let steps = steps(&given, &model)?;
    let (names, translators): (Vec<_>, Vec<_>) =
        steps.into_iter().map(|step| ((step.name, step.exact), step.translator)).unzip();
    let measured = in_turns(&translators, &given.requests)?;
    let mut rows = Vec::new();
    // A row is compared with the row above, a row in another precision with the last row in f32.
    let mut before = &measured[0];
    for ((name, exact), now) in names.into_iter().zip(&measured) {
        let same = before.translations.iter().zip(&now.translations).filter(|(a, b)| a.text() == b.text());
        let identical = same.count() as f64 / given.requests.len() as f64;
        ensure!(!exact || identical == 1.0, "`{name}` is exact and changes translations");
        rows.push(OptimizationRow {
            trick: name,
            words_per_second: round(now.words() as f64 / now.seconds, 1),
            seconds: round(now.seconds, 3),
            factor: round(measured[0].seconds / now.seconds, 3),
            identical: round(identical, 4),
            exact,
        });
        if !rows[rows.len() - 1].trick.starts_with("the same in") {
            before = now;
        }
        println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
    }
    setup.write("devlin-table1", &rows)
}

/// The rows of table 1.
fn steps(given: &Workload, model: &Path) -> Result<Vec<Step>> {
    let tricks = |frequent_words, prepared_context, merged_states| Optimizations {
        frequent_words,
        prepared_context,
        merged_states,
    };
    let mut rows = vec![
        ("packed f32".to_owned(), true, Precision::F32, false, tricks(0, false, false)),
        ("+ a shortlist for each sentence".into(), false, Precision::F32, true, tricks(0, false, false)),
        ("+ pre-computed embeddings (4.2)".into(), true, Precision::F32, true, tricks(FREQUENT, false, false)),
        // Another order of the same sums.
        ("+ pre-computed attention (4.3)".into(), false, Precision::F32, true, tricks(FREQUENT, true, false)),
        ("+ merged states (4.5)".into(), true, Precision::F32, true, tricks(FREQUENT, true, true)),
    ];
    let all = tricks(FREQUENT, true, true);
    rows.extend(rounded().into_iter().map(|p| (format!("the same in {}", p.name()), false, p, true, all)));
    let step = |(name, exact, precision, list, tricks): (String, bool, Precision, bool, Optimizations)| {
        let package = Package::find(model)?.with_optimizations(tricks);
        Ok(Step { name, exact, translator: translator([package], precision, list.then_some(given))? })
    };
    rows.into_iter().map(step).collect()
}

/// The precisions that round, from the finest on.
fn rounded() -> Vec<Precision> {
    ["bf16", "int16", "int8"].into_iter().filter_map(|name| Precision::from_name(name).ok()).collect()
}

#[derive(Serialize)]
struct SystemRow {
    system: &'static str,
    decoder: &'static str,
    precision: String,
    words_per_second: f64,
    seconds: f64,
    /// How many times slower than S1 in this precision.
    times_s1: f64,
    paper_words_per_second: f64,
    /// How many times slower than S1 in the paper.
    paper_times_s1: f64,
}

/// Table 2, the column of speed: all systems with the shortlist, in f32 and in the fastest precision.
pub fn table_2(setup: &Setup) -> Result<()> {
    let given = Workload::new(setup)?;
    let precisions = [Some(Precision::F32), rounded().pop()].into_iter().flatten();
    let precisions: Vec<Precision> = precisions.collect();
    let mut first: Vec<f64> = Vec::new();
    let mut rows: Vec<SystemRow> = Vec::new();
    for (system, decoder, paper, architectures) in systems() {
        let seeds = 1..;
        let models = architectures.into_iter().zip(seeds).map(|(architecture, seed)| given.model(architecture, seed));
        let models = models.collect::<Result<Vec<_>>>()?;
        let tricks = Optimizations { frequent_words: FREQUENT, ..Optimizations::default() };
        let of = |&precision: &Precision| -> Result<Translator> {
            let find = |model: &PathBuf| Ok(Package::find(model)?.with_optimizations(tricks));
            translator(models.iter().map(find).collect::<Result<Vec<_>>>()?, precision, Some(&given))
        };
        let translators = precisions.iter().map(of).collect::<Result<Vec<_>>>()?;
        for (number, measured) in in_turns(&translators, &given.requests)?.iter().enumerate() {
            let speed = measured.words() as f64 / measured.seconds;
            if first.len() <= number {
                first.push(speed);
            }
            rows.push(SystemRow {
                system,
                decoder,
                precision: precisions[number].name().to_owned(),
                words_per_second: round(speed, 1),
                seconds: round(measured.seconds, 3),
                times_s1: round(first[number] / speed, 2),
                paper_words_per_second: paper,
                paper_times_s1: round(418.0 / paper, 2),
            });
            println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
        }
    }
    setup.write("devlin-table2", &rows)
}
