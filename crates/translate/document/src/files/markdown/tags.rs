//! Tags inside paragraphs of Markdown, and lines that are titles without a sign of titles.

use super::{Reader, foreign};
use crate::marks::{Form, is_mark};
use crate::markup::{Kind, Syntax, is_block, is_copied, is_void, scan};
use std::ops::Range;

/// The most bytes of an element that is copied.
const LONGEST: usize = 300;

/// The signs of other dialects that open an element, and those that close it.
const PAIRS: &[(&str, &str)] = &[("{==", "==}"), ("{++", "++}"), ("{~~", "~~}")];

impl Reader<'_> {
    /// A tag, or what acts as one.
    pub(super) fn inline_tag(&mut self, range: Range<usize>) {
        let (raw, at) = (&self.text[range.clone()], range.start);
        self.last = range.end;
        if raw.strip_prefix('<').is_some_and(|name| name.starts_with(|c: char| c == '/' || c.is_alphabetic())) {
            return self.html_tag(range);
        }
        let opened = PAIRS.iter().find(|(open, _)| raw.starts_with(open)).map(|pair| pair.0);
        let closed = PAIRS.iter().find(|(_, close)| raw == *close).map(|pair| pair.0);
        let role = raw.ends_with('`').then_some("{`");
        match (opened.or(role.filter(|_| raw.starts_with('{'))), closed.or(role)) {
            (Some(name), _) => self.paragraphs.open(name, raw, at),
            (None, Some(name)) => self.paragraphs.close(name, raw, at),
            _ if raw.starts_with("{%") || raw.starts_with("{{") => self.paragraphs.text(raw, range),
            _ if self.paragraphs.is_inside() => self.paragraphs.marker(raw, at),
            _ => {}
        }
    }

    fn html_tag(&mut self, range: Range<usize>) {
        let (raw, at) = (&self.text[range.clone()], range.start);
        if let Some(all) =
            foreign::at(self.foreign, at).filter(|all| !self.text[(*all).clone()].contains("\n\n")).cloned()
        {
            let shown = self.text[range.end..all.end].rsplit_once("</").map_or("", |(shown, _)| shown).to_owned();
            self.paragraphs.copied(&shown, &self.text[all.clone()], all.clone());
            self.last = all.end;
            self.done = all;
            return;
        }
        let Some(token) = scan(raw, Syntax::Html).into_iter().next() else { return };
        // A tag of JSX has a name of its own.
        let is_jsx = raw.trim_start_matches(['<', '/']).starts_with(|c: char| c.is_ascii_uppercase())
            && raw.contains(|c: char| c.is_ascii_lowercase());
        match token.kind {
            Kind::Open(name, _) | Kind::Close(name) if !is_jsx && is_block(&name) => {
                self.last = at;
                self.end_paragraph();
                self.last = range.end;
            }
            Kind::Close(name) if self.paragraphs.is_inside() => self.paragraphs.close(&name, raw, at),
            Kind::Open(name, closed) => {
                if !closed && self.whole_element(&name, &range) {
                    return;
                }
                if closed || is_void(&name) {
                    if self.paragraphs.is_inside() {
                        self.paragraphs.marker(raw, at);
                    }
                } else {
                    self.paragraphs.open(&name, raw, at);
                }
            }
            _ if self.paragraphs.is_inside() => self.paragraphs.marker(raw, at),
            _ => {}
        }
    }

    /// Reads a short element that is copied with its content, as a key or the mark of a note.
    fn whole_element(&mut self, name: &str, tag: &Range<usize>) -> bool {
        if name != "sup" && !is_copied(name) {
            return false;
        }
        let rest = &self.text[tag.end..self.text.floor_char_boundary(tag.end + LONGEST)];
        let close = format!("</{name}>");
        let Some(inner) = rest.split("\n\n").next().and_then(|rest| rest.find(&close)) else { return false };
        let (shown, end) = (&rest[..inner], tag.end + inner + close.len());
        let all = tag.start..end;
        if is_copied(name) {
            self.paragraphs.copied(shown, &self.text[all.clone()], all.clone());
        } else if is_mark(shown, Form::Raised, self.paragraphs.text_before()) {
            self.paragraphs.marker(&self.text[all.clone()], all.start);
        } else {
            return false;
        }
        self.last = end;
        self.done = all;
        true
    }

    /// Whether a line ends here that is a text of its own: it is bold as a whole, and so is the one after it, or the
    /// sentence before it has an end.
    pub(super) fn ends_title(&self, line_end: &Range<usize>) -> bool {
        let before = &self.text[..line_end.start];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let next = self.text[line_end.end..].split('\n').next().unwrap_or_default();
        let is_first = self.paragraphs.begins_at().is_some_and(|begin| begin >= start);
        let goes_on = content(next).starts_with(char::is_lowercase);
        let ends_sentence = before.trim_end().ends_with(['.', '!', '?', ':', '…', '*', '_']);
        (is_first && is_bold(&before[start..]) && !goes_on) || (ends_sentence && is_bold(next))
    }
}

/// A line without the signs of quotations before it.
fn content(line: &str) -> &str {
    line.trim_start_matches([' ', '\t', '>', '\r']).trim_end()
}

/// Whether a line is bold as a whole; a colon may follow.
fn is_bold(line: &str) -> bool {
    let line = content(line);
    let item =
        line.split_once(' ').filter(|(sign, _)| matches!(*sign, "-" | "*" | "+")).map(|item| item.1.trim_start());
    let line = item.unwrap_or(line);
    let line = line.strip_suffix(':').unwrap_or(line);
    ["**", "__"].iter().any(|sign| {
        line.strip_prefix(sign)
            .and_then(|rest| rest.strip_suffix(sign))
            .is_some_and(|inner| !inner.is_empty() && !inner.contains(sign))
    })
}
