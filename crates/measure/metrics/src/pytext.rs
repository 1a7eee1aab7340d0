//! Text as Python's `str` methods see it: sacreBLEU, which gives the reference numbers, uses them.
//!
//! Python's white space is Unicode's, and the four information separators U+001C..U+001F. Lower-casing is Unicode's
//! full mapping in both languages; Python 3.11 does not know the 55 capitals since Unicode 15.

use std::borrow::Cow;

/// Whether Python's `str.isspace` holds.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// The words of a line: `line.split()`.
pub(crate) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(is_space).filter(|word| !word.is_empty())
}

/// The line without trailing white space: `line.rstrip()`.
pub(crate) fn trim_end(line: &str) -> &str {
    line.trim_end_matches(is_space)
}

/// The line without white space at either end: `line.strip()`.
pub(crate) fn trim(line: &str) -> &str {
    line.trim_matches(is_space)
}

/// The line, in lower case if `lowercase` is set: `line.lower()`.
pub(crate) fn lowercased(line: &str, lowercase: bool) -> Cow<'_, str> {
    if lowercase { Cow::Owned(line.to_lowercase()) } else { Cow::Borrowed(line) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn information_separators_are_spaces_and_zero_width_spaces_are_not() {
        assert_eq!(words("a\x1cb\u{a0}c\u{200b}d\u{3000}").collect::<Vec<_>>(), ["a", "b", "c\u{200b}d"]);
        assert_eq!(trim(" \x1f a b\u{2028}"), "a b");
        assert_eq!(trim_end("  a\u{85}\r\n"), "  a");
    }
}
