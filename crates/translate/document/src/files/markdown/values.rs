//! Texts that stand inside signs: titles and descriptions, and values of the front matter.

use super::masker::Mask;
use super::value::{Quote, Value};
use super::{EXTENSIONS, front_matter, html};
use crate::block::{Block, Sentences};
use crate::escape::{Escape, MarkdownStyle};
use crate::markup::Paragraphs;
use pulldown_cmark::{Event, LinkType, Parser, Tag};
use std::ops::Range;

/// The texts as paragraphs.
pub(crate) fn paragraphs(text: &str, mask: &Mask, how: &Sentences<'_>) -> Vec<Block> {
    let mut values = front_matter::values(text);
    values.extend(mask.values.iter().cloned());
    titles(text, mask, &mut values);
    let mut blocks = html::attributes(text, mask, how);
    blocks.extend(values.into_iter().filter_map(|value| block(text, value, how)));
    blocks.sort_by_key(|block| block.range.start);
    blocks
}

fn block(text: &str, Value { range, quote }: Value, how: &Sentences<'_>) -> Option<Block> {
    let mut paragraphs = Paragraphs::new(how);
    let raw = &text[range.clone()];
    let marks = if matches!(quote, Quote::Plain | Quote::Literal) { "\"" } else { "" };
    paragraphs.open("", marks, range.start);
    let read = match quote {
        Quote::Double | Quote::Title(_) | Quote::Bracket => unescaped(raw),
        Quote::Single => raw.replace("''", "'"),
        Quote::Literal => raw.trim_matches('\'').to_owned(),
        Quote::Line | Quote::Plain | Quote::Raw => raw.to_owned(),
    };
    let words: Vec<&str> = read.split_whitespace().collect();
    paragraphs.text(&words.join(" "), range.clone());
    paragraphs.close("", marks, range.end);
    let mut block = paragraphs.finish(range.end).pop()?;
    block.range = range;
    block.escape = Some(match quote {
        Quote::Line => Escape::Markdown(MarkdownStyle::Text),
        Quote::Double | Quote::Plain | Quote::Literal => Escape::Quoted,
        Quote::Single => Escape::Doubled,
        Quote::Bracket => Escape::Markdown(MarkdownStyle::Text),
        Quote::Raw => Escape::None,
        Quote::Title(end) => Escape::Markdown(MarkdownStyle::Title(end)),
    });
    Some(block)
}

/// A text without the backslashes before punctuation.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let next = characters.next_if(|next| c == '\\' && next.is_ascii_punctuation());
        out.push(next.unwrap_or(c));
    }
    out
}

/// The titles of links and the descriptions of pictures.
fn titles(text: &str, mask: &Mask, values: &mut Vec<Value>) {
    let parser = Parser::new_ext(&mask.text, EXTENSIONS);
    let definitions = parser.reference_definitions().iter();
    let titles: Vec<(Range<usize>, String)> = definitions
        .filter_map(|(_, definition)| Some((definition.span.clone(), definition.title.as_ref()?.to_string())))
        .collect();
    values.extend(titles.into_iter().filter_map(|(span, title)| self::title(text, span, &title)));
    // The picture that is open: the byte where its description ends so far.
    let mut picture: Option<Range<usize>> = None;
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(Tag::Link { link_type: LinkType::Inline, title, .. }) => {
                values.extend(self::title(text, range, &title));
            }
            Event::Start(Tag::Image { link_type, title, .. }) => {
                if link_type == LinkType::Inline {
                    values.extend(self::title(text, range.clone(), &title));
                }
                let described = matches!(link_type, LinkType::Inline | LinkType::Reference);
                picture = described.then_some(range.start + 2..range.start + 2);
            }
            Event::End(pulldown_cmark::TagEnd::Image) => {
                let whole = picture.take().filter(|described| !described.is_empty());
                values.extend(whole.map(|range| Value { range, quote: Quote::Bracket }));
            }
            Event::Start(_) | Event::Code(_) => picture = None,
            _ => {
                if let Some(described) = &mut picture {
                    described.end = described.end.max(range.end);
                }
            }
        }
    }
}

/// Where the title of a link stands.
fn title(text: &str, link: Range<usize>, title: &str) -> Option<Value> {
    let raw = text[link.clone()].trim_end();
    let raw =
        raw.strip_suffix(')').filter(|_| raw.starts_with(['[', '!']) && !raw.contains("]: ")).unwrap_or(raw).trim_end();
    let mark = raw.chars().next_back().filter(|mark| matches!(mark, '"' | '\'' | ')'))?;
    let inner = raw.strip_suffix(mark)?;
    let start = inner.rfind(title).filter(|_| !title.trim().is_empty())?;
    let range = link.start + start..link.start + start + title.len();
    (start + title.len() == inner.len()).then_some(Value { range, quote: Quote::Title(mark) })
}
