//! Forms of target terms: a `*` at the end stands for the endings of the language.

use crate::terms::{Endings, RequiredTerm};
use metaphrase_text::german::{Gender, gender};

/// Endings of German words of all kinds, the empty one first.
const GERMAN: &[&str] = &["", "e", "en", "er", "ern", "em", "es", "s", "n", "ns", "nen", "se", "sen", "ses"];

/// Endings of English words of all kinds, the empty one first.
const ENGLISH: &[&str] = &["", "s", "es", "'s", "’s", "ed", "d", "ing"];

/// The forms of a target term. `Gebäude*` is met by the word alone and with each ending of the target language, as
/// `Gebäuden`; for another language than German and English only the word alone. A `*` that is part of the term is
/// written `\*`.
pub(crate) fn forms(term: &str, language: Option<&str>) -> Vec<String> {
    let Some(stem) = stem(term) else { return vec![term.replace("\\*", "*")] };
    let endings = match without_region(language) {
        Some("de") => GERMAN,
        Some("en") => ENGLISH,
        _ => &[""],
    };
    let mut plurals = Vec::new();
    if endings == GERMAN {
        plurals = umlaut_plurals(stem);
        plurals.extend(foreign_plural(stem));
    }
    endings.iter().map(|ending| format!("{stem}{ending}")).chain(plurals).collect()
}

/// Endings of German nouns from other languages that the plural loses: `Firmen` of `Firma`, `Viren` of `Virus`.
const FOREIGN: &[&str] = &["a", "is", "o", "um", "us"];

/// The plural of a German noun with such an ending; `None` if it has none.
fn foreign_plural(stem: &str) -> Option<String> {
    let last = stem.rsplit(' ').next().filter(|last| last.starts_with(char::is_uppercase))?;
    let ending = FOREIGN.iter().find(|ending| last.ends_with(**ending) && last.len() > ending.len() + 2)?;
    Some(format!("{}en", &stem[..stem.len() - ending.len()]))
}

/// Vowels, and their umlauts.
const UMLAUTS: &[(char, char)] = &[('a', 'ä'), ('o', 'ö'), ('u', 'ü'), ('A', 'Ä'), ('O', 'Ö'), ('U', 'Ü')];

/// The plurals of a German noun with an umlaut: `Häuser` of `Haus`, `Äpfel` of `Apfel`; none if it can have none.
fn umlaut_plurals(stem: &str) -> Vec<String> {
    let first = stem.rfind(' ').map_or(0, |blank| blank + 1);
    if !stem[first..].starts_with(char::is_uppercase) {
        return Vec::new();
    }
    let light = ["el", "er", "en"].iter().find_map(|end| stem.strip_suffix(end)).filter(|rest| rest.len() > first);
    let (syllable, rest) = light.map_or((stem, ""), |rest| (rest, &stem[rest.len()..]));
    let vowel = |c: char| "aeiouäöüyAEIOUÄÖÜ".contains(c);
    let Some((mut at, mut last)) = syllable.char_indices().rfind(|&(at, c)| at >= first && vowel(c)) else {
        return Vec::new();
    };
    if last == 'u' && (syllable[first..at].ends_with(['a', 'A'])) {
        at -= 1;
        last = syllable[at..].chars().next().unwrap_or_default();
    }
    let Some((_, umlaut)) = UMLAUTS.iter().find(|(plain, _)| *plain == last) else { return Vec::new() };
    let changed = format!("{}{umlaut}{}{rest}", &syllable[..at], &syllable[at + last.len_utf8()..]);
    let endings: &[&str] = if rest.is_empty() { &["e", "en", "er", "ern"] } else { &["", "n"] };
    endings.iter().map(|ending| format!("{changed}{ending}")).collect()
}

