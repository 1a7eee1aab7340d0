//! Texts of a document that stand in attributes and in elements of their own, and the language that it names.

use crate::Options;
use crate::block::{Block, Sentences};
use crate::escape::Escape;
use crate::files::edits::same_language;
use crate::languages::Marking;
use crate::markup::{Kind, Paragraphs, Syntax, attribute, ends, references, scan};
use std::ops::Range;

/// Where a format has such texts.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Elements and their attributes with text.
    attributes: &'static [(&'static str, &'static str)],
    /// Elements whose content is text.
    elements: &'static [&'static str],
    /// Elements, `*` for all, and their attributes with the code of a language.
    languages: &'static [(&'static str, &'static str)],
    /// Elements whose content is the code of a language.
    language_elements: &'static [&'static str],
    /// How texts in other languages are marked.
    pub(crate) marking: Option<Marking>,
}

/// Word, and drawings in it.
pub(crate) const WORD: Names = Names {
    attributes: &[
        ("wp:docPr", "descr"),
        ("wp:docPr", "title"),
        ("pic:cNvPr", "descr"),
        ("pic:cNvPr", "title"),
        ("wps:cNvPr", "descr"),
        ("wps:cNvPr", "title"),
        ("w:listItem", "w:displayText"),
        ("w:tblCaption", "w:val"),
        ("w:tblDescription", "w:val"),
        ("w:hyperlink", "w:tooltip"),
        ("v:textpath", "string"),
        ("v:shape", "alt"),
    ],
    elements: &[],
    languages: &[("w:lang", "w:val"), ("w:lang", "w:eastAsia"), ("w:lang", "w:bidi")],
    language_elements: &[],
    marking: Some(Marking::Word),
};

/// Slides, charts and diagrams.
pub(crate) const DRAWING: Names = Names {
    attributes: &[
        ("p:cNvPr", "descr"),
        ("p:cNvPr", "title"),
        ("a:hlinkClick", "tooltip"),
        ("pic:cNvPr", "descr"),
        ("xdr:cNvPr", "descr"),
    ],
    elements: &["c:strCache"],
    languages: &[("a:rPr", "lang"), ("a:endParaRPr", "lang"), ("a:defRPr", "lang")],
    language_elements: &[],
    marking: Some(Marking::Slides),
};

/// OpenDocument.
pub(crate) const OPEN_DOCUMENT: Names = Names {
    attributes: &[
        ("form:option", "form:label"),
        ("form:item", "form:label"),
        ("form:button", "form:label"),
        ("form:checkbox", "form:label"),
        ("form:radio", "form:label"),
        ("table:help-message", "table:title"),
        ("table:error-message", "table:title"),
    ],
    elements: &["svg:title", "svg:desc"],
    languages: &[
        ("*", "fo:language"),
        ("*", "style:language-asian"),
        ("*", "style:language-complex"),
        ("*", "xml:lang"),
    ],
    language_elements: &[],
    marking: Some(Marking::OpenDocument),
};

/// Sheets of Excel.
pub(crate) const SHEET: Names = Names {
    attributes: &[
        ("dataValidation", "prompt"),
        ("dataValidation", "promptTitle"),
        ("dataValidation", "error"),
        ("dataValidation", "errorTitle"),
        ("hyperlink", "tooltip"),
    ],
    elements: &[],
    languages: &[],
    language_elements: &[],
    marking: None,
};

/// The data about a document of an office, or a book.
pub(crate) const PROPERTIES: Names = Names {
    attributes: &[],
    elements: &["dc:title", "dc:subject", "dc:description"],
    languages: &[("*", "xml:lang")],
    language_elements: &["dc:language"],
    marking: None,
};

/// XML of any kind.
pub(crate) const XML: Names =
    Names { attributes: &[], elements: &[], languages: &[("*", "xml:lang")], language_elements: &[], marking: None };

/// Pages.
pub(crate) const PAGE: Names = Names {
    attributes: &[],
    elements: &[],
    languages: &[("*", "lang"), ("*", "xml:lang")],
    language_elements: &[],
    marking: None,
};

/// Languages that have attributes of their own in documents of an office.
const ASIAN: &[&str] = &["zh", "ja", "ko"];
const COMPLEX: &[&str] = &["ar", "fa", "he", "hi", "th", "ur"];

