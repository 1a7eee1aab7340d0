//! Moses' XML-like markup of translations: `<n translation="the house" prob="0.8">das Haus</n>`.

use crate::source::{ForcedTranslation, LONGEST_FORCED};
use metaphrase_base::shown;
use std::ops::Range;

/// The words of a line, and the translations in its markup.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Markup<'a> {
    /// The words.
    pub words: Vec<&'a str>,
    /// The translations of `translation="…||…"`.
    pub forced: Vec<ForcedTranslation<'a>>,
}

/// A tag that is open: its name, its attributes, and the number of words before it.
struct OpenTag<'a> {
    name: &'a str,
    attributes: &'a str,
    start: usize,
}

impl<'a> Markup<'a> {
    /// Reads a line; the error names the fault of its markup.
    ///
    /// Tags may have any name and lie within each other. `translation` (or `english`, as it was once called) gives
    /// translations with `||` between them, `prob` their probabilities (all 1 if absent), `span="i-j"` or `"i"` the
    /// source words, counted from 0, if they are not those between the tags.
    pub fn parse(line: &'a str) -> Result<Self, String> {
        let mut markup = Self::default();
        let mut open: Vec<OpenTag> = Vec::new();
        for piece in pieces(line) {
            let tag = match piece? {
                Piece::Text(text) => {
                    markup.words.extend(text.split_ascii_whitespace());
                    continue;
                }
                Piece::Tag(tag) => tag.trim(),
            };
            if let Some(name) = tag.strip_prefix('/') {
                let tag = open.pop().filter(|tag| tag.name == name.trim());
                markup.close(tag.ok_or_else(|| format!("</{name}> closes a tag that is not the last one opened"))?)?;
                continue;
            }
            let (tag, is_unary) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
            let (name, attributes) = tag.split_once([' ', '\t']).unwrap_or((tag, ""));
            let tag = OpenTag { name, attributes, start: markup.words.len() };
            if is_unary { markup.close(tag)? } else { open.push(tag) }
        }
        match open.pop() {
            Some(tag) => Err(format!("<{}> is never closed", tag.name)),
            None => markup.check(),
        }
    }

    /// The words without the markup.
    #[must_use]
    pub fn strip(line: &'a str) -> Vec<&'a str> {
        let text = pieces(line).map_while(|piece| match piece {
            Ok(Piece::Text(text)) => Some(text),
            Ok(Piece::Tag(_)) => Some(""),
            Err(_) => None,
        });
        text.flat_map(str::split_ascii_whitespace).collect()
    }

    fn close(&mut self, tag: OpenTag<'a>) -> Result<(), String> {
        if ["zone", "wall", "ne", "update", "weight-overwrite", "coord"].contains(&tag.name) {
            return Err(format!("<{}> is not supported; translations are", tag.name));
        }
        let (mut targets, mut probabilities, mut span) = (Vec::new(), Vec::new(), tag.start..self.words.len());
        for attribute in attributes(tag.attributes) {
            let (name, value) = attribute?;
            match name {
                "translation" | "english" => targets.extend(value.split("||")),
                "prob" => probabilities.extend(value.split("||")),
                "span" => span = parse_span(value)?,
                _ => {}
            }
        }
        if !probabilities.is_empty() && probabilities.len() != targets.len() {
            let (found, expected) = (probabilities.len(), targets.len());
            return Err(format!("<{}> has {found} probabilities for {expected} translations", tag.name));
        }
        for (i, target) in targets.into_iter().enumerate() {
            let probability = probabilities.get(i).map_or(Ok(1.0), |text| parse_probability(text))?;
            let words = target.split_ascii_whitespace().collect();
            self.forced.push(ForcedTranslation { span: span.clone(), words, probability });
        }
        Ok(())
    }

    /// Spans may be of words that come later, so that they are looked at in the end.
    fn check(self) -> Result<Self, String> {
        let words = self.words.len();
        match self.forced.iter().find(|forced| !forced.fits(words)) {
            None => Ok(self),
            Some(ForcedTranslation { words, .. }) if words.is_empty() => Err("a translation without words".into()),
            Some(ForcedTranslation { span: Range { start, end }, .. }) => Err(format!(
                "a translation of the words from {start} up to {end} of {words}; it has to be of 1 to {LONGEST_FORCED}"
            )),
        }
    }
}

enum Piece<'a> {
    Text(&'a str),
    /// The text between `<` and `>`.
    Tag(&'a str),
}

fn pieces(line: &str) -> impl Iterator<Item = Result<Piece<'_>, String>> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(tag) = rest.strip_prefix('<') else {
            let (text, after) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
            rest = after;
            return Some(Ok(Piece::Text(text)));
        };
        let mut quoted = false;
        let end = tag.find(|c| {
            quoted ^= c == '"';
            c == '>' && !quoted
        });
        let Some(end) = end else {
            rest = "";
            return Some(Err("a `<` without its `>`; as a word it is written `&lt;`".into()));
        };
        rest = &tag[end + 1..];
        Some(Ok(Piece::Tag(&tag[..end])))
    })
}

