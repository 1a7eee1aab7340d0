//! German words: plurals and genders of nouns, the agreement of articles and adjectives with them, forms of verbs.

mod determiners;
mod genders;
mod noun_phrases;
mod plurals;
mod verbs;

use determiners::{CASES, Cell, Determiner, Number, adjective_ending};
pub use genders::{Gender, gender};
pub use noun_phrases::{adjectival_stem, adjective_stems, head_and_rest, is_wrong_genitive};
pub use plurals::{UMLAUTS, dative_of_plural, plural, with_umlaut};
use std::ops::Range;
pub use verbs::Verb;

/// Prepositions, and the cases that they stand before. Words that are conjunctions, too, are none of them: "während der
/// Anwender liest".
const PREPOSITIONS: &[(&[Case], &[&str])] = &[
    (&[Case::Dative], &["ab", "aus", "bei", "gegenüber", "mit", "mithilfe", "nach", "von", "zu"]),
    (&[Case::Accusative], &["durch", "für", "gegen", "um"]),
    (&[Case::Genitive], &["aufgrund", "außerhalb", "innerhalb", "trotz", "wegen"]),
    (&[Case::Accusative, Case::Dative], &["an", "auf", "hinter", "in", "neben", "über", "unter", "vor", "zwischen"]),
];

/// Words that end as adjectives do.
const NO_ADJECTIVES: &[&str] =
    &["aber", "hinter", "immer", "ohne", "oder", "unter", "wegen", "wieder", "über", "sondern", "außer", "gegen"];

/// Endings of adjectives.
const ENDINGS: &[&str] = &["er", "es", "en", "em", "e"];

/// A grammatical case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Nominative,
    Accusative,
    Dative,
    Genitive,
}

/// Whether the article and the adjectives before a noun agree with its gender.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Agreement {
    /// They do, or nothing is known about them.
    Fine,
    /// They do not. A text for each case that they may be in, with another article and other endings.
    Wrong(Vec<String>),
    /// They do in another case than a first reading has: `Der Lehrkraft hilft er.` This text has the article of the
    /// nominative and the accusative.
    Doubtful(String),
}

/// The article and the adjectives before a noun.
struct Phrase<'t> {
    place: Range<usize>,
    article: &'t str,
    determiner: Determiner<'t>,
    adjectives: Vec<&'t str>,
    /// The two words before the article.
    before: [&'t str; 2],
}

/// Whether the article and the adjectives before a noun agree with its gender. `noun`: the place of a noun, in bytes,
/// or of words whose head is one. `is_one`: whether it stands for one thing, as a form that may be a plural may, too.
///
/// ```
/// use metaphrase_text::german::{Agreement, agreement};
///
/// let Agreement::Wrong(texts) = agreement("Gestern war der Abkommen fertig.", 16..24, false) else { panic!() };
/// assert_eq!(texts, ["Gestern war das Abkommen fertig.", "Gestern war dem Abkommen fertig.",
///                    "Gestern war des Abkommen fertig."]);
/// assert_eq!(agreement(&texts[0], 16..24, false), Agreement::Fine);
/// assert_ne!(agreement("Die Tag der Lieferung", 4..21, true), Agreement::Fine);
/// ```
#[must_use]
pub fn agreement(text: &str, noun: Range<usize>, is_one: bool) -> Agreement {
    let (Some(phrase), Some(words)) = (Phrase::before(text, noun.start), text.get(noun.clone())) else {
        return Agreement::Fine;
    };
    let last = head_and_rest(words).0.rsplit([' ', '-']).next().unwrap_or_default();
    let Some(gender) = gender(last) else { return Agreement::Fine };
    let cells = phrase.cells();
    if phrase.may_be_pronoun() || (!is_one && phrase.may_be_plural(last, &cells)) {
        return Agreement::Fine;
    }
    let own = |case| Cell { case, number: Number::One(gender) };
    let changed = |cell| {
        let written = phrase.written(cell)?;
        Some(format!("{}{written}{}", &text[..phrase.place.start], &text[phrase.place.end..]))
    };
    let fitting: Vec<Case> =
        cells.iter().filter(|cell| **cell == own(cell.case) && phrase.fits(**cell)).map(|cell| cell.case).collect();
    if !fitting.is_empty() {
        let is_direct = |case: Case| matches!(case, Case::Nominative | Case::Accusative);
        let is_sure = fitting.iter().any(|case| is_direct(*case))
            || !cells.iter().any(|cell| is_direct(cell.case))
            || phrase.governed().is_some()
            || phrase.follows_noun();
        let direct = changed(own(Case::Nominative)).filter(|_| !is_sure);
        return direct.map_or(Agreement::Fine, Agreement::Doubtful);
    }
    let mut texts = Vec::new();
    for case in CASES.into_iter().filter(|case| cells.iter().any(|cell| cell.case == *case)) {
        // Masculine and neuter nouns have an ending in the genitive.
        let lacks_ending = case == Case::Genitive && gender != Gender::Feminine && !last.ends_with(['s', 'n']);
        if let Some(changed) = changed(own(case)).filter(|changed| !lacks_ending && !texts.contains(changed)) {
            texts.push(changed);
        }
    }
    if texts.is_empty() { Agreement::Fine } else { Agreement::Wrong(texts) }
}

