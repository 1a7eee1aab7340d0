//! HTML and XML: paragraphs with tags inside.

mod attributes;
mod entities;
mod inline;
mod inset;
mod neighbours;
mod page;
mod references;
pub(crate) mod scan;
mod shown;
mod specials;
mod text;
mod xml;

pub(crate) use attributes::{attributes, part as attributes_of_part};
pub(crate) use entities::{Part, parts, plain_text};
pub(crate) use inline::Paragraphs;
pub(crate) use inset::{Inset, InsetKind};
pub(crate) use page::{masked as masked_page, paragraphs as html, part as html_part};
pub(crate) use references::references;
pub(crate) use scan::{Kind, Syntax, Token, attribute, move_by, scan};
pub(crate) use shown::Shown;
pub(crate) use specials::is_picture;
pub(crate) use xml::{paragraphs as xml, part as xml_part, well_formed};

use crate::regions::Regions;

/// Elements of HTML that end sentences; all others, those that HTML does not know included, stand inside sentences.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "base",
    "blockquote",
    "body",
    "br",
    "button",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "meta",
    "nav",
    "noframes",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "ul",
    "xmp",
];

/// Elements of HTML without an end tag.
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

/// Elements of HTML that are copied with their content.
const COPIED: &[&str] = &[
    "audio", "canvas", "code", "iframe", "kbd", "map", "math", "noframes", "object", "samp", "script", "select",
    "style", "svg", "template", "textarea", "tt", "var", "video", "xmp",
];

/// Whether an element of HTML ends sentences.
pub(crate) fn is_block(name: &str) -> bool {
    BLOCKS.contains(&name)
}

/// Whether an element of HTML has no end tag.
pub(crate) fn is_void(name: &str) -> bool {
    VOID.contains(&name)
}

/// Whether an element of HTML is copied with its content.
pub(crate) fn is_copied(name: &str) -> bool {
    COPIED.contains(&name)
}

/// Elements of translators' formats that stand for words when they are empty.
const NAMED: &[&str] = &["x", "ph", "g", "mrk", "it"];

/// A document as it is read.
pub(crate) struct Reader<'a> {
    pub(crate) input: &'a str,
    pub(crate) tokens: &'a [Token],
    pub(crate) syntax: Syntax,
    /// Further elements that are copied with their content.
    pub(crate) copied: &'a [String],
    /// Where text is in other languages.
    pub(crate) regions: &'a Regions,
    pub(crate) paragraphs: Paragraphs<'a>,
}

/// By start tag: the number of its end tag, if it has one. An end tag ends the last start tag of its name.
pub(crate) fn ends(tokens: &[Token]) -> Vec<Option<usize>> {
    let mut ends = vec![None; tokens.len()];
    let mut open: std::collections::HashMap<&str, Vec<usize>> = std::collections::HashMap::new();
    for (number, token) in tokens.iter().enumerate() {
        match &token.kind {
            Kind::Open(name, false) => open.entry(name).or_default().push(number),
            Kind::Close(name) => {
                if let Some(start) = open.get_mut(name.as_str()).and_then(Vec::pop) {
                    ends[start] = Some(number);
                }
            }
            _ => {}
        }
    }
    ends
}

impl Reader<'_> {
    /// Whether an element is copied with its content.
    pub(crate) fn is_copied(&self, name: &str, tag: &str) -> bool {
        (self.syntax == Syntax::Html && COPIED.contains(&name)) || self.is_told_to_stay(name, tag)
    }

    /// Whether the page or the caller marks an element as not to be translated.
    fn is_told_to_stay(&self, name: &str, tag: &str) -> bool {
        let marked = || attribute(tag, "translate").is_some_and(|value| value.eq_ignore_ascii_case("no"));
        let class = || {
            attribute(tag, "class").is_some_and(|value| value.split_whitespace().any(|class| class == "notranslate"))
        };
        self.copied.iter().any(|copied| copied == name) || marked() || class()
    }

    /// Copies an element from its start tag to its end tag; one without an end is copied as a tag. Gives the number of
    /// the next token.
    pub(crate) fn copy(&mut self, start: usize, end: Option<usize>, inline: bool) -> usize {
        let last = end.unwrap_or(start);
        let range = self.tokens[start].range.start..self.tokens[last].range.end;
        let raw = &self.input[range.clone()];
        if inline {
            let mut shown = String::new();
            for token in &self.tokens[start..=last] {
                if token.kind == Kind::Text {
                    for part in parts(&self.input[token.range.clone()], self.syntax) {
                        match part {
                            Part::Plain(text) => shown.push_str(text),
                            Part::Character(c, _) => shown.push(c),
                            Part::Unknown(name, _) => shown.push_str(name),
                        }
                    }
                }
            }
            // An element that the caller names may stand for words that the translator must not see.
            let named = shown.trim().is_empty()
                && matches!(&self.tokens[start].kind, Kind::Open(name, _) if self.copied.contains(name));
            if named {
                self.paragraphs.named(raw, range);
            } else {
                self.paragraphs.copied(&shown, raw, range);
            }
        }
        last + 1
    }

    /// Copies an empty element that stands for words. Gives the number of the next token.
    pub(crate) fn name(&mut self, start: usize, last: usize) -> usize {
        let range = self.tokens[start].range.start..self.tokens[last].range.end;
        self.paragraphs.named(&self.input[range.clone()], range);
        last + 1
    }

    /// An end tag inside a sentence.
    pub(crate) fn close(&mut self, name: &str, raw: &str, at: usize) {
        if self.paragraphs.is_inside() {
            self.paragraphs.close(name, raw, at);
        }
    }

    /// A comment or something like it.
    pub(crate) fn other(&mut self, raw: &str, at: usize) {
        if self.paragraphs.is_inside() {
            self.paragraphs.marker(raw, at);
        }
    }
}
