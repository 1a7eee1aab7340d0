//! Plain text: the whole text is one paragraph, unless it has tags.

use crate::block::{Block, Sentences};
use crate::markup::Paragraphs;
use regex::{Captures, Regex};
use std::ops::Range;
use std::sync::LazyLock;

/// What looks like a tag; `5 < 6` and `<name@example.org>` do not.
static TAG: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"<(/?)([A-Za-z][\w.:-]*|\d+)((?:\s[^<>]*?)?)(/?)>").ok());

/// The paragraphs of a text. `tags`: whether tags are markup.
pub(crate) fn paragraphs(text: &str, tags: bool, how: &Sentences<'_>) -> Vec<Block> {
    // A byte order mark is no text.
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    part(text, start..text.len(), tags, how)
}

/// The paragraph of a part of a text, if it has words.
pub(crate) fn part(text: &str, part: Range<usize>, tags: bool, how: &Sentences<'_>) -> Vec<Block> {
    let text = &text[..part.end];
    let tags = tags && text[part.start..].contains('<');
    let found: Vec<_> = TAG.iter().filter(|_| tags).flat_map(|tag| captures_from(tag, text, part.start)).collect();
    let mut paragraphs = Paragraphs::new(how);
    let mut last = part.start;
    for tag in &found {
        let (Some(all), [closes, name, attributes, closed]) =
            (tag.get(0), [1, 2, 3, 4].map(|group| tag.get(group).map_or("", |found| found.as_str())))
        else {
            continue;
        };
        if all.start() > last {
            paragraphs.text(&text[last..all.start()], last..all.start());
        }
        last = all.end();
        let closed = !closed.is_empty() || attributes.ends_with('/');
        match (closes.is_empty(), closed) {
            (true, true) if matches!(name, "br" | "hr" | "wbr" | "img") => paragraphs.marker(all.as_str(), all.start()),
            (true, true) => paragraphs.named(all.as_str(), all.range()),
            (true, false) => paragraphs.open(name, all.as_str(), all.start()),
            (false, _) => paragraphs.close(name, all.as_str(), all.start()),
        }
    }
    if last < text.len() {
        paragraphs.text(&text[last..], last..text.len());
    }
    paragraphs.finish(text.len())
}

fn captures_from<'t>(tag: &Regex, text: &'t str, start: usize) -> Vec<Captures<'t>> {
    let mut found = Vec::new();
    let mut at = start;
    while let Some(next) = tag.captures_at(text, at) {
        at = next.get(0).map_or(text.len(), |all| all.end());
        found.push(next);
    }
    found
}
