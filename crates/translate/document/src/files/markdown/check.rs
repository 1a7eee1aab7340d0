//! Whether a translated text has the signs of its source, paragraph by paragraph.

use super::EXTENSIONS;
use crate::block::Block;
use pulldown_cmark::{Event, Parser};
use std::ops::Range;

/// By paragraph: whether the parser finds other elements in the output than in the input. `places`: the bytes of the
/// paragraphs in the output.
pub(crate) fn changed(input: &str, blocks: &[Block], output: &str, places: &[Range<usize>]) -> Vec<bool> {
    let before: Vec<Range<usize>> = blocks.iter().map(|block| block.range.clone()).collect();
    let (before, after) = (elements(input, &before), elements(output, places));
    before.iter().zip(&after).map(|(before, after)| before != after).collect()
}

/// By paragraph: what begins in it, in the order of the alphabet, since a translation has an order of its own.
fn elements(text: &str, paragraphs: &[Range<usize>]) -> Vec<Vec<String>> {
    let mut found = vec![Vec::new(); paragraphs.len()];
    for (event, range) in Parser::new_ext(text, EXTENSIONS).into_offset_iter() {
        let kind = match event {
            Event::Start(tag) => format!("{:?}", tag.to_end()),
            Event::Code(text) => format!("code {text}"),
            Event::InlineMath(text) | Event::DisplayMath(text) => format!("formula {text}"),
            Event::InlineHtml(text) => format!("tag {text}"),
            Event::FootnoteReference(name) => format!("footnote {name}"),
            Event::HardBreak => "break".to_owned(),
            Event::Rule => "rule".to_owned(),
            Event::TaskListMarker(_) => "task".to_owned(),
            // The text of a block of HTML is translated.
            Event::Text(_) | Event::SoftBreak | Event::End(_) | Event::Html(_) => continue,
        };
        let next = paragraphs.partition_point(|paragraph| paragraph.end <= range.start);
        if paragraphs.get(next).is_some_and(|paragraph| paragraph.start <= range.start) {
            found[next].push(kind);
        }
    }
    found.iter_mut().for_each(|kinds| kinds.sort_unstable());
    found
}