/// The forms of a target term that may be words of the language: those of [`forms`] whose ending goes with the last
/// letters of the term.
pub(crate) fn likely_forms(term: &str, language: Option<&str>) -> Vec<String> {
    let Some(stem) = stem(term) else { return forms(term, language) };
    let is_noun = stem.split(' ').next_back().is_some_and(|word| word.starts_with(char::is_uppercase));
    let known = |form: &String| {
        let Some(ending) = form.strip_prefix(stem) else { return true };
        match without_region(language) {
            Some("de") => german_endings(stem, is_noun).contains(&ending),
            Some("en") => english_endings(stem).contains(&ending),
            _ => true,
        }
    };
    forms(term, language).into_iter().filter(known).collect()
}

/// The nouns of which a German word with an umlaut may be a plural, in small letters if the word is.
fn singulars(word: &str) -> Vec<String> {
    let umlaut = word
        .char_indices()
        .rev()
        .find_map(|(at, c)| UMLAUTS.iter().find(|(_, umlaut)| *umlaut == c).map(|(plain, umlaut)| (at, plain, umlaut)));
    let Some((at, plain, umlaut)) = umlaut else { return Vec::new() };
    let changed = format!("{}{plain}{}", &word[..at], &word[at + umlaut.len_utf8()..]);
    let stems = ["ern", "er", "en", "e", "n", ""].iter().filter_map(|ending| changed.strip_suffix(ending));
    let may_be = |stem: &&str| {
        let mut letters = stem.chars();
        let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
        umlaut_plurals(&capital).iter().any(|plural| plural.to_lowercase() == word.to_lowercase())
    };
    stems.filter(may_be).map(str::to_owned).collect()
}

fn german_endings(stem: &str, is_noun: bool) -> &'static [&'static str] {
    let ends = |ends: &[&str]| ends.iter().any(|end| stem.ends_with(end));
    match () {
        () if ends(&["e"]) => &["", "n", "s", "ns"],
        () if ends(&["in"]) && is_noun => &["", "nen"],
        () if ends(FEMININE) && is_noun => &["", "en"],
        () if ends(&["nis", "us", "as"]) => &["", "se", "sen", "ses"],
        () if ends(&["er", "el"]) && is_noun => &["", "n", "s"],
        () if is_noun => &["", "e", "en", "er", "ern", "es", "s"],
        () => &["", "e", "en", "er", "em", "es"],
    }
}

/// Ends of German nouns that are the same in all cases of the singular.
const FEMININE: &[&str] = &["ung", "heit", "keit", "schaft", "ion", "tät", "ik", "in"];

/// Endings of a German noun in the singular.
fn singular_endings(noun: &str) -> &'static [&'static str] {
    let ends = |ends: &[&str]| ends.iter().any(|end| noun.ends_with(end));
    match noun.chars().count() {
        _ if ends(FEMININE) || gender(noun) == Some(Gender::Feminine) => &[""],
        _ if ends(&["e"]) => &["", "n", "s"],
        _ if ends(&["s", "ß", "x", "z"]) => &["", "es"],
        _ if ends(&["ent", "ant", "ist", "at", "et", "graf"]) => &["", "en", "s"],
        ..=6 => &["", "s", "es"],
        _ => &["", "s"],
    }
}

fn english_endings(stem: &str) -> &'static [&'static str] {
    let ends = |ends: &[&str]| ends.iter().any(|end| stem.ends_with(end));
    match () {
        () if ends(&["e"]) => &["", "s", "'s", "d"],
        () if ends(&["s", "x", "ch", "sh"]) => &["", "es", "'s", "ed", "ing"],
        () => &["", "s", "'s", "ed", "ing"],
    }
}

/// English words that look like the plural of another one, and German ones that look like a form of another one.
const OTHER_WORDS: &[&str] = &[
    "arms", "customs", "glasses", "goods", "means", "news", "series", "species", "posten", "kosten", "waren", "leiter",
];

