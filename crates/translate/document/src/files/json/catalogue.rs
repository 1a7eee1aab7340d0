//! Catalogues of Xcode: each entry has its texts by language, in the form that its source has.

use super::parse::{Kind, Value, parse};
use super::{encode, is_escaped};
use crate::files::message::{Message, MessagePlace, Messages, line, pattern};
use crate::files::reading::Reading;
use crate::{Entries, Error};
use regex::Regex;
use std::sync::LazyLock;

/// Names of variations inside a text: `%#@files@`.
static KEPT: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"%(?:\d+\$)?#@\w+@"));

/// The state of a text as Xcode shows it.
const STATE: &str = "needs_review";

/// The messages of a catalogue that have no text in the target language.
pub(crate) fn messages(text: &str, reading: &Reading<'_>) -> Result<Messages, Error> {
    let catalogue = parse(text)?;
    let target = reading.options.target.as_str();
    let source = catalogue.get("sourceLanguage").and_then(Value::text);
    let expected = "a catalogue of Xcode, with sourceLanguage and strings";
    let strings = catalogue.get("strings").ok_or(Error::Line { line: 1, expected })?;
    let source = source.ok_or(Error::Line { line: line(text, strings.range.start), expected })?;
    if target.is_empty() {
        return Err(Error::NoTargetLanguage { format: "xcstrings" });
    }
    let all = reading.options.files.entries == Entries::All;
    let mut finder = Finder { text, source, target, all, ascii: is_escaped(text), messages: Vec::new() };
    for (key, entry) in strings.entries() {
        finder.entry(key, entry);
    }
    Ok(Messages { messages: finder.messages, kept: KEPT.as_ref(), ..Messages::default() })
}

struct Finder<'t> {
    text: &'t str,
    source: &'t str,
    target: &'t str,
    all: bool,
    ascii: bool,
    messages: Vec<Message>,
}

impl Finder<'_> {
    fn entry(&mut self, key: &str, entry: &Value) {
        let translate = entry.get("shouldTranslate").is_none_or(|value| &self.text[value.range.clone()] != "false");
        let stale = entry.get("extractionState").and_then(Value::text) == Some("stale");
        if !translate || stale || !matches!(entry.kind, Kind::Table(_)) {
            return;
        }
        let localizations = entry.get("localizations");
        let own = localizations.and_then(|languages| languages.get(self.source));
        if own.is_none() && key.is_empty() {
            return;
        }
        let texts = own.map_or_else(|| vec![None], |own| texts_of(own).into_iter().map(Some).collect());
        let existing = localizations.and_then(|languages| languages.get(self.target));
        let (range, around) = match existing {
            Some(existing) if self.all || is_untranslated(existing) => (existing.range.clone(), Around::default()),
            Some(_) => return,
            None => match localizations {
                Some(languages) => self.inside(languages, 3),
                None => self.inside(entry, 2),
            },
        };
        let indent = if localizations.is_some() || existing.is_some() { "" } else { "\"localizations\" : {\n        " };
        let close = if indent.is_empty() { "" } else { "\n      }" };
        let name = if existing.is_some() { String::new() } else { format!("{} : ", encode(self.target, self.ascii)) };
        let mut before = format!("{}{indent}{name}", around.before);
        let after = format!("{close}{}", around.after);
        let Some(own) = own else {
            before.push_str(&format!(
                "{{\n          \"stringUnit\" : {{\n            \"state\" : \"{STATE}\",\n            \"value\" : "
            ));
            return self.part(range, key, before, format!("\n          }}\n        }}{after}"));
        };
        let (count, mut at) = (texts.len(), own.range.start);
        for (number, value) in texts.into_iter().flatten().enumerate() {
            before.push_str(&with_state(&self.text[at..value.range.start]));
            at = value.range.end;
            let last = number + 1 == count;
            let rest =
                if last { format!("{}{after}", with_state(&self.text[at..own.range.end])) } else { String::new() };
            // The first message takes the place of the old text.
            let range = if number == 0 { range.clone() } else { range.end..range.end };
            self.part(range, value.text().unwrap_or_default(), std::mem::take(&mut before), rest);
        }
    }

    /// A text of the target language, and the JSON before and after it.
    fn part(&mut self, range: std::ops::Range<usize>, text: &str, before: String, after: String) {
        let ascii = self.ascii;
        let written = move |text: &str| format!("{before}{}{after}", encode(text, ascii));
        let message = Message::new(range, text, written);
        self.messages.push(Message { place: MessagePlace::Part, ..message });
    }

    /// The place after the last entry of a table, which lies this deep, and the signs around a new entry.
    fn inside(&self, table: &Value, depth: usize) -> (std::ops::Range<usize>, Around) {
        let indent = "  ".repeat(depth);
        match table.entries().last() {
            Some((_, last)) => {
                let at = last.range.end;
                (at..at, Around { before: format!(",\n  {indent}"), after: String::new() })
            }
            None => {
                let around = Around { before: format!("{{\n  {indent}"), after: format!("\n{indent}}}") };
                (table.range.clone(), around)
            }
        }
    }
}

#[derive(Default)]
struct Around {
    before: String,
    after: String,
}

/// The texts of a language, in order: one, or those of its plural forms and devices.
fn texts_of(localization: &Value) -> Vec<&Value> {
    let mut texts = Vec::new();
    for (key, value) in localization.entries() {
        match value.kind {
            Kind::Text(_) if key == "value" => texts.push(value),
            _ => texts.extend(texts_of(value)),
        }
    }
    texts
}

/// Whether a language has no text yet.
fn is_untranslated(localization: &Value) -> bool {
    texts_of(localization).iter().all(|value| value.text().is_some_and(|text| text.trim().is_empty()))
}

/// A part of a localization with the state of a new translation.
fn with_state(part: &str) -> String {
    static STATES: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r#"("state"\s*:\s*)"[a-z_]*""#));
    let Some(states) = STATES.as_ref() else { return part.to_owned() };
    states.replace_all(part, format!("$1\"{STATE}\"")).into_owned()
}
