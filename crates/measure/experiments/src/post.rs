//! Post and Vilar 2018: lexical constraints by dynamic beam allocation (DBA), compared with grid beam search (GBS).

use crate::setup::{MeasuredRun, Setup, Text, measure, round};
use anyhow::Result;
use metaphrase::{Request, RequiredTerm, RestCosts, Strategy, TermPlaces, Terms, TranslateOptions, Translator};
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::collections::BTreeMap;

/// Constraints drawn from the reference (§5): a number of random words, or a random phrase of a number of words.
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
        let terms = drawn.into_iter().fold(Terms::default(), |terms, term| terms.require([term]));
        Request { terms, ..Request::translate(source) }
    };
    pairs.map(request).collect()
}

fn options(translator: &Translator, strategy: Strategy, beam: usize) -> TranslateOptions {
    let mut options = translator.options();
    options.search.strategy = strategy;
    options.search.beam_size = beam;
    options.search.beam_size_constrained = None;
    options.search.prune_threshold = Some(20.0);
    options.term_places = TermPlaces::Given;
    options
}

/// How many of the constraints are not in the translations.
fn missing(measured: &MeasuredRun) -> usize {
    measured.translations.iter().map(|translation| translation.missing.len()).sum()
}

/// Pieces of a request's constraints.
fn pieces(translator: &Translator, request: &Request) -> usize {
    let words = |term: &RequiredTerm| translator.segment_target(&term.targets[0]).len();
    request.terms.required.iter().map(words).sum()
}

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

