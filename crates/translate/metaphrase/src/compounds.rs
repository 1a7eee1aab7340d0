//! Terms that a translation has inside a compound: `Sportlegenden` for the term `Sport`. German writes the same
//! compound with a hyphen, `Sport-Legenden`, in which the term is a word of its own.

use std::ops::Range;

/// The fewest letters of the other part of a compound; fewer are an ending.
const PART: usize = 4;

/// Ends of nouns that always have an `s` between them and the next part of a compound.
const WITH_S: &[&str] = &["ung", "heit", "keit", "schaft", "tät", "ion", "ling", "tum"];

/// Ends of nouns that often have one: not where the next part itself begins with `st`, `sp` or `sch`.
const OFTEN_WITH_S: &[&str] = &["el", "eit", "eid", "at", "icht", "uf", "ag"];

/// A text in which one compound with this term is written with a hyphen; `None` if the text has no such compound.
pub(crate) fn with_hyphen(text: &str, term: &str) -> Option<String> {
    let is_noun = term.starts_with(char::is_uppercase) && term.chars().all(char::is_alphabetic);
    if !is_noun {
        return None;
    }
    let (place, written) = words(text).find_map(|place| Some((place.clone(), hyphenated(&text[place], term)?)))?;
    Some([&text[..place.start], &written, &text[place.end..]].concat())
}

/// A compound with a hyphen next to the term.
fn hyphenated(word: &str, term: &str) -> Option<String> {
    if let Some(rest) = word.strip_prefix(term) {
        let mut rest = rest;
        let ends = |ends: &[&str]| ends.iter().any(|end| term.ends_with(end));
        let begins_so = ["st", "sp", "sch"].iter().any(|start| rest.starts_with(start));
        if ends(WITH_S) || (ends(OFTEN_WITH_S) && !begins_so) {
            rest = rest.strip_prefix('s').unwrap_or(rest);
        } else if term.ends_with('e') {
            rest = rest.strip_prefix('n').unwrap_or(rest);
        }
        return (rest.chars().count() >= PART).then(|| format!("{term}-{}", capitalised(rest)));
    }
    let small: String = term.chars().flat_map(char::to_lowercase).collect();
    let first = word.strip_suffix(&small)?;
    let first = if first.chars().count() > PART { first.strip_suffix('s').unwrap_or(first) } else { first };
    (first.chars().count() > PART).then(|| format!("{first}-{term}"))
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// The runs of letters of a text.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(char::is_alphabetic)?;
        at = start + text[start..].find(|c: char| !c.is_alphabetic()).unwrap_or(text.len() - start);
        Some(start..at)
    })
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
            assert_eq!(with_hyphen(text, term).as_deref(), expected, "{text}");
        }
    }
}
