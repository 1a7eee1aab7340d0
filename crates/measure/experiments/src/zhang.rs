//! Zhang et al. 2018: cube pruning for neural search, and self-normalisation.

use crate::iglesias::{TURNS, TestSet, faster};
use crate::random::{Words, write_model};
use crate::setup::{Setup, cpu_seconds, measure, round};
use anyhow::{Result, ensure};
use metaphrase::{Strategy, Unit, UnitTimes};
use metaphrase_base::{Row as BeamRow, Step, StepDemand, StepModel, StepRow, StepScores};
use metaphrase_models::config::RecurrentConfig;
use metaphrase_models::{Architecture, Model, Scores, State};
use metaphrase_search::CheckedOptions;
use metaphrase_testkit::{Delegate, Delegating};
use serde::Serialize;
use std::hint::black_box;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Words of each vocabulary in the paper's network.
const WORDS: usize = 30_000;

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
        let translator = setup.load(path, raw)?;
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
        let translator = setup.load(path, raw)?;
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

/// A model whose output layer computes whole rows of logits, so that the softmax is a pass of its own. By default the
/// output layer finds the normalisers and the best words while it computes.
struct WholeRows<'a>(&'a Model);

impl Delegate for WholeRows<'_> {
    type Model = Model;

    fn model(&self) -> &Model {
        self.0
    }

    fn step(&self, step: Step, demand: StepDemand, rows: &[StepRow], state: &mut State, scores: &mut Scores) {
        self.0.step(step, StepDemand { whole_rows: true, ..demand }, rows, state, scores);
    }
}

/// A model that computes, next to the softmax of its scores, a plain one: for one hypothesis after the other, with the
/// exponential function of the standard library, and all probabilities are written.
struct WithPlainSoftmax<'a> {
    whole_rows: WholeRows<'a>,
    /// CPU seconds of the plain softmax.
    seconds: Mutex<f64>,
}

impl Delegate for WithPlainSoftmax<'_> {
    type Model = Model;

    fn model(&self) -> &Model {
        self.whole_rows.0
    }

    fn step(&self, step: Step, demand: StepDemand, rows: &[StepRow], state: &mut State, scores: &mut Scores) {
        self.whole_rows.step(step, demand, rows, state, scores);
        let mut row_scores = vec![0.0; self.model().config().target_words];
        let mut seconds = self.seconds.lock().unwrap_or_else(PoisonError::into_inner);
        for row in 0..rows.len() {
            scores.row(BeamRow::new(row), &mut row_scores);
            let begun = cpu_seconds();
            softmax(black_box(&mut row_scores));
            *seconds += cpu_seconds() - begun;
        }
    }
}

/// x ← e^x / Σ e^x.
fn softmax(x: &mut [f32]) {
    let largest = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for x in x.iter_mut() {
        *x = (*x - largest).exp();
        sum += *x;
    }
    x.iter_mut().for_each(|x| *x /= sum);
}

#[derive(Serialize)]
struct Part {
    part: String,
    seconds: f64,
    /// The part of the time of all units, or of the search with a softmax of its own.
    share: f64,
}

/// The paper's network (§4.3).
fn network() -> Architecture {
    Architecture::Recurrent(RecurrentConfig { dim_emb: 512, dim_rnn: 512, ..RecurrentConfig::default() })
}

/// Time of the units of work of a search with beam 10 whose softmax is a pass of its own, that of a plain softmax, and
/// the time of the search with and without that pass: of a model, or of a network of the paper's sizes and random
/// weights, whose speed is that of a trained one; its translations are as long as their sources. The paper's units are
/// states (eq. 6 and 7: decoder and attention), output layer (eq. 8) and softmax (eq. 9).
pub fn table_1(setup: &Setup) -> Result<()> {
    let text = setup.text_or("wmt-news/newstest2014.de-en.en.gz", "wmt-news/newstest2014.de-en.de.gz")?;
    let folder = tempfile::tempdir()?;
    let random = || write_model(network(), &Words::new(&text.source, WORDS), folder.path(), 2018);
    let given = TestSet::new(&setup.model.clone().map_or_else(random, Ok)?, &text)?;
    let options = given.options(10)?;
    let whole_rows = Delegating(WholeRows(&given.model));
    let (mut fused, mut apart) = (None, None);
    for _ in 0..TURNS {
        fused = faster(fused, given.search(&given.model, &options, setup.batch_tokens));
        apart = faster(apart, given.search(&whole_rows, &options, setup.batch_tokens));
    }
    let (Some(fused), Some(apart)) = (fused, apart) else { return Ok(()) };
    ensure!(fused.translations == apart.translations, "the translations depend on the pass of the softmax");
    let (mut parts, plain) = units(&given, &options, setup.batch_tokens);
    let name = "a plain softmax, added to the search".to_owned();
    parts.push(Part::new(name, plain, apart.seconds + plain));
    for (name, seconds) in [("search, the softmax a pass of its own", apart.seconds), ("search", fused.seconds)] {
        parts.push(Part::new(name.into(), seconds, apart.seconds));
    }
    parts.iter().for_each(|part| println!("{}: {} s, {}", part.part, part.seconds, part.share));
    setup.write("zhang-table1", &parts)
}

/// The units of a search whose softmax is a pass of its own, and the CPU seconds of its plain softmax.
fn units(given: &TestSet, options: &CheckedOptions, batch_tokens: usize) -> (Vec<Part>, f64) {
    let model = WithPlainSoftmax { whole_rows: WholeRows(&given.model), seconds: Mutex::new(0.0) };
    let model = Delegating(model);
    let times = Arc::new(UnitTimes::default());
    let measurement = times.measure();
    given.search(&model, options, batch_tokens);
    drop(measurement);
    let plain = model.0.seconds.into_inner().unwrap_or_else(PoisonError::into_inner);
    let used: Vec<Unit> = Unit::ALL.into_iter().filter(|&unit| times.get(unit).calls > 0).collect();
    let seconds = |unit: Unit| times.get(unit).seconds;
    let whole: f64 = used.iter().map(|&unit| seconds(unit)).sum();
    let parts = used.iter().map(|&unit| Part::new(unit.to_string(), seconds(unit), whole)).collect();
    (parts, plain)
}

impl Part {
    fn new(part: String, seconds: f64, whole: f64) -> Self {
        Self { part, seconds: round(seconds, 3), share: round(seconds / whole, 3) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_sum_to_one() {
        let mut x = [0.0, 2.0_f32.ln(), f32::NEG_INFINITY, 1000.0_f32.ln()];
        softmax(&mut x);
        let expected = [1.0 / 1003.0, 2.0 / 1003.0, 0.0, 1000.0 / 1003.0];
        assert!(x.iter().zip(expected).all(|(x, expected)| (x - expected).abs() < 1e-6), "{x:?}");
    }
}
