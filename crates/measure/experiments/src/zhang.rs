//! Zhang et al. 2018: cube pruning for neural search, and self-normalisation.

use crate::setup::{Setup, load, measure, round};
use anyhow::Result;
use metaphrase::{Package, Strategy, Translator, Unit, UnitTimes};
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

const BEAMS: [usize; 11] = [1, 2, 3, 4, 8, 10, 15, 18, 20, 30, 40];

#[derive(Serialize)]
struct Row {
    system: String,
    beam: usize,
    bleu: f64,
    /// Average merging rate, eq. 15.
    merging_rate: f64,
    rows: usize,
    seconds: f64,
    milliseconds_per_word: f64,
    /// How many times faster than the naive search at this beam, of the same model.
    speed_up: f64,
}

/// Merging rate, work, time and BLEU of the six search strategies, and of those that merge by two last words.
pub fn figures(setup: &Setup) -> Result<()> {
    let text = setup.text()?;
    let requests = text.requests();
    let strategies = [
        ("NBS", Strategy::Beam),
        ("NCP", Strategy::Cube { merge_words: 1 }),
        ("ACP", Strategy::AcceleratedCube { merge_words: 1 }),
        ("NCP, two words", Strategy::Cube { merge_words: 2 }),
        ("ACP, two words", Strategy::AcceleratedCube { merge_words: 2 }),
    ];
    let mut rows: Vec<Row> = Vec::new();
    for (suffix, path, raw) in models(setup) {
        let translator = load(path, raw, setup.batch_tokens)?;
        let mut naive = vec![0.0; BEAMS.len()];
        for (name, strategy) in strategies {
            for (place, beam) in BEAMS.into_iter().enumerate() {
                let mut options = translator.options();
                (options.search.strategy, options.search.beam_size) = (strategy, beam);
                let measured = measure(&translator, &options, requests.clone())?;
                let counts = measured.counts();
                if strategy == Strategy::Beam {
                    naive[place] = measured.seconds;
                }
                rows.push(Row {
                    system: format!("{name}{suffix}"),
                    beam,
                    bleu: round(measured.bleu(&text.reference)?, 2),
                    merging_rate: round(counts.hypotheses as f64 / counts.groups as f64, 3),
                    rows: counts.rows,
                    seconds: round(measured.seconds, 3),
                    milliseconds_per_word: round(measured.seconds * 1e3 / measured.words().max(1) as f64, 4),
                    speed_up: round(naive[place] / measured.seconds, 3),
                });
                println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
            }
        }
    }
    setup.write("zhang", &rows)
}

#[derive(Serialize)]
struct PruningRow {
    system: String,
    beam_width: f32,
    bleu: f64,
    rows: usize,
    seconds: f64,
    /// How many times faster than the naive search without pruning, of the same model.
    speed_up: f64,
}

/// Cube pruning at beam 30 together with Iglesias' relative width.
pub fn pruned(setup: &Setup) -> Result<()> {
    let text = setup.text()?;
    let requests = text.requests();
    let strategies = [
        ("NBS", Strategy::Beam),
        ("ACP", Strategy::AcceleratedCube { merge_words: 1 }),
        ("ACP, two words", Strategy::AcceleratedCube { merge_words: 2 }),
    ];
    let mut rows: Vec<PruningRow> = Vec::new();
    for (suffix, path, raw) in models(setup) {
        let translator = load(path, raw, setup.batch_tokens)?;
        let mut naive = None;
        for (name, strategy) in strategies {
            for beam_width in [0.0, 0.01, 0.03, 0.1, 0.2] {
                let mut options = translator.options();
                options.search.strategy = strategy;
                (options.search.beam_size, options.search.beam_width) = (30, beam_width);
                let measured = measure(&translator, &options, requests.clone())?;
                let row = PruningRow {
                    system: format!("{name}{suffix}"),
                    beam_width,
                    bleu: round(measured.bleu(&text.reference)?, 2),
                    rows: measured.counts().rows,
                    seconds: round(measured.seconds, 3),
                    speed_up: round(*naive.get_or_insert(measured.seconds) / measured.seconds, 2),
                };
                println!("{}", serde_json::to_string(&row)?);
                rows.push(row);
            }
        }
    }
    setup.write("zhang-pruned", &rows)
}

/// Suffix, path, and whether scores are those of the output layer.
fn models(setup: &Setup) -> Vec<(&'static str, Option<&Path>, bool)> {
    let mut models = vec![("-SN", setup.model.as_deref(), false)];
    models.extend(setup.self_normalised.as_deref().map(|path| ("+SN", Some(path), true)));
    models
}

#[derive(Serialize)]
struct Part {
    part: String,
    /// Seconds of wall time inside the search.
    seconds: f64,
    share: f64,
}

/// Time of the units of work of a search with beam 10, taken inside the search, and the time of a search without the
/// softmax (eq. 9). The paper's units are states (eq. 6 and 7: decoder and attention), output layer (eq. 8) and
/// softmax.
pub fn table_1(setup: &Setup) -> Result<()> {
    let text = setup.text()?;
    let model = setup.model_directory();
    let times = Arc::new(UnitTimes::default());
    let builder = Translator::builder().package(Package::find(&model)?).unit_times(Arc::clone(&times));
    let timed = builder.threads(1).batch_tokens(setup.batch_tokens).build()?;
    let [normal, raw] = [false, true].map(|raw| load(Some(&model), raw, setup.batch_tokens));
    let measured = [&normal?, &raw?, &timed].map(|translator| {
        let mut options = translator.options();
        options.search.beam_size = 10;
        measure(translator, &options, text.requests())
    });
    let [normal, raw, timed] = measured;
    let (normal, raw, timed) = (normal?.seconds, raw?.seconds, timed?.seconds);
    let whole: f64 = Unit::ALL.iter().map(|&unit| times.get(unit).seconds).sum();
    let part = |part: String, seconds: f64, whole: f64| Part {
        part,
        seconds: round(seconds, 3),
        share: round(seconds / whole, 3),
    };
    let units = Unit::ALL.iter().map(|&unit| part(unit.to_string(), times.get(unit).seconds, whole));
    let searches =
        [("whole search", normal), ("whole search with clocks", timed), ("whole search without softmax", raw)];
    let searches = searches.map(|(name, seconds)| part(name.into(), seconds, normal));
    let parts: Vec<Part> = units.chain(searches).collect();
    parts.iter().for_each(|part| println!("{}: {} s, {}", part.part, part.seconds, part.share));
    setup.write("zhang-table1", &parts)
}
