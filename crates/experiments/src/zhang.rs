//! Zhang et al. 2018: cube pruning for neural search, and self-normalisation.

use crate::setup::{Setup, cpu_seconds, load, measure, round};
use anyhow::{Context, Result};
use metaphrase::Strategy;
use metaphrase_kernels::{Epilogue, Matrix, PackedMatrix, Precision, WeightOrder, log_sum_exp, product};
use metaphrase_models::Architecture;
use serde::Serialize;
use std::path::Path;

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
        ("NBS", Strategy::Beam, 1),
        ("NCP", Strategy::Cube, 1),
        ("ACP", Strategy::AcceleratedCube, 1),
        ("NCP, two words", Strategy::Cube, 2),
        ("ACP, two words", Strategy::AcceleratedCube, 2),
    ];
    let mut rows: Vec<Row> = Vec::new();
    for (suffix, path, raw) in models(setup) {
        let translator = load(path, raw, setup.batch_tokens)?;
        let mut naive = vec![0.0; BEAMS.len()];
        for (name, strategy, words) in strategies {
            for (place, beam) in BEAMS.into_iter().enumerate() {
                let mut options = translator.options();
                (options.search.strategy, options.search.merge_words, options.search.beam_size) =
                    (strategy, words, beam);
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
struct Pruned {
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
        ("NBS", Strategy::Beam, 1),
        ("ACP", Strategy::AcceleratedCube, 1),
        ("ACP, two words", Strategy::AcceleratedCube, 2),
    ];
    let mut rows: Vec<Pruned> = Vec::new();
    for (suffix, path, raw) in models(setup) {
        let translator = load(path, raw, setup.batch_tokens)?;
        let mut naive = None;
        for (name, strategy, words) in strategies {
            for beam_width in [0.0, 0.01, 0.03, 0.1, 0.2] {
                let mut options = translator.options();
                (options.search.strategy, options.search.merge_words) = (strategy, words);
                (options.search.beam_size, options.search.beam_width) = (30, beam_width);
                let measured = measure(&translator, &options, requests.clone())?;
                let row = Pruned {
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
struct Unit {
    part: &'static str,
    seconds: f64,
    share: f64,
}

/// Time of the parts of a search with beam 10: the output layer (eq. 8) and the softmax (eq. 9) are timed by
/// themselves for as many rows as the search steps; the rest is states, attention (eq. 6, 7) and the search.
pub fn table_1(setup: &Setup) -> Result<()> {
    let (translator, text) = (setup.translator()?, setup.text()?);
    let requests = text.requests();
    let mut options = translator.options();
    options.search.beam_size = 10;
    let measured = measure(&translator, &options, requests.clone())?;
    let counts = measured.counts();
    let model = setup.model.as_deref().context("name the model with --model")?;
    let raw = measure(&load(Some(model), true, setup.batch_tokens)?, &options, requests)?;

    let (config, _) = metaphrase_models::load(model)?;
    let words = config.target_words;
    let inputs = match &config.architecture {
        Architecture::Transformer(network) => network.dim_emb,
        Architecture::Recurrent(network) => network.dim_emb,
    };
    let rows_per_step = (counts.rows / counts.steps.max(1) * (setup.batch_tokens / 12).max(1)).max(1);
    let numbers = |count: usize| (0..count).map(|i| ((i * 37 % 101) as f32 - 50.0) / 100.0).collect::<Vec<_>>();
    let weights =
        PackedMatrix::pack(Precision::F32, &numbers(inputs * words), inputs, words, WeightOrder::OutputsByInputs);
    let (input, mut logits) = (Matrix::from_vec(rows_per_step, inputs, numbers(rows_per_step * inputs)), Matrix::new());
    let steps = counts.rows.div_ceil(rows_per_step);
    let begun = cpu_seconds();
    for _ in 0..steps {
        product(&input, &weights, Epilogue::default(), &mut logits);
    }
    let output = cpu_seconds() - begun;
    let begun = cpu_seconds();
    let mut sum = 0.0;
    for _ in 0..steps {
        sum += (0..rows_per_step).map(|row| log_sum_exp(logits.row(row))).sum::<f32>();
    }
    let softmax = cpu_seconds() - begun;
    let rest = (measured.seconds - output - softmax).max(0.0);
    let unit =
        |part, seconds: f64| Unit { part, seconds: round(seconds, 3), share: round(seconds / measured.seconds, 3) };
    let units = [
        unit("states, attention, t (eq. 6, 7), and search", rest),
        unit("output layer (eq. 8)", output),
        unit("softmax (eq. 9)", softmax),
        unit("whole search", measured.seconds),
        unit("whole search without softmax (a model's raw scores)", raw.seconds),
    ];
    units.iter().for_each(|unit| println!("{}: {} s, {}", unit.part, unit.seconds, unit.share));
    println!("({} rows, {} steps; checksum {sum})", counts.rows, counts.steps);
    setup.write("zhang-table1", &units)
}
