//! Messages of Fluent: `key = text`, attributes, and the variants of selectors.

use super::message::{Message, Messages, line, pattern};
use super::reading::Reading;
use crate::Error;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// A placeable without others inside: `{ $name }`, `{ NUMBER($n, style: "percent") }`, `{"{"}`.
static PLACEABLE: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r#"\{(?:[^{}"]|"[^"\n]*")*\}"#));

/// Selectors inside each other, at most; texts that lie deeper stay.
const DEEPEST: usize = 8;

/// The texts of a file.
pub(crate) fn messages(text: &str, _: &Reading<'_>) -> Result<Messages, Error> {
    let mut patterns = Vec::new();
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while at < text.len() {
        let rest = &text[at..];
        let first = rest.chars().next().unwrap_or('\n');
        let end_of_line = at + rest.find('\n').map_or(rest.len(), |end| end + 1);
        if first == '#' || rest[..end_of_line - at].trim().is_empty() {
            at = end_of_line;
            continue;
        }
        let wrong = || Error::Line { line: line(text, at), expected: "an entry of Fluent, as `key = text`" };
        let start = value_start(text, at).filter(|_| first.is_ascii_alphabetic() || first == '-').ok_or_else(wrong)?;
        let mut end = pattern_end(text, start).ok_or_else(wrong)?;
        patterns.push(start..end);
        while let Some(start) = attribute_start(text, end) {
            end = pattern_end(text, start).ok_or_else(wrong)?;
            // Programs read the attributes of a term, as its gender; nobody is shown them.
            patterns.extend((first != '-').then_some(start..end));
        }
        at = end;
    }
    let mut messages = Vec::new();
    for range in patterns {
        read(text, range, 0, &mut messages);
    }
    Ok(Messages { messages, kept: PLACEABLE.as_ref(), ..Messages::default() })
}

/// Where the text of an entry or an attribute begins whose name begins here.
fn value_start(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let name = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')))?;
    let after = rest[name..].trim_start_matches(' ').strip_prefix('=')?;
    (name > 0).then_some(text.len() - after.len())
}

/// Where the text of the next attribute begins, if one follows.
fn attribute_start(text: &str, at: usize) -> Option<usize> {
    let rest = text[at..].trim_start();
    let name = text.len() - rest.strip_prefix('.')?.len();
    value_start(text, name)
}

/// The end of the text that begins here: the line before one that is not indented, or that begins an attribute.
fn pattern_end(text: &str, start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        let rest = &text[at..];
        let end = rest.find(['\n', '{']).unwrap_or(rest.len());
        at += end;
        match text[at..].chars().next() {
            Some('{') => at = placeable_end(text, at)?,
            Some(_) => {
                let next = text[at..].trim_start_matches(['\n', '\r', ' ']);
                let indented = text[..text.len() - next.len()].ends_with(' ');
                let placeable = next.starts_with('{') && indented;
                if next.is_empty() || !indented || (next.starts_with(['.', '[', '*', '}', '#']) && !placeable) {
                    return Some(at);
                }
                at = text.len() - next.len();
            }
            None => return Some(at),
        }
    }
}

/// The end of a placeable that begins here.
fn placeable_end(text: &str, start: usize) -> Option<usize> {
    let (mut depth, mut quoted) = (0_usize, false);
    for (at, c) in text[start..].char_indices() {
        match c {
            '"' if depth > 0 => quoted = !quoted && in_expression(&text[start..start + at]),
            '\n' => quoted = false,
            '{' if !quoted => depth += 1,
            '}' if !quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(start + at + 1);
        }
    }
    None
}

/// Whether a quotation mark after this text begins a string: it follows a sign of an expression.
fn in_expression(before: &str) -> bool {
    before.trim_end().ends_with(['{', '(', ',', ':', '"'])
}

