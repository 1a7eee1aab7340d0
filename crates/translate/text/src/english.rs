//! English nouns: their plurals, and the agreement of the articles "a" and "an" with the word after them.

mod plurals;

pub use plurals::plural;

/// Beginnings of words that begin with a vowel as they are written, and with a consonant as they are spoken.
const SPOKEN_CONSONANT: &[&str] = &["eu", "ewe", "once", "one", "ubiq", "uk", "uni", "ura", "ure", "uri", "us", "ut"];

/// Beginnings of words that begin with a consonant as they are written, and with a vowel as they are spoken.
const SPOKEN_VOWEL: &[&str] = &["heir", "honest", "honor", "honour", "hour"];

/// Beginnings of words that the first list has by mistake.
const VOWEL_ALL_THE_SAME: &[&str] = &["onerous", "unid", "unim", "unin", "usher", "utmost", "utter"];

/// A text with "an" in place of "a", or with "a" in place of "an", before a word at this byte; `None` if it has the
/// article that goes with the word, or none. Abbreviations in capitals count as fine: they may be read as letters.
///
/// ```
/// use metaphrase_text::english::with_other_article;
///
/// assert_eq!(with_other_article("He is a employee.", 8).as_deref(), Some("He is an employee."));
/// assert_eq!(with_other_article("An unit has passed.", 3).as_deref(), Some("A unit has passed."));
/// assert_eq!(with_other_article("It takes an hour.", 12), None);
/// ```
#[must_use]
pub fn with_other_article(text: &str, word: usize) -> Option<String> {
    let before = text.get(..word)?.strip_suffix(' ')?;
    let start = before.rfind(' ').map_or(0, |blank| blank + 1);
    let article = &before[start..];
    let written: String = text[word..].chars().take_while(|c| c.is_alphabetic()).collect();
    let mut letters = written.chars();
    if letters.next()?.is_uppercase() && letters.next().is_none_or(char::is_uppercase) {
        return None;
    }
    let small = written.to_lowercase();
    let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| small.starts_with(beginning));
    let is_exception = begins(SPOKEN_CONSONANT) && !begins(VOWEL_ALL_THE_SAME);
    let has_vowel = begins(SPOKEN_VOWEL) || (small.starts_with(['a', 'e', 'i', 'o', 'u']) && !is_exception);
    let right = match (article, has_vowel) {
        ("a", true) => "an",
        ("A", true) => "An",
        ("an", false) => "a",
        ("An", false) => "A",
        _ => return None,
    };
    Some(format!("{}{right} {}", &text[..start], &text[word..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_go_with_what_is_spoken() {
        for (right, wrong) in [
            ("an apple", "a apple"),
            ("A house", "An house"),
            ("an hour", "a hour"),
            ("a user", "an user"),
            ("a European law", "an European law"),
            ("an umbrella", "a umbrella"),
            ("an unimportant word", "a unimportant word"),
            ("a one-time key", "an one-time key"),
            ("an e-bike", "a e-bike"),
        ] {
            let word = |text: &str| text.find(' ').unwrap() + 1;
            assert_eq!(with_other_article(wrong, word(wrong)).as_deref(), Some(right));
            assert_eq!(with_other_article(right, word(right)), None, "{right}");
        }
        for other in ["the apple", "a USB key", "an X"] {
            assert_eq!(with_other_article(other, other.find(' ').unwrap() + 1), None, "{other}");
        }
        assert_eq!(with_other_article("apple", 0), None);
    }
}
