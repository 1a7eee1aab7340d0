//! The plurals of German nouns, by the ends of words.

use foldhash::HashMap;
use std::sync::LazyLock;

/// Ends of nouns in small letters and the way in which their plural is made, learned from the text of the bundled
/// models by `recipes/german_plurals.py`: `e` (Tage), `ue` with an umlaut (Räume), `u` with an umlaut alone (Gärten),
/// `en:um` in place of an ending (Museen), `-` for the same word. `^` begins a whole word; `?` stands for nouns whose
/// plural is not clear.
const ENDS: &str = include_str!("plurals.txt");

static TABLE: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| ENDS.lines().filter_map(|line| line.split_once(' ')).collect());

/// Vowels, and their umlauts.
pub const UMLAUTS: &[(char, char)] = &[('a', 'ä'), ('o', 'ö'), ('u', 'ü'), ('A', 'Ä'), ('O', 'Ö'), ('U', 'Ü')];

/// The plural of a German noun in the nominative. `None` if it is not known, and for words that are written in capitals
/// or small letters.
///
/// ```
/// use metaphrase_text::german::plural;
///
/// assert_eq!(plural("Arbeitsraum").as_deref(), Some("Arbeitsräume"));
/// assert_eq!(plural("Benutzerkonto").as_deref(), Some("Benutzerkonten"));
/// assert_eq!(plural("Rechner").as_deref(), Some("Rechner"));
/// assert_eq!(plural("PDF"), None);
/// ```
#[must_use]
pub fn plural(noun: &str) -> Option<String> {
    let mut letters = noun.chars();
    let is_noun = letters.next().is_some_and(char::is_uppercase) && letters.all(char::is_lowercase);
    if !is_noun || noun.chars().count() < 3 {
        return None;
    }
    let word = format!("^{}", noun.to_lowercase());
    let (end, way) = word.char_indices().find_map(|(at, _)| TABLE.get_key_value(&word[at..]))?;
    // "Kameras", but "Fakturen": the last letters decide nothing here.
    let is_short = noun.ends_with('a') && end.len() < 4;
    if *way == "?" || is_short {
        return None;
    }
    let (ending, lost) = way.split_once(':').unwrap_or((way, ""));
    let stem = noun.strip_suffix(lost)?;
    match ending {
        "-" => Some(noun.to_owned()),
        "u" => {
            let light = ["el", "er", "en"].iter().find(|light| stem.ends_with(**light))?;
            Some(with_umlaut(stem.strip_suffix(light)?)? + light)
        }
        "ue" | "uer" => Some(with_umlaut(stem)? + &ending[1..]),
        _ => Some(format!("{stem}{ending}")),
    }
}

/// A German noun in the dative of the plural: an `n` more, but after `n` and `s`.
#[must_use]
pub fn dative_of_plural(plural: &str) -> String {
    let has_ending = ["e", "er", "el"].iter().any(|end| plural.ends_with(end));
    format!("{plural}{}", if has_ending { "n" } else { "" })
}

/// The word with an umlaut in its last syllable: `Räum` of `Raum`. `None` if its vowel has none.
#[must_use]
pub fn with_umlaut(syllable: &str) -> Option<String> {
    let vowel = |c: char| "aeiouäöüyAEIOUÄÖÜ".contains(c);
    let (mut at, mut last) = syllable.char_indices().rfind(|&(_, c)| vowel(c))?;
    if last == 'u' && syllable[..at].ends_with(['a', 'A']) {
        at -= 1;
        last = syllable[at..].chars().next()?;
    }
    let (_, umlaut) = UMLAUTS.iter().find(|(plain, _)| *plain == last)?;
    Some(format!("{}{umlaut}{}", &syllable[..at], &syllable[at + last.len_utf8()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_are_made_in_all_ways() {
        for (noun, expected) in [
            ("Tarif", "Tarife"),
            ("Rechnung", "Rechnungen"),
            ("Übersichtsseite", "Übersichtsseiten"),
            ("Mitarbeiterin", "Mitarbeiterinnen"),
            ("Arbeitskraft", "Arbeitskräfte"),
            ("Hochhaus", "Hochhäuser"),
            ("Schulgarten", "Schulgärten"),
            ("Kenntnis", "Kenntnisse"),
            ("Abo", "Abos"),
            ("Prinzip", "Prinzipien"),
            ("Museum", "Museen"),
            ("Schlüssel", "Schlüssel"),
        ] {
            assert_eq!(plural(noun).as_deref(), Some(expected));
        }
        for unknown in ["Faktura", "PDF", "haus", "Ab", "", "Öl-Tank"] {
            assert_eq!(plural(unknown), None, "{unknown}");
        }
        let datives = ["Tarife", "Schlüssel", "Abos", "Gärten"].map(dative_of_plural);
        assert_eq!(datives, ["Tarifen", "Schlüsseln", "Abos", "Gärten"]);
        assert_eq!((with_umlaut("Raum"), with_umlaut("Kind")), (Some("Räum".to_owned()), None));
    }
}
