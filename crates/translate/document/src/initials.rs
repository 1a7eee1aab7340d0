//! Drop capitals: elements around the first letter of a paragraph.

use crate::block::Block;
use std::ops::Range;

/// The bytes of a translation that the element has whose text is the first letter of the paragraph's first word: as
/// many letters. `inside`: the text of the element around it, and the bytes of its translation.
pub(crate) fn initial(
    block: &Block,
    element: usize,
    translation: &str,
    inside: (&Range<usize>, &Range<usize>),
) -> Option<Range<usize>> {
    let element = &block.elements[element];
    let text = block.text.get(element.text.clone())?;
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let named = ["drop", "initial", "firstletter", "first-letter"]
        .iter()
        .any(|name| element.open.to_ascii_lowercase().contains(name));
    let few = letters == 1 || (named && (2..=3).contains(&letters));
    let goes_on = block.text[element.text.end..].starts_with(char::is_alphabetic);
    let is_first = !block.text[..element.text.start].contains(char::is_alphanumeric);
    let ends = text.ends_with(char::is_alphabetic) && !text.contains(char::is_whitespace);
    if !few || !goes_on || !is_first || !ends || element.text == *inside.0 {
        return None;
    }
    let part = &translation[inside.1.clone()];
    let first = part.find(char::is_alphanumeric)?;
    let end = part[first..].char_indices().map(|(at, c)| first + at + c.len_utf8()).take(letters).last()?;
    let start = if text.starts_with(char::is_alphabetic) { first } else { 0 };
    Some(inside.1.start + start..inside.1.start + end)
}