/// The words that a word of a text may be a form of: plurals of English nouns, forms of German nouns and adjectives.
/// `is_noun`: whether a German word is written as a noun.
pub(crate) fn bases(word: &str, is_noun: bool, language: Option<&str>) -> Vec<String> {
    let cut = |ending: &str| {
        let stem = word.strip_suffix(ending).filter(|stem| stem.chars().count() >= 3);
        stem.filter(|stem| stem.chars().all(char::is_alphabetic))
    };
    let may_be_form = || !OTHER_WORDS.contains(&&*word.to_lowercase());
    match without_region(language) {
        Some("en") if may_be_form() => {
            let plural = |(ending, singular): (&str, &str)| cut(ending).map(|stem| format!("{stem}{singular}"));
            let fits = |base: &String| match base.as_bytes() {
                [.., b's'] => word.ends_with("es"),
                _ => true,
            };
            [("s", ""), ("es", ""), ("ies", "y")].into_iter().filter_map(plural).filter(fits).collect()
        }
        Some("de") if may_be_form() => {
            let endings = GERMAN.iter().filter(|ending| !ending.is_empty());
            let bases = endings.filter_map(|ending| cut(ending).map(|stem| (stem, *ending)));
            let fits = |(stem, ending): &(&str, &str)| german_endings(stem, is_noun).contains(ending);
            let mut found: Vec<String> = bases.filter(fits).map(|(stem, _)| stem.to_owned()).collect();
            if is_noun {
                found.extend(singulars(word));
                let foreign = cut("en").map(|stem| FOREIGN.iter().map(move |ending| format!("{stem}{ending}")));
                found.extend(foreign.into_iter().flatten());
            }
            found
        }
        _ => Vec::new(),
    }
}

impl RequiredTerm {
    /// All forms of the targets in a language.
    pub(crate) fn forms(&self, language: Option<&str>) -> Vec<String> {
        self.targets.iter().flat_map(|target| forms_with(target, self.endings, language, forms)).collect()
    }

    /// The forms of the targets that may be words of a language.
    pub(crate) fn likely_forms(&self, language: Option<&str>) -> Vec<String> {
        self.targets.iter().flat_map(|target| forms_with(target, self.endings, language, likely_forms)).collect()
    }
}

/// The forms of a target term with these endings. `all`: the forms of a term with a `*` at its end.
fn forms_with(
    target: &str,
    endings: Endings,
    language: Option<&str>,
    all: fn(&str, Option<&str>) -> Vec<String>,
) -> Vec<String> {
    let last = target.rsplit(' ').next().unwrap_or_default();
    let is_german = without_region(language) == Some("de");
    let is_noun = !is_german || last.starts_with(char::is_uppercase);
    match endings {
        _ if !target.ends_with(char::is_alphabetic) => all(target, language),
        Endings::Written => all(target, language),
        Endings::Singular if is_noun => {
            let of_one = if is_german { singular_endings(last) } else { &["", "'s"] };
            of_one.iter().map(|ending| format!("{target}{ending}")).collect()
        }
        Endings::Singular | Endings::All => all(&format!("{target}*"), language),
    }
}

/// A language by its code without region or script: `de` of `de-AT`.
pub(crate) fn without_region(language: Option<&str>) -> Option<&str> {
    language.and_then(|language| language.split(['-', '_']).next())
}

/// The forms of a source term, with the endings of all languages that have some here.
pub(crate) fn forms_of_any(term: &str) -> Vec<String> {
    let mut all = forms(term.trim(), Some("de"));
    for form in forms(term.trim(), Some("en")) {
        if !all.contains(&form) {
            all.push(form);
        }
    }
    all
}

/// The term without the `*` that stands for endings.
pub(crate) fn without_endings(term: &str) -> String {
    stem(term).map_or_else(|| term.replace("\\*", "*"), str::to_owned)
}

