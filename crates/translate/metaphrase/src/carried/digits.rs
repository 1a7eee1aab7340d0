//! Raised and lowered digits, fractions and marks: vocabularies read `m²` as `m2` and `10³` as `103`.

use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// A word, and how a model that reads it as plain letters and digits writes it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PlainWord {
    plain: String,
    written: String,
}

/// Whether vocabularies read a character as plain ones: raised and lowered digits, fractions, trade marks.
pub(super) fn is_levelled(c: char) -> bool {
    matches!(c, '²' | '³' | '¹' | '\u{2070}'..='\u{209c}' | '™' | '℠') || is_fraction(c)
}

/// Whether a character is a fraction, as `½`.
pub(super) fn is_fraction(c: char) -> bool {
    matches!(c, '¼' | '½' | '¾' | '\u{2150}'..='\u{215e}')
}

/// The words of a line that a model would write in another way, in order.
pub(super) fn plain_words(line: &str) -> Vec<PlainWord> {
    // Most lines end here.
    if !line.contains(is_levelled) {
        return Vec::new();
    }
    let words = words(line).map(|place| &line[place]).filter(|word| word.contains(is_levelled));
    let plain = |word: &str| word.nfkc().map(|c| if c == '\u{2044}' { '/' } else { c }).collect();
    let pairs = words.map(|word| PlainWord { plain: plain(word), written: word.to_owned() });
    pairs.filter(|pair| find(line, &pair.plain).is_none()).collect()
}

/// The places of words: letters and digits without anything between them.
fn words(line: &str) -> impl Iterator<Item = Range<usize>> {
    let goes_on = |c: char| c.is_alphanumeric() || is_levelled(c);
    let mut at = 0;
    line.split_inclusive(move |c| !goes_on(c)).map(move |run| {
        let start = at;
        at += run.len();
        start..start + run.trim_end_matches(|c| !goes_on(c)).len()
    })
}

/// The first place at which a text stands as a word.
fn find(text: &str, word: &str) -> Option<usize> {
    let goes_on = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let mut places = text.match_indices(word).map(|(at, _)| at);
    places.find(|&at| !goes_on(text[..at].chars().next_back()) && !goes_on(text[at + word.len()..].chars().next()))
}

/// A translation with the words as the source writes them. A word that was restored is no plain word any more, so the
/// next one like it is found after it.
pub(super) fn restored(mut text: String, words: &[PlainWord]) -> String {
    for PlainWord { plain, written } in words {
        if let Some(at) = find(&text, plain) {
            text.replace_range(at..at + plain.len(), written);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stand_where_they_stood() {
        for (line, translation, expected) in [
            ("85 m² and 3 m²", "85 m2 und 3 m2", "85 m² und 3 m²"),
            ("CO₂ and H₂O, 5 kg/m³", "CO2-Werte und H2O, 5 kg/m3", "CO₂-Werte und H₂O, 5 kg/m³"),
            ("E = mc².", "E = mc2.", "E = mc²."),
            ("10³ W of 103 lamps", "103 W von 103 Lampen", "103 W von 103 Lampen"),
            ("10³ W", "1030 W, 103", "1030 W, 10³"),
            ("½ cup, Windows™", "1/2 Tasse, WindowsTM", "½ Tasse, Windows™"),
            ("no digits", "m2", "m2"),
            ("m²", "Quadratmeter", "Quadratmeter"),
        ] {
            assert_eq!(restored(translation.to_owned(), &plain_words(line)), expected, "{line}");
        }
    }
}