/// A point of a regression.
struct Point {
    x: f64,
    y: f64,
    weight: f64,
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
    let (translator, text) = (setup.translator()?, setup.text()?);
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

/// The slope of the least-squares line through weighted points.
fn slope(points: &[Point]) -> f64 {
    let weight: f64 = points.iter().map(|p| p.weight).sum();
    let mean = |value: &dyn Fn(&Point) -> f64| points.iter().map(|p| value(p) * p.weight).sum::<f64>() / weight;
    let (x, y) = (mean(&|p| p.x), mean(&|p| p.y));
    mean(&|p| (p.x - x) * (p.y - y)) / mean(&|p| (p.x - x) * (p.x - x))
}

#[derive(Serialize)]
struct Quality {
    set: &'static str,
    beam: usize,
    /// Exponent of the length normalisation; none: the default.
    normalize: Option<f32>,
    bleu: f64,
    /// Sum over the sentences: figure 8 is BLEU by model score.
    log_prob: f64,
    constraints: usize,
    missing: usize,
    seconds: f64,
}

/// BLEU and log-probability by beam and set: ranked without length normalisation, with it, and by our default,
/// which is between.
pub fn figure_5(setup: &Setup) -> Result<()> {
    let (translator, text) = (setup.translator()?, setup.text()?);
    let mut rows = Vec::new();
    for (set, draw) in SETS {
        let all = &[1, 2, 5, 10, 20, 30][..];
        for (normalize, beams) in [(None, all), (Some(0.0), &[10]), (Some(1.0), &[10])] {
            for &beam in beams {
                let mut options = options(&translator, Strategy::Beam, beam);
                options.search.normalize_constrained = normalize;
                if matches!(draw, Draw::None) {
                    options.search.normalize = normalize.unwrap_or(options.search.normalize);
                }
                let requests = requests(&text, draw);
                let constraints = requests.iter().map(|request| request.terms.required.len()).sum();
                let measured = measure(&translator, &options, requests)?;
                let bleu = round(measured.bleu(&text.reference)?, 1);
                let best = measured.translations.iter().flat_map(|found| found.hypotheses.first());
                let log_prob = round(best.map(|best| f64::from(best.log_prob)).sum(), 1);
                let (missing, seconds) = (missing(&measured), round(measured.seconds, 2));
                rows.push(Quality { set, beam, normalize, bleu, log_prob, constraints, missing, seconds });
                println!("{}", serde_json::to_string(&rows[rows.len() - 1])?);
            }
        }
    }
    setup.write("post-fig5", &rows)
}

#[derive(Serialize)]
struct PruningRow {
    search: &'static str,
    set: &'static str,
    threshold: f32,
    bleu: f64,
    seconds: f64,
    rows: usize,
    missing: usize,
}

/// BLEU and work by pruning threshold, beam 10: as our search is, without its rest costs, and as in the paper, that is
/// with scores divided by length, too. Sentences end when no open hypothesis can win, in all three.
pub fn table_3(setup: &Setup) -> Result<()> {
    let (translator, text) = (setup.translator()?, setup.text()?);
    let mut rows = Vec::new();
    let sets = [SETS[0], SETS[1], SETS[2], SETS[3], SETS[4], SETS[7]];
    let searches = [
        ("default", RestCosts::Narrow, None),
        ("always rest costs", RestCosts::Always, None),
        ("no rest costs", RestCosts::Never, None),
        ("paper", RestCosts::Never, Some(1.0)),
    ];
    for (search, (set, draw)) in searches.iter().flat_map(|search| sets.map(|set| (search, set))) {
        let &(search, rest_costs, normalize) = search;
        for threshold in [0.0, 1.0, 2.0, 3.0, 5.0, 10.0, 15.0, 20.0, 30.0, f32::INFINITY] {
            let mut options = options(&translator, Strategy::Beam, 10);
            options.search.prune_threshold = Some(threshold);
            (options.search.rest_costs, options.search.normalize_constrained) = (rest_costs, normalize);
            let measured = measure(&translator, &options, requests(&text, draw))?;
            rows.push(PruningRow {
                search,
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
    setup.write("post-table3", &rows)
}

#[derive(Serialize)]
struct Places {
    set: &'static str,
    phrases: usize,
    pearson: f64,
    /// The place of each phrase in the reference and in the translation.
    points: Vec<(f64, f64)>,
}

/// Relative places of phrases of three words in the reference and in the translation, beam 10.
pub fn figure_7(setup: &Setup) -> Result<()> {
    let (translator, text) = (setup.translator()?, setup.text()?);
    let all = requests(&text, Draw::Phrase(3));
    let measured = measure(&translator, &options(&translator, Strategy::Beam, 10), all.clone())?;
    let points: Vec<(f64, f64)> = (all.iter().zip(&text.reference).zip(&measured.translations))
        .filter_map(|((request, reference), translation)| {
            let phrase = request.terms.required.first()?.targets.first()?;
            Some((place(reference, phrase)?, place(translation.text(), phrase)?))
        })
        .collect();
    let regression = |point: &dyn Fn(f64, f64) -> Point| {
        slope(&points.iter().map(|&(reference, translation)| point(reference, translation)).collect::<Vec<_>>())
    };
    let slope = regression(&|x, y| Point { x, y, weight: 1.0 });
    // The product of both regressions' slopes is r².
    let pearson = slope.signum() * (slope * regression(&|y, x| Point { x, y, weight: 1.0 })).sqrt();
    let points = points.iter().map(|&(x, y)| (round(x, 4), round(y, 4))).collect::<Vec<_>>();
    let result = Places { set: "phr3", phrases: points.len(), pearson: round(pearson, 3), points };
    println!("{} phrases, Pearson's r = {}", result.phrases, result.pearson);
    setup.write("post-fig7", &result)
}

/// The place of a phrase in a line: 0 at its start, 1 at its end. A phrase that is the whole line has no place.
fn place(line: &str, phrase: &str) -> Option<f64> {
    let before = &line[..line.find(phrase)?];
    // A phrase may begin inside of a word, after a quotation mark: that word is not before it.
    let words = before.split_whitespace().count() - usize::from(before.ends_with(|c: char| !c.is_whitespace()));
    let rest = line.split_whitespace().count().checked_sub(phrase.split_whitespace().count());
    rest.filter(|rest| *rest > 0).map(|rest| words as f64 / rest as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_shares() {
        assert_eq!(place("a b c d", "a b"), Some(0.0));
        assert_eq!(place("a b c d", "b c"), Some(0.5));
        assert_eq!(place("a b c d.", "c d"), Some(1.0));
        assert_eq!(place("a b \"c d\"", "c d"), Some(1.0), "after a quotation mark");
        assert_eq!((place("a b", "a b"), place("a b", "c")), (None, None));
        // Two words of which one is the phrase's beginning: the place was 1.5 once.
        assert_eq!(place("a \"b c d\"", "b c d"), Some(1.0));
    }

    #[test]
    fn the_slope_is_that_of_the_weighted_points() {
        let point = |x, y, weight| Point { x, y, weight };
        assert_eq!(slope(&[point(0.0, 1.0, 1.0), point(1.0, 3.0, 2.0), point(2.0, 5.0, 1.0)]), 2.0);
    }
}
