//! Pages of HTML: block elements hold paragraphs, all others stand inside of them.

use super::{BLOCKS, Inset, Kind, NAMED, Paragraphs, Part, Reader, Syntax, VOID, ends, move_by, parts, scan};
use crate::block::{Block, Sentences};
use crate::regions::Regions;
use std::ops::Range;

/// The paragraphs of a page or a part of one. `insets`: what is no text in it, in order. `copied`: names of further
/// elements that are copied with their content.
pub(crate) fn paragraphs(
    input: &str,
    insets: &[Inset],
    copied: &[String],
    regions: &Regions,
    how: &Sentences<'_>,
) -> Vec<Block> {
    let tokens = scan(input, Syntax::Html);
    let paragraphs = Paragraphs::new(how);
    let reader = Reader { input, tokens: &tokens, syntax: Syntax::Html, copied, regions, paragraphs };
    read(reader, insets).finish(input.len())
}

/// The paragraphs of some bytes of a page.
pub(crate) fn part(
    input: &str,
    part: Range<usize>,
    insets: &[Inset],
    copied: &[String],
    how: &Sentences<'_>,
) -> Vec<Block> {
    let mut tokens = scan(&input[part.clone()], Syntax::Html);
    move_by(&mut tokens, part.start);
    let (regions, paragraphs) = (&Regions::default(), Paragraphs::new(how));
    let reader = Reader { input, tokens: &tokens, syntax: Syntax::Html, copied, regions, paragraphs };
    read(reader, insets).finish(part.end)
}

/// The text of a page, with other bytes in place of tags, references and the elements that are copied.
pub(crate) fn masked(input: &str, copied: &[String], how: &Sentences<'_>) -> String {
    let tokens = scan(input, Syntax::Html);
    let ends = ends(&tokens);
    let (regions, paragraphs) = (&Regions::default(), Paragraphs::new(how));
    let reader = Reader { input, tokens: &tokens, syntax: Syntax::Html, copied, regions, paragraphs };
    let mut masked = String::with_capacity(input.len());
    let hide = |masked: &mut String, bytes: usize| masked.extend(std::iter::repeat_n('\u{1}', bytes));
    // The number of the token after an element that is copied.
    let mut next = 0;
    for (number, token) in tokens.iter().enumerate() {
        let raw = &input[token.range.clone()];
        if let (Kind::Open(name, false), Some(end)) = (&token.kind, ends[number])
            && reader.is_copied(name, raw)
        {
            next = next.max(end + 1);
        }
        if token.kind != Kind::Text || number < next {
            hide(&mut masked, raw.len());
            continue;
        }
        for part in parts(raw, Syntax::Html) {
            match part {
                Part::Plain(text) => masked.push_str(text),
                Part::Character(_, length) | Part::Unknown(_, length) => hide(&mut masked, length),
            }
        }
    }
    masked
}

fn read<'a>(mut reader: Reader<'a>, insets: &[Inset]) -> Paragraphs<'a> {
    let (input, tokens) = (reader.input, reader.tokens);
    let ends = ends(tokens);
    // The end of the `pre` that is open, and the byte after the last inset.
    let (mut preformatted, mut done) = (0, 0);
    let mut number = 0;
    while let Some(token) = tokens.get(number) {
        if token.range.end <= done {
            // An inset goes over tags.
            number += 1;
            continue;
        }
        let raw = &input[token.range.clone()];
        let at = token.range.start;
        if number >= preformatted {
            preformatted = if token.kind == Kind::Open("pre".into(), false) { ends[number].unwrap_or(0) } else { 0 };
        }
        match &token.kind {
            Kind::Open(..) => {
                number = open(&mut reader, number, ends[number]);
                continue;
            }
            Kind::Close(name) if !BLOCKS.contains(&name.as_str()) => reader.close(name, raw, at),
            Kind::Close(_) => reader.paragraphs.end(at),
            Kind::Text if preformatted > 0 => reader.lines(token.range.clone()),
            Kind::Text => done = reader.with_insets(at.max(done)..token.range.end, insets),
            Kind::Cdata | Kind::Other => reader.other(raw, at),
        }
        number += 1;
    }
    reader.paragraphs
}

/// Reads a start tag, and the whole element if it is copied. Gives the number of the next token.
fn open(reader: &mut Reader<'_>, number: usize, end: Option<usize>) -> usize {
    let (input, token) = (reader.input, &reader.tokens[number]);
    let Kind::Open(name, closed) = &token.kind else { return number + 1 };
    let (name, range, at) = (name.as_str(), token.range.clone(), token.range.start);
    let raw = &input[range.clone()];
    let (void, inline) = (*closed || VOID.contains(&name), !BLOCKS.contains(&name));
    if name == "br" && reader.breaks_inside(number) {
        reader.paragraphs.line_break(raw, at);
        return number + 1;
    }
    if !inline {
        reader.paragraphs.end(at);
    }
    let is_foreign = inline && end.is_some() && reader.regions.stays(number);
    if (reader.is_copied(name, raw) || is_foreign) && !void {
        return reader.copy(number, end, inline);
    }
    let is_note = |&end: &usize| matches!(name, "rt" | "rp" | "rtc") || reader.marks_note(number, end);
    if inline && let Some(end) = end.filter(is_note) {
        reader.paragraphs.marker(&input[at..reader.tokens[end].range.end], at);
        return end + 1;
    }
    if inline && !void && reader.is_next_item(number) {
        reader.paragraphs.divide();
    } else if inline && reader.divides_words(number) {
        reader.paragraphs.text(" ", at..at);
    }
    match (inline, void) {
        (true, true) if NAMED.contains(&name) => reader.paragraphs.named(raw, range),
        (true, true) => reader.paragraphs.marker(raw, at),
        (true, false) if NAMED.contains(&name) && end == Some(number + 1) => return reader.name(number, number + 1),
        (true, false) => reader.paragraphs.open(name, raw, at),
        (false, _) => {}
    }
    number + 1
}
