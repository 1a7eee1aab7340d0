//! Time and work by the number of constraints.

use super::{Draw, Point, missing, options, pieces, requests, slope, text};
use crate::setup::{MeasuredRun, Setup, Text, measure, round};
use anyhow::Result;
use metaphrase::{Request, Strategy};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct TimedRow {
    system: String,
    /// Pieces of constraints.
    constraints: usize,
    sentences: usize,
    seconds_per_sentence: f64,
    /// To the same sentences without constraints.
    ratio: f64,
    /// The same, by target piece, as translations with constraints are longer.
    ratio_per_piece: f64,
}

#[derive(Serialize)]
struct Slope {
    system: String,
    ratio_of_all: f64,
    ratio_per_piece_of_all: f64,
    /// Rows that the model computes, to those without constraints.
    rows_of_all: f64,
    /// Slope of the line through the ratios, weighted by sentences: share of the unconstrained time per constraint.
    slope: f64,
    /// The same for the number of rows, which does not depend on the machine.
    slope_of_rows: f64,
    bleu: f64,
    missing: usize,
}

/// The cost of some translations.
#[derive(Default)]
struct Cost {
    seconds: f64,
    pieces: f64,
    rows: f64,
}

impl Cost {
    fn new(measured: &MeasuredRun) -> Self {
        let (pieces, rows) = (measured.pieces() as f64, measured.counts().rows as f64);
        Self { seconds: measured.seconds, pieces, rows }
    }

    fn add(&mut self, other: &Self) {
        self.seconds += other.seconds;
        self.pieces += other.pieces;
        self.rows += other.rows;
    }
}

/// Sentences whose constraints have the same number of pieces, translated with the constraints and without them.
struct Group {
    constraints: usize,
    sentences: usize,
    with: Cost,
    without: Cost,
}

impl Group {
    fn timed(&self, system: &str) -> TimedRow {
        let ratio = self.with.seconds / self.without.seconds;
        TimedRow {
            system: system.into(),
            constraints: self.constraints,
            sentences: self.sentences,
            seconds_per_sentence: round(self.with.seconds / self.sentences as f64, 5),
            ratio: round(ratio, 3),
            ratio_per_piece: round(ratio * self.without.pieces / self.with.pieces, 3),
        }
    }

    /// The point of the group in the regression of `y` by number of constraints.
    fn point(&self, y: f64) -> Point {
        Point { x: self.constraints as f64, y, weight: self.sentences as f64 }
    }
}

/// The slopes of a system whose translations of all requests are `measured`.
fn slopes(system: &str, groups: &[Group], measured: &MeasuredRun, text: &Text) -> Result<Slope> {
    let (mut with, mut without) = (Cost::default(), Cost::default());
    for group in groups {
        with.add(&group.with);
        without.add(&group.without);
    }
    let ratio = with.seconds / without.seconds;
    let by_time = groups.iter().map(|group| group.point(group.with.seconds / group.without.seconds));
    let by_rows = groups.iter().map(|group| group.point(group.with.rows / group.without.rows));
    Ok(Slope {
        system: system.into(),
        ratio_of_all: round(ratio, 3),
        ratio_per_piece_of_all: round(ratio * without.pieces / with.pieces, 3),
        rows_of_all: round(with.rows / without.rows, 3),
        slope: round(slope(&by_time.collect::<Vec<_>>()), 4),
        slope_of_rows: round(slope(&by_rows.collect::<Vec<_>>()), 4),
        bleu: round(measured.bleu(&text.reference)?, 1),
        missing: missing(measured),
    })
}

const SYSTEMS: [(&str, Strategy, usize); 6] = [
    ("DBA 5", Strategy::Beam, 5),
    ("DBA 10", Strategy::Beam, 10),
    ("DBA 20", Strategy::Beam, 20),
    ("GBS 1", Strategy::Grid, 1),
    ("GBS 5", Strategy::Grid, 5),
    ("GBS 10", Strategy::Grid, 10),
];

/// Time per sentence by number of constraint pieces, set rand3.
pub fn figure_4(setup: &Setup) -> Result<()> {
    let (translator, text) = (setup.translator()?, text(setup)?);
    let mut lines: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let (all, free) = (requests(&text, Draw::Words(3)), requests(&text, Draw::None));
    for (number, request) in all.iter().enumerate() {
        lines.entry(pieces(&translator, request)).or_default().push(number);
    }
    lines.retain(|count, lines| *count >= 3 && lines.len() >= 10);
    let (mut timed, mut slopes_of_all) = (Vec::new(), Vec::new());
    for (name, strategy, beam) in SYSTEMS {
        let options = options(&translator, strategy, beam);
        measure(&translator, &options, free[..20.min(free.len())].to_vec())?;
        let mut groups = Vec::new();
        for (&constraints, lines) in &lines {
            let cost = |requests: &[Request]| -> Result<Cost> {
                let requests = lines.iter().map(|&line| requests[line].clone()).collect();
                Ok(Cost::new(&measure(&translator, &options, requests)?))
            };
            groups.push(Group { constraints, sentences: lines.len(), with: cost(&all)?, without: cost(&free)? });
        }
        let slopes = slopes(name, &groups, &measure(&translator, &options, all.clone())?, &text)?;
        println!("{}", serde_json::to_string(&slopes)?);
        slopes_of_all.push(slopes);
        timed.extend(groups.iter().map(|group| group.timed(name)));
    }
    setup.write("post-fig4", &(slopes_of_all, timed))
}

#[derive(Serialize)]
struct WorkRow {
    system: &'static str,
    /// Pieces of constraints.
    constraints: usize,
    sentences: usize,
    /// Hypotheses that the model scores per sentence and step.
    rows_per_step: f64,
    seconds_per_sentence: f64,
    bleu: f64,
    log_prob: f64,
    missing: usize,
}

const SYSTEMS_OF_TABLE_1: [(&str, Strategy, usize); 4] = [
    ("DBA 10", Strategy::Beam, 10),
    ("GBS 1", Strategy::Grid, 1),
    ("GBS 5", Strategy::Grid, 5),
    ("CBS 5", Strategy::States, 5),
];

/// Hypotheses per step by number of constraint pieces, from none to six: constant, linear, exponential. The first 30
/// sentences of each number.
pub fn table_1(setup: &Setup) -> Result<()> {
    let (translator, text) = (setup.translator()?, text(setup)?);
    let mut rows = Vec::new();
    for constraints in 0_usize..=6 {
        let draw = if constraints == 0 { Draw::None } else { Draw::Words(constraints.div_ceil(2)) };
        let all = requests(&text, draw);
        let mut lines: Vec<usize> =
            (0..all.len()).filter(|&line| pieces(&translator, &all[line]) == constraints).collect();
        lines.truncate(30);
        let reference: Vec<String> = lines.iter().map(|&line| text.reference[line].clone()).collect();
        for (system, strategy, beam) in SYSTEMS_OF_TABLE_1 {
            let options = options(&translator, strategy, beam);
            let measured = measure(&translator, &options, lines.iter().map(|&line| all[line].clone()).collect())?;
            let counts = measured.counts();
            rows.push(WorkRow {
                system,
                constraints,
                sentences: lines.len(),
                rows_per_step: round(counts.rows as f64 / counts.steps as f64, 1),
                seconds_per_sentence: round(measured.seconds / lines.len() as f64, 4),
                bleu: round(measured.bleu(&reference)?, 1),
                log_prob: round(measured.log_prob(), 1),
                missing: missing(&measured),
            });
            println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
        }
    }
    setup.write("post-table1", &rows)
}
