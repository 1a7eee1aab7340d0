//! Markdown: the text of paragraphs, headings, items and cells; code, links' targets and the rest stay.

use crate::block::{Block, Sentences};
use crate::markup::Paragraphs;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// A text as it is read.
struct Reader<'a> {
    text: &'a str,
    paragraphs: Paragraphs<'a>,
    /// Elements that are open, and the one whose text has not begun.
    open: usize,
    pending: Option<Range<usize>>,
    /// Where the last part of an element ends.
    last: usize,
    /// Elements that are copied with their content.
    copied: usize,
}

/// The paragraphs of a text.
pub(crate) fn paragraphs(text: &str, how: &Sentences<'_>) -> Vec<Block> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let paragraphs = Paragraphs::new(how);
    let mut reader = Reader { text, paragraphs, open: 0, pending: None, last: 0, copied: 0 };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        reader.read(&event, range);
    }
    reader.paragraphs.finish(text.len())
}

impl Reader<'_> {
    fn read(&mut self, event: &Event<'_>, range: Range<usize>) {
        let whole = matches!(event, Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::MetadataBlock(_)));
        let written = matches!(event, Event::Start(Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. }));
        if self.copied > 0 {
            self.copied = match event {
                Event::Start(_) => self.copied + 1,
                Event::End(_) => self.copied - 1,
                _ => self.copied,
            };
            self.last = range.end;
            return;
        }
        if let Some(pending) = self.pending.take_if(|_| !matches!(event, Event::End(_))) {
            self.begin(pending.start..range.start.max(pending.start));
        }
        let raw = &self.text[range.clone()];
        match event {
            Event::Start(_) if whole => {
                self.paragraphs.end(self.last);
                self.copied = 1;
            }
            Event::Start(_) if written => {
                self.paragraphs.copied(raw, raw, range.clone());
                self.copied = 1;
            }
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }) => {
                self.pending = Some(range.clone());
                self.last = range.start;
                return;
            }
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image) => {
                self.end(&range);
            }
            Event::Text(text) => self.paragraphs.text(text, range.clone()),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.paragraphs.copied(text, raw, range.clone());
            }
            Event::SoftBreak => self.paragraphs.text(" ", range.clone()),
            Event::HardBreak => {
                self.paragraphs.marker(raw, range.start);
                self.paragraphs.text(" ", range.end..range.end);
            }
            Event::InlineHtml(_) | Event::FootnoteReference(_) if self.paragraphs.is_inside() => {
                self.paragraphs.marker(raw, range.start);
            }
            Event::InlineHtml(_) | Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
            // White space after the last part of a paragraph is not its text.
            Event::Start(_) | Event::End(_) | Event::Rule | Event::Html(_) => self.paragraphs.end(self.last),
        }
        self.last = if matches!(event, Event::Start(_)) { range.start } else { range.end };
    }

    /// An element begins; its signs are these bytes.
    fn begin(&mut self, signs: Range<usize>) {
        self.open += 1;
        self.paragraphs.open(&self.open.to_string(), &self.text[signs.clone()], signs.start);
    }

    /// An element ends: the characters after its last part are its signs.
    fn end(&mut self, range: &Range<usize>) {
        match self.pending.take() {
            // It has no text.
            Some(pending) => self.paragraphs.marker(&self.text[pending.clone()], pending.start),
            None => {
                let signs = self.last.min(range.end)..range.end;
                self.paragraphs.close(&self.open.to_string(), &self.text[signs.clone()], signs.start);
                self.open = self.open.saturating_sub(1);
            }
        }
    }
}
