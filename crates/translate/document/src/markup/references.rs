//! Text with references to characters, such as `&amp;`.

use super::{Paragraphs, Part, Syntax, parts};
use std::ops::Range;

/// Reads a part of the input, which has references.
pub(crate) fn references(paragraphs: &mut Paragraphs<'_>, input: &str, range: Range<usize>, syntax: Syntax) {
    let mut at = range.start;
    for part in parts(&input[range], syntax) {
        let start = at;
        match part {
            Part::Plain(text) => {
                at += text.len();
                paragraphs.text(text, start..at);
            }
            // Marks of the direction, which no translation has.
            Part::Character('\u{200e}' | '\u{200f}', length) => {
                at += length;
                paragraphs.marker(&input[start..at], start);
            }
            Part::Character(c, length) => {
                at += length;
                paragraphs.text(c.encode_utf8(&mut [0; 4]), start..at);
            }
            Part::Unknown(name, length) => {
                at += length;
                paragraphs.copied(name, &input[start..at], start..at);
            }
        }
    }
}
