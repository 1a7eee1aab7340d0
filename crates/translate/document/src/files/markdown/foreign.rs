//! Elements of HTML in Markdown that name another language: they stay with all inside them.

use super::EXTENSIONS;
use super::masker::Mask;
use crate::languages::{self, Languages};
use crate::markup::{Syntax, move_by, scan};
use pulldown_cmark::{Event, Parser, Tag};
use std::ops::Range;

/// The bytes of an element, and its language.
pub(super) type Element = (Range<usize>, &'static str);

/// The elements in another language than this one, in order.
pub(super) fn elements(text: &str, mask: &Mask, language: &str) -> Vec<Element> {
    if language.is_empty() || !text.contains("lang") {
        return Vec::new();
    }
    let mut tokens = Vec::new();
    for (event, range) in Parser::new_ext(&mask.text, EXTENSIONS).into_offset_iter() {
        if matches!(event, Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_)) {
            let mut found = scan(&text[range.clone()], Syntax::Html);
            move_by(&mut found, range.start);
            tokens.extend(found);
        }
    }
    languages::foreign_elements(text, &tokens, language)
}

/// Whether a byte stands in one of these elements.
pub(super) fn has(elements: &[Element], byte: usize) -> bool {
    let next = elements.partition_point(|(range, _)| range.end <= byte);
    elements.get(next).is_some_and(|(range, _)| range.contains(&byte))
}

/// The element that begins at a byte.
pub(super) fn at(elements: &[Element], byte: usize) -> Option<&Range<usize>> {
    elements.binary_search_by_key(&byte, |(range, _)| range.start).ok().map(|number| &elements[number].0)
}

/// The numbers of texts that stay.
pub(super) fn counts(elements: &[Element]) -> Languages {
    let mut counts = Vec::new();
    elements.iter().for_each(|(_, language)| languages::add(&mut counts, language, 1));
    Languages::of_counts(counts)
}
