//! Signs of Markdown that a translation would make or lose.

use crate::block::Block;
use crate::escape::{Escape, MarkdownStyle};
use crate::place::ElementPlace;
use std::ops::Range;

/// A paragraph that is written with all backslashes, and with the signs of emphasis that may stand inside words.
pub(crate) fn strict(block: &Block) -> Block {
    let mut block = block.clone();
    if block.escape.is_none_or(|escape| matches!(escape, Escape::Markdown(_))) {
        block.escape = Some(Escape::Markdown(MarkdownStyle::Strict));
    }
    for element in &mut block.elements {
        if matches!(element.open.as_str(), "_" | "__") && element.open == element.close {
            element.open = element.open.replace('_', "*");
            element.close = element.open.clone();
        }
    }
    block
}

/// Moves the ends of emphasis from punctuation to letters where the signs would be none: `a**.**b`.
pub(crate) fn fit(block: &Block, text: &str, kept: &[Range<usize>], placed: &mut [ElementPlace]) {
    let is_punctuation = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let in_copy = |at: usize| {
        let next = kept.partition_point(|kept| kept.end <= at);
        kept.get(next).is_some_and(|kept| kept.start <= at)
    };
    for (element, place) in block.elements.iter().zip(placed.iter_mut()) {
        let signs = !element.open.is_empty() && element.open.chars().all(|c| matches!(c, '*' | '_' | '~'));
        let Range { mut start, mut end } = place.range.clone();
        if !signs || start >= end {
            continue;
        }
        let before = text[..start].chars().next_back();
        while let Some(c) = text[start..end].chars().next() {
            if !(c.is_whitespace() || (is_punctuation(c) && is_word(before))) || in_copy(start) {
                break;
            }
            start += c.len_utf8();
        }
        let after = text[end..].chars().next();
        while let Some(c) = text[start..end].chars().next_back() {
            if !(c.is_whitespace() || (is_punctuation(c) && is_word(after))) || in_copy(end - c.len_utf8()) {
                break;
            }
            end -= c.len_utf8();
        }
        if start < end {
            place.range = start..end;
        }
    }
    // What stands inside stays inside.
    for number in 0..placed.len() {
        if let Some(parent) = block.elements[number].parent {
            let outer = placed[parent].range.clone();
            let range = &mut placed[number].range;
            *range = range.start.clamp(outer.start, outer.end)..range.end.clamp(outer.start, outer.end);
        }
    }
}