/// Names and values of `name="value" …`.
fn attributes(text: &str) -> impl Iterator<Item = Result<(&str, &str), String>> {
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let all = std::mem::take(&mut rest);
        let parse = || {
            let (name, after) = all.split_once('=')?;
            let (value, after) = after.trim_start().strip_prefix('"')?.split_once('"')?;
            Some((name.trim(), value, after.trim_start()))
        };
        let Some((name, value, after)) = parse() else {
            return Some(Err(format!("expected attributes as `name=\"value\"`, found `{}`", shown(all))));
        };
        rest = after;
        Some(Ok((name, value)))
    })
}

fn parse_span(text: &str) -> Result<Range<usize>, String> {
    let number = |text: &str| text.trim().parse::<usize>().ok().filter(|&number| number < usize::MAX);
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (number(first), number(last)) {
        (Some(first), Some(last)) => Ok(first..last + 1),
        _ => Err(format!("expected a span as `2-4` or `2`, found `{}`", shown(text))),
    }
}

fn parse_probability(text: &str) -> Result<f32, String> {
    match text.trim().parse::<f32>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err(format!("expected a probability, found `{}`", shown(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forced<'a>(span: Range<usize>, words: &[&'a str], probability: f32) -> ForcedTranslation<'a> {
        ForcedTranslation { span, words: words.to_vec(), probability }
    }

    #[test]
    fn translations_are_taken_out_of_the_text() {
        let line = r#"das ist<n translation="a small house||a cottage" prob="0.75||0.25">ein kleines Haus</n> !"#;
        let markup = Markup::parse(line).unwrap();
        assert_eq!(markup.words, ["das", "ist", "ein", "kleines", "Haus", "!"]);
        let expected = [forced(2..5, &["a", "small", "house"], 0.75), forced(2..5, &["a", "cottage"], 0.25)];
        assert_eq!(markup.forced, expected);
        let nested = Markup::parse(r#"<a english="x > y"><b>das</b></a><c span="0-1" translation="z"/> Haus"#).unwrap();
        assert_eq!(nested.words, ["das", "Haus"]);
        assert_eq!(nested.forced, [forced(0..1, &["x", ">", "y"], 1.0), forced(0..2, &["z"], 1.0)]);
        assert_eq!(Markup::parse("").unwrap(), Markup::default());
    }

    #[test]
    fn faults_are_named() {
        for (line, expected) in [
            ("a < b", "a `<` without its `>`; as a word it is written `&lt;`"),
            ("<a>b", "<a> is never closed"),
            ("<a><b>c</a></b>", "</a> closes a tag that is not the last one opened"),
            ("b</a>", "</a> closes a tag that is not the last one opened"),
            ("<a translation=x>b</a>", "expected attributes as `name=\"value\"`, found `translation=x`"),
            (r#"<a translation="x||y" prob="1">b</a>"#, "<a> has 1 probabilities for 2 translations"),
            (r#"<a translation="x" prob="-1">b</a>"#, "expected a probability, found `-1`"),
            (r#"<a translation="x" span="1-b">b</a>"#, "expected a span as `2-4` or `2`, found `1-b`"),
            (
                r#"<a translation="x" span="1-3">b</a>"#,
                "a translation of the words from 1 up to 4 of 1; it has to be of 1 to 100",
            ),
            (r#"<a translation="x"></a>b"#, "a translation of the words from 0 up to 0 of 1; it has to be of 1 to 100"),
            (r#"<a translation="">b</a>"#, "a translation without words"),
            ("<zone>b</zone>", "<zone> is not supported; translations are"),
        ] {
            assert_eq!(Markup::parse(line).unwrap_err(), expected, "{line}");
        }
    }

    #[test]
    fn words_are_left_when_markup_is_broken() {
        assert_eq!(Markup::strip(r#"a <b translation="x">c d"#), ["a", "c", "d"]);
        assert_eq!(Markup::strip("a < b"), ["a"]);
    }
}
