//! Post and Vilar 2018: lexical constraints by dynamic beam allocation (DBA), beside grid beam search (GBS).

use crate::plot::{Line, Plot};
use crate::setup::{Measured, Setup, Text, measure, round};
use anyhow::Result;
use metaphrase::{Request, Strategy, Terms, TranslateOptions, Translator};
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::collections::BTreeMap;

/// Constraints drawn from the reference (§5): so many random words, or a random phrase of so many.
#[derive(Clone, Copy)]
enum Draw {
    None,
    Words(usize),
    Phrase(usize),
}

const SETS: [(&str, Draw); 8] = [
    ("none", Draw::None),
    ("rand1", Draw::Words(1)),
    ("rand2", Draw::Words(2)),
    ("rand3", Draw::Words(3)),
    ("rand4", Draw::Words(4)),
    ("phr2", Draw::Phrase(2)),
    ("phr3", Draw::Phrase(3)),
    ("phr4", Draw::Phrase(4)),
];

/// A word without the punctuation around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// A request for each line with constraints drawn from its reference; the same numbers every time.
fn requests(text: &Text, draw: Draw) -> Vec<Request> {
    let mut rng = ChaCha8Rng::seed_from_u64(2018);
    let pairs = text.source.iter().zip(&text.reference);
    let request = |(source, reference): (&String, &String)| {
        let words: Vec<&str> = reference.split_whitespace().filter(|word| !bare(word).is_empty()).collect();
        let drawn: Vec<String> = match draw {
            Draw::Words(count) => {
                let count = count.min(words.len());
                sample(&mut rng, words.len(), count).into_iter().map(|at| bare(words[at]).to_owned()).collect()
            }
            Draw::Phrase(count) if !words.is_empty() => {
                let count = count.min(words.len());
                let first = rng.random_range(0..=words.len() - count);
                vec![bare(&words[first..first + count].join(" ")).to_owned()]
            }
            _ => vec![],
        };
        let terms = Terms { required: drawn.into_iter().map(|term| vec![term]).collect(), avoided: vec![] };
        Request { terms, ..Request::translate(source) }
    };
    pairs.map(request).collect()
}

fn options(translator: &Translator, strategy: Strategy, beam: usize) -> TranslateOptions {
    let mut options = translator.options();
    options.search.strategy = strategy;
    options.search.beam_size = beam;
    options.search.prune_threshold = Some(20.0);
    options
}

/// How many of the constraints are not in the translations.
fn missing(measured: &Measured) -> usize {
    measured.translations.iter().map(|translation| translation.missing.len()).sum()
}

/// Pieces of a request's constraints.
fn pieces(translator: &Translator, request: &Request) -> usize {
    let words = |term: &Vec<String>| translator.segment_target(&term[0]).len();
    request.terms.required.iter().map(words).sum()
}

#[derive(Serialize)]
struct Timed {
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
    /// Of the line through the ratios, weighted by sentences: share of the unconstrained time per constraint.
    slope: f64,
    /// The same of the rows, which do not depend on the machine.
    slope_of_rows: f64,
    bleu: f64,
    missing: usize,
}

