//! Markdown: the text of paragraphs, headings, items and cells; code, links' targets and the rest stay.
//!
//! The signs of other dialects (Docusaurus, MkDocs, Hugo, GitBook, Obsidian, MDX) are [masked](mask) before the parser
//! of CommonMark and GFM reads the text. Texts that stand inside other signs, such as titles of links, are
//! [values](values): they are translated first, and the text is read again.

mod check;
pub(crate) mod escape;
mod foreign;
mod front_matter;
mod html;
mod mask;
mod masker;
mod signs;
mod tags;
mod value;
mod values;

use crate::block::{Block, LineEnds, Sentences};
use crate::escape::{Escape, MarkdownStyle};
use crate::languages::Languages;
use crate::markup::Paragraphs;
use crate::prepared::{Around, Read, how};
use crate::split::Splitter;
use crate::{Options, SegmentedText};
use mask::mask;
use masker::Mask;
use pulldown_cmark::{Event, LinkType, Options as Extensions, Parser, Tag, TagEnd};
use std::ops::Range;

pub(crate) use check::changed;
pub(crate) use escape::strict;

/// The extensions of CommonMark that are read.
const EXTENSIONS: Extensions = Extensions::ENABLE_TABLES
    .union(Extensions::ENABLE_FOOTNOTES)
    .union(Extensions::ENABLE_STRIKETHROUGH)
    .union(Extensions::ENABLE_TASKLISTS)
    .union(Extensions::ENABLE_GFM)
    .union(Extensions::ENABLE_MATH)
    .union(Extensions::ENABLE_DEFINITION_LIST)
    .union(Extensions::ENABLE_WIKILINKS)
    .union(Extensions::ENABLE_HEADING_ATTRIBUTES)
    .union(Extensions::ENABLE_YAML_STYLE_METADATA_BLOCKS)
    .union(Extensions::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS);

/// A text with its paragraphs and its values.
pub(crate) fn read(text: String, options: &Options) -> SegmentedText {
    let splitter = Splitter::new(&options.language);
    let how = Sentences { line_ends: LineEnds::Blanks, ..how(&splitter, options) };
    let mask = mask(&text);
    let foreign = foreign::elements(&text, &mask, &options.language);
    let mut values = values::paragraphs(&text, &mask, &how);
    values.retain(|value| !foreign::has(&foreign, value.range.start));
    let read: Read = |text, splitter, options, _| Ok(without_values(text, splitter, options));
    let around = Around { read, languages: Languages::default() };
    without_values(text, &splitter, options)
        .with_values(values, Escape::Markdown(MarkdownStyle::Text), options, around)
        .with_foreign(foreign::counts(&foreign))
}

fn without_values(text: String, splitter: &Splitter, options: &Options) -> SegmentedText {
    let how = Sentences { line_ends: LineEnds::Blanks, ..how(splitter, options) };
    let mask = mask(&text);
    let foreign = foreign::elements(&text, &mask, &options.language);
    let mut blocks = paragraphs(&text, &mask, &foreign, &how);
    blocks.retain(|block| !foreign::has(&foreign, block.range.start));
    SegmentedText::from_blocks(text, blocks, Escape::Markdown(MarkdownStyle::Text))
}

/// A text as it is read.
struct Reader<'a> {
    /// The text of the file, not the masked one.
    text: &'a str,
    mask: &'a Mask,
    /// Elements in another language.
    foreign: &'a [foreign::Element],
    paragraphs: Paragraphs<'a>,
    /// Elements that are open, and the one whose text has not begun.
    open: usize,
    pending: Option<Range<usize>>,
    /// The link that is open whose target has the name that it shows.
    by_name: Option<Range<usize>>,
    /// Where the last part of an element ends.
    last: usize,
    /// Elements that are copied with their content.
    copied: usize,
    /// The bytes of a thing that is read already; nothing in it is read again.
    done: Range<usize>,
    /// Whether the text is that of a cell of a table.
    in_cell: bool,
    blocks: Vec<Block>,
    how: &'a Sentences<'a>,
}