/// Reads a text: without selectors it is a message; else each part around a selector is one, and each variant.
fn read(text: &str, range: Range<usize>, depth: usize, messages: &mut Vec<Message>) {
    let (mut start, mut at, end) = (range.start, range.start, range.end);
    while let Some(open) = text[at..end].find('{').map(|found| at + found) {
        let Some(close) = placeable_end(&text[..end], open) else { break };
        at = close;
        let inner = open + 1..close - 1;
        let Some(variants) = select(&text[inner.clone()]) else { continue };
        messages.extend(message(text, start..open));
        start = close;
        if depth < DEEPEST {
            for variant in variants_of(text, inner.start + variants..inner.end) {
                read(text, variant, depth + 1, messages);
            }
        }
    }
    messages.extend(message(text, start..end));
}

/// Where the variants of a placeable begin that is a selector.
fn select(inner: &str) -> Option<usize> {
    let arrow = inner.find("->")?;
    (!inner[..arrow].contains(['{', '\n'])).then_some(arrow + 2)
}

/// The texts of variants: from the bracket after a key up to the next line that begins with a key.
fn variants_of(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut at): (Vec<Range<usize>>, usize) = (Vec::new(), range.start);
    while at < range.end {
        let rest = &text[at..range.end];
        let content = rest.trim_start();
        let key = content.strip_prefix('*').unwrap_or(content);
        if let Some(close) = key.strip_prefix('[').and_then(|key| key.find(']')) {
            let start = range.end - key.len() + close + 2;
            found.iter_mut().last().into_iter().for_each(|previous| previous.end = at);
            found.push(start..range.end);
            at = start;
        }
        // To the end of the line, over placeables.
        loop {
            let rest = &text[at..range.end];
            let Some(next) = rest.find(['\n', '{']) else { return found };
            at += next;
            if rest[next..].starts_with('\n') {
                at += 1;
                break;
            }
            let Some(close) = placeable_end(&text[..range.end], at) else { return found };
            at = close;
        }
    }
    found
}

/// A text without selectors as a message.
fn message(text: &str, range: Range<usize>) -> Option<Message> {
    let raw = &text[range.clone()];
    // White space next to a selector stays outside, and so does the indentation of the next line.
    let content = raw.trim_start();
    let end = content.trim_end();
    let content = if content[end.len()..].contains('\n') { end } else { content.trim_end_matches('\r') };
    if content.trim().is_empty() {
        return None;
    }
    let start = range.start + (content.as_ptr() as usize - raw.as_ptr() as usize);
    let mut lines = content.split('\n').map(|line| line.trim_end_matches('\r'));
    let mut shown = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let line = line.trim_start();
        match (line.is_empty(), shown.ends_with('\n')) {
            (true, false) => shown.push_str("\n\n"),
            (false, false) => shown.extend([" ", line]),
            (_, true) => shown.push_str(line),
        }
    }
    let line_end = if content.contains("\r\n") { "\r\n" } else { "\n" };
    let written = move |text: &str| encode(text).replace('\n', line_end);
    Some(Message::new(start..start + content.len(), shown, written))
}

/// A text as Fluent writes it: lines are indented, and signs that would begin something are strings.
fn encode(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let push = |written: &mut String, text: &str| {
        for c in text.chars() {
            match c {
                '{' | '}' => written.push_str(&format!("{{\"{c}\"}}")),
                '[' | '*' | '.' if written.ends_with("\n    ") => written.push_str(&format!("{{\"{c}\"}}")),
                '\n' if written.ends_with("\n    ") => {
                    written.truncate(written.len() - 4);
                    written.push_str("\n    ");
                }
                '\n' => written.push_str("\n    "),
                c => written.push(c),
            }
        }
    };
    let mut last = 0;
    for placeable in PLACEABLE.iter().flat_map(|placeable| placeable.find_iter(text)) {
        push(&mut written, &text[last..placeable.start()]);
        written.push_str(placeable.as_str());
        last = placeable.end();
    }
    push(&mut written, &text[last..]);
    written
}
