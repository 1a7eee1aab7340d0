//! The words of a text as they are written.

use crate::without_spaces;
use std::ops::Range;
use unicode_normalization::char::is_combining_mark;

/// The runs of letters of a text.
///
/// ```
/// use metaphrase_text::letter_runs;
///
/// let text = "Bronze-Medaille 2, eh?";
/// let runs: Vec<&str> = letter_runs(text).map(|run| &text[run]).collect();
/// assert_eq!(runs, ["Bronze", "Medaille", "eh"]);
/// ```
pub fn letter_runs(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(char::is_alphabetic)?;
        at = start + text[start..].find(|c: char| !c.is_alphabetic()).unwrap_or(text.len() - start);
        Some(start..at)
    })
}

/// A text with a capital at its beginning.
#[must_use]
pub fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// The words of a text: runs of letters and digits with their combining marks; every other character but blanks, and
/// every character of a script without spaces, is a word of its own.
///
/// ```
/// use metaphrase_text::written_words;
///
/// let text = "Das e\u{301}tui, 東京";
/// let words: Vec<&str> = written_words(text).into_iter().map(|word| &text[word]).collect();
/// assert_eq!(words, ["Das", "e\u{301}tui", ",", "東", "京"]);
/// ```
#[must_use]
pub fn written_words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut inside = false;
    for (at, c) in text.char_indices() {
        let is_part = is_combining_mark(c) || (c.is_alphanumeric() && !without_spaces(c));
        let end = at + c.len_utf8();
        match words.last_mut() {
            Some(word) if is_part && inside => word.end = end,
            _ if c.is_whitespace() => {}
            _ => words.push(at..end),
        }
        inside = is_part;
    }
    words
}
