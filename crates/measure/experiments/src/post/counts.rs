//! How many pieces the constraints have.

use super::{Draw, SETS, pieces, requests, text};
use crate::setup::{Setup, round};
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Histogram {
    set: &'static str,
    /// By the number of pieces of a sentence's constraints: the pieces of all such sentences, as the paper counts.
    pieces: BTreeMap<usize, usize>,
    total: usize,
    /// Pieces per sentence.
    mean: f64,
}

/// Pieces of the constraints after segmentation.
pub fn table_2(setup: &Setup) -> Result<()> {
    let (translator, text) = (setup.translator()?, text(setup)?);
    let mut rows = Vec::new();
    for (set, draw) in SETS.into_iter().filter(|(_, draw)| !matches!(draw, Draw::None)) {
        let mut histogram = BTreeMap::new();
        for request in requests(&text, draw) {
            let pieces = pieces(&translator, &request);
            *histogram.entry(pieces).or_insert(0) += pieces;
        }
        let total: usize = histogram.values().sum();
        rows.push(Histogram { set, pieces: histogram, total, mean: round(total as f64 / text.source.len() as f64, 2) });
        println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
    }
    setup.write("post-table2", &rows)
}
