//! Strings of Android: text in XML with escapes of its own inside.

use super::codes::is_code;
use super::elements::{Element, Elements};
use super::message::{Message, MessageForm, Messages};
use super::reading::Reading;
use crate::Error;
use crate::markup::{Kind, Syntax, scan};
use std::ops::Range;

/// Elements whose content is not translated.
const COPIED: &[&str] = &["xliff:g"];

/// Whether an XML document is one of Android's resources with strings.
pub(crate) fn is_strings(text: &str) -> bool {
    let root = scan_root(text);
    root == Some("resources") && ["<string", "<plurals"].iter().any(|tag| text.contains(tag))
}

/// The name of the root element, which stands among the first bytes.
fn scan_root(text: &str) -> Option<&str> {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let end = if rest.starts_with("<!--") {
            "-->"
        } else if rest.starts_with("<?") {
            "?>"
        } else {
            break;
        };
        rest = rest[rest.find(end)? + end.len()..].trim_start();
    }
    rest.strip_prefix('<')?.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).next()
}

/// The strings of a file.
pub(crate) fn messages(text: &str, _: &Reading<'_>) -> Result<Messages, Error> {
    let elements = Elements::new(text)?;
    let mut messages = Vec::new();
    for resource in elements.of_root() {
        if resource.attribute("translatable") == Some("false") {
            continue;
        }
        match resource.name {
            "string" => string(text, &resource, &mut messages),
            "item" if resource.attribute("type") == Some("string") => string(text, &resource, &mut messages),
            "string-array" | "plurals" => {
                let items = elements.children(&resource).filter(|child| child.name == "item");
                items.for_each(|item| string(text, &item, &mut messages));
            }
            _ => {}
        }
    }
    Ok(Messages { messages, ..Messages::default() })
}

/// The messages of an element: its content, or each of its CDATA sections and the text around them.
fn string(text: &str, element: &Element<'_>, messages: &mut Vec<Message>) {
    let content = &text[element.inner.clone()];
    // A reference to another resource.
    if content.trim().starts_with(['@', '?']) || is_code(content.trim()) {
        return;
    }
    let start = element.inner.start;
    let mut rest = start;
    for token in scan(content, Syntax::Xml).into_iter().filter(|token| token.kind == Kind::Cdata) {
        let inner = start + token.range.start + "<![CDATA[".len()..start + token.range.end - "]]>".len();
        if inner.start > inner.end {
            continue;
        }
        messages.extend(marked_up(text, rest..start + token.range.start));
        messages.push(section(text, inner));
        rest = start + token.range.end;
    }
    messages.extend(marked_up(text, rest..element.inner.end));
}

/// Text with tags and references; the white space around it stays.
fn marked_up(text: &str, range: Range<usize>) -> Option<Message> {
    let raw = text[range.clone()].trim_ascii_start();
    let start = range.end - raw.len();
    let raw = raw.trim_ascii_end();
    if raw.is_empty() {
        return None;
    }
    let quoted = raw.len() > 1 && raw.starts_with('"') && raw.ends_with('"');
    let message = Message::new(start..start + raw.len(), decode(raw), move |text| encode(text, quoted));
    Some(Message { form: MessageForm::Xml(COPIED), ..message })
}

/// The text that Android shows, as XML: white space is one blank outside of quotation marks, escapes are read.
fn decode(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let (mut quoted, mut blank) = (false, true);
    for token in scan(raw, Syntax::Xml) {
        let part = &raw[token.range.clone()];
        if token.kind != Kind::Text {
            text.push_str(part);
            blank = false;
            continue;
        }
        let mut rest = part;
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            match c {
                '"' => quoted = !quoted,
                '\\' => rest = unescape(rest, &mut text),
                c if c.is_ascii_whitespace() && !quoted => {
                    if !blank {
                        text.push(' ');
                    }
                    blank = true;
                    continue;
                }
                c => text.push(c),
            }
            blank = false;
        }
    }
    if blank && text.ends_with(' ') {
        text.pop();
    }
    text
}

