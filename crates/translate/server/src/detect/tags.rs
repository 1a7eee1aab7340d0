//! Texts without tags, whose names are words of no language.

use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Code and comments, tags, and references to characters.
static MARKUP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let code = r"(?is)<script\b.*?</script\s*>|<style\b.*?</style\s*>|<!--.*?-->";
    // The tests use the pattern.
    Regex::new(&format!(r"{code}|(?P<tag></?[a-z][^<>]*>|<[!?][^<>]*>)|&(?P<letter>[a-z]{{2,8}}|#\d{{1,7}});")).ok()
});

/// Elements that end words; all others stand inside of them.
const ENDING: &[&str] = &["br", "div", "h", "hr", "li", "option", "p", "t", "td", "th", "title", "tr", "ul"];

/// Letters with names, without the rest of the names of their kind.
const LETTERS: &[(&str, &str)] = &[
    ("auml", "ä"),
    ("ouml", "ö"),
    ("uuml", "ü"),
    ("Auml", "Ä"),
    ("Ouml", "Ö"),
    ("Uuml", "Ü"),
    ("szlig", "ß"),
    ("eacute", "é"),
    ("egrave", "è"),
    ("agrave", "à"),
    ("ccedil", "ç"),
    ("ntilde", "ñ"),
    ("rsquo", "’"),
    ("apos", "'"),
    ("#39", "'"),
];

/// The text that a reader of a page sees.
pub fn without_tags(text: &str) -> Cow<'_, str> {
    let Some(markup) = MARKUP.as_ref().filter(|_| text.contains(['<', '&'])) else { return text.into() };
    markup.replace_all(text, |found: &regex::Captures<'_>| match (found.name("tag"), found.name("letter")) {
        (_, Some(letter)) => LETTERS.iter().find(|(name, _)| *name == letter.as_str()).map_or(" ", |letter| letter.1),
        (Some(tag), None) if !ends_word(tag.as_str()) => "",
        _ => " ",
    })
}

/// Whether a tag stands between two words.
fn ends_word(tag: &str) -> bool {
    let name = tag.trim_start_matches(['<', '/']);
    let name = name.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default().to_ascii_lowercase();
    ENDING.contains(&name.as_str()) || name.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_see_no_tags() {
        for (text, expected) in [
            ("<p>Hi <b>there</b></p>", " Hi there "),
            ("<style>p { color: red }</style>f&uuml;r<br/>dich", " für dich"),
            ("a < b and 5 > 3 &amp; R&B", "a < b and 5 > 3   R&B"),
            ("<b>int</b>eger <!-- a comment -->", "integer  "),
        ] {
            assert_eq!(without_tags(text), expected);
        }
    }
}
