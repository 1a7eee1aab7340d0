//! Forms of target terms: a `*` at the end stands for the endings of the language.

use crate::terms::{Endings, RequiredTerm};
use metaphrase_text::german::{
    Gender, UMLAUTS, Verb, adjectival_stem, adjective_stems, dative_of_plural, gender, head_and_rest, plural,
    with_umlaut,
};
use metaphrase_text::{capitalised, english};

/// Endings of German words of all kinds, the empty one first.
pub(crate) const GERMAN_ENDINGS: &[&str] =
    &["", "e", "en", "er", "ern", "em", "es", "s", "n", "ns", "nen", "se", "sen", "ses"];

/// Endings of English words of all kinds, the empty one first.
const ENGLISH_ENDINGS: &[&str] = &["", "s", "es", "'s", "’s", "ed", "d", "ing"];

/// The forms of a target term. `Gebäude*` is met by the word alone and with each ending of the target language, as
/// `Gebäuden`; for another language than German and English only the word alone. A `*` that is part of the term is
/// written `\*`.
pub(crate) fn forms(term: &str, language: Option<&str>) -> Vec<String> {
    let Some(stem) = stem(term) else { return vec![term.replace("\\*", "*")] };
    let endings = match without_region(language) {
        Some("de") => GERMAN_ENDINGS,
        Some("en") => ENGLISH_ENDINGS,
        _ => &[""],
    };
    let mut plurals = Vec::new();
    if endings == GERMAN_ENDINGS {
        plurals = umlaut_plurals(stem);
        plurals.extend(foreign_plural(stem));
    } else if endings == ENGLISH_ENDINGS {
        plurals.extend(english::plural(stem).filter(|plural| !plural.starts_with(stem)));
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

/// The plurals of a German noun with an umlaut: `Häuser` of `Haus`, `Äpfel` of `Apfel`; none if it can have none.
fn umlaut_plurals(stem: &str) -> Vec<String> {
    let first = stem.rfind(' ').map_or(0, |blank| blank + 1);
    if !stem[first..].starts_with(char::is_uppercase) {
        return Vec::new();
    }
    let light = ["el", "er", "en"].iter().find_map(|end| stem.strip_suffix(end)).filter(|rest| rest.len() > first);
    let (syllable, rest) = light.map_or((stem, ""), |rest| (rest, &stem[rest.len()..]));
    let Some(syllable) = with_umlaut(&syllable[first..]) else { return Vec::new() };
    let changed = format!("{}{syllable}{rest}", &stem[..first]);
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
        umlaut_plurals(&capitalised(stem)).iter().any(|plural| plural.to_lowercase() == word.to_lowercase())
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
            let endings = GERMAN_ENDINGS.iter().filter(|ending| !ending.is_empty());
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

/// The nominatives of the German adjective that a word may be: `neue`, `neuer` and `neues` of `neuen`.
pub(crate) fn other_adjectives(word: &str, language: Option<&str>) -> Vec<String> {
    let is_german = without_region(language) == Some("de");
    let stem = ["en", "em", "er", "es", "e"].iter().find_map(|ending| word.strip_suffix(ending));
    let stem = stem.filter(|stem| is_german && stem.chars().count() >= 3 && stem.chars().all(char::is_alphabetic));
    stem.map_or_else(Vec::new, |stem| ["e", "er", "es"].map(|ending| format!("{stem}{ending}")).to_vec())
}

/// The English verbs whose past or participle a word may be: `save` and `sav` of `saved`, `submit` of `submitted`.
pub(crate) fn past_of(word: &str, language: Option<&str>) -> Vec<String> {
    let is_english = without_region(language) == Some("en");
    let Some(stem) = word.strip_suffix("ed").filter(|stem| is_english && stem.chars().count() >= 3) else {
        return Vec::new();
    };
    let mut verbs = vec![stem.to_owned(), format!("{stem}e")];
    if let Some(stem) = stem.strip_suffix('i') {
        verbs.push(format!("{stem}y"));
    }
    let mut last = stem.chars().rev();
    if last.next() == last.next() {
        verbs.extend(stem.char_indices().next_back().map(|(at, _)| stem[..at].to_owned()));
    }
    verbs
}

impl RequiredTerm {
    /// All forms of the targets in a language.
    pub(crate) fn forms(&self, language: Option<&str>) -> Vec<String> {
        let of_target = |target: &String| forms_with(target, self.endings, language, forms);
        let mut forms: Vec<String> = self.targets.iter().flat_map(of_target).collect();
        let of_verb = self.verb(language).map(|verb| verb.infinite_forms()).unwrap_or_default();
        for form in of_verb {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        forms
    }

    /// The forms of the targets that may be words of a language; those of several things, if that is what the term
    /// stands for.
    pub(crate) fn likely_forms(&self, language: Option<&str>) -> Vec<String> {
        let forms = |target: &String| match self.endings {
            Endings::Plural => plural_forms(target, language),
            endings => forms_with(target, endings, language, likely_forms),
        };
        self.targets.iter().flat_map(forms).collect()
    }

    /// The German verb that the term is, if it may have other forms than the infinitive.
    pub(crate) fn verb(&self, language: Option<&str>) -> Option<Verb> {
        let [target] = &self.targets[..] else { return None };
        let may_change = self.endings != Endings::Written && without_region(language) == Some("de");
        if may_change { Verb::read(target) } else { None }
    }

    /// The form that a model is to read in its source, in which `written` stands for the term.
    pub(crate) fn first_form(&self, written: &str, language: Option<&str>) -> Option<String> {
        let first = self.targets.first()?;
        let is_past = || self.endings == Endings::All && written.split(' ').any(|word| word.ends_with("ed"));
        if let Some(verb) = self.verb(language).filter(|_| is_past()) {
            return Some(verb.participle());
        }
        let plural = if self.endings == Endings::Plural { plural_forms(first, language) } else { Vec::new() };
        Some(plural.into_iter().next().unwrap_or_else(|| without_endings(first)))
    }
}

/// The plural of a term, in German that of a noun, with adjectives before it or without, in the nominative and the
/// dative. Empty if it is not known.
pub(crate) fn plural_forms(term: &str, language: Option<&str>) -> Vec<String> {
    match without_region(language) {
        Some("de") => german_plurals(term),
        Some("en") => english::plural(term).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Whether a German noun stands for several things for certain: `Häuser`, not `Kunden`, which is one thing in the
/// dative, too.
pub(crate) fn is_german_plural(term: &str) -> bool {
    let word = term.rsplit([' ', '-']).next().unwrap_or_default();
    bases(word, true, Some("de")).iter().any(|base| {
        let of_one = singular_endings(base).iter().any(|ending| word.strip_prefix(&**base) == Some(ending));
        !of_one && plural(base).is_some_and(|plural| plural == word || dative_of_plural(&plural) == word)
    })
}

fn german_plurals(term: &str) -> Vec<String> {
    let (head, rest) = head_and_rest(term);
    if !rest.is_empty() {
        return german_plurals(head).into_iter().map(|head| head + rest).collect();
    }
    if let Some(stem) = adjectival_stem(term) {
        return ["en", "e", "er"].map(|ending| format!("{stem}{ending}")).to_vec();
    }
    let (before, last) =
        term.rsplit_once([' ', '-']).map_or(("", term), |(_, last)| term.split_at(term.len() - last.len()));
    let Some(plural) = plural(last) else { return Vec::new() };
    let mut adjectives = String::new();
    for word in before.split_inclusive([' ', '-']) {
        let adjective = word.strip_suffix(' ').filter(|word| word.starts_with(char::is_lowercase));
        let is_long = |stem: &&str| stem.chars().count() >= 3;
        match adjective {
            // "neuer Tarif", "neue Tarife".
            Some(word) => {
                let stem = ["er", "es", "e"].iter().find_map(|ending| word.strip_suffix(ending)).filter(is_long);
                let Some(stem) = stem else { return Vec::new() };
                adjectives.extend([stem, "e "]);
            }
            None if word.ends_with('-') => adjectives.push_str(word),
            None => return Vec::new(),
        }
    }
    let dative = dative_of_plural(&plural);
    let mut forms: Vec<String> = [plural, dative].into_iter().map(|form| format!("{adjectives}{form}")).collect();
    forms.dedup();
    forms
}

/// The forms of a target term with these endings. `all`: the forms of a term with a `*` at its end.
fn forms_with(
    target: &str,
    endings: Endings,
    language: Option<&str>,
    all: fn(&str, Option<&str>) -> Vec<String>,
) -> Vec<String> {
    let is_german = without_region(language) == Some("de");
    let (head, rest) = head_and_rest(target);
    if is_german && !rest.is_empty() && endings != Endings::Written {
        let heads = forms_with(head, endings, language, all);
        return heads.into_iter().map(|head| head + rest).collect();
    }
    let last = target.rsplit(' ').next().unwrap_or_default();
    let is_noun = !is_german || last.starts_with(char::is_uppercase);
    let may_change = is_german && is_noun && endings != Endings::Written;
    match endings {
        Endings::Singular | Endings::All if may_change && let Some(stems) = adjective_stems(target) => {
            let nouns = forms_with(last, endings, language, likely_forms);
            with_adjectives(target, &stems, &nouns)
        }
        _ if may_change && let Some(stem) = adjectival_stem(target) => {
            let others = ["er", "e", "en", "em"].map(|ending| format!("{stem}{ending}"));
            let others = others.into_iter().filter(|form| form != target);
            std::iter::once(target.to_owned()).chain(others).collect()
        }
        _ if !target.ends_with(char::is_alphabetic) => all(target, language),
        Endings::Written => all(target, language),
        Endings::Singular if is_noun => {
            let of_one = if is_german { singular_endings(last) } else { &["", "'s"] };
            of_one.iter().map(|ending| format!("{target}{ending}")).collect()
        }
        Endings::Singular | Endings::Plural | Endings::All => {
            let mut forms = all(&format!("{target}*"), language);
            if endings == Endings::Plural {
                forms.extend(plural_forms(target, language));
            }
            forms
        }
    }
}

/// The forms of a German noun with adjectives before it: as it is written, and in each case after an article and
/// without one. `nouns`: the forms of the noun, the nominative first.
fn with_adjectives(term: &str, stems: &[&str], nouns: &[String]) -> Vec<String> {
    let Some((nominative, others)) = nouns.split_first() else { return vec![term.to_owned()] };
    let all: &[&str] =
        if gender(nominative) == Some(Gender::Feminine) { &["e", "er", "en"] } else { &["e", "er", "es", "en", "em"] };
    let with = |ending: &str, noun: &String| {
        let adjectives: String = stems.iter().map(|stem| format!("{stem}{ending} ")).collect();
        adjectives + noun
    };
    let of_nominative = all.iter().map(|ending| with(ending, nominative));
    let mut forms = vec![term.to_owned()];
    for form in of_nominative.chain(others.iter().map(|noun| with("en", noun))) {
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
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
        assert_eq!(singular("rote Taste"), ["rote Taste", "roter Taste", "roten Taste"]);
        assert_eq!(
            singular("Jährlicher Bericht")[1..],
            [
                "Jährliche Bericht",
                "Jährliches Bericht",
                "Jährlichen Bericht",
                "Jährlichem Bericht",
                "Jährlichen Berichts"
            ]
        );
        assert_eq!(singular("Tag der Lieferung"), ["Tag", "Tags", "Tages"].map(|tag| format!("{tag} der Lieferung")));
        assert_eq!(singular("Angestellter"), ["Angestellter", "Angestellte", "Angestellten", "Angestelltem"]);
        assert_eq!(singular("Junge"), ["Junge", "Jungen", "Junges"]);
        assert_eq!(singular("Rechnung"), ["Rechnung"]);
        assert_eq!(singular("A4"), ["A4"]);
        assert!(singular("rot").contains(&"roten".to_owned()));
    }

    #[test]
    fn several_things_have_plural_forms() {
        let german = |term| plural_forms(term, Some("de-AT"));
        assert_eq!(german("Tarif"), ["Tarife", "Tarifen"]);
        assert_eq!(german("neuer Tarif"), ["neue Tarife", "neue Tarifen"]);
        assert_eq!(german("Online-Tarif"), ["Online-Tarife", "Online-Tarifen"]);
        assert_eq!(german("Abo"), ["Abos"]);
        assert_eq!(german("Haus am See"), ["Häuser am See", "Häusern am See"]);
        assert_eq!(german("Angestellter"), ["Angestellten", "Angestellte", "Angestellter"]);
        for other in ["anmelden", "Sport Legende", "PDF", ""] {
            assert!(german(other).is_empty(), "{other}");
        }
        assert!(["Häuser", "alten Häusern", "Rechnungen", "Verträgen"].iter().all(|several| is_german_plural(several)));
        assert!(!["Kunden", "Haus", "Hauses", "Abos", "Lehrer", "rote"].iter().any(|one| is_german_plural(one)));
        assert_eq!(plural_forms("staff member", Some("en")), ["staff members"]);
        assert!(plural_forms("software", Some("en")).is_empty() && plural_forms("maison", Some("fr")).is_empty());
        let term = RequiredTerm { endings: Endings::Plural, ..RequiredTerm::new(["Raum"]) };
        assert_eq!(term.likely_forms(Some("de")), ["Räume", "Räumen"]);
        assert_eq!(term.first_form("rooms", Some("de")).as_deref(), Some("Räume"));
        assert!(["Raum", "Räumen"].iter().all(|form| term.forms(Some("de")).contains(&(*form).to_owned())));
    }

    #[test]
    fn adjectives_have_other_endings() {
        assert_eq!(other_adjectives("künstlicher", Some("de")), ["künstliche", "künstlicher", "künstliches"]);
        for (word, language) in [("rot", "de"), ("der", "de"), ("better", "en")] {
            assert!(other_adjectives(word, Some(language)).is_empty(), "{word}");
        }
    }

    #[test]
    fn a_past_is_that_of_a_verb() {
        let of = |word| past_of(word, Some("en-US"));
        assert_eq!(of("saved"), ["sav", "save"]);
        assert!(of("submitted").contains(&"submit".into()) && of("copied").contains(&"copy".into()));
        assert!(of("red").is_empty() && of("save").is_empty() && past_of("saved", Some("de")).is_empty());
        let term = RequiredTerm { endings: Endings::All, ..RequiredTerm::new(["absenden"]) };
        assert_eq!(term.first_form("submitted", Some("de")).as_deref(), Some("abgesendet"));
        assert_eq!(term.first_form("submits", Some("de")).as_deref(), Some("absenden"));
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
