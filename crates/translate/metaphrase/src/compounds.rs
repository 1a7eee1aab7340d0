//! Terms that a translation has inside a compound: `Sportlegenden` for the term `Sport`. A term of a glossary may stand
//! there as it may have endings. One that is to stand as it is written gets a hyphen, `Sport-Legenden`, which makes it
//! a word of its own.

use metaphrase_text::{capitalised, letter_runs};
use std::ops::Range;

/// The fewest letters of the other part of a compound; fewer are an ending.
const PART: usize = 4;

/// The fewest letters of the first part of a compound, where something else shows that it is one.
const SHORT_PART: usize = 3;

/// Ends of nouns that always have an `s` between them and the next part of a compound.
const WITH_S: &[&str] = &["ung", "heit", "keit", "schaft", "tät", "ion", "ling", "tum"];

/// Ends of nouns that often have one: not where the next part itself begins with `st`, `sp` or `sch`.
const OFTEN_WITH_S: &[&str] = &["el", "eit", "eid", "at", "icht", "uf", "ag"];

/// What German may have between the parts of a compound.
const BETWEEN: &[&str] = &["s", "n", "es", "en"];

/// A text in which one compound with this term is written with a hyphen, in the ways in which it may be divided, likely
/// ones first; none if the text has no such compound.
pub(crate) fn with_hyphens(text: &str, term: &str) -> Vec<String> {
    let Some(place) = compound_with(text, term) else { return Vec::new() };
    let ways = hyphenated(&text[place.clone()], term);
    ways.iter().map(|written| [&text[..place.start], written, &text[place.end..]].concat()).collect()
}

/// The place of the first compound with this term, a noun.
pub(crate) fn compound_with(text: &str, term: &str) -> Option<Range<usize>> {
    compounds_with(text, term).next()
}

/// The places of this term, a noun, in what may be compounds: "Busfahrer" and "Transport" for "Fahrer" and "Sport".
pub(crate) fn parts_of_compounds<'t>(text: &'t str, term: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let small = term.to_lowercase();
    letter_runs(text).filter(|_| is_noun(term)).filter_map(move |place| {
        let word = &text[place.clone()];
        if !hyphenated(word, term).is_empty() && word.starts_with(term) {
            return Some(place.start..place.start + term.len());
        }
        let first = word.strip_suffix(&small).filter(|first| first.chars().count() >= SHORT_PART)?;
        Some(place.start + first.len()..place.end)
    })
}

fn is_noun(term: &str) -> bool {
    term.starts_with(char::is_uppercase) && term.chars().all(char::is_alphabetic)
}

/// The places of the compounds with this term, a noun.
pub(crate) fn compounds_with<'t>(text: &'t str, term: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    letter_runs(text).filter(move |place| is_noun(term) && !hyphenated(&text[place.clone()], term).is_empty())
}

/// A compound with a hyphen next to the term.
fn hyphenated(word: &str, term: &str) -> Vec<String> {
    if let Some(rest) = word.strip_prefix(term) {
        let ends = |ends: &[&str]| ends.iter().any(|end| term.ends_with(end));
        let begins_so = ["st", "sp", "sch"].iter().any(|start| rest.starts_with(start));
        let between = if ends(WITH_S) || (ends(OFTEN_WITH_S) && !begins_so) {
            Some("s")
        } else if term.ends_with('e') {
            Some("n")
        } else {
            None
        };
        let likely = between.and_then(|between| rest.strip_prefix(between)).unwrap_or(rest);
        let others = BETWEEN.iter().filter_map(|between| rest.strip_prefix(between));
        let mut ways: Vec<String> = Vec::new();
        for rest in std::iter::once(likely).chain(others).filter(|rest| rest.chars().count() >= PART) {
            let way = format!("{term}-{}", capitalised(rest));
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        return ways;
    }
    let small: String = term.chars().flat_map(char::to_lowercase).collect();
    let Some(first) = word.strip_suffix(&small) else { return Vec::new() };
    let first = if first.chars().count() > PART { first.strip_suffix('s').unwrap_or(first) } else { first };
    (first.chars().count() > PART).then(|| format!("{first}-{term}")).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compounds_have_hyphens() {
        for (text, term, expected) in [
            ("Viele dieser Sportlegenden kamen.", "Sport", Some("Viele dieser Sport-Legenden kamen.")),
            ("die Handelsabkommen verhindern", "Handel", Some("die Handel-Abkommen verhindern")),
            ("weitere Baustellen", "Bau", Some("weitere Bau-Stellen")),
            ("die Baubehörden", "Bau", Some("die Bau-Behörden")),
            ("Gesundheitskampagnen", "Gesundheit", Some("Gesundheit-Kampagnen")),
            ("Wohnungsunternehmen dagegen", "Wohnung", Some("Wohnung-Unternehmen dagegen")),
            ("die Antragstellung", "Antrag", Some("die Antrag-Stellung")),
            ("die Wohnungstür", "Wohnung", None),
            ("die Wohnungstüren", "Wohnung", Some("die Wohnung-Türen")),
            ("den Spitzensport", "Sport", Some("den Spitzen-Sport")),
            ("eine Klassenfahrt", "Klasse", Some("eine Klasse-Fahrt")),
            ("des Sports", "Sport", None),
            ("die Wohnungen", "Wohnung", None),
            ("Transport", "Sport", None),
            ("der starke Wind", "stark", None),
        ] {
            assert_eq!(with_hyphens(text, term).first().map(String::as_str), expected, "{text}");
        }
    }

    #[test]
    fn a_compound_has_two_parts() {
        let text = "die Gesundheitskampagnen der Altstadt";
        let parts = |term| parts_of_compounds(text, term).map(|place| &text[place]).collect::<Vec<&str>>();
        assert_eq!(
            (parts("Gesundheit"), parts("Kampagnen"), parts("Kampagne")),
            (vec!["Gesundheit"], vec!["kampagnen"], vec![])
        );
        assert_eq!(parts("Stadt"), ["stadt"]);
    }

    #[test]
    fn compounds_are_divided_in_several_ways() {
        for (text, term, expected) in [
            ("die Urlaubsinsel", "Urlaub", &["die Urlaub-Sinsel", "die Urlaub-Insel"][..]),
            ("eine Operndiva", "Oper", &["eine Oper-Ndiva", "eine Oper-Diva"]),
            ("die Wohnungssuche", "Wohnung", &["die Wohnung-Suche"]),
            ("des Transports", "Sport", &[]),
        ] {
            assert_eq!(with_hyphens(text, term), expected, "{text}");
        }
    }
}
