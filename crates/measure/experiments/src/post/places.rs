//! Where phrases stand.

use super::{Draw, Point, options, requests, slope, text};
use crate::setup::{Setup, measure, round};
use anyhow::Result;
use metaphrase::Strategy;
use serde::Serialize;

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
    let (translator, text) = (setup.translator()?, text(setup)?);
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
}
