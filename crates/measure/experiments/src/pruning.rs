//! Pruning and early stops without constraints: quality, and rows that are saved.

use crate::setup::{Setup, measure, round};
use anyhow::Result;
use metaphrase::{Stop, TranslateOptions};
use serde::Serialize;

#[derive(Serialize)]
struct Row {
    stop: &'static str,
    setting: String,
    bleu: f64,
    rows: usize,
    /// Share of the rows of the same search without pruning that are saved.
    saved: f64,
    seconds: f64,
}

/// Relative beam width, threshold and margin, beam 6, for both ways to finish.
pub fn run(setup: &Setup) -> Result<()> {
    let (translator, text) = (setup.translator()?, setup.text()?);
    let requests = text.requests();
    let mut table: Vec<Row> = Vec::new();
    for (name, stop) in [("shrink", Stop::Shrink), ("fill", Stop::FILL)] {
        let mut plain = translator.options();
        (plain.search.beam_size, plain.search.stop) = (6, stop);
        let mut settings: Vec<(String, TranslateOptions)> = vec![("none".into(), plain.clone())];
        for width in [0.0001, 0.001, 0.01, 0.1] {
            let mut options = plain.clone();
            options.search.beam_width = width;
            settings.push((format!("beam width {width}"), options));
        }
        for threshold in [1.0, 3.0, 5.0] {
            let mut options = plain.clone();
            options.search.prune_threshold = Some(threshold);
            settings.push((format!("threshold {threshold}"), options));
        }
        for margin in [0.0, 1.0, 3.0, 5.0] {
            let mut options = plain.clone();
            options.search.stop_margin = margin;
            settings.push((format!("margin {margin}"), options));
        }
        let mut full = 0;
        for (setting, options) in settings {
            let measured = measure(&translator, &options, requests.clone())?;
            let rows = measured.counts().rows;
            if full == 0 {
                full = rows;
            }
            table.push(Row {
                stop: name,
                setting,
                bleu: round(measured.bleu(&text.reference)?, 1),
                rows,
                saved: round(1.0 - rows as f64 / full as f64, 3),
                seconds: round(measured.seconds, 2),
            });
            println!("{}", serde_json::to_string(&table[table.len() - 1])?);
        }
    }
    setup.write("pruning", &table)
}
