//! Forms of target terms: a `*` at the end stands for the endings of the language.

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
    endings.iter().map(|ending| format!("{stem}{ending}")).collect()
}

/// The forms of a target term that may be words of the language: those of [`forms`] whose ending goes with the last
/// letters of the term.
pub(crate) fn likely_forms(term: &str, language: Option<&str>) -> Vec<String> {
    let Some(stem) = stem(term) else { return forms(term, language) };
    let is_noun = stem.split(' ').next_back().is_some_and(|word| word.starts_with(char::is_uppercase));
    let ends = |ends: &[&str]| ends.iter().any(|end| stem.ends_with(end));
    let german: &[&str] = match () {
        () if ends(&["e"]) => &["", "n", "s", "ns"],
        () if ends(&["in"]) && is_noun => &["", "nen"],
        () if ends(&["nis", "us", "as"]) => &["", "se", "sen", "ses"],
        () if ends(&["er", "el"]) && is_noun => &["", "n", "s"],
        () if is_noun => &["", "e", "en", "er", "ern", "es", "s"],
        () => &["", "e", "en", "er", "em", "es"],
    };
    let english: &[&str] = match () {
        () if ends(&["e"]) => &["", "s", "'s", "d"],
        () if ends(&["s", "x", "ch", "sh"]) => &["", "es", "'s", "ed", "ing"],
        () => &["", "s", "'s", "ed", "ing"],
    };
    let known = |form: &String| {
        let ending = &form[stem.len()..];
        match without_region(language) {
            Some("de") => german.contains(&ending),
            Some("en") => english.contains(&ending),
            _ => true,
        }
    };
    forms(term, language).into_iter().filter(known).collect()
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
