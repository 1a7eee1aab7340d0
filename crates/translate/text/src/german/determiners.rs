//! German articles, and the words that decline like them.

use super::{Case, Gender};

/// A place in the table of a word's forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) case: Case,
    pub(super) number: Number,
}

/// One thing, which has a gender, or many things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    One(Gender),
    Many,
}

/// All cases.
pub(super) const CASES: [Case; 4] = [Case::Nominative, Case::Accusative, Case::Dative, Case::Genitive];
const NUMBERS: [Number; 4] =
    [Number::One(Gender::Masculine), Number::One(Gender::Feminine), Number::One(Gender::Neuter), Number::Many];

/// By case: masculine, feminine, neuter, plural.
type Forms = [[&'static str; 4]; 4];

const DEFINITE: Forms = [
    ["der", "die", "das", "die"],
    ["den", "die", "das", "die"],
    ["dem", "der", "dem", "den"],
    ["des", "der", "des", "der"],
];

/// Endings of `dieser` and of words like it, which are those of an adjective without an article.
const STRONG: Forms =
    [["er", "e", "es", "e"], ["en", "e", "es", "e"], ["em", "er", "em", "en"], ["es", "er", "es", "er"]];

/// Endings of `ein` and of words like it.
const INDEFINITE: Forms =
    [["", "e", "", "e"], ["en", "e", "", "e"], ["em", "er", "em", "en"], ["es", "er", "es", "er"]];

/// Endings of adjectives after `der`, `dieser`.
const WEAK: Forms = [["e", "e", "e", "en"], ["en", "e", "e", "en"], ["en", "en", "en", "en"], ["en", "en", "en", "en"]];

/// Endings of adjectives after `ein`, `mein`.
const MIXED: Forms =
    [["er", "e", "es", "en"], ["en", "e", "es", "en"], ["en", "en", "en", "en"], ["en", "en", "en", "en"]];

const LIKE_DIESER: &[&str] = &["dies", "jed", "jen", "welch"];
const LIKE_EIN: &[&str] = &["ein", "kein", "mein", "dein", "sein", "ihr", "unser", "euer", "eur"];

/// A preposition with its article: the word, the preposition, the article.
const CONTRACTED: &[(&str, &str, &str)] = &[
    ("zum", "zu", "dem"),
    ("zur", "zu", "der"),
    ("im", "in", "dem"),
    ("am", "an", "dem"),
    ("beim", "bei", "dem"),
    ("vom", "von", "dem"),
    ("ins", "in", "das"),
    ("ans", "an", "das"),
];

/// An article or a word that declines like one.
pub(super) enum Determiner<'t> {
    /// Also after a preposition that is written in one word with it.
    Definite { article: String, preposition: Option<&'static str> },
    /// The stem and the ending.
    LikeDieser(&'t str, &'t str),
    /// The stem and the ending.
    LikeEin(&'t str, &'t str),
}

impl<'t> Determiner<'t> {
    /// `None` if the word is no article.
    pub(super) fn read(word: &'t str) -> Option<Self> {
        let small = word.to_lowercase();
        if let Some((_, preposition, article)) = CONTRACTED.iter().find(|(own, ..)| *own == small) {
            return Some(Self::Definite { article: (*article).to_owned(), preposition: Some(preposition) });
        }
        if DEFINITE.iter().flatten().any(|form| *form == small) {
            return Some(Self::Definite { article: small, preposition: None });
        }
        let split = |stems: &[&str], endings: &Forms| {
            let rest = stems.iter().find_map(|stem| small.strip_prefix(stem).filter(|rest| is_in(endings, rest)))?;
            word.split_at_checked(word.len() - rest.len())
        };
        if let Some((stem, ending)) = split(LIKE_DIESER, &STRONG) {
            return Some(Self::LikeDieser(stem, ending));
        }
        split(LIKE_EIN, &INDEFINITE).map(|(stem, ending)| Self::LikeEin(stem, ending))
    }

    /// The cells in which it has its form.
    pub(super) fn cells(&self) -> Vec<Cell> {
        let (forms, own) = match self {
            Self::Definite { article, .. } => (&DEFINITE, article.as_str()),
            Self::LikeDieser(_, ending) => (&STRONG, *ending),
            Self::LikeEin(_, ending) => (&INDEFINITE, *ending),
        };
        let all = CASES.into_iter().flat_map(|case| NUMBERS.into_iter().map(move |number| Cell { case, number }));
        let fits = |cell: &Cell| {
            // `ein` has no plural, and of the cases a contraction has that of its preposition.
            let has_number = cell.number != Number::Many || !self.is_for_one();
            let has_case = !self.is_contracted() || matches!(cell.case, Case::Dative | Case::Accusative);
            form(forms, *cell) == own && has_number && has_case
        };
        all.filter(fits).collect()
    }

    /// Whether it is `der` and its forms, which are relative pronouns, too.
    pub(super) fn is_definite(&self) -> bool {
        matches!(self, Self::Definite { preposition: None, .. })
    }

    fn is_contracted(&self) -> bool {
        matches!(self, Self::Definite { preposition: Some(_), .. })
    }

    /// Whether it has no plural.
    fn is_for_one(&self) -> bool {
        self.is_contracted() || matches!(self, Self::LikeEin(stem, _) if stem.eq_ignore_ascii_case("ein"))
    }

    /// Its form in a cell; `None` if it has none.
    pub(super) fn written(&self, cell: Cell) -> Option<String> {
        match self {
            Self::Definite { preposition: None, .. } => Some(form(&DEFINITE, cell).to_owned()),
            Self::Definite { preposition: Some(own), .. } => {
                let article = form(&DEFINITE, cell);
                let contracted = CONTRACTED.iter().find(|(_, preposition, of)| preposition == own && *of == article);
                Some(contracted.map_or_else(|| format!("{own} {article}"), |(word, ..)| (*word).to_owned()))
            }
            Self::LikeDieser(stem, _) => Some(format!("{stem}{}", form(&STRONG, cell))),
            Self::LikeEin(stem, _) => {
                let ending = form(&INDEFINITE, cell);
                Some(match (*stem, ending) {
                    ("euer" | "Euer", "") | ("ein" | "Ein", _) if cell.number == Number::Many => return None,
                    ("euer" | "Euer", ending) if !ending.is_empty() => format!("{}r{ending}", &stem[..2]),
                    ("eur" | "Eur", "") => format!("{}er", &stem[..2]),
                    _ => format!("{stem}{ending}"),
                })
            }
        }
    }
}

/// The ending of an adjective after a determiner.
pub(super) fn adjective_ending(determiner: &Determiner<'_>, cell: Cell) -> &'static str {
    form(if matches!(determiner, Determiner::LikeEin(..)) { &MIXED } else { &WEAK }, cell)
}

fn form(forms: &Forms, Cell { case, number }: Cell) -> &'static str {
    let column = NUMBERS.iter().position(|of| *of == number).unwrap_or_default();
    forms[case as usize][column]
}

fn is_in(forms: &Forms, ending: &str) -> bool {
    forms.iter().flatten().any(|form| *form == ending)
}