/// Time per sentence by number of constraint pieces, set rand3.
pub fn figure_4(setup: &Setup) -> Result<()> {
    let (translator, text) = (setup.translator()?, setup.text()?);
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let all = requests(&text, Draw::Words(3));
    for (number, request) in all.iter().enumerate() {
        groups.entry(pieces(&translator, request)).or_default().push(number);
    }
    groups.retain(|count, lines| *count >= 3 && lines.len() >= 10);
    let systems = [
        ("DBA 5", Strategy::Beam, 5),
        ("DBA 10", Strategy::Beam, 10),
        ("DBA 20", Strategy::Beam, 20),
        ("GBS 1", Strategy::Grid, 1),
        ("GBS 5", Strategy::Grid, 5),
        ("GBS 10", Strategy::Grid, 10),
    ];
    let (mut timed, mut slopes, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    for (name, strategy, beam) in systems {
        let options = options(&translator, strategy, beam);
        let free = requests(&text, Draw::None);
        measure(&translator, &options, free[..20.min(free.len())].to_vec())?;
        let (mut points, mut points_of_rows) = (Vec::new(), Vec::new());
        let mut totals = [0.0; 6];
        for (&constraints, of_group) in &groups {
            let pick = |requests: &[Request]| of_group.iter().map(|&line| requests[line].clone()).collect();
            let (with, without) = (pick(&all), pick(&free));
            let (with, without) = (measure(&translator, &options, with)?, measure(&translator, &options, without)?);
            let rows = |of: &Measured| of.counts().rows as f64;
            let pieces = |of: &Measured| of.pieces() as f64;
            let numbers = [with.seconds, without.seconds, pieces(&with), pieces(&without), rows(&with), rows(&without)];
            totals.iter_mut().zip(numbers).for_each(|(total, number)| *total += number);
            let ratio = with.seconds / without.seconds;
            points.push((constraints as f64, ratio, of_group.len() as f64));
            points_of_rows.push((constraints as f64, rows(&with) / rows(&without), of_group.len() as f64));
            timed.push(Timed {
                system: name.into(),
                constraints,
                sentences: of_group.len(),
                seconds_per_sentence: round(with.seconds / of_group.len() as f64, 5),
                ratio: round(ratio, 3),
                ratio_per_piece: round(ratio * numbers[3] / numbers[2], 3),
            });
        }
        let measured = measure(&translator, &options, all.clone())?;
        let [with, without, pieces_with, pieces_without, rows_with, rows_without] = totals;
        slopes.push(Slope {
            system: name.into(),
            ratio_of_all: round(with / without, 3),
            ratio_per_piece_of_all: round(with / without * pieces_without / pieces_with, 3),
            rows_of_all: round(rows_with / rows_without, 3),
            slope: round(slope(&points), 4),
            slope_of_rows: round(slope(&points_of_rows), 4),
            bleu: round(measured.bleu(&text.reference)?, 1),
            missing: missing(&measured),
        });
        println!("{}", serde_json::to_string(slopes.last().unwrap_or(&slopes[0]))?);
        lines.push(Line { name: name.into(), points: points.iter().map(|p| (p.0, p.1)).collect() });
    }
    let plot = Plot {
        title: "time with constraints, to the time of the same sentences without (rand3)".into(),
        x: "pieces of constraints",
        y: "ratio",
        lines,
        scatter: false,
    };
    setup.write("post-fig4", &(slopes, timed), &[("", plot)])
}

/// Slope of the least-squares line through `(x, y, weight)`.
fn slope(points: &[(f64, f64, f64)]) -> f64 {
    let weight: f64 = points.iter().map(|p| p.2).sum();
    let mean = |value: &dyn Fn(&(f64, f64, f64)) -> f64| points.iter().map(|p| value(p) * p.2).sum::<f64>() / weight;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    mean(&|p| (p.0 - x) * (p.1 - y)) / mean(&|p| (p.0 - x) * (p.0 - x))
}

#[derive(Serialize)]
struct Quality {
    set: &'static str,
    beam: usize,
    normalize: f32,
    bleu: f64,
    constraints: usize,
    missing: usize,
    seconds: f64,
}

/// BLEU by beam and set, ranked without length normalisation, and with it for one beam.
pub fn figure_5(setup: &Setup) -> Result<()> {
    let (translator, text) = (setup.translator()?, setup.text()?);
    let (mut rows, mut lines) = (Vec::new(), Vec::new());
    for (set, draw) in SETS {
        for (normalize, beams) in [(0.0, &[5, 10, 20, 30][..]), (1.0, &[10])] {
            let mut points = Vec::new();
            for &beam in beams {
                let mut options = options(&translator, Strategy::Beam, beam);
                options.search.normalize_constrained = Some(normalize);
                if matches!(draw, Draw::None) {
                    options.search.normalize = normalize;
                }
                let requests = requests(&text, draw);
                let constraints = requests.iter().map(|request| request.terms.required.len()).sum();
                let measured = measure(&translator, &options, requests)?;
                let bleu = round(measured.bleu(&text.reference)?, 1);
                let (missing, seconds) = (missing(&measured), round(measured.seconds, 2));
                rows.push(Quality { set, beam, normalize, bleu, constraints, missing, seconds });
                println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
                points.push((beam as f64, bleu));
            }
            if normalize == 0.0 {
                lines.push(Line { name: set.into(), points });
            }
        }
    }
    let title = "BLEU by beam and set of constraints".into();
    setup.write("post-fig5", &rows, &[("", Plot { title, x: "beam", y: "BLEU", lines, scatter: false })])
}

#[derive(Serialize)]
struct Pruned {
    set: &'static str,
    threshold: f32,
    bleu: f64,
    seconds: f64,
    rows: usize,
    missing: usize,
}

/// BLEU and work by pruning threshold, beam 10.
pub fn table_3(setup: &Setup) -> Result<()> {
    let (translator, text) = (setup.translator()?, setup.text()?);
    let mut rows = Vec::new();
    for (set, draw) in [SETS[0], SETS[2], SETS[4], SETS[7]] {
        for threshold in [0.0, 1.0, 2.0, 3.0, 5.0, 10.0, 15.0, 20.0, 30.0, f32::INFINITY] {
            let mut options = options(&translator, Strategy::Beam, 10);
            options.search.prune_threshold = Some(threshold);
            let measured = measure(&translator, &options, requests(&text, draw))?;
            rows.push(Pruned {
                set,
                threshold,
                bleu: round(measured.bleu(&text.reference)?, 1),
                seconds: round(measured.seconds, 2),
                rows: measured.counts().rows,
                missing: missing(&measured),
            });
            println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
        }
    }
    setup.write("post-table3", &rows, &[])
}

#[derive(Serialize)]
struct Places {
    set: &'static str,
    phrases: usize,
    pearson: f64,
}

/// Relative places of phrases of three words in the reference and in the translation, beam 10.
pub fn figure_7(setup: &Setup) -> Result<()> {
    let (translator, text) = (setup.translator()?, setup.text()?);
    let all = requests(&text, Draw::Phrase(3));
    let measured = measure(&translator, &options(&translator, Strategy::Beam, 10), all.clone())?;
    let place = |line: &str, phrase: &str| {
        let before = line.find(phrase)?;
        let words = line.split_whitespace().count();
        // A phrase that is the whole line has no place.
        let rest = words.checked_sub(phrase.split_whitespace().count()).filter(|rest| *rest > 0)?;
        Some(line[..before].split_whitespace().count() as f64 / rest as f64)
    };
    let points: Vec<(f64, f64)> = (all.iter().zip(&text.reference).zip(&measured.translations))
        .filter_map(|((request, reference), translation)| {
            let phrase = request.terms.required.first()?.first()?;
            Some((place(reference, phrase)?, place(translation.text(), phrase)?))
        })
        .collect();
    let weighted: Vec<_> = points.iter().map(|p| (p.0, p.1, 1.0)).collect();
    let turned: Vec<_> = points.iter().map(|p| (p.1, p.0, 1.0)).collect();
    // The product of both regressions' slopes is r².
    let pearson = slope(&weighted).signum() * (slope(&weighted) * slope(&turned)).sqrt();
    let result = Places { set: "phr3", phrases: points.len(), pearson: round(pearson, 3) };
    println!("{}", serde_json::to_string(&result)?);
    let plot = Plot {
        title: format!("phr3, beam 10: Pearson's r = {:.2}", result.pearson),
        x: "place in the reference",
        y: "place in the translation",
        lines: vec![Line { name: "phrases".into(), points }],
        scatter: true,
    };
    setup.write("post-fig7", &result, &[("", plot)])
}
