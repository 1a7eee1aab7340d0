//! Texts, slides and spreadsheets in OpenDocument: paragraphs with spans inside.

use crate::Comments;
use crate::block::{Block, Sentences};
use crate::languages::is_phrase;
use crate::marks::{Form, is_mark};
use crate::markup::{Kind, Paragraphs, Reader, Syntax, Token, attribute, ends, plain_text, scan};
use crate::regions::Regions;
use std::collections::HashSet;

/// Elements of a paragraph that hold text of its sentences.
const AROUND: &[&str] = &["text:span", "text:a", "text:meta", "text:ruby", "text:ruby-base"];

/// Elements of a paragraph that hold paragraphs.
const HOLDS: &[&str] =
    &["text:note", "draw:frame", "draw:text-box", "office:annotation", "draw:custom-shape", "draw:g"];

/// Beginnings of the names of fields: numbers of pages, references, dates.
const FIELDS: &[&str] = &[
    "text:page-",
    "text:bookmark-ref",
    "text:reference-ref",
    "text:sequence",
    "text:chapter",
    "text:date",
    "text:time",
    "text:user-",
    "text:variable-",
    "text:database-",
    "text:author-",
    "text:file-name",
    "text:title",
    "text:sheet-name",
];

/// The text inside an element, as readers see it.
fn shown(input: &str, tokens: &[Token]) -> String {
    let texts = tokens.iter().filter(|token| token.kind == Kind::Text);
    let shown: String = texts.map(|token| plain_text(&input[token.range.clone()], Syntax::Xml)).collect();
    shown.trim().to_owned()
}

/// Whether an element stays as it is: text that was deleted, and comments.
fn stays(name: &str, comments: Comments) -> bool {
    matches!(name, "text:tracked-changes" | "table:tracked-changes")
        || (name == "office:annotation" && comments == Comments::Leave)
}

/// The paragraphs of a part.
pub(crate) fn paragraphs(text: &str, comments: Comments, regions: &Regions, how: &Sentences<'_>) -> Vec<Block> {
    let tokens = scan(text, Syntax::Xml);
    let ends = ends(&tokens);
    let paragraphs = Paragraphs::new(how);
    let mut reader = Reader { input: text, tokens: &tokens, syntax: Syntax::Xml, copied: &[], regions, paragraphs };
    let raised = raised_styles(text, &tokens);
    // By element that is open: whether its text is that of a paragraph.
    let mut inside = vec![false];
    let mut number = 0;
    while let Some(token) = tokens.get(number) {
        let (raw, at) = (&text[token.range.clone()], token.range.start);
        let is_inside = inside.last().copied().unwrap_or(false);
        match &token.kind {
            Kind::Open(name, _) if stays(name, comments) && !is_inside => {
                number = ends[number].unwrap_or(number) + 1;
                continue;
            }
            Kind::Open(name, closed) => {
                let paragraph = matches!(name.as_str(), "text:p" | "text:h");
                let breaks = matches!(name.as_str(), "text:line-break" | "text:tab");
                let is_note = is_inside && ends[number].is_some_and(|end| marks_note(&reader, &raised, number, end));
                let is_foreign = is_inside && is_foreign_phrase(&reader, number, ends[number]);
                if paragraph || (is_inside && HOLDS.contains(&name.as_str()) && !stays(name, comments)) {
                    reader.paragraphs.end(at);
                } else if is_inside && AROUND.contains(&name.as_str()) && !closed && !is_note && !is_foreign {
                    reader.paragraphs.open(name, raw, at);
                } else if is_inside {
                    // A number of a page, a bookmark, the mark of a note: with its content at its place.
                    let last = ends[number].unwrap_or(number);
                    let end = tokens[last].range.end;
                    let field = is_foreign || FIELDS.iter().any(|kind| name.starts_with(kind));
                    let shown = if field && last > number { shown(text, &tokens[number..last]) } else { String::new() };
                    if !shown.is_empty() {
                        reader.paragraphs.copied(&shown, &text[at..end], at..end);
                    } else if reader.paragraphs.is_inside() || breaks {
                        reader.paragraphs.marker(&text[at..end], at);
                        let spaced = text[..at].ends_with([' ', '\n']) || text[end..].starts_with([' ', '\n']);
                        if breaks {
                            reader.paragraphs.text("\n", end..end);
                        } else if name == "text:s" && !spaced {
                            reader.paragraphs.text(" ", end..end);
                        }
                    }
                    number = last + 1;
                    continue;
                }
                if !closed {
                    inside.push(paragraph || (is_inside && AROUND.contains(&name.as_str())));
                }
            }
            Kind::Close(name) => {
                if is_inside && AROUND.contains(&name.as_str()) {
                    reader.close(name, raw, at);
                } else {
                    reader.paragraphs.end(if HOLDS.contains(&name.as_str()) { token.range.end } else { at });
                }
                if inside.len() > 1 {
                    inside.pop();
                }
            }
            Kind::Text if is_inside => reader.text(token.range.clone()),
            _ => {}
        }
        number += 1;
    }
    reader.paragraphs.finish(text.len())
}

/// Whether the span from this token to its end is a phrase in another language.
fn is_foreign_phrase(reader: &Reader<'_>, start: usize, end: Option<usize>) -> bool {
    let is_phrase = |end| is_phrase(&shown(reader.input, &reader.tokens[start..end]));
    reader.regions.stays(start) && end.is_some_and(is_phrase)
}

/// The names of the part's styles whose text stands higher than other text.
fn raised_styles<'t>(text: &'t str, tokens: &[Token]) -> HashSet<&'t str> {
    let mut raised = HashSet::new();
    let mut style = None;
    for token in tokens {
        let raw = &text[token.range.clone()];
        match &token.kind {
            Kind::Open(name, _) if name == "style:style" => style = attribute(raw, "style:name"),
            Kind::Open(name, _) if name == "style:text-properties" => {
                let position = attribute(raw, "style:text-position").unwrap_or_default();
                let up = position.starts_with("super") || position.starts_with(|c: char| matches!(c, '1'..='9'));
                raised.extend(style.filter(|_| up));
            }
            _ => {}
        }
    }
    raised
}

/// Whether the span or link from token `start` to token `end` is the mark of a note next to a word.
fn marks_note(reader: &Reader<'_>, raised: &HashSet<&str>, start: usize, end: usize) -> bool {
    let (Kind::Open(name, _), [inner]) = (&reader.tokens[start].kind, &reader.tokens[start + 1..end]) else {
        return false;
    };
    let tag = &reader.input[reader.tokens[start].range.clone()];
    let form = match name.as_str() {
        "text:a" => Form::Link,
        "text:span" => {
            let style = attribute(tag, "text:style-name").unwrap_or_default();
            // A style of the whole document is defined in another part.
            let named =
                style.to_ascii_lowercase().contains("sup") || style.contains("ootnote") || style.contains("ndnote");
            if !named && !raised.contains(style) {
                return false;
            }
            Form::Raised
        }
        _ => return false,
    };
    inner.kind == Kind::Text && is_mark(&reader.input[inner.range.clone()], form, reader.paragraphs.text_before())
}
