//! Lines in capitals: few models read them well, so that they are translated in small letters, too.

use crate::{Request, Translation};
use metaphrase_text::spans;
use std::collections::HashSet;
use std::ops::Range;

/// The fewest letters of a word that distinguishes capitals from abbreviations.
const WORD: usize = 4;

/// How much better the score of a translation from capitals has to be. Models are sure of words that they copy.
const MARGIN: f32 = 0.3;

/// The request in small letters, if its source is a line of capitals with a word that is long enough, and no code.
pub(crate) fn small(request: &Request) -> Option<Request> {
    let copies: Vec<Range<usize>> =
        request.terms.required.iter().filter_map(|term| term.copied_from(&request.source)).collect();
    is_capitals(&request.source, &copies).then(|| {
        let source = lowered(&request.source, &copies);
        Request { source, ..request.clone() }
    })
}

fn is_inside(places: &[Range<usize>], at: usize) -> bool {
    places.iter().any(|place| place.contains(&at))
}

fn is_capitals(source: &str, copies: &[Range<usize>]) -> bool {
    // Most lines end here, at their first or second word.
    if copies.is_empty() && source.chars().any(char::is_lowercase) {
        return false;
    }
    let (mut long, mut letters) = (false, 0);
    for (at, c) in source.char_indices().chain([(source.len(), ' ')]) {
        let copy = is_inside(copies, at);
        if !copy && (c.is_lowercase() || matches!(c, '_' | '=' | '{' | '}' | '<' | '>' | '\\' | '|' | ';' | '*')) {
            return false;
        }
        if !copy && c.is_uppercase() {
            letters += 1;
            continue;
        }
        long |= letters >= WORD;
        letters = 0;
    }
    long
}

/// The source in small letters with a capital at its start, byte by byte at the same places.
fn lowered(source: &str, copies: &[Range<usize>]) -> String {
    let mut first = true;
    let mut lowered = String::with_capacity(source.len());
    for (at, c) in source.char_indices() {
        let mut small = c.to_lowercase();
        let same = small.len() == 1 && small.clone().map(char::len_utf8).sum::<usize>() == c.len_utf8();
        let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '.'));
        // "I".
        let alone = c == 'I' && apart(source[..at].chars().next_back()) && apart(source[at + 1..].chars().next());
        let keeps = is_inside(copies, at) || !same || alone || (first && c.is_uppercase());
        first &= !c.is_alphabetic();
        match small.next() {
            Some(small) if !keeps => lowered.push(small),
            _ => lowered.push(c),
        }
    }
    lowered
}

/// The better translation of a line, in capitals: that of its small letters, unless that of its capitals has more of
/// the terms, or a far better score and no word of the source.
pub(crate) fn better(whole: Translation, small: Translation, request: &Request) -> Translation {
    let score = |translation: &Translation| translation.hypotheses.first().map(|best| best.score);
    let takes_whole = match (score(&whole), score(&small)) {
        (Some(_), Some(_)) if whole.missing.len() != small.missing.len() => whole.missing.len() < small.missing.len(),
        (Some(of_whole), Some(of_small)) => of_whole > of_small + MARGIN && !copies_words(&whole, request),
        (_, of_small) => of_small.is_none(),
    };
    let (best, other) = if takes_whole { (whole, small) } else { (small, whole) };
    let mut best = raised(best, request);
    best.counts += other.counts;
    best
}

/// Whether a translation has a long word of the source.
fn copies_words(translation: &Translation, request: &Request) -> bool {
    let is_end = |c: char| !c.is_alphanumeric();
    let long = |word: &&str| word.chars().count() >= WORD;
    let source: HashSet<&str> = request.source.split(is_end).filter(long).collect();
    translation.text().split(is_end).any(|word| source.contains(word))
}

/// A translation in capitals. What is copied stays as it is.
fn raised(mut translation: Translation, request: &Request) -> Translation {
    let terms = &request.terms.required;
    let targets: Vec<Option<&String>> =
        terms.iter().map(|term| term.copied_from(&request.source).and(term.targets.first())).collect();
    for hypothesis in &mut translation.hypotheses {
        let places = spans(&hypothesis.pieces, &hypothesis.text);
        let mut kept: Vec<Range<usize>> = Vec::new();
        for (number, target) in targets.iter().enumerate().filter_map(|(number, target)| Some((number, (*target)?))) {
            let met = hypothesis.met.iter().find(|met| met.term == number);
            let near = met.and_then(|met| places.get(met.first)).map_or(0, |place| place.start);
            let exact = hypothesis.text.match_indices(target.as_str()).map(|(at, text)| at..at + text.len());
            let free = exact.filter(|place| kept.iter().all(|kept| kept.end <= place.start || place.end <= kept.start));
            kept.extend(free.min_by_key(|place| place.start.abs_diff(near)));
        }
        let mut text = String::with_capacity(hypothesis.text.len());
        for (at, c) in hypothesis.text.char_indices() {
            if is_inside(&kept, at) { text.push(c) } else { text.extend(c.to_uppercase()) }
        }
        hypothesis.text = text;
    }
    translation
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hypothesis, RequiredTerm};

    #[test]
    fn capitals_are_told_from_abbreviations_and_code() {
        for line in ["DO NOT OPEN THE DOOR!", "WARNING: RISK OF FIRE", "KEEP OUT", "ÖFFNEN SIE DIE TÜR", "SETTINGS"] {
            assert!(small(&Request::translate(line)).is_some(), "{line}");
        }
        for line in
            ["USA, UK", "FAQ", "The NASA AND ESA", "SELECT * FROM USERS;", "MAX_SIZE=5 OTHER", "日本 東京", "1 2 3", ""]
        {
            assert!(small(&Request::translate(line)).is_none(), "{line}");
        }
        let mut request = Request::translate("I OPEN {name} AND THE DOOR. I AM");
        request.terms.required = vec![RequiredTerm { source: Some(7..13), ..RequiredTerm::new(["{name}"]) }];
        assert_eq!(small(&request).unwrap_or_default().source, "I open {name} and the door. I am");
        let translation = |text: &str, score: f32| {
            let hypothesis = Hypothesis { text: text.to_owned(), score, ..Hypothesis::default() };
            Translation { hypotheses: vec![hypothesis], ..Translation::default() }
        };
        let found = better(translation("X", -2.0), translation("Ich öffne {name} groß", -1.0), &request);
        assert_eq!(found.text(), "ICH ÖFFNE {name} GROSS");
        assert_eq!(better(translation("Xy", -0.5), translation("y", -1.0), &request).text(), "XY");
        assert_eq!(better(translation("X", -0.9), translation("y", -1.0), &request).text(), "Y");
        assert_eq!(better(translation("DIE DOOR", -0.1), translation("die Tür", -1.0), &request).text(), "DIE TÜR");
    }
}
