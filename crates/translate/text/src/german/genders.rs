//! The genders of German nouns, by the ends of words.

use foldhash::HashMap;
use std::sync::LazyLock;

/// A grammatical gender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Gender {
    Masculine,
    Feminine,
    Neuter,
}

/// Ends of nouns in small letters and their genders, learned from the text of the bundled models by
/// `recipes/german_genders.py`. `^` begins a whole word; `?` stands for nouns of several genders, `p` for plurals.
const ENDS: &str = include_str!("genders.txt");

static TABLE: LazyLock<HashMap<&'static str, Option<Gender>>> = LazyLock::new(|| {
    let gender = |letter| match letter {
        "m" => Some(Gender::Masculine),
        "f" => Some(Gender::Feminine),
        "n" => Some(Gender::Neuter),
        _ => None,
    };
    ENDS.lines().filter_map(|line| line.split_once(' ')).map(|(end, letter)| (end, gender(letter))).collect()
});

/// The gender of a German noun, one thing. `None` if it is not known, for nouns of several genders, for plurals that
/// are no singular, too, and for words that are written in capitals or small letters.
///
/// ```
/// use metaphrase_text::german::{Gender, gender};
///
/// assert_eq!(gender("Rechnung"), Some(Gender::Feminine));
/// assert_eq!(gender("Druckgerät"), Some(Gender::Neuter));
/// assert_eq!(gender("See"), None);
/// ```
#[must_use]
pub fn gender(noun: &str) -> Option<Gender> {
    let mut letters = noun.chars();
    let is_noun = letters.next().is_some_and(char::is_uppercase) && letters.all(char::is_lowercase);
    if !is_noun || noun.chars().count() < 3 {
        return None;
    }
    let word = format!("^{}", noun.to_lowercase());
    // The whole word first, then its ends, from the longest.
    word.char_indices().find_map(|(at, _)| TABLE.get(&word[at..])).copied().flatten()
}
