//! Values of attributes that readers of a page see.

use super::{COPIED, Kind, Paragraphs, Reader, Syntax, VOID, attribute, ends, scan};
use crate::block::{Block, Sentences};

/// Attributes whose values are text.
const TEXT: &[&str] = &["alt", "title", "placeholder", "aria-label"];

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
        _ => None,
    };
    let mut values: Vec<&str> = TEXT.iter().copied().chain(more).filter_map(|name| attribute(tag, name)).collect();
    // An attribute without a value has no place in the tag.
    values.retain(|value| !value.is_empty());
    values.sort_by_key(|value| value.as_ptr());
    values
}

/// The values as paragraphs, without those inside elements that are copied. A value without quotation marks stays.
pub(crate) fn attributes(input: &str, copied: &[String], how: &Sentences<'_>) -> Vec<Block> {
    let tokens = scan(input, Syntax::Html);
    let mut reader = Reader { input, tokens: &tokens, syntax: Syntax::Html, copied, paragraphs: Paragraphs::new(how) };
    let ends = ends(&tokens);
    let mut number = 0;
    while let Some(token) = tokens.get(number) {
        number += 1;
        let Kind::Open(name, closed) = &token.kind else { continue };
        let tag = &input[token.range.clone()];
        let stays = reader.is_copied(name, tag);
        // The labels of a text field or of a picture of code are text all the same.
        if !stays || (COPIED.contains(&name.as_str()) && !reader.is_told_to_stay(name, tag)) {
            for value in values(name, tag) {
                let start = token.range.start + (value.as_ptr() as usize - tag.as_ptr() as usize);
                if input[..start].ends_with(['"', '\'']) {
                    reader.text(start..start + value.len());
                    reader.paragraphs.end(start + value.len());
                }
            }
        }
        if stays && !closed && !VOID.contains(&name.as_str()) {
            number = ends[number - 1].map_or(number, |end| end + 1);
        }
    }
    reader.paragraphs.finish(input.len())
}
