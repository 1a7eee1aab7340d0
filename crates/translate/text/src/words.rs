//! The words of a text as they are written.

use crate::without_spaces;
use std::ops::Range;
use unicode_normalization::char::is_combining_mark;

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
