//! The words of a German noun phrase that have endings: its head, the adjectives before it, and heads that are
//! adjectives themselves.

/// Words that a phrase goes on with after its head: "Tag der Lieferung", "Gesellschaft mit beschränkter Haftung".
const AFTER_HEAD: &[&str] = &[
    "am", "an", "auf", "aus", "bei", "beim", "bis", "das", "dem", "den", "der", "des", "die", "durch", "ein", "eine",
    "einem", "einen", "einer", "eines", "für", "gegen", "im", "in", "mit", "nach", "ohne", "pro", "über", "um",
    "unter", "vom", "von", "vor", "wegen", "zu", "zum", "zur", "zwischen",
];

/// Ends of adjectives, without their endings, that may have a capital at the beginning of a phrase.
const ADJECTIVES: &[&str] = &[
    "al", "alt", "ant", "ar", "bar", "blau", "ell", "end", "ent", "frei", "gelb", "gemein", "groß", "grün", "haft",
    "hoh", "ig", "isch", "iv", "klein", "lich", "los", "neu", "offen", "rot", "sam", "schwarz", "voll", "weiß", "är",
];

/// Ends of adjectives that are nouns, without their endings: `Angestellter`.
const NOUNS: &[&str] = &[
    "abgeordnet",
    "angehörig",
    "angeklagt",
    "angestellt",
    "anwesend",
    "arbeitslos",
    "auszubildend",
    "beamt",
    "beauftragt",
    "behindert",
    "bekannt",
    "berechtigt",
    "beschuldigt",
    "beschäftigt",
    "beteiligt",
    "betroffen",
    "bevollmächtigt",
    "delegiert",
    "deutsch",
    "ehrenamtlich",
    "erwachsen",
    "freiwillig",
    "fremd",
    "gefangen",
    "geflüchtet",
    "gesandt",
    "hinterblieben",
    "intellektuell",
    "jugendlich",
    "krank",
    "lehrend",
    "obdachlos",
    "pflegend",
    "reisend",
    "sachverständig",
    "schuldig",
    "selbstständig",
    "selbständig",
    "studierend",
    "teilnehmend",
    "tot",
    "verdächtig",
    "verletzt",
    "versichert",
    "vertrieben",
    "verurteilt",
    "verwandt",
    "vorgesetzt",
    "vorsitzend",
    "überlebend",
];

/// Endings of adjectives in the nominative.
const NOMINATIVE: &[&str] = &["er", "es", "e"];

/// A noun phrase up to its head, which has the number and the case, and the rest of it, which stays.
///
/// ```
/// use metaphrase_text::german::head_and_rest;
///
/// assert_eq!(head_and_rest("Tag der Lieferung"), ("Tag", " der Lieferung"));
/// assert_eq!(head_and_rest("neue Rechnung"), ("neue Rechnung", ""));
/// ```
#[must_use]
pub fn head_and_rest(phrase: &str) -> (&str, &str) {
    let blanks = phrase.match_indices(' ').map(|(at, _)| at);
    let goes_on = |at: &usize| {
        let word = phrase[at + 1..].split(' ').next().unwrap_or_default();
        let head = phrase[..*at].rsplit(' ').next().unwrap_or_default();
        AFTER_HEAD.contains(&word) && head.starts_with(char::is_uppercase)
    };
    phrase.split_at(blanks.into_iter().find(goes_on).unwrap_or(phrase.len()))
}

/// Words before a noun that do not stand before a genitive with an `s`. Those of a feminine genitive are none of them:
/// where the plain word was feminine, the article is still to be changed.
const NO_GENITIVE: &[&str] = &[
    "am", "ans", "beim", "das", "dem", "den", "die", "diese", "ein", "eine", "einem", "einen", "im", "ins", "jede",
    "kein", "keine", "keinem", "keinen", "vom", "zum",
];

/// Whether a form of a noun phrase is the genitive of a noun with an `s` after words that stand before another case:
/// `das Tags der Lieferung`. `base`: the nominative of one thing; `before`: the text before the phrase.
///
/// ```
/// use metaphrase_text::german::is_wrong_genitive;
///
/// assert!(is_wrong_genitive("Tags der Lieferung", "Tag der Lieferung", "Beachten Sie das "));
/// assert!(!is_wrong_genitive("Tags", "Tag", "Am Ende des "));
/// ```
#[must_use]
pub fn is_wrong_genitive(form: &str, base: &str, before: &str) -> bool {
    let ending = head_and_rest(form).0.strip_prefix(head_and_rest(base).0);
    let last = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    ending.is_some_and(|ending| ["s", "es", "ses"].contains(&ending)) && NO_GENITIVE.contains(&&*last)
}

/// The adjectives before the noun that a phrase ends in, without their endings; `None` if other words stand there, or
/// none.
///
/// ```
/// use metaphrase_text::german::adjective_stems;
///
/// assert_eq!(adjective_stems("neuer jährlicher Bericht"), Some(vec!["neu", "jährlich"]));
/// assert_eq!(adjective_stems("Altes Rathaus"), Some(vec!["Alt"]));
/// assert_eq!(adjective_stems("Kaffee Maschine"), None);
/// ```
#[must_use]
pub fn adjective_stems(phrase: &str) -> Option<Vec<&str>> {
    let (before, _) = phrase.rsplit_once(' ')?;
    let stem = |word: &'_ str| -> Option<usize> {
        let stem = NOMINATIVE.iter().find_map(|ending| word.strip_suffix(ending))?;
        let is_adjective = stem.starts_with(char::is_lowercase) || ends_in(stem, ADJECTIVES);
        (is_adjective && stem.chars().count() >= 3 && stem.chars().all(char::is_alphabetic)).then_some(stem.len())
    };
    before.split(' ').map(|word| Some(&word[..stem(word)?])).collect()
}

/// A noun that is an adjective, without its ending.
///
/// ```
/// use metaphrase_text::german::adjectival_stem;
///
/// assert_eq!(adjectival_stem("Bundestagsabgeordneter"), Some("Bundestagsabgeordnet"));
/// assert_eq!(adjectival_stem("Vertreter"), None);
/// ```
#[must_use]
pub fn adjectival_stem(noun: &str) -> Option<&str> {
    let stem = NOMINATIVE.iter().find_map(|ending| noun.strip_suffix(ending))?;
    (noun.starts_with(char::is_uppercase) && ends_in(stem, NOUNS)).then_some(stem)
}

fn ends_in(word: &str, ends: &[&str]) -> bool {
    let word = word.to_lowercase();
    ends.iter().any(|end| word.ends_with(end))
}
