//! Elements of XML with their places, for formats that are tables in XML.

use crate::Error;
use crate::markup::{Kind, Part, Syntax, Token, attribute, ends, parts, scan, well_formed};
use std::ops::Range;

/// The elements of a document.
pub(crate) struct Elements<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    ends: Vec<Option<usize>>,
}

/// An element.
#[derive(Debug, Clone)]
pub(crate) struct Element<'t> {
    pub(crate) name: &'t str,
    /// Its start tag.
    pub(crate) tag: &'t str,
    /// Its bytes.
    pub(crate) range: Range<usize>,
    /// The bytes of its content; an element `<a/>` has its content at its end.
    pub(crate) inner: Range<usize>,
    /// Whether it is written as `<a/>`.
    pub(crate) closed: bool,
    /// Its number, and that of the first element after it.
    tokens: Range<usize>,
}

impl<'t> Elements<'t> {
    /// The elements of a document whose tags belong together.
    pub(crate) fn new(text: &'t str) -> Result<Self, Error> {
        well_formed(text)?;
        let tokens = scan(text, Syntax::Xml);
        let ends = ends(&tokens);
        Ok(Self { text, tokens, ends })
    }

    /// All elements, in the order of their start tags.
    pub(crate) fn all(&self) -> impl Iterator<Item = Element<'t>> {
        self.among(0..self.tokens.len())
    }

    /// The elements inside another one.
    pub(crate) fn inside(&self, element: &Element<'_>) -> impl Iterator<Item = Element<'t>> {
        self.among(element.tokens.start + 1..element.tokens.end)
    }

    /// The elements that lie directly inside another one.
    pub(crate) fn children<'e>(&'e self, element: &Element<'_>) -> impl Iterator<Item = Element<'t>> + use<'e, 't> {
        let (mut number, end) = (element.tokens.start + 1, element.tokens.end);
        std::iter::from_fn(move || {
            while number < end {
                let found = self.element(number);
                number = found.as_ref().map_or(number + 1, |child| child.tokens.end);
                if found.is_some() {
                    return found;
                }
            }
            None
        })
    }

    /// The elements that lie directly inside the root.
    pub(crate) fn of_root(&self) -> impl Iterator<Item = Element<'t>> {
        self.all().next().into_iter().flat_map(|root| self.children(&root))
    }

    /// The text of an element without elements inside; `None`: it has some, or references that only its document knows.
    pub(crate) fn text(&self, element: &Element<'_>) -> Option<String> {
        let inside = &self.tokens[(element.tokens.start + 1).min(element.tokens.end)..element.tokens.end];
        let leaf = inside.iter().take_while(|token| !matches!(token.kind, Kind::Open(..))).count() == inside.len();
        leaf.then(|| text_of(&self.text[element.inner.clone()])).flatten()
    }

    fn among(&self, tokens: Range<usize>) -> impl Iterator<Item = Element<'t>> {
        tokens.filter_map(|number| self.element(number))
    }

    fn element(&self, number: usize) -> Option<Element<'t>> {
        let token = self.tokens.get(number)?;
        let Kind::Open(_, closed) = &token.kind else { return None };
        let tag = &self.text[token.range.clone()];
        let name = tag[1..].split(|c: char| c.is_whitespace() || matches!(c, '/' | '>')).next().unwrap_or_default();
        let end = if *closed { number } else { self.ends[number]? };
        let last = &self.tokens[end].range;
        let inner = if *closed { last.end..last.end } else { token.range.end..last.start };
        Some(Element { name, tag, range: token.range.start..last.end, inner, closed: *closed, tokens: number..end + 1 })
    }
}

impl Element<'_> {
    /// The value of an attribute, as it is written.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        attribute(self.tag, name)
    }
}

/// The text of the content of an element, or of the value of an attribute; `None`: it has elements, or references that
/// only its document knows.
pub(crate) fn text_of(raw: &str) -> Option<String> {
    let mut text = String::with_capacity(raw.len());
    for token in scan(raw, Syntax::Xml) {
        let part = &raw[token.range.clone()];
        match token.kind {
            Kind::Text => {
                for part in parts(part, Syntax::Xml) {
                    match part {
                        Part::Plain(plain) => text.push_str(plain),
                        Part::Character(c, _) => text.push(c),
                        Part::Unknown(..) => return None,
                    }
                }
            }
            Kind::Cdata => text.push_str(part.strip_prefix("<![CDATA[")?.strip_suffix("]]>")?),
            Kind::Other if part.starts_with("<!--") => {}
            _ => return None,
        }
    }
    Some(text)
}
