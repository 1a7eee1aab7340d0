//! The table of the README: one row each for speed, terms, quality and memory.

use super::cpu::{list, text};
use super::{Results, number, times, transformer_measurement};
use anyhow::{Context, Result};
use serde_json::Value;

/// The whole table.
pub(super) fn four_rows(results: &Results<'_>) -> Result<String> {
    let speed = results.read("speed.json")?;
    let batched = transformer_measurement(&speed, false)?;
    let single = transformer_measurement(&speed, true)?;
    Ok(format!(
        "| | measured | page |\n|---|---|---|\n\
         | speed | {} | [speed](docs/results/speed.md) |\n\
         | terms | {} | [terms](docs/results/constraints.md#lists-of-terms) |\n\
         | quality | {} | [en-de](models/en-de/README.md), [de-en](models/de-en/README.md) |\n\
         | memory | {} | [speed](docs/results/speed.md) |\n",
        speed_row(batched)?,
        terms_row(&results.read("terminology.json")?)?,
        quality_row(results)?,
        memory_row(single)?
    ))
}

fn speed_row(batched: &Value) -> Result<String> {
    let by = |peer| times(batched, peer);
    Ok(format!(
        "a Transformer in batches, processor time: {:.1} times as fast as Marian and {:.1} times as fast as CTranslate2 \
         in f32, {:.1} times as fast as CTranslate2 in int8",
        by("marian f32")?,
        by("ctranslate2 f32")?,
        by("ctranslate2 int8")?
    ))
}

fn terms_row(terminology: &Value) -> Result<String> {
    // Each list once; no term is missing in another form either.
    let lists: Vec<&Value> = list(terminology, "")?.iter().filter(|row| row["forms"] == "exact").collect();
    let sum = |pointer: &str| lists.iter().map(|row| number(row, pointer)).sum::<Result<f64>>();
    let terms = sum("/terms")?;
    let appeared = terms - sum("/missing")?;
    let shares = lists.iter().map(|row| number(row, "/produced_without")).collect::<Result<Vec<f64>>>()?;
    let least = shares.iter().copied().fold(f64::INFINITY, f64::min) * 100.0;
    let most = shares.iter().copied().fold(0.0, f64::max) * 100.0;
    let count = lists.len();
    Ok(format!(
        "{appeared} of {terms} terms of {count} lists appear; without the lists {least:.0} to {most:.0} % of a list's do"
    ))
}

fn quality_row(results: &Results<'_>) -> Result<String> {
    let directions = ["bundled-en-de.json", "bundled-de-en.json"].map(|name| {
        let bundled = results.read(name)?;
        let bleu = |set: &str| number(&bundled, &format!("/sets/{set}/models/new/bleu"));
        let (everyday, news) = (bleu("Tatoeba")?, bleu("newstest2014")?);
        Ok(format!("{} {everyday:.1} and {news:.1}", text(&bundled, "direction")?))
    });
    let directions = directions.into_iter().collect::<Result<Vec<_>>>()?;
    Ok(format!(
        "BLEU of the bundled models on everyday sentences (Tatoeba) and news (newstest2014): {}",
        directions.join(", ")
    ))
}

fn memory_row(single: &Value) -> Result<String> {
    let engines = single["engines"].as_object().context("a measurement without engines")?;
    let peak = |wanted: &str| {
        let engine = engines.iter().find(|(name, _)| name.starts_with(wanted)).map(|(_, engine)| engine);
        number(engine.with_context(|| format!("{wanted} was not measured"))?, "/peak_mb")
    };
    Ok(format!(
        "that Transformer in int8, one sentence at a time: {:.0} MB at most, CTranslate2 {:.0} MB; in f32 Marian {:.0} MB",
        peak("metaphrase int8")?,
        peak("ctranslate2 int8")?,
        peak("marian f32")?
    ))
}
