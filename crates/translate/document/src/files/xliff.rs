//! Messages in XLIFF 1.2 and 2: targets are written where there are none yet.

use crate::block::{Block, Sentences};
use crate::markup::{Kind, Syntax, Token, attribute, ends, scan, xml_part};
use crate::{Error, Options};
use std::ops::Range;

/// Elements whose sources are proposals of others.
const PROPOSALS: &[&str] = &["alt-trans", "match", "matches"];

/// The untranslated messages of a file.
pub(crate) fn paragraphs(text: &str, options: &Options, how: &Sentences<'_>) -> Result<Vec<Block>, Error> {
    let tokens = scan(text, Syntax::Xml);
    let ends = ends(&tokens);
    let mut blocks = Vec::new();
    // By element that is open: its last token, and whether its messages are translated.
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut number = 0;
    while let Some(token) = tokens.get(number) {
        number += 1;
        while open.pop_if(|(end, _)| *end < number).is_some() {}
        let (Kind::Open(name, false), Some(end)) = (&token.kind, ends[number - 1]) else { continue };
        let (parent, translated) = open.last().copied().unwrap_or((tokens.len(), true));
        if short(name) != "source" {
            let told = attribute(&text[token.range.clone()], "translate").map(|told| told != "no");
            open.push((end, told.unwrap_or(translated) && !PROPOSALS.contains(&short(name))));
            continue;
        }
        if translated && let Some(place) = place(text, &tokens, &ends, end, parent) {
            let (around, inner) = (place.around(), token.range.end..tokens[end].range.start);
            blocks.extend(xml_part(text, inner, place.range, around, &options.copied, how)?);
        }
        number = end + 1;
    }
    Ok(blocks)
}

/// A name without its prefix.
fn short(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// Where a translation is written.
struct Place {
    range: Range<usize>,
    /// Whether tags are written around it.
    tags: bool,
}

impl Place {
    fn around(&self) -> (&'static str, &'static str) {
        if self.tags { ("<target>", "</target>") } else { ("", "") }
    }
}

/// The place of the target after the source that ends with token `source`, inside an element that ends with token
/// `parent`. `None`: there is a translation already.
fn place(text: &str, tokens: &[Token], ends: &[Option<usize>], source: usize, parent: usize) -> Option<Place> {
    let after = |token: usize| tokens[token].range.end;
    let mut place = Place { range: after(source)..after(source), tags: true };
    let mut number = source + 1;
    while number < parent.min(tokens.len()) {
        let end = ends[number].unwrap_or(number);
        match &tokens[number].kind {
            Kind::Open(name, closed) if short(name) == "target" => {
                let range = tokens[number].range.clone();
                let inner = range.end..tokens[end].range.start.max(range.end);
                return match closed {
                    true => Some(Place { range, tags: true }),
                    false => text[inner.clone()].trim().is_empty().then_some(Place { range: inner, tags: false }),
                };
            }
            // The sentences of the source stand between source and target.
            Kind::Open(name, _) if short(name) == "seg-source" => place.range = after(end)..after(end),
            Kind::Open(name, _) if short(name) == "source" => break,
            _ => {}
        }
        number = end + 1;
    }
    Some(place)
}