/// Quantities in the dative.
const DATIVE_QUANTITIES: &[&str] =
    &["allen", "beiden", "einigen", "etlichen", "mehreren", "verschiedenen", "vielen", "wenigen", "zahlreichen"];

/// Whether a plural after this text is in the dative. `None` if the words before it leave it open.
///
/// ```
/// use metaphrase_text::german::is_dative_plural;
///
/// assert_eq!(is_dative_plural("Er wohnt in diesen "), Some(true));
/// assert_eq!(is_dative_plural("Er sieht neue "), Some(false));
/// assert_eq!(is_dative_plural("Er sprach mit "), Some(true));
/// assert_eq!(is_dative_plural("Dort haben "), None);
/// ```
#[must_use]
pub fn is_dative_plural(before: &str) -> Option<bool> {
    let one_answer = |cases: &[Case]| {
        let datives = cases.iter().filter(|case| **case == Case::Dative).count();
        (!cases.is_empty() && (datives == 0 || datives == cases.len())).then_some(datives > 0)
    };
    if let Some(phrase) = Phrase::before(before, before.len()) {
        let plurals = phrase.cells().into_iter().filter(|cell| cell.number == Number::Many);
        return one_answer(&plurals.map(|cell| cell.case).collect::<Vec<_>>());
    }
    let last = before.strip_suffix(' ')?.rsplit(' ').next()?.to_lowercase();
    if let Some((cases, _)) = PREPOSITIONS.iter().find(|(_, words)| words.contains(&&*last)) {
        return one_answer(cases);
    }
    match () {
        () if DATIVE_QUANTITIES.contains(&&*last) => Some(true),
        () if last.ends_with('e') => Some(false),
        () => None,
    }
}

impl<'t> Phrase<'t> {
    /// The article and the adjectives, at most two, that stand directly before a place of a text.
    fn before(text: &'t str, place: usize) -> Option<Self> {
        let mut rest = text.get(..place)?.strip_suffix(' ')?;
        let (end, mut adjectives) = (rest.len(), Vec::new());
        loop {
            let start = rest.rfind(' ').map_or(0, |blank| blank + 1);
            let word = &rest[start..];
            let before = rest[..start].trim_end();
            if let Some(determiner) = Determiner::read(word) {
                adjectives.reverse();
                let mut words = before.rsplit(' ');
                let before = [words.next().unwrap_or_default(), words.next().unwrap_or_default()];
                return Some(Self { place: start..end, article: word, determiner, adjectives, before });
            }
            if adjectives.len() == 2 || before.len() == rest.len() || !is_adjective(word) {
                return None;
            }
            adjectives.push(word);
            rest = before;
        }
    }

    /// Whether the adjectives have the endings of a cell.
    fn fits(&self, cell: Cell) -> bool {
        let ending = adjective_ending(&self.determiner, cell);
        self.adjectives.iter().all(|word| split_ending(word).1 == ending)
    }

    /// Whether the article may be a relative pronoun, which follows a comma: `der Mann, der Tee trinkt`, `die Art, mit
    /// der Tee gekocht wird`.
    fn may_be_pronoun(&self) -> bool {
        let [last, word] = self.before;
        let follows_comma = last.ends_with(',') || (self.governed().is_some() && word.ends_with(','));
        follows_comma && self.determiner.is_definite()
    }

    /// Whether this may be a plural: `die Abkommen`, and `der Abkommen` after a noun. `cells`: those of the article.
    fn may_be_plural(&self, noun: &str, cells: &[Cell]) -> bool {
        let ends = |ends: &[&str]| ends.iter().any(|end| noun.ends_with(end));
        let may_be = |case: Case| match case {
            Case::Dative => ends(&["ern", "eln", "s"]) || (ends(&["en"]) && self.governed().is_some()),
            Case::Genitive => self.governed().is_some() || self.follows_noun(),
            _ => true,
        };
        let mut plurals = cells.iter().filter(|cell| cell.number == Number::Many);
        ends(&["e", "er", "el", "en", "ern", "eln", "s", "chen", "lein"])
            && plurals.any(|cell| self.fits(*cell) && may_be(cell.case))
    }

    /// Whether this may be a genitive of the noun before it.
    fn follows_noun(&self) -> bool {
        self.before[0].starts_with(char::is_uppercase)
    }

