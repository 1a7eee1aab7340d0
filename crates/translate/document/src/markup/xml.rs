//! XML of any vocabulary: elements next to text are parts of sentences, all others are paragraphs or hold
//! them.

use super::{Inset, Kind, NAMED, Paragraphs, Reader, Syntax, Token, attribute, ends, move_by, scan};
use crate::Error;
use crate::block::{Block, Sentences};
use crate::regions::Regions;
use std::ops::Range;

/// The paragraphs of a document or a part of one. `copied`: names of elements that are copied with their content.
pub(crate) fn paragraphs(
    input: &str,
    copied: &[String],
    regions: &Regions,
    how: &Sentences<'_>,
) -> Result<Vec<Block>, Error> {
    let tokens = scan(input, Syntax::Xml);
    check(input, &tokens)?;
    let (ends, mixed) = (ends(&tokens), mixed(input, &tokens));
    let paragraphs = Paragraphs::new(how);
    let mut reader = Reader { input, tokens: &tokens, syntax: Syntax::Xml, copied, regions, paragraphs };
    read(&mut reader, &ends, &mixed, None);
    Ok(reader.paragraphs.finish(input.len()))
}

/// The paragraph of a message of XLIFF. `insets`: what is no text in it, in order.
pub(crate) fn part(
    input: &str,
    part: Range<usize>,
    insets: &[Inset],
    copied: &[String],
    how: &Sentences<'_>,
) -> Result<Option<Block>, Error> {
    let mut tokens = scan(&input[part.clone()], Syntax::Xml);
    check(&input[part.clone()], &tokens)?;
    move_by(&mut tokens, part.start);
    let (regions, paragraphs) = (&Regions::default(), Paragraphs::new(how));
    let mut reader = Reader { input, tokens: &tokens, syntax: Syntax::Xml, copied, regions, paragraphs };
    let (ends, mixed) = (ends(&tokens), vec![true; tokens.len()]);
    read(&mut reader, &ends, &mixed, Some(insets));
    let block = reader.paragraphs.finish(part.end).pop();
    Ok(block.map(|block| block.at(part)))
}

/// Whether an element of XLIFF has the code of the original format.
pub(crate) fn is_code(name: &str) -> bool {
    ENDS.contains(&name) || CODES.contains(&name)
}

/// Elements of XLIFF with the code of the original format: the ends of pairs, and things that stand for words.
const ENDS: &[&str] = &["bpt", "ept", "ut"];
const CODES: &[&str] = &["ph", "it"];

/// Reads all tokens. `insets`: of a message of XLIFF, whose elements with code are known.
fn read(reader: &mut Reader<'_>, ends: &[Option<usize>], mixed: &[bool], insets: Option<&[Inset]>) {
    let (input, tokens, copied) = (reader.input, reader.tokens, reader.copied);
    let (mut number, mut done) = (0, 0);
    while let Some(token) = tokens.get(number) {
        if token.range.end <= done {
            // An inset goes over tags.
            number += 1;
            continue;
        }
        let raw = &input[token.range.clone()];
        let (at, inline) = (token.range.start, mixed[number]);
        match &token.kind {
            Kind::Open(..) | Kind::Close(_) if !inline => {
                reader.paragraphs.end(at);
                if let Kind::Open(name, false) = &token.kind
                    && reader.is_copied(name, raw)
                {
                    number = reader.copy(number, ends[number], false);
                    continue;
                }
            }
            Kind::Open(name, closed) => {
                let empty = ends[number] == Some(number + 1);
                if let (true, false, Some(end)) = (insets.is_some() && is_code(name), closed, ends[number]) {
                    let all = at..tokens[end].range.end;
                    match ENDS.contains(&name.as_str()) {
                        true => reader.paragraphs.marker(&input[all], at),
                        false => reader.paragraphs.named(&input[all.clone()], all),
                    }
                    number = end + 1;
                    continue;
                }
                if (reader.is_copied(name, raw) || reader.regions.stays(number)) && !closed {
                    number = reader.copy(number, ends[number], true);
                    continue;
                }
                if let Some(end) = ends[number].filter(|&end| reader.marks_note(number, end)) {
                    reader.paragraphs.marker(&input[at..tokens[end].range.end], at);
                    number = end + 1;
                    continue;
                }
                if insets.is_some() && *closed && angular(reader, number) {
                    number += 1;
                    continue;
                }
                match (NAMED.contains(&name.as_str()) || copied.contains(name), closed) {
                    (true, true) => reader.paragraphs.named(raw, token.range.clone()),
                    (true, false) if empty => {
                        number = reader.name(number, number + 1);
                        continue;
                    }
                    (_, true) => reader.paragraphs.marker(raw, at),
                    (_, false) => reader.paragraphs.open(name, raw, at),
                }
            }
            Kind::Close(name) => reader.close(name, raw, at),
            Kind::Text => {
                done = reader.with_insets(token.range.start.max(done)..token.range.end, insets.unwrap_or_default());
            }
            Kind::Cdata => {
                let inner = at + "<![CDATA[".len()..token.range.end.saturating_sub("]]>".len());
                reader.cdata(input.get(inner).unwrap_or_default(), token.range.clone());
            }
            Kind::Other => reader.other(raw, at),
        }
        number += 1;
    }
}

