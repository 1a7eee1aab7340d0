//! Blocks of HTML in Markdown: their text is that of a page.

use super::EXTENSIONS;
use super::masker::Mask;
use crate::block::{Block, Sentences};
use crate::escape::Escape;
use crate::markup::{attributes_of_part, html_part};
use pulldown_cmark::{Event, Parser, Tag};
use std::ops::Range;

/// The paragraphs of a block.
pub(super) fn paragraphs(text: &str, range: Range<usize>, how: &Sentences<'_>) -> Vec<Block> {
    let how = Sentences { escape: Escape::Markup, ..*how };
    let mut blocks: Vec<Block> =
        parts(text, range).into_iter().flat_map(|part| html_part(text, part, &[], &[], &how)).collect();
    blocks.iter_mut().for_each(|block| block.escape = Some(Escape::Markup));
    blocks
}

/// The values of attributes that are text, in blocks and in paragraphs.
pub(super) fn attributes(text: &str, mask: &Mask, how: &Sentences<'_>) -> Vec<Block> {
    let how = Sentences { escape: Escape::Attribute, ..*how };
    let mut blocks = Vec::new();
    for (event, range) in Parser::new_ext(&mask.text, EXTENSIONS).into_offset_iter() {
        let parts = match event {
            Event::Start(Tag::HtmlBlock) => parts(text, range),
            Event::InlineHtml(_) if text[range.clone()].starts_with('<') => vec![range],
            _ => continue,
        };
        for part in parts {
            let mut found = attributes_of_part(text, part, &[], &how);
            found.iter_mut().for_each(|block| block.escape = block.escape.or(Some(Escape::Attribute)));
            blocks.extend(found);
        }
    }
    blocks
}

/// The parts of a block without the signs of a quotation: the block as a whole, or its lines if no tag goes over
/// several of them. Preformatted text stays.
fn parts(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let raw = &text[range.clone()];
    let is_code = raw.trim_start().get(..4).is_some_and(|tag| tag.eq_ignore_ascii_case("<pre"));
    if is_code {
        return Vec::new();
    }
    if !raw.lines().skip(1).any(|line| line.trim_start().starts_with('>')) {
        return vec![range];
    }
    let mut lines = Vec::new();
    let mut at = range.start;
    for line in raw.split_inclusive('\n') {
        let inner = line.trim_start_matches([' ', '\t', '>']);
        // The end of the tag that the signs may have belonged to.
        let whole = inner.matches('<').count() == inner.matches('>').count();
        if whole {
            lines.push(at + line.len() - inner.len()..at + line.len());
        }
        at += line.len();
    }
    lines
}