    /// The cases of the preposition before the article.
    fn governed(&self) -> Option<&'static [Case]> {
        let before = self.before[0].to_lowercase();
        PREPOSITIONS.iter().find(|(_, words)| words.contains(&&*before)).map(|(cases, _)| *cases)
    }

    /// The cells that the article may stand for, in a case of the preposition before it.
    fn cells(&self) -> Vec<Cell> {
        let cells = self.determiner.cells();
        let governed = self.governed().unwrap_or(&CASES);
        let is_governed = |cell: &Cell| governed.contains(&cell.case);
        if cells.iter().any(is_governed) { cells.into_iter().filter(is_governed).collect() } else { cells }
    }

    /// The article and the adjectives in a cell.
    fn written(&self, cell: Cell) -> Option<String> {
        let mut written = self.determiner.written(cell)?;
        if self.article.starts_with(char::is_uppercase) && written.starts_with(char::is_lowercase) {
            written = written[..1].to_uppercase() + &written[1..];
        }
        for word in &self.adjectives {
            written = format!("{written} {}{}", split_ending(word).0, adjective_ending(&self.determiner, cell));
        }
        Some(written)
    }
}

/// Whether a word may be an adjective with an ending.
fn is_adjective(word: &str) -> bool {
    let (stem, ending) = split_ending(word);
    !ending.is_empty()
        && stem.chars().count() >= 2
        && word.chars().all(char::is_lowercase)
        && !NO_ADJECTIVES.contains(&word)
}

fn split_ending(word: &str) -> (&str, &str) {
    let stem = ENDINGS.iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
    word.split_at(stem.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, noun: &str) -> Agreement {
        let at = text.find(noun).expect("the noun stands in the text");
        agreement(text, at..at + noun.len(), false)
    }

    #[test]
    fn articles_agree_with_nouns() {
        for (text, noun, expected) in [
            ("Das Sprössling schläft.", "Sprössling", &["Der Sprössling schläft.", "Den Sprössling schläft."][..]),
            ("Ich habe einen Schreiben.", "Schreiben", &["Ich habe ein Schreiben."]),
            ("Er kam zum Pforte.", "Pforte", &["Er kam zur Pforte."]),
            ("Sie steht im Pforte.", "Pforte", &["Sie steht in der Pforte."]),
            ("mit einem neuen Kennung", "Kennung", &["mit einer neuen Kennung"]),
            ("Es ist ein guter Abkommen.", "Abkommen", &["Es ist ein gutes Abkommen."]),
            ("können Ihre Auftrag ändern", "Auftrag", &["können Ihr Auftrag ändern", "können Ihren Auftrag ändern"]),
            ("Nur euer Speisung", "Speisung", &["Nur eure Speisung"]),
            ("dieser elektrische Kennwort", "Kennwort", &["dieses elektrische Kennwort"]),
            ("auf der Datenträger", "Datenträger", &["auf dem Datenträger"]),
        ] {
            let Agreement::Wrong(texts) = of(text, noun) else { panic!("{text}") };
            assert!(texts.starts_with(&expected.iter().map(|&text| text.to_owned()).collect::<Vec<_>>()), "{texts:?}");
        }
        assert!(matches!(of("Er fragt, ob der Abkommen gilt.", "Abkommen"), Agreement::Wrong(_)));
        let one = agreement("Die Bolzen fehlt.", 4..10, true);
        assert!(matches!(one, Agreement::Wrong(texts) if texts[0] == "Der Bolzen fehlt."));
        assert_eq!(of("Der Tür ist neu.", "Tür"), Agreement::Doubtful("Die Tür ist neu.".to_owned()));
    }

    #[test]
    fn words_before_a_plural_tell_its_case() {
        for (before, expected) in [
            ("Diese ", Some(false)),
            ("Unsere neuen ", Some(false)),
            ("Unseren neuen ", Some(true)),
            ("die Zahl der ", Some(false)),
            ("in vielen ", Some(true)),
            ("Für ", Some(false)),
            ("In ", None),
            ("Auf den ", Some(true)),
            ("Unser ", None),
            ("Nutzer schließen ", None),
            ("", None),
            ("Die", None),
        ] {
            assert_eq!(is_dative_plural(before), expected, "{before}");
        }
    }

    #[test]
    fn what_may_be_right_stays() {
        for (text, noun) in [
            ("Die Abkommen sind fertig.", "Abkommen"),
            ("der Preis der Abkommen", "Abkommen"),
            ("in den Abkommen", "Abkommen"),
            ("Der Mann, der Abkommen liest", "Abkommen"),
            ("eine Art, mit der Abkommen gelesen werden", "Abkommen"),
            ("der Preis der neuen Speisung", "Speisung"),
            ("mit der Tür", "Tür"),
            ("das Xyzzyq", "Xyzzyq"),
            ("der USB", "USB"),
            ("Kunde oder Tür", "Tür"),
            ("Tür", "Tür"),
            ("das alt", "alt"),
        ] {
            assert_eq!(of(text, noun), Agreement::Fine, "{text}");
        }
    }
}
