//! Translation memories: each entry without a text in the target language gets one.
//!
//! The text in the source language is copied into a new `tuv` after it, and the copy is translated in its place.

use super::accelerators::Markers;
use super::edits::{Edit, NewPart, apply, same_language};
use super::elements::{Element, Elements};
use super::messages::{Form, Message, Messages};
use crate::markup::{Shown, attribute};
use crate::patterns::Style;
use crate::{Entries, Error, Options};

/// The language of a memory whose entries may have any of their languages as the source.
const ANY: &str = "*all*";

/// The entries of a file, how many have a translation already, and how many there are.
pub(crate) fn messages(text: &str, options: &Options) -> Result<(Messages, usize, usize), Error> {
    if options.target.is_empty() {
        return Err(Error::NoTargetLanguage { format: "tmx" });
    }
    let elements = Elements::new(text)?;
    let mut source = options.language.clone();
    let (mut edits, mut left, mut all) = (Vec::new(), 0, 0);
    for element in elements.all() {
        if element.name == "header" && source.is_empty() {
            source = element.attribute("srclang").filter(|code| *code != ANY).unwrap_or_default().to_owned();
        }
        if element.name == "tu" {
            let entry = Entry { text, elements: &elements, source: &source, options };
            match entry.edit(&element) {
                Found::Change(edit) => edits.push(edit),
                Found::Translated => left += 1,
                Found::NoText => continue,
            }
            all += 1;
        }
    }
    drop(elements);
    let (text, parts) = apply(text, edits);
    let message = |NewPart { range, before }| Message { range, before: Some(before), style: Style::Any };
    let messages = parts.into_iter().map(message).collect();
    Ok((Messages { text, all: messages, markers: Markers::default(), form: Form::Xml }, left, all))
}

/// How an entry changes.
enum Found {
    Change(Edit),
    /// It has a translation, which stays.
    Translated,
    /// It has no text in the source language, or nothing to translate.
    NoText,
}

/// Reads an entry.
struct Entry<'a, 't> {
    text: &'t str,
    elements: &'a Elements<'t>,
    /// The language of the source; empty: that of the first text of each entry.
    source: &'a str,
    options: &'a Options,
}

/// A text in one language, and the element that holds it.
struct Variant<'t> {
    language: &'t str,
    tuv: Element<'t>,
    segment: Element<'t>,
}

impl<'t> Entry<'_, 't> {
    fn variants(&self, entry: &Element<'t>) -> Vec<Variant<'t>> {
        let tuvs = self.elements.children(entry).filter(|child| child.name == "tuv");
        let variant = |tuv: Element<'t>| {
            let segment = self.elements.children(&tuv).find(|child| child.name == "seg")?;
            let language = attribute(tuv.tag, "xml:lang").or_else(|| attribute(tuv.tag, "lang")).unwrap_or_default();
            Some(Variant { language, tuv, segment })
        };
        tuvs.filter_map(variant).collect()
    }

    fn edit(&self, entry: &Element<'t>) -> Found {
        let variants = self.variants(entry);
        let of_entry = entry.attribute("srclang").filter(|code| *code != ANY);
        let wanted = if self.source.is_empty() { of_entry.unwrap_or_default() } else { self.source };
        let source = match wanted {
            "" => variants.first().filter(|first| !same_language(first.language, &self.options.target)),
            wanted => variants.iter().find(|variant| same_language(variant.language, wanted)),
        };
        let Some(source) = source else { return Found::NoText };
        if !Shown::xml(self.text, source.segment.inner.clone()).text.contains(char::is_alphabetic) {
            return Found::NoText;
        }
        match variants.iter().find(|variant| same_language(variant.language, &self.options.target)) {
            None => Found::Change(self.new_variant(source)),
            Some(target) => {
                let inner = self.text[target.segment.inner.clone()].trim();
                if !inner.is_empty() && self.options.files.entries != Entries::All {
                    return Found::Translated;
                }
                Found::Change(self.filled(&target.segment, source))
            }
        }
    }

    /// A new text after that of the source, on a line of its own where the source has one.
    fn new_variant(&self, source: &Variant<'t>) -> Edit {
        let place = source.tuv.range.clone();
        let space = &self.text[self.text[..place.start].trim_end().len()..place.start];
        let (copy, target) = (&self.text[source.segment.inner.clone()], &self.options.target);
        // Versions of TMX before 1.4 have a name without a prefix.
        let key = if source.tuv.attribute("xml:lang").is_some() { "xml:lang" } else { "lang" };
        let open = format!("{space}<tuv {key}=\"{target}\"><seg>");
        let part = open.len()..open.len() + copy.len();
        Edit { range: place.end..place.end, with: format!("{open}{copy}</seg></tuv>"), parts: vec![part] }
    }

    /// A text of the target language that was empty, or is replaced.
    fn filled(&self, segment: &Element<'t>, source: &Variant<'t>) -> Edit {
        let copy = &self.text[source.segment.inner.clone()];
        if !segment.closed {
            let part = 0..copy.len();
            return Edit { range: segment.inner.clone(), with: copy.to_owned(), parts: vec![part] };
        }
        let part = "<seg>".len().."<seg>".len() + copy.len();
        Edit { range: segment.range.clone(), with: format!("<seg>{copy}</seg>"), parts: vec![part] }
    }
}