/// Appends the character of an escape, whose backslash was read; gives the rest.
fn unescape<'t>(rest: &'t str, text: &mut String) -> &'t str {
    let Some(c) = rest.chars().next() else { return rest };
    let after = &rest[c.len_utf8()..];
    match c {
        'n' => text.push('\n'),
        't' => text.push('\t'),
        'u' => {
            let digits = after.get(..4).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
            let c = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32);
            match c {
                // Signs of XML stay references.
                Some('&') => text.push_str("&amp;"),
                Some('<') => text.push_str("&lt;"),
                Some(c) => text.push(c),
                None => {
                    text.push_str("\\u");
                    return after;
                }
            }
            return &after[4..];
        }
        other => text.push(other),
    }
    after
}

/// The text of a translation, which is XML, with Android's escapes. `quoted`: the source has quotation marks around it.
fn encode(text: &str, quoted: bool) -> String {
    let spaces = text.starts_with(' ') || text.ends_with(' ') || text.contains("  ");
    let quote = if quoted || spaces { "\"" } else { "" };
    let mut written = String::from(quote);
    for token in scan(text, Syntax::Xml) {
        let part = &text[token.range.clone()];
        if token.kind == Kind::Text {
            escape(part, token.range.start == 0, &mut written)
        } else {
            written.push_str(part)
        }
    }
    written + quote
}

fn escape(part: &str, first: bool, written: &mut String) {
    for (at, c) in part.char_indices() {
        match c {
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            '\\' | '\'' | '"' => written.extend(['\\', c]),
            // Spaces that nobody would see in the file.
            '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}' => written.push_str(&format!("\\u{:04X}", u32::from(c))),
            '@' | '?' if first && at == 0 => written.extend(['\\', c]),
            c => written.push(c),
        }
    }
}

/// A CDATA section, whose text is HTML with the escapes that the source has.
fn section(text: &str, range: Range<usize>) -> Message {
    let raw = &text[range.clone()];
    let apostrophes = raw.contains("\\'") || !raw.contains('\'');
    let quotes = raw.contains("\\\"");
    let (mut decoded, mut rest) = (String::with_capacity(raw.len()), raw);
    while let Some(at) = rest.find('\\') {
        decoded.push_str(&rest[..at]);
        rest = unescape(&rest[at + 1..], &mut decoded);
    }
    decoded.push_str(rest);
    Message::new(range, decoded, move |text| {
        let mut written = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                '\n' => written.push_str("\\n"),
                '\'' if apostrophes => written.push_str("\\'"),
                '"' if quotes => written.push_str("\\\""),
                '\\' => written.push_str("\\\\"),
                c => written.push(c),
            }
        }
        written.replace("]]>", "]]&gt;")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_and_written() {
        for (raw, shown) in [
            (r"Don\'t \u0022go\u0022\n<b>now</b>", "Don't \"go\"\n<b>now</b>"),
            ("  a\n   b  ", "a b"),
            ("\"  a  b \"", "  a  b "),
            (r"\@x \? \\ &amp; &#39;", r"@x ? \ &amp; &#39;"),
            (r"\u00zz \u26 a\", r"\u00zz \u26 a"),
        ] {
            assert_eq!(decode(raw), shown, "{raw}");
        }
        assert_eq!(encode("Geht's \"so\"?\n<a x='y'>@ \\</a>", false), "Geht\\'s \\\"so\\\"?\\n<a x='y'>@ \\\\</a>");
        assert_eq!(encode("@a", false), "\\@a");
        assert_eq!((encode(" a", false), encode("a", true)), ("\" a\"".into(), "\"a\"".into()));
    }

    #[test]
    fn the_root_tells_the_kind() {
        assert!(is_strings(
            "\u{feff}<?xml version=\"1.0\"?>\n<!-- c -->\n<resources><string name=\"a\">b</string></resources>"
        ));
        assert!(!is_strings("<resources><color/></resources>"));
        assert!(!is_strings("<a><string/></a>"));
    }
}