/// The texts, and the language where it changes, as paragraphs.
pub(crate) fn blocks(text: &str, names: &Names, syntax: Syntax, options: &Options, how: &Sentences<'_>) -> Vec<Block> {
    let tokens = scan(text, syntax);
    let ends = ends(&tokens);
    let mut blocks = Vec::new();
    // The last token of the element that is open whose content is text.
    let mut inside = 0;
    let mut inside_language = 0;
    for (number, token) in tokens.iter().enumerate() {
        match &token.kind {
            Kind::Open(name, closed) => {
                let tag = &text[token.range.clone()];
                for (_, key) in names.attributes.iter().filter(|(element, _)| element == name) {
                    if let Some(value) = value(tag, key, token.range.start).filter(|value| !value.is_empty()) {
                        blocks.extend(block(text, value, Escape::Attribute, syntax, how));
                    }
                }
                let languages = names.languages.iter().filter(|(element, _)| *element == "*" || element == name);
                for (_, key) in languages {
                    blocks.extend(
                        value(tag, key, token.range.start).and_then(|value| language(text, value, key, options)),
                    );
                }
                if name == "meta" && attribute(tag, "property") == Some("og:locale") {
                    blocks.extend(
                        value(tag, "content", token.range.start).and_then(|value| locale(text, value, options)),
                    );
                }
                blocks.extend(country(text, token.range.clone(), options).filter(|_| !names.languages.is_empty()));
                let end = ends[number].filter(|_| !closed).unwrap_or(number);
                if names.elements.contains(&name.as_str()) {
                    inside = inside.max(end);
                }
                if names.language_elements.contains(&name.as_str()) {
                    inside_language = inside_language.max(end);
                }
            }
            Kind::Text if number < inside => {
                blocks.extend(block(text, token.range.clone(), Escape::Markup, syntax, how))
            }
            Kind::Text if number < inside_language => {
                let raw = &text[token.range.clone()];
                let start = token.range.start + raw.len() - raw.trim_start().len();
                blocks.extend(language(text, start..start + raw.trim().len(), "", options));
            }
            _ => {}
        }
    }
    blocks.sort_by_key(|block| block.range.start);
    blocks
}

/// The bytes of an attribute's value.
fn value(tag: &str, name: &str, start: usize) -> Option<Range<usize>> {
    let value = attribute(tag, name)?;
    let at = start + (value.as_ptr() as usize - tag.as_ptr() as usize);
    Some(at..at + value.len())
}

fn block(text: &str, range: Range<usize>, escape: Escape, syntax: Syntax, how: &Sentences<'_>) -> Option<Block> {
    let mut paragraphs = Paragraphs::new(how);
    references(&mut paragraphs, text, range.clone(), syntax);
    let mut block = paragraphs.finish(range.end).pop()?;
    block.escape = Some(escape);
    Some(block)
}

/// A code of the source's language, which becomes that of the translation.
fn language(text: &str, range: Range<usize>, key: &str, options: &Options) -> Option<Block> {
    let code = &text[range.clone()];
    let target = options.target.replace('_', "-");
    let is = |known: &[&str]| known.iter().any(|known| same_language(known, &target));
    let fits = match key {
        "w:eastAsia" | "style:language-asian" => is(ASIAN),
        "w:bidi" | "style:language-complex" => is(COMPLEX),
        "w:val" | "fo:language" => !is(ASIAN) && !is(COMPLEX),
        _ => true,
    };
    let is_source = options.language.is_empty()
        || same_language(code, &options.language)
        || (code != "none" && key.contains("asian") | key.contains("eastAsia"));
    let changes = !code.is_empty() && !target.is_empty() && fits && is_source && !same_language(code, &target);
    // In OpenDocument the country has an attribute of its own.
    let written = if key.contains(":language") { target.split('-').next().unwrap_or_default() } else { &target };
    changes.then(|| Block::fixed(range, written))
}

/// The language of a page for social networks, `en_US`.
fn locale(text: &str, range: Range<usize>, options: &Options) -> Option<Block> {
    language(text, range.clone(), "", options)?;
    Some(Block::fixed(range, &options.target.replace('-', "_")))
}

/// The country after a language of OpenDocument that changes.
fn country(text: &str, tag: Range<usize>, options: &Options) -> Option<Block> {
    let raw = &text[tag.clone()];
    language(text, value(raw, "fo:language", tag.start)?, "fo:language", options)?;
    let country = options.target.split(['-', '_']).nth(1).filter(|country| country.len() == 2).unwrap_or("none");
    Some(Block::fixed(value(raw, "fo:country", tag.start)?, country))
}
