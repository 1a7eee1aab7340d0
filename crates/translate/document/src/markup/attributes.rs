//! Values of attributes that readers of a page see.

use super::page::part as html_part;
use super::{COPIED, Kind, Paragraphs, Reader, Syntax, VOID, attribute, ends, move_by, scan};
use crate::block::{Block, Sentences};
use crate::escape::Escape;
use crate::regions::Regions;
use std::ops::Range;

/// Attributes whose values are text.
const TEXT: &[&str] = &[
    "alt",
    "title",
    "placeholder",
    "aria-label",
    "aria-description",
    "aria-placeholder",
    "aria-roledescription",
    "aria-valuetext",
];

/// Names of `meta` elements whose `content` describes the page to readers of lists of pages.
const META: &[&str] =
    &["description", "og:title", "og:description", "og:image:alt", "twitter:title", "twitter:description"];

/// The values of an element's attributes that are text, in order.
fn values<'t>(name: &str, tag: &'t str) -> Vec<&'t str> {
    let is = |attribute_name: &str, known: &[&str]| {
        attribute(tag, attribute_name).is_some_and(|value| known.contains(&value.to_ascii_lowercase().as_str()))
    };
    let more = match name {
        "meta" if is("name", META) || is("property", META) => Some("content"),
        "input" if is("type", &["submit", "button", "reset"]) => Some("value"),
        "optgroup" | "option" | "track" => Some("label"),
        "table" => Some("summary"),
        _ => None,
    };
    let mut values: Vec<&str> = TEXT.iter().copied().chain(more).filter_map(|name| attribute(tag, name)).collect();
    // An attribute without a value has no place in the tag.
    values.retain(|value| !value.is_empty());
    values.sort_by_key(|value| value.as_ptr());
    values
}

/// Elements that are copied although text is inside them, and the elements inside them that have text.
const HOLDING_TEXT: &[(&str, &[&str])] = &[("select", &["option"]), ("svg", &["title", "desc", "text"]), ("map", &[])];

/// Elements that are copied, but for the text that stands in their place where a browser can not show them.
const WITH_FALLBACK: &[&str] = &["video", "audio", "canvas", "object"];

/// The texts inside elements that are copied, and the values, as paragraphs, without those inside elements that
/// are copied. A value without quotation marks gets some.
pub(crate) fn attributes(input: &str, copied: &[String], how: &Sentences<'_>) -> Vec<Block> {
    part(input, 0..input.len(), copied, how)
}

/// The texts and values of some bytes of a page.
pub(crate) fn part(input: &str, part: Range<usize>, copied: &[String], how: &Sentences<'_>) -> Vec<Block> {
    let mut tokens = scan(&input[part.clone()], Syntax::Html);
    move_by(&mut tokens, part.start);
    let (regions, paragraphs) = (&Regions::default(), Paragraphs::new(how));
    let mut reader = Reader { input, tokens: &tokens, syntax: Syntax::Html, copied, regions, paragraphs };
    let ends = ends(&tokens);
    let mut number = 0;
    // The element that is open that holds text, and the end of the one with text.
    let (mut holds, mut text_ends) = ((0, [].as_slice()), 0);
    let mut fallbacks = Vec::new();
    while let Some(token) = tokens.get(number) {
        number += 1;
        if number <= text_ends && token.kind == Kind::Text {
            reader.text(token.range.clone());
            reader.paragraphs.end(token.range.end);
        }
        let Kind::Open(name, closed) = &token.kind else { continue };
        let tag = &input[token.range.clone()];
        let stays = reader.is_copied(name, tag);
        // The labels of a text field or of a picture of code are text all the same.
        if !stays || (COPIED.contains(&name.as_str()) && !reader.is_told_to_stay(name, tag)) {
            for value in values(name, tag) {
                let start = token.range.start + (value.as_ptr() as usize - tag.as_ptr() as usize);
                let (bare, end) = (!input[..start].ends_with(['"', '\'']), start + value.len());
                if bare {
                    reader.paragraphs.open("", "\"", start);
                }
                reader.text(start..end);
                if bare {
                    reader.paragraphs.close("", "\"", end);
                }
                reader.paragraphs.end(end);
            }
        }
        let end = ends[number - 1].filter(|_| !closed && !VOID.contains(&name.as_str())).unwrap_or(number - 1);
        if number <= holds.0 && holds.1.contains(&name.as_str()) && !reader.is_told_to_stay(name, tag) {
            text_ends = end;
        }
        if WITH_FALLBACK.contains(&name.as_str()) && !reader.is_told_to_stay(name, tag) {
            let inside = token.range.end..tokens[end].range.start.max(token.range.end);
            fallbacks.extend(html_part(input, inside, &[], copied, &Sentences { escape: Escape::Markup, ..*how }));
            continue;
        }
        match HOLDING_TEXT.iter().find(|(holder, _)| holder == name) {
            Some((_, with_text)) if !reader.is_told_to_stay(name, tag) => holds = (end, *with_text),
            _ if stays => number = end + 1,
            _ => {}
        }
    }
    let mut blocks = reader.paragraphs.finish(part.end);
    for block in blocks.iter_mut().filter(|block| !input[..block.range.start].ends_with(['"', '\'', '='])) {
        block.escape = Some(Escape::Markup);
    }
    fallbacks.iter_mut().for_each(|block| block.escape = Some(Escape::Markup));
    blocks.extend(fallbacks);
    blocks.sort_by_key(|block| block.range.start);
    blocks
}
