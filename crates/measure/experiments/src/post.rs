//! Post and Vilar 2018: lexical constraints by dynamic beam allocation (DBA), compared with grid beam search (GBS) and
//! constrained beam search (CBS), on the paper's text and with the bundled models.

mod automatic;
mod counts;
mod examples;
mod places;
mod quality;
mod time;

pub use automatic::{Args as AutomaticArgs, automatic};
pub use counts::table_2;
pub use examples::{figure_1, figure_6, figure_9};
pub use places::figure_7;
pub use quality::{figure_5, figure_8, table_3};
pub use time::{figure_4, table_1};

use crate::setup::{MeasuredRun, Setup, Text};
use anyhow::Result;
use metaphrase::{Request, RequiredTerm, Strategy, TermPlaces, Terms, TranslateOptions, Translator};
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

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

/// The text of the paper.
fn text(setup: &Setup) -> Result<Text> {
    setup.text_or("wmt-news/newstest2014.de-en.en.gz", "wmt-news/newstest2014.de-en.de.gz")
}

/// A word without the punctuation around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// A request for each line with random words of its reference.
pub fn with_random_words(text: &Text, count: usize) -> Vec<Request> {
    requests(text, Draw::Words(count))
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

/// A point of a regression.
struct Point {
    x: f64,
    y: f64,
    weight: f64,
}

/// The slope of the least-squares line through weighted points.
fn slope(points: &[Point]) -> f64 {
    let weight: f64 = points.iter().map(|p| p.weight).sum();
    let mean = |value: &dyn Fn(&Point) -> f64| points.iter().map(|p| value(p) * p.weight).sum::<f64>() / weight;
    let (x, y) = (mean(&|p| p.x), mean(&|p| p.y));
    mean(&|p| (p.x - x) * (p.y - y)) / mean(&|p| (p.x - x) * (p.x - x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_that_of_the_weighted_points() {
        let point = |x, y, weight| Point { x, y, weight };
        assert_eq!(slope(&[point(0.0, 1.0, 1.0), point(1.0, 3.0, 2.0), point(2.0, 5.0, 1.0)]), 2.0);
    }
}