/// A form as it is written at the start of a sentence: with a capital. `None` if it begins with one, or with a word
/// such as `iPhone` or `pH`, which has its own letters everywhere.
pub(crate) fn with_capital(form: &str) -> Option<String> {
    let mut rest = form.chars();
    let first = rest.next().filter(|first| first.is_lowercase())?;
    let word = rest.as_str().split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    (!word.contains(char::is_uppercase)).then(|| first.to_uppercase().chain(rest).collect())
}

fn stem(term: &str) -> Option<&str> {
    let stem = term.strip_suffix('*')?;
    stem.ends_with(char::is_alphanumeric).then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_have_umlauts() {
        for (noun, plural) in [
            ("Haus", "Häuser"),
            ("Auftrag", "Aufträge"),
            ("Apfel", "Äpfel"),
            ("Garten", "Gärten"),
            ("großer Baum", "großer Bäumen"),
            ("Buch", "Büchern"),
            ("Faktura", "Fakturen"),
            ("Benutzerkonto", "Benutzerkonten"),
            ("Museum", "Museen"),
            ("Virus", "Viren"),
        ] {
            assert!(forms(&format!("{noun}*"), Some("de")).contains(&plural.to_owned()), "{noun}");
            assert!(likely_forms(&format!("{noun}*"), Some("de")).contains(&plural.to_owned()), "{noun}");
            let (noun, plural) = (noun.rsplit(' ').next().unwrap(), plural.rsplit(' ').next().unwrap());
            assert!(bases(plural, true, Some("de")).contains(&noun.to_owned()), "{plural}");
            let small = plural.to_lowercase();
            assert!(bases(&small, true, Some("de")).contains(&noun.to_lowercase()), "{plural}");
        }
        assert!(umlaut_plurals("Kind").is_empty() && umlaut_plurals("rot").is_empty() && umlaut_plurals("").is_empty());
        assert_eq!(bases("Batteries", false, Some("en")), ["Batterie", "Batteri", "Battery"]);
        assert!(bases("news", false, Some("en")).is_empty() && bases("roter", true, Some("fr")).is_empty());
        assert_eq!(bases("roten", false, Some("de")), ["rot", "rote"]);
        let singular = |term| forms_with(term, Endings::Singular, Some("de"), forms);
        assert_eq!(singular("Display"), ["Display", "Displays"]);
        assert_eq!(singular("rote Taste"), ["rote Taste"]);
        assert_eq!(singular("Junge"), ["Junge", "Jungen", "Junges"]);
        assert_eq!(singular("Rechnung"), ["Rechnung"]);
        assert_eq!(singular("A4"), ["A4"]);
        assert!(singular("rot").contains(&"roten".to_owned()));
    }

    #[test]
    fn a_sentence_begins_with_a_capital() {
        assert_eq!(with_capital("das Gerät").as_deref(), Some("Das Gerät"));
        for other in ["Gerät", "iPhone 5", "{name}", "5 cm", ""] {
            assert_eq!(with_capital(other), None, "{other}");
        }
    }

    #[test]
    fn a_star_stands_for_endings() {
        assert!(forms("Gebäude*", Some("de")).iter().any(|form| form == "Gebäuden"));
        assert!(forms("house*", Some("en-GB")).iter().any(|form| form == "houses"));
        assert_eq!(forms("maison*", Some("fr")), ["maison"]);
        assert_eq!(forms("Gebäude", Some("de")), ["Gebäude"]);
        assert_eq!(forms("C\\*", Some("de")), ["C*"]);
        assert_eq!(forms("*", Some("de")), ["*"]);
        assert_eq!(without_endings("Gebäude*"), "Gebäude");
        assert_eq!(likely_forms("Scheibe*", Some("de")), ["Scheibe", "Scheibes", "Scheiben", "Scheibens"]);
        assert_eq!(likely_forms("kid*", Some("en")), ["kid", "kids", "kid's", "kided", "kiding"]);
        assert_eq!(likely_forms("Kids", Some("en")), ["Kids"]);
    }
}
