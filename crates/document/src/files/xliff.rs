//! Messages in XLIFF 1.2 and 2: targets are written where there are none yet.

use crate::block::{Block, Sentences};
use crate::markup::{Kind, Syntax, ends, scan, xml_part};
use crate::{Error, Options};

/// The untranslated messages of a file.
pub(crate) fn paragraphs(text: &str, options: &Options, how: &Sentences<'_>) -> Result<Vec<Block>, Error> {
    let tokens = scan(text, Syntax::Xml);
    let ends = ends(&tokens);
    let mut blocks = Vec::new();
    let mut number = 0;
    while let Some(token) = tokens.get(number) {
        let Some(end) = ends[number].filter(|_| matches!(&token.kind, Kind::Open(name, _) if name == "source")) else {
            number += 1;
            continue;
        };
        let inner = token.range.end..tokens[end].range.start;
        let mut next = end + 1;
        while tokens
            .get(next)
            .is_some_and(|token| token.kind == Kind::Text && text[token.range.clone()].trim().is_empty())
        {
            next += 1;
        }
        // A target that has text stays.
        let target = tokens.get(next).and_then(|token| match &token.kind {
            Kind::Open(name, true) if name == "target" => Some((token.range.clone(), false)),
            Kind::Open(name, false) if name == "target" => {
                let content = token.range.end..tokens[ends[next]?].range.start;
                Some((content.clone(), !text[content].trim().is_empty()))
            }
            _ => None,
        });
        let after = tokens[end].range.end;
        let (place, open, close) = match target {
            Some((_, true)) => {
                number = end + 1;
                continue;
            }
            Some((place, false)) if text[place.clone()].starts_with('<') => (place, "<target>", "</target>"),
            Some((place, false)) => (place, "", ""),
            None => (after..after, "<target>", "</target>"),
        };
        blocks.extend(xml_part(text, inner, place, (open, close), &options.copied, how)?);
        number = end + 1;
    }
    Ok(blocks)
}
