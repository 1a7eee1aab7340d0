//! Messages of Qt: the text of `source` is translated into `translation`.

use super::accelerator::Accelerator;
use super::elements::{Element, Elements};
use super::formats::Reading;
use super::message_file::{Message, MessagePlace, Messages, pattern};
use crate::markup::attribute;
use crate::{Entries, Error};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Arguments, as `%1`, `%L2`, `%n`, and patterns of files' names, as `(*.png *.jpg)`.
static KEPT: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"%L?(?:\d{1,2}|n)|\(\*[^()]*\)"));

/// Types of translations whose messages the program has no more.
const OLD: &[&str] = &["vanished", "obsolete"];

/// The untranslated messages of a file.
pub(crate) fn messages(text: &str, reading: &Reading<'_>) -> Result<Messages, Error> {
    let all = reading.options.files.entries == Entries::All;
    let elements = Elements::new(text)?;
    let mut messages = Vec::new();
    for message in elements.all().filter(|element| element.name == "message") {
        let child = |name: &str| elements.children(&message).find(|child| child.name == name);
        let (Some(source), Some(translation)) = (child("source"), child("translation")) else { continue };
        let old = translation.attribute("type").is_some_and(|kind| OLD.contains(&kind));
        // A source with characters that XML cannot express, as `<byte value="x9"/>`, stays.
        let Some(source) = elements.text(&source).filter(|source| !old && !source.is_empty()) else {
            continue;
        };
        let numerus = attribute(message.tag, "numerus") == Some("yes");
        let (source, accelerator) = Accelerator::take(&source);
        for place in places(text, &elements, &translation, numerus, all) {
            let Place { range, before, after } = place;
            let encode = move |text: &str| format!("{before}{}{after}", to_xml(&accelerator.put(text)));
            let message = Message::new(range, source.as_str(), encode);
            messages.push(Message { place: MessagePlace::Target, ..message });
        }
    }
    Ok(Messages { messages, kept: KEPT.as_ref() })
}

/// Where a translation is written, and the tags around it.
struct Place {
    range: Range<usize>,
    before: String,
    after: &'static str,
}

/// The places of a translation: its element, or each of its plural forms.
fn places(text: &str, elements: &Elements<'_>, translation: &Element<'_>, numerus: bool, all: bool) -> Vec<Place> {
    let is_empty = |element: &Element<'_>| all || text[element.inner.clone()].trim().is_empty();
    let forms: Vec<_> = elements.children(translation).filter(|child| child.name == "numerusform").collect();
    if !forms.is_empty() {
        return forms.iter().filter(|form| is_empty(form)).map(|form| place(form, ("", ""))).collect();
    }
    if elements.children(translation).next().is_some() || !is_empty(translation) {
        return Vec::new();
    }
    let form = if numerus { ("<numerusform>", "</numerusform>") } else { ("", "") };
    vec![place(translation, form)]
}

/// The content of an element; one without an end tag is given one.
fn place(element: &Element<'_>, (open, close): (&str, &'static str)) -> Place {
    if !element.closed {
        return Place { range: element.inner.clone(), before: open.to_owned(), after: close };
    }
    let tag = element.tag.trim_end_matches('>').trim_end_matches('/').trim_end();
    let after = match (element.name, close) {
        ("numerusform", _) => "</numerusform>",
        (_, "") => "</translation>",
        _ => "</numerusform></translation>",
    };
    Place { range: element.range.clone(), before: format!("{tag}>{open}"), after }
}

/// Text as Qt's tools write it: with references for quotation marks, too.
fn to_xml(text: &str) -> String {
    super::message_file::to_xml(text).replace('"', "&quot;").replace('\'', "&apos;")
}
