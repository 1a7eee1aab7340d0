//! Messages of Qt: the text of `source` is translated into `translation`.
//!
//! A message with a number has one source for all its plural forms, as `%n file(s)`. The first form gets the
//! translation of `%n file`, the others that of `%n files`; a source without such an ending says the same in all forms.

use super::accelerators::Markers;
use super::elements::{Element, Elements};
use super::message::{Message, MessagePlace, Messages, pattern};
use super::reading::Reading;
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
    let (mut messages, mut equal) = (Vec::new(), 0);
    for message in elements.all().filter(|element| element.name == "message") {
        let child = |name: &str| elements.children(&message).find(|child| child.name == name);
        let (Some(source), Some(translation)) = (child("source"), child("translation")) else { continue };
        let old = translation.attribute("type").is_some_and(|kind| OLD.contains(&kind));
        // A source with characters that XML cannot express, as `<byte value="x9"/>`, stays.
        let Some(source) = elements.text(&source).filter(|source| !old && !source.is_empty()) else {
            continue;
        };
        let numerus = attribute(message.tag, "numerus") == Some("yes");
        let places = places(text, &elements, &translation, numerus, all);
        equal += usize::from(places.len() > 1 && !ENDING.as_ref().is_some_and(|ending| ending.is_match(&source)));
        for Place { range, before, after, form } in places {
            let source = in_form(&source, form);
            let encode = move |text: &str| format!("{before}{}{after}", to_xml(text));
            let message = Message::new(range, source, encode);
            messages.push(Message { place: MessagePlace::Target, ..message });
        }
    }
    Ok(Messages {
        messages,
        kept: KEPT.as_ref(),
        markers: Markers::new(std::iter::empty::<&str>(), Some('&')),
        notes: note(equal),
    })
}

/// The message about sources that say the same for one thing and for many.
fn note(equal: usize) -> Vec<String> {
    let note = format!(
        "{equal} messages with a number have the same text in all plural forms; write `%n file(s)` in the source to tell them apart"
    );
    if equal > 0 { vec![note] } else { Vec::new() }
}

/// The ending of a word that stands for one thing or many: `file(s)`, `box(es)`, `entry(ies)`.
static ENDING: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(?P<before>\p{L})\((?P<end>s|es|ies|en|n|e|x)\)"));

/// The source of a plural form.
fn in_form(source: &str, form: Form) -> String {
    let ending = |captures: &regex::Captures<'_>| match (form, &captures["before"], &captures["end"]) {
        (Form::One, before, _) => before.to_owned(),
        (Form::Many, "y", "ies") => "ies".to_owned(),
        (Form::Many, before, end) => format!("{before}{end}"),
        (Form::Any, ..) => captures[0].to_owned(),
    };
    ENDING.as_ref().map_or_else(|| source.to_owned(), |endings| endings.replace_all(source, ending).into_owned())
}

/// The things that a translation counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    One,
    Many,
    /// It has no number, or one form for all.
    Any,
}

/// Where a translation is written, and the tags around it.
struct Place {
    form: Form,
    range: Range<usize>,
    before: String,
    after: &'static str,
}

/// Tags to write around a translation.
#[derive(Clone, Copy)]
struct Tags {
    open: &'static str,
    close: &'static str,
}

const NO_TAGS: Tags = Tags { open: "", close: "" };
const NUMERUS_FORM: Tags = Tags { open: "<numerusform>", close: "</numerusform>" };

/// The places of a translation: its element, or each of its plural forms.
fn places(text: &str, elements: &Elements<'_>, translation: &Element<'_>, numerus: bool, all: bool) -> Vec<Place> {
    let is_empty = |element: &Element<'_>| all || text[element.inner.clone()].trim().is_empty();
    let forms: Vec<_> = elements.children(translation).filter(|child| child.name == "numerusform").collect();
    if !forms.is_empty() {
        // The first of several forms is that of one thing.
        let form = |number: usize| if number == 0 && forms.len() > 1 { Form::One } else { Form::Many };
        let free = forms.iter().enumerate().filter(|(_, element)| is_empty(element));
        return free.map(|(number, element)| place(element, form(number), NO_TAGS)).collect();
    }
    if elements.children(translation).next().is_some() || !is_empty(translation) {
        return Vec::new();
    }
    match numerus {
        true => vec![place(translation, Form::Many, NUMERUS_FORM)],
        false => vec![place(translation, Form::Any, NO_TAGS)],
    }
}

/// The content of an element; one without an end tag is given one.
fn place(element: &Element<'_>, form: Form, tags: Tags) -> Place {
    let Tags { open, close } = tags;
    if !element.closed {
        return Place { form, range: element.inner.clone(), before: open.to_owned(), after: close };
    }
    let tag = element.tag.trim_end_matches('>').trim_end_matches('/').trim_end();
    let after = match (element.name, close) {
        ("numerusform", _) => "</numerusform>",
        (_, "") => "</translation>",
        _ => "</numerusform></translation>",
    };
    Place { form, range: element.range.clone(), before: format!("{tag}>{open}"), after }
}

/// Text as Qt's tools write it: with references for quotation marks, too.
fn to_xml(text: &str) -> String {
    super::message::to_xml(text).replace('"', "&quot;").replace('\'', "&apos;")
}
