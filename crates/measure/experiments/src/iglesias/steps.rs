//! The time of a step by the size of the evidence: no evidence, then the 10 to 10,000 best translations of each
//! lattice.

use super::phrase_based::{Lattices, Partner, Words, evidence};
use crate::setup::{Setup, round};
use anyhow::{Context, Result};
use metaphrase::{Counts, Evidence, EvidenceOptions, Request, TranslateOptions, Translator, Unit, UnitTimes};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// Translations of each lattice that count.
const PATHS: [usize; 5] = [0, 10, 100, 1000, 10_000];
/// Each measurement takes turns with the others so often; the fastest counts.
const TURNS: usize = 3;

/// The systems.
#[derive(clap::Args)]
pub struct Args {
    /// The neural model, a directory or the name of a bundled one
    #[arg(long, value_name = "PATH")]
    neural: PathBuf,
    #[command(flatten)]
    partner: Partner,
}

#[derive(Serialize)]
struct Row {
    /// Translations of a lattice that count, at most; 0: no evidence.
    paths: usize,
    /// Translations that the lattices have of these, on average.
    paths_found: f64,
    /// N-grams of a sentence's evidence, on average.
    n_grams: f64,
    /// Hypotheses that the beam stepped.
    rows: usize,
    /// Time of the beam without the evidence, for a hypothesis and a step.
    beam_microseconds: f64,
    /// Time to add the scores of the evidence, for a hypothesis and a step.
    adding_microseconds: f64,
    /// Time to build L, for a sentence.
    matrix_microseconds: f64,
}

/// Time per step by the number of paths.
pub fn run(setup: &Setup, args: &Args) -> Result<()> {
    let words = Words::new(&args.partner.evidence_tokenize)?;
    let text = setup.text()?;
    let lattices = Lattices::new(Some(&args.partner.evidence), &[])?.read(0, &text.source, &words)?;
    let given = evidence(&lattices);
    let times = Arc::new(UnitTimes::default());
    let builder = Translator::builder().model(&args.neural).threads(1).batch_tokens(setup.batch_tokens);
    let translator = args.partner.languages(builder).unit_times(Arc::clone(&times)).build()?;
    let counter = translator.evidence_counter().context("a phrase-based model takes no evidence")?;
    let with = |paths: usize| EvidenceOptions { best_paths: Some(paths), ..args.partner.options() };
    let mut rows: Vec<Row> = Vec::new();
    for paths in PATHS {
        let found = lattices.iter().map(|lattice| lattice.n_best(paths).len()).sum::<usize>();
        let mut n_grams = 0;
        for evidence in given.iter().filter(|_| paths > 0) {
            n_grams += counter.posteriors(evidence, &with(paths))?.len();
        }
        let each = |sum: usize| round(sum as f64 / lattices.len().max(1) as f64, 1);
        rows.push(Row { paths, paths_found: each(found), n_grams: each(n_grams), ..Row::unmeasured() });
    }
    for _ in 0..TURNS {
        for row in &mut rows {
            let options = TranslateOptions { evidence: with(row.paths), ..translator.options() };
            let request = |(line, evidence): (&String, &Arc<Evidence>)| {
                let evidence = (row.paths > 0).then(|| Arc::clone(evidence));
                Request { evidence, ..Request::translate(line) }
            };
            let requests: Vec<Request> = text.source.iter().zip(&given).map(request).collect();
            row.measure(&translator, &options, requests, &times)?;
        }
    }
    for row in &rows {
        println!("{}", serde_json::to_string(row)?);
    }
    setup.write("iglesias-steps", &rows)
}

impl Row {
    const fn unmeasured() -> Self {
        let infinite = f64::INFINITY;
        Self {
            paths: 0,
            paths_found: 0.0,
            n_grams: 0.0,
            rows: 0,
            beam_microseconds: infinite,
            adding_microseconds: infinite,
            matrix_microseconds: infinite,
        }
    }

    /// Translates once more; the least time of each kind counts.
    fn measure(
        &mut self,
        translator: &Translator,
        options: &TranslateOptions,
        requests: Vec<Request>,
        times: &UnitTimes,
    ) -> Result<()> {
        let seconds = |units: &[Unit]| units.iter().map(|&unit| times.get(unit).seconds).sum::<f64>();
        let evidence_units = [Unit::Text, Unit::PhraseSearch, Unit::Posteriors, Unit::Matrix, Unit::Scorers];
        let all =
            || [seconds(&Unit::ALL) - seconds(&evidence_units), seconds(&[Unit::Scorers]), seconds(&[Unit::Matrix])];
        let (sentences, before) = (requests.len(), all());
        let translations = translator.run(options, requests)?;
        let after = all();
        let mut counts = Counts::default();
        translations.iter().for_each(|translation| counts += translation.counts);
        self.rows = counts.rows;
        let divisors = [counts.rows, counts.rows, sentences].map(|count| count.max(1) as f64);
        let [beam, adding, matrix] = std::array::from_fn(|part| 1e6 * (after[part] - before[part]) / divisors[part]);
        self.beam_microseconds = round(beam.min(self.beam_microseconds), 3);
        self.adding_microseconds = round(adding.min(self.adding_microseconds), 3);
        self.matrix_microseconds = round(matrix.min(self.matrix_microseconds), 1);
        Ok(())
    }
}
