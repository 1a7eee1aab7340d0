//! Messages of gettext: translations are written where there are none yet.

use super::accelerators::Markers;
use super::already_translated;
use super::edits::{Edit, NewPart, apply, same_language};
use super::icu;
use super::messages::{Form, Message, Messages};
use super::plural_forms::{PluralForms, plural_forms};
use crate::escape::Escape;
use crate::patterns::Style;
use crate::{Entries, Error, Options};
use std::ops::Range;

/// A string of an entry: the bytes of its quoted lines, and its text.
#[derive(Debug, Clone, Default)]
struct QuotedString {
    range: Range<usize>,
    text: String,
}

/// A message with its translations.
#[derive(Debug, Default)]
struct Entry {
    message: QuotedString,
    plural: Option<QuotedString>,
    /// What its flags keep in it.
    style: Style,
    /// The translations with their numbers.
    translations: Vec<(usize, QuotedString)>,
}

/// The messages of a file, and a message about it.
pub(crate) fn messages(text: &str, options: &Options) -> Result<(Messages, Option<String>), Error> {
    let entries = entries(text)?;
    let header = entries.iter().find(|entry| entry.message.text.is_empty() && !entry.translations.is_empty());
    let named = |name: &str| {
        let lines = header.into_iter().flat_map(|header| header.translations[0].1.text.lines());
        lines.filter_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned()).next()
    };
    let forms = named("Plural-Forms:").and_then(|forms| plural_forms(&forms));
    let marker = named("X-Accelerator-Marker:").and_then(|marker| marker.chars().next());
    let mut edits: Vec<Edit> =
        header.and_then(|header| language(text, &header.translations[0].1, &options.target)).into_iter().collect();
    let (mut left, mut all) = (0, 0);
    let (mut sources, mut styles) = (Vec::new(), Vec::new());
    for entry in entries.iter().filter(|entry| !entry.message.text.is_empty() && !entry.translations.is_empty()) {
        all += 1;
        sources.push(&entry.message.text);
        let untranslated = entry.translations.iter().any(|(_, translation)| translation.text.is_empty());
        if !untranslated && options.files.entries == Entries::Untranslated {
            left += 1;
        } else {
            let before = edits.len();
            entry.edits(text, forms.as_ref(), options.files.entries, &mut edits);
            styles.extend(edits[before..].iter().flat_map(|edit| &edit.parts).map(|_| entry.style));
        }
    }
    let markers = Markers::new(sources.iter(), marker);
    let (text, parts) = apply(text, edits);
    let message = |(NewPart { range, before }, style)| Message { range, before: Some(before), style };
    let all_messages = parts.into_iter().zip(styles).map(message).collect();
    let has_plurals = entries.iter().any(|entry| entry.plural.is_some());
    let notes = [
        already_translated(left, all),
        other_language(named("Language:").as_deref(), options),
        forms.filter(|_| has_plurals).and_then(|forms| other_plurals(forms.count, &options.target)),
    ];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    let note = (!notes.is_empty()).then(|| notes.join("; "));
    Ok((Messages { text, all: all_messages, markers, form: Form::Quoted }, note))
}

/// The message about a file for translations into another language.
fn other_language(named: Option<&str>, options: &Options) -> Option<String> {
    let (named, target) = (named.filter(|named| !named.is_empty())?, &options.target);
    let is_expected = |code: &String| code.is_empty() || same_language(named, code);
    (!is_expected(target) && (options.language.is_empty() || !is_expected(&options.language))).then(|| {
        format!("the header names the language {named}, and becomes {target}: the translations are in {target}")
    })
}

/// The message about plural forms that are not those of the language of the translation.
fn other_plurals(count: usize, target: &str) -> Option<String> {
    let known = icu::cardinals(target).filter(|_| !target.is_empty())?;
    // Some languages have a category for fractions or millions alone, which gettext does not know.
    let fits = count == known || (known > 2 && count + 1 == known);
    let form = if count == 1 { "form" } else { "forms" };
    (!fits).then(|| {
        format!(
            "Plural-Forms states {count} {form}, which are not those of {target}: correct the header and its plurals"
        )
    })
}