/// The paragraphs of a text.
fn paragraphs(text: &str, mask: &Mask, foreign: &[foreign::Element], how: &Sentences<'_>) -> Vec<Block> {
    let paragraphs = Paragraphs::new(how);
    let mut reader = Reader {
        text,
        mask,
        foreign,
        paragraphs,
        open: 0,
        pending: None,
        by_name: None,
        last: 0,
        copied: 0,
        done: 0..0,
        in_cell: false,
        blocks: Vec::new(),
        how,
    };
    for (event, range) in Parser::new_ext(&mask.text, EXTENSIONS).into_offset_iter() {
        reader.read(&event, range);
    }
    reader.end_paragraphs();
    reader.blocks
}

impl Reader<'_> {
    fn read(&mut self, event: &Event<'_>, range: Range<usize>) {
        if self.copied > 0 {
            self.copied = match event {
                Event::Start(_) => self.copied + 1,
                Event::End(_) => self.copied - 1,
                _ => self.copied,
            };
            self.last = range.end;
            return;
        }
        if self.done.start <= range.start && range.end <= self.done.end {
            return;
        }
        if let Some(pending) = self.pending.take_if(|_| !matches!(event, Event::End(_))) {
            let end = range.start - usize::from(matches!(event, Event::Text(_)) && self.is_escaped(range.start));
            self.begin(pending.start..end.max(pending.start));
        }
        match event {
            Event::Start(tag) => return self.start(tag, range),
            Event::End(tag) => return self.end(*tag, &range),
            Event::Text(_) if self.mask.hides(range.start) => self.end_paragraph(),
            Event::Text(text) => {
                let original = &self.text[range.clone()];
                let text = if text.len() == original.len() { original } else { text };
                if !self.paragraphs.is_inside() && self.is_escaped(range.start) {
                    // The paragraph begins at the backslash.
                    self.paragraphs.text("", range.start - 1..range.start - 1);
                }
                self.paragraphs.text(text, range.clone());
            }
            // A sum of money, not a formula: `US$5 or CA$6`.
            Event::InlineMath(_) if self.text[range.end..].starts_with(|c: char| c.is_ascii_digit()) => {
                self.paragraphs.text(&self.text[range.clone()], range.clone());
            }
            Event::Code(_) | Event::InlineMath(_) | Event::DisplayMath(_) => return self.code(event, range),
            Event::InlineHtml(_) => return self.inline_tag(range),
            Event::SoftBreak if self.ends_title(&range) => self.end_paragraph(),
            Event::SoftBreak if self.paragraphs.is_inside() => self.paragraphs.text(" ", range.clone()),
            Event::FootnoteReference(_) if self.paragraphs.is_inside() => {
                self.paragraphs.marker(&self.text[range.clone()], range.start);
            }
            Event::SoftBreak | Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
            Event::HardBreak | Event::Rule | Event::Html(_) => self.end_paragraph(),
        }
        self.last = range.end;
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        self.last = match tag {
            Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::MetadataBlock(_) => {
                self.end_paragraph();
                if matches!(tag, Tag::HtmlBlock) {
                    self.end_paragraphs();
                    self.blocks.extend(html::paragraphs(self.text, range.clone(), self.how));
                }
                self.copied = 1;
                range.start
            }
            Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. } => {
                let raw = &self.text[range.clone()];
                self.paragraphs.copied(raw, raw, range.clone());
                self.copied = 1;
                range.end
            }
            // The shown text is the name of the page.
            Tag::Link { link_type: LinkType::WikiLink { has_pothole: false }, dest_url, .. } => {
                self.paragraphs.copied(dest_url, &self.text[range.clone()], range.clone());
                self.copied = 1;
                range.end
            }
            // The shown text is the name of the target, and here nothing but code.
            Tag::Link { link_type: LinkType::Shortcut | LinkType::Collapsed, .. } if self.is_code(&range) => {
                let end = range.end + if self.text[range.end..].starts_with("[]") { 2 } else { 0 };
                let raw = &self.text[range.start..end];
                let shown = raw.trim_end_matches("[]").trim_matches(['[', ']', '`']);
                self.paragraphs.copied(shown, raw, range.start..end);
                self.copied = 1;
                end
            }
            // Its description is a value.
            Tag::Image { .. } => {
                self.image(range.clone());
                self.copied = 1;
                range.end
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } => {
                let by_name = matches!(tag, Tag::Link { link_type: LinkType::Shortcut | LinkType::Collapsed, .. });
                self.by_name = by_name.then(|| range.clone());
                self.pending = Some(range.clone());
                range.start
            }
            _ => {
                self.end_block();
                self.in_cell = matches!(tag, Tag::TableCell);
                range.start
            }
        };
    }

    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link => self.end_element(range),
            // White space after the last part of a paragraph is not its text.
            _ => self.end_block(),
        }
        self.last = range.end.max(self.done.end);
    }

    /// A picture. One that stands for a noun is read as a name.
    fn image(&mut self, range: Range<usize>) {
        let end = self.with_attributes(range.end);
        let raw = &self.text[range.start..end];
        let before = self.paragraphs.text_before();
        if before.trim_end().ends_with(char::is_alphanumeric) {
            self.paragraphs.named(raw, range.start..end);
        } else if !before.is_empty() || !self.ends_line(end) {
            self.paragraphs.marker(raw, range.start);
        }
    }

    /// Whether a backslash precedes a character.
    fn is_escaped(&self, at: usize) -> bool {
        self.text[..at].ends_with('\\') && self.text[at..].starts_with(|c: char| c.is_ascii_punctuation())
    }

    /// Whether a link shows nothing but code.
    fn is_code(&self, link: &Range<usize>) -> bool {
        let raw = self.text[link.clone()].trim_end_matches("[]");
        let inner = raw.strip_prefix("[`").and_then(|inner| inner.strip_suffix("`]"));
        inner.is_some_and(|inner| !inner.contains('`'))
    }

    /// Whether nothing but white space follows on the line.
    fn ends_line(&self, at: usize) -> bool {
        let rest = self.text[at..].trim_start_matches([' ', '\t', '\r']);
        rest.is_empty() || rest.starts_with('\n')
    }

    /// Code or a formula.
    fn code(&mut self, event: &Event<'_>, range: Range<usize>) {
        let raw = &self.text[range.clone()];
        let shown = match event {
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text)
                if self.mask.text[range.clone()] == *raw =>
            {
                text.to_string()
            }
            _ => signs::shown(raw),
        };
        let end = self.with_attributes(range.end);
        self.paragraphs.copied(&shown, &self.text[range.start..end], range.start..end);
        self.last = end;
    }

    /// The end of the attributes that follow an element that ends here, `{.class}`: they are part of it.
    fn with_attributes(&mut self, at: usize) -> usize {
        match self.mask.attributes_at(at) {
            Some(attributes) => {
                self.done = attributes.clone();
                attributes.end
            }
            None => at,
        }
    }

    /// Ends a paragraph; another one may follow in the same block.
    fn end_paragraph(&mut self) {
        self.paragraphs.end(self.last);
        self.pending = None;
        self.open = 0;
    }

    /// Ends a block of Markdown.
    fn end_block(&mut self) {
        self.end_paragraph();
        if self.in_cell {
            self.end_paragraphs();
            self.in_cell = false;
        }
    }

    /// Takes over the paragraphs that have the same way to write characters.
    fn end_paragraphs(&mut self) {
        let paragraphs = std::mem::replace(&mut self.paragraphs, Paragraphs::new(self.how));
        let mut done = paragraphs.finish(self.last);
        if self.in_cell {
            done.iter_mut().for_each(|block| block.escape = Some(Escape::Markdown(MarkdownStyle::Cell)));
        }
        self.blocks.extend(done);
    }

    /// An element begins; its signs are these bytes.
    fn begin(&mut self, signs: Range<usize>) {
        self.open += 1;
        self.paragraphs.open(&self.open.to_string(), &self.text[signs.clone()], signs.start);
    }

    /// An element ends: the characters after its last part are its signs.
    fn end_element(&mut self, range: &Range<usize>) {
        match self.pending.take() {
            // It has no text.
            Some(pending) => self.paragraphs.marker(&self.text[pending.clone()], pending.start),
            None => {
                let signs = self.last.min(range.end)..range.end;
                let mut raw = match self.by_name.take_if(|link| link == range) {
                    // The text of the link is the name of its target: the translation needs both.
                    Some(link) => format!("][{}]", &self.text[link.start + 1..signs.start.max(link.start + 1)]),
                    None => self.text[signs.clone()].to_owned(),
                };
                let end = self.with_attributes(range.end);
                raw.push_str(&self.text[range.end..end]);
                self.paragraphs.close(&self.open.to_string(), &raw, signs.start);
                self.open = self.open.saturating_sub(1);
            }
        }
    }
}
