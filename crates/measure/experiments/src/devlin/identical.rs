//! Table 1's "99.9 % identical": how far the tricks change the translations of networks that have learned.

use super::{BEAM, FREQUENT, rounded};
use crate::setup::{Setup, measure, round, shared};
use anyhow::Result;
use metaphrase::{Choice, Optimizations, Package, Precision, Translator};
use metaphrase_metrics::{Metric, References, Ter};
use serde::Serialize;
use std::path::PathBuf;

/// The networks.
#[derive(clap::Args)]
pub struct Args {
    /// A model directory [default: the recurrent models and the Transformer of the shared models]
    #[arg(long, value_name = "DIR")]
    trained: Vec<PathBuf>,
}

#[derive(Serialize)]
struct Row {
    network: String,
    system: String,
    bleu: f64,
    /// Share of the translations that are those without tricks.
    identical: f64,
    /// Share of the words that are theirs: one less the edits for each word (TER).
    identical_words: f64,
    seconds: f64,
}

/// BLEU, and what stays, of each network without tricks, with those that are exact, and with each precision.
pub fn identical(setup: &Setup, args: &Args) -> Result<()> {
    let text = setup.text()?;
    let networks = if args.trained.is_empty() {
        let models = shared().join("models");
        ["amun", "nematus-ln", "s2s-deep-lstm", "en-de-tatoeba"].map(|name| models.join(name)).to_vec()
    } else {
        args.trained.clone()
    };
    let none = Optimizations { frequent_words: 0, prepared_context: false, merged_states: false };
    let all = Optimizations { frequent_words: FREQUENT, ..Optimizations::default() };
    let mut rows: Vec<Row> = Vec::new();
    for path in &networks {
        let systems =
            [("f32, no tricks".to_owned(), Precision::F32, none), ("f32, all tricks".to_owned(), Precision::F32, all)];
        let systems = systems.into_iter().chain(rounded().into_iter().map(|p| (p.name().to_owned(), p, all)));
        let mut before: Option<Vec<String>> = None;
        for (system, precision, optimizations) in systems {
            let package = Package::find(path)?.with_precision(precision).with_optimizations(optimizations);
            let translator = Translator::builder().package(package).threads(1).build()?;
            let mut options = translator.options();
            options.search.beam_size = BEAM;
            let measured = measure(&translator, &options, text.requests())?;
            let lines: Vec<String> = measured.translations.iter().map(|found| found.text().to_owned()).collect();
            let before = before.get_or_insert_with(|| lines.clone());
            let same = before.iter().zip(&lines).filter(|(a, b)| a == b).count();
            let edits =
                Ter::default().corpus_score(&lines, &References::new(std::slice::from_ref(before))?)?.value / 100.0;
            rows.push(Row {
                network: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                system,
                bleu: round(measured.bleu(&text.reference)?, 2),
                identical: round(same as f64 / lines.len().max(1) as f64, 4),
                identical_words: round(1.0 - edits, 4),
                seconds: round(measured.seconds, 2),
            });
            println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
        }
    }
    setup.write("devlin-identical", &rows)
}