fn entries(text: &str) -> Result<Vec<Entry>, Error> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut at = 0;
    let lines: Vec<Range<usize>> = text
        .split_inclusive('\n')
        .map(|line| {
            at += line.len();
            at - line.len()..at
        })
        .collect();
    let (mut number, mut style) = (0, Style::Any);
    while let Some(line) = lines.get(number) {
        let content = text[line.clone()].trim().trim_start_matches('\u{feff}');
        let key = content.split(['"', ' ', '\t']).next().unwrap_or_default();
        number += 1;
        if let Some(flags) = content.strip_prefix("#,") {
            style = flags.split(',').find_map(Style::of_flag).unwrap_or_default();
        } else if content.is_empty() {
            style = Style::Any;
        }
        if !key.starts_with("msg") {
            continue;
        }
        let mut quoted = QuotedString {
            range: line.start + text[line.clone()].find('"').unwrap_or(content.len())..line.end,
            text: String::new(),
        };
        let first = &content[key.len()..];
        quoted.read(first.trim(), number)?;
        quoted.range.end = line.start + text[line.clone()].trim_end().len();
        while let Some(next) = lines.get(number).filter(|next| text[(*next).clone()].trim_start().starts_with('"')) {
            number += 1;
            quoted.read(text[next.clone()].trim(), number)?;
            quoted.range.end = next.start + text[next.clone()].trim_end().len();
        }
        match (key, entries.last_mut()) {
            ("msgid", _) => entries.push(Entry { message: quoted, style, ..Entry::default() }),
            ("msgid_plural", Some(entry)) => entry.plural = Some(quoted),
            (_, Some(entry)) if key.starts_with("msgstr") => {
                let number = key.trim_start_matches("msgstr").trim_matches(['[', ']']).parse().unwrap_or_default();
                entry.translations.push((number, quoted));
            }
            _ => {}
        }
    }
    Ok(entries)
}

impl QuotedString {
    /// Appends the text of a quoted line.
    fn read(&mut self, line: &str, number: usize) -> Result<(), Error> {
        let wrong = || Error::Line { line: number, expected: "a string in quotation marks" };
        let inner = line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).ok_or_else(wrong)?;
        let mut characters = inner.chars();
        while let Some(c) = characters.next() {
            self.text.push(match c {
                '\\' => match characters.next().ok_or_else(wrong)? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    other => other,
                },
                other => other,
            });
        }
        Ok(())
    }
}

impl Entry {
    /// The source of a translation of this number.
    fn source(&self, number: usize, forms: Option<&PluralForms>) -> &str {
        let (one, count) = forms.map_or((0, 2), |forms| (forms.one, forms.count));
        match &self.plural {
            Some(plural) if !plural.text.is_empty() && (number != one || count == 1) => &plural.text,
            _ => &self.message.text,
        }
    }

    /// Copies the sources to the translations that are empty, or to all; plurals get as many as the language has.
    fn edits(&self, text: &str, forms: Option<&PluralForms>, entries: Entries, edits: &mut Vec<Edit>) {
        let replaces = entries == Entries::All && self.message.text.contains(char::is_alphabetic);
        let free = |translation: &QuotedString| replaces || translation.text.is_empty();
        let untouched = self.translations.iter().all(|(_, translation)| free(translation));
        let count = forms.filter(|_| self.plural.is_some() && untouched).map(|forms| forms.count);
        for (number, translation) in &self.translations {
            if count.is_some_and(|count| *number >= count) {
                // The line of a plural that the language lacks.
                let start = text[..translation.range.start].rfind('\n').unwrap_or(translation.range.start);
                edits.push(Edit::new(start..translation.range.end, ""));
            } else if free(translation) {
                let inner = translation.range.start + 1..translation.range.end - 1;
                edits.push(copy(inner, "", self.source(*number, forms), ""));
            }
        }
        let Some((last, translation)) = self.translations.last() else { return };
        let end = translation.range.end;
        let line_end = if text[..end].contains("\r\n") { "\r\n" } else { "\n" };
        for number in last + 1..count.unwrap_or_default() {
            let before = format!("{line_end}msgstr[{number}] \"");
            edits.push(copy(end..end, &before, self.source(number, forms), "\""));
        }
    }
}

/// A copy of a source as a part of a string, with what stands before and after it.
fn copy(range: Range<usize>, before: &str, source: &str, after: &str) -> Edit {
    let mut with = before.to_owned();
    let start = with.len();
    Escape::Quoted.push(&mut with, source);
    let part = start..with.len();
    with.push_str(after);
    Edit { range, with, parts: vec![part] }
}

/// The change of the language that the header names.
fn language(text: &str, header: &QuotedString, target: &str) -> Option<Edit> {
    const KEY: &str = "\"Language:";
    let start = header.range.start + text[header.range.clone()].find(KEY)? + KEY.len();
    let end = start + text[start..header.range.end].find(['\\', '"'])?;
    let known = text[start..end].trim();
    let same = target.is_empty() || (!known.is_empty() && same_language(known, target));
    (!same).then(|| Edit::new(start..end, format!(" {}", target.replace('-', "_"))))
}