/// Reads an empty element of Angular, which writes `<x id="START_LINK"/>` for a start tag, `CLOSE_LINK` for its end,
/// and `LINE_BREAK`; and one that touches a letter, which stands for no word of its own. Whether it was one.
fn angular(reader: &mut Reader<'_>, number: usize) -> bool {
    let token = &reader.tokens[number];
    let (raw, at) = (&reader.input[token.range.clone()], token.range.start);
    let id = attribute(raw, "equiv").or_else(|| attribute(raw, "id")).unwrap_or_default();
    // `START_LINK_1` ends with `CLOSE_LINK`.
    let plain = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_').to_owned();
    let is_block = |name: &str| {
        ["PARAGRAPH", "HEADING", "LIST", "UNORDERED", "ORDERED", "TABLE", "TAG_DIV", "TAG_LI", "BLOCK"]
            .iter()
            .any(|block| name.starts_with(block))
    };
    // A tab, or the end of a line, that XML can not write.
    let is_space = attribute(raw, "hex").is_some_and(|hex| matches!(hex.trim_start_matches('0'), "9" | "A" | "a"));
    let breaks = is_space || id.starts_with("LINE_BREAK") || id.starts_with("HORIZONTAL_RULE");
    if breaks || matches!(attribute(raw, "ctype"), Some("lb" | "x-br")) {
        reader.paragraphs.marker(raw, at);
        reader.paragraphs.divide();
    } else if let Some(name) = id.strip_prefix("START_").map(plain) {
        if is_block(&name) {
            reader.paragraphs.divide();
        }
        reader.paragraphs.open(&format!("x {name}"), raw, at);
    } else if let Some(name) = id.strip_prefix("CLOSE_").map(plain) {
        reader.paragraphs.close(&format!("x {name}"), raw, at);
        if is_block(&name) {
            reader.paragraphs.divide();
        }
    } else {
        let next = reader.input[token.range.end..].chars().next();
        let touches =
            reader.paragraphs.text_before().ends_with(char::is_alphabetic) || next.is_some_and(char::is_alphabetic);
        if touches {
            reader.paragraphs.marker(raw, at);
        }
        return touches;
    }
    true
}

/// Refuses a document whose tags do not belong together.
pub(crate) fn well_formed(input: &str) -> Result<(), Error> {
    check(input, &scan(input, Syntax::Xml))
}

/// Refuses tags that do not belong together.
fn check(input: &str, tokens: &[Token]) -> Result<(), Error> {
    let mut open: Vec<(&str, usize)> = Vec::new();
    let line = |at: usize| input[..at].matches('\n').count() + 1;
    for token in tokens {
        match &token.kind {
            Kind::Open(name, false) => open.push((name, token.range.start)),
            Kind::Close(name) => match open.pop() {
                Some((opened, _)) if opened == name => {}
                Some((opened, _)) => {
                    return Err(Error::Nesting {
                        line: line(token.range.start),
                        close: name.clone(),
                        open: opened.to_owned(),
                    });
                }
                None => return Err(Error::NotOpen { line: line(token.range.start), close: name.clone() }),
            },
            _ => {}
        }
    }
    match open.pop() {
        Some((name, at)) => Err(Error::NotClosed { line: line(at), open: name.to_owned() }),
        None => Ok(()),
    }
}

/// By token: whether it stands in an element that has text of its own, or inside such an element.
fn mixed(input: &str, tokens: &[Token]) -> Vec<bool> {
    // By element that is open: the number of its start tag; the first is the document.
    let mut open: Vec<usize> = vec![0];
    let mut has_text = vec![false; tokens.len() + 1];
    for (number, token) in tokens.iter().enumerate() {
        match &token.kind {
            Kind::Open(_, false) => open.push(number + 1),
            Kind::Close(_) if open.len() > 1 => drop(open.pop()),
            // A byte order mark is no text.
            Kind::Text | Kind::Cdata
                if !input[token.range.clone()].trim_start_matches('\u{feff}').trim().is_empty() =>
            {
                open.last().into_iter().for_each(|&element| has_text[element] = true);
            }
            _ => {}
        }
    }
    // By element that is open: whether its content is inside a sentence.
    let mut inside = vec![has_text[0]];
    let mut mixed = Vec::with_capacity(tokens.len());
    for (number, token) in tokens.iter().enumerate() {
        let here = inside.last().copied().unwrap_or(false);
        match &token.kind {
            Kind::Open(_, false) => {
                mixed.push(here);
                inside.push(here || has_text[number + 1]);
            }
            Kind::Close(_) => {
                if inside.len() > 1 {
                    inside.pop();
                }
                mixed.push(inside.last().copied().unwrap_or(false));
            }
            _ => mixed.push(here),
        }
    }
    mixed
}
