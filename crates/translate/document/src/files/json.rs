//! Messages of programs in JSON: i18next and its kind, ARB, extensions of Chrome, FormatJS, catalogues of Xcode.

mod catalogue;
mod parse;

pub(crate) use catalogue::messages as catalogue;

use super::accelerators::Markers;
use super::apostrophes::{Apostrophes, Rule};
use super::codes::is_code;
use super::edits::same_language;
use super::message::{Message, Messages, pattern, quoted};
use super::reading::Reading;
use crate::{Error, Options};
use parse::{Kind, Value, parse, parse_all};
use regex::Regex;
use std::sync::LazyLock;

/// Things that stay: references to other messages of i18next, `$t(name)`, and of Vue, `@:name`; names of Chrome,
/// `$NAME$`.
static KEPT: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"\$t\([^()]*\)|@(?:\.\w+)?:(?:\([\w.]+\)|\{'[^']*'\}|\w+(?:\.\w+)*)|\$\w+\$"));

/// Literal text of ICU's message format, in apostrophes.
static KEPT_OF_ICU: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"'[{}#|<][^'\n]*'"));

/// The way in which a file writes its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flavour {
    /// Each text is a message.
    Any,
    /// Keys that begin with `@` hold data about messages.
    Arb,
    /// Each entry has its text in `message`.
    Chrome,
    /// Each entry has its text in `defaultMessage`.
    FormatJs,
}

/// The messages of a file.
pub(crate) fn messages(text: &str, reading: &Reading<'_>) -> Result<Messages, Error> {
    let value = parse(text)?;
    match flavour(&value) {
        Flavour::Arb => arb(text, reading),
        flavour => Ok(read(text, &[value], flavour)),
    }
}

/// The texts of a file with a value on each line.
pub(crate) fn lines(text: &str, _: &Reading<'_>) -> Result<Messages, Error> {
    Ok(read(text, &parse_all(text)?, Flavour::Any))
}

/// The messages of a file of ARB.
pub(crate) fn arb(text: &str, reading: &Reading<'_>) -> Result<Messages, Error> {
    let value = parse(text)?;
    let locale = locale(&value, reading.options);
    let mut found = read(text, &[value], Flavour::Arb);
    found.messages.extend(locale);
    Ok(found)
}

/// The language that a file of ARB names, where it changes.
fn locale(value: &Value, options: &Options) -> Option<Message> {
    let locale = value.get("@@locale")?;
    let (named, target) = (locale.text()?, options.target.replace('-', "_"));
    let changes = !target.is_empty() && !same_language(named, &target);
    changes.then(|| Message::fixed(locale.range.clone(), encode(&target, true)))
}

fn read(text: &str, values: &[Value], flavour: Flavour) -> Messages {
    let mut found = Finder { ascii: is_escaped(text), flavour, messages: Vec::new() };
    values.iter().for_each(|value| found.read(value));
    let kept = if matches!(flavour, Flavour::Arb | Flavour::FormatJs) { &KEPT_OF_ICU } else { &KEPT };
    let markers = Markers::new(found.messages.iter().map(|message| &message.text), None);
    Messages { messages: found.messages, kept: kept.as_ref(), markers, ..Messages::default() }
}

fn flavour(value: &Value) -> Flavour {
    let entries = value.entries();
    let has = |value: &Value, key: &str| value.get(key).is_some_and(|value| value.text().is_some());
    let items: Vec<&Value> = match &value.kind {
        Kind::List(values) => values.iter().collect(),
        _ => entries.iter().map(|(_, value)| value).collect(),
    };
    let all = |key: &str| !items.is_empty() && items.iter().all(|item| has(item, key));
    let about = |(key, _): &(String, Value)| {
        key.starts_with("@@") || key.strip_prefix('@').is_some_and(|key| value.get(key).is_some())
    };
    if items.iter().any(|item| has(item, "defaultMessage")) {
        Flavour::FormatJs
    } else if entries.iter().any(about) {
        Flavour::Arb
    } else if all("message") {
        Flavour::Chrome
    } else {
        Flavour::Any
    }
}

/// Whether a file writes characters outside ASCII as escapes.
fn is_escaped(text: &str) -> bool {
    text.is_ascii() && text.contains("\\u")
}

struct Finder {
    ascii: bool,
    flavour: Flavour,
    messages: Vec<Message>,
}

impl Finder {
    fn read(&mut self, value: &Value) {
        match &value.kind {
            Kind::Text(text) if !is_code(text) => self.message(value, text),
            Kind::List(values) => values.iter().for_each(|value| self.read(value)),
            Kind::Table(entries) => {
                // A table of plural forms may describe them.
                let forms = value.get("other").is_some_and(|value| value.text().is_some());
                for (key, value) in entries {
                    let is_text = value.text().is_some();
                    let stays = match self.flavour {
                        Flavour::Any => forms && matches!(key.as_str(), "description" | "hash"),
                        Flavour::Arb => key.starts_with('@'),
                        Flavour::Chrome => is_text && key != "message" || key == "placeholders",
                        Flavour::FormatJs => is_text && key != "defaultMessage",
                    };
                    if !stays {
                        self.read(value);
                    }
                }
            }
            Kind::Text(_) | Kind::Other => {}
        }
    }

    fn message(&mut self, value: &Value, text: &str) {
        let ascii = self.ascii;
        let icu = matches!(self.flavour, Flavour::Arb | Flavour::FormatJs);
        let apostrophes = if icu { Apostrophes::of(text, Rule::Icu) } else { Apostrophes::PLAIN };
        let encode = move |text: &str| encode(&apostrophes.encode(text), ascii);
        self.messages.push(Message::new(value.range.clone(), apostrophes.decode(text), encode));
    }
}

/// A string of JSON.
pub(super) fn encode(text: &str, ascii: bool) -> String {
    quoted(text, |c, written| {
        if c < ' ' || (ascii && !c.is_ascii()) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| written.push_str(&format!("\\u{unit:04x}")));
        } else {
            written.push(c);
        }
    })
}
