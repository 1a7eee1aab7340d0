//! The markup inside paragraphs: which tags belong together.

use super::attribute;
use super::specials::{AFTER_NOUNS, BEFORE_NOUNS, SPAN, Special, closes_directly, is_picture, picture_start, specials};
use crate::block::{Block, Notation, Sentences};
use crate::escapes::{Written, written};
use crate::numbers;
use crate::patterns::Style;
use crate::templates::Tag;
use std::collections::HashMap;
use std::ops::Range;

/// The longest text of a thing to copy that a translator reads; a longer one is a marker.
const LONGEST_COPIED: usize = 80;

/// Paragraphs as they are read, tag by tag.
pub(crate) struct Paragraphs<'a> {
    how: &'a Sentences<'a>,
    done: Vec<Block>,
    block: Option<Block>,
    /// Elements that are open, the outermost first.
    open: Vec<OpenElement>,
    /// How many elements of each name are open.
    names_open: HashMap<String, usize>,
    /// By element of the paragraph: whether it has no end.
    unmatched: Vec<bool>,
    /// Numbers of names for things without words.
    names: usize,
    /// Whether the paragraph has text that stands in no element.
    has_bare_text: bool,
}

/// An element that is open.
struct OpenElement {
    name: String,
    /// Its number; one that lies too deep has none.
    element: Option<usize>,
    /// The number of the innermost element here: its own, or that of an element around it.
    innermost: Option<usize>,
}

impl<'a> Paragraphs<'a> {
    pub(crate) fn new(how: &'a Sentences<'a>) -> Self {
        let (done, open, names_open, unmatched) = (Vec::new(), Vec::new(), HashMap::new(), Vec::new());
        Self { how, done, block: None, open, names_open, unmatched, names: 0, has_bare_text: false }
    }

    /// Whether a paragraph has begun.
    pub(crate) fn is_inside(&self) -> bool {
        self.block.is_some()
    }

    /// Whether tags in plain text are markup.
    pub(crate) fn keeps_tags(&self) -> bool {
        self.how.keep.placeholders
    }

    fn block(&mut self, at: usize) -> &mut Block {
        self.block.get_or_insert_with(|| Block::new(at))
    }

    fn parent(&self) -> Option<usize> {
        self.open.last().and_then(|open| open.innermost)
    }

    /// Text, and the bytes of the input that it stands for. Pictures and marks of notes in it are markers: few
    /// vocabularies have the ones, and the others belong to no word. Tags of templates are tags.
    pub(crate) fn text(&mut self, text: &str, origin: Range<usize>) {
        let linear = text.len() == origin.len();
        let place = |part: Range<usize>| {
            if linear { origin.start + part.start..origin.start + part.end } else { origin.clone() }
        };
        let escape = self.how.escape;
        let written = |part: Range<usize>| {
            let mut written = String::new();
            escape.push(&mut written, &text[part]);
            written
        };
        let mut last = 0;
        for (range, special) in specials(text, self.text_before(), self.how) {
            if range.start < last {
                continue;
            }
            let mut range = range;
            if let Special::Picture = special
                && !self.stands_for_noun(&text[last..range.start], &text[range.end..])
            {
                range.start = picture_start(&text[last..range.start], &text[range.end..]) + last;
            }
            self.characters(&text[last..range.start], place(last..range.start));
            let at = place(range.clone()).start;
            match special {
                Special::Picture => self.picture(&written(range.clone()), &text[range.end..], place(range.clone())),
                Special::Number(sign) => match self.number(text) {
                    Some(number) => self.copied(&(number + sign), &written(range.clone()), place(range.clone())),
                    None => self.characters(&text[range.clone()], place(range.clone())),
                },
                Special::ReadAs(shown) => self.copied(&shown, &written(range.clone()), place(range.clone())),
                Special::Mark | Special::Tag(Tag::Marker) => self.marker(&written(range.clone()), at),
                Special::Tag(Tag::Divider) => {
                    self.marker(&written(range.clone()), at);
                    self.block(at).divide();
                }
                Special::Tag(Tag::Open(name)) => self.open(&name, &written(range.clone()), at),
                Special::Tag(Tag::Close(name)) => self.close(&name, &written(range.clone()), at),
                Special::Span(inner) => {
                    self.open(SPAN, &written(range.start..inner.start), at);
                    self.characters(&text[inner.clone()], place(inner.clone()));
                    self.close(SPAN, &written(inner.end..range.end), place(inner.end..range.end).start);
                }
            }
            last = range.end;
        }
        if last < text.len() || last == 0 {
            self.characters(&text[last..], place(last..text.len()));
        }
    }

    /// Gives the blank before the markers at the end of the paragraph to the first of them: `here <x/>.` reads `here.`.
    fn join_marker(&mut self) {
        let Some(block) = &mut self.block else { return };
        let unmatched = &self.unmatched;
        let end = block.text.len();
        let is_marker = |&number: &usize| block.elements[number].text == (end..end) && !unmatched[number];
        if let Some(first) = (0..block.elements.len()).rev().take_while(is_marker).last() {
            block.give_blank(first);
        }
    }

    /// A picture before this text. The words on both sides of it are two. One that stands where a noun would stand is
    /// read as a name.
    fn picture(&mut self, raw: &str, after: &str, origin: Range<usize>) {
        if self.stands_for_noun("", after) {
            return self.named(raw, origin);
        }
        let (before, at) = (self.text_before(), origin.start);
        let divides = before.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric);
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        let is_item = self.begins_with_picture(line)
            && line.trim_end().ends_with(char::is_alphanumeric)
            && after.trim_start().starts_with(|c: char| c.is_uppercase() || c.is_numeric());
        if is_item {
            self.block(at).divide();
        }
        self.marker(raw, at);
        if divides {
            self.block(at).divide_word(at);
        }
    }

    /// Whether a picture between these texts, of which the first follows the paragraph so far, stands for a noun.
    fn stands_for_noun(&self, before: &str, after: &str) -> bool {
        let before = if before.is_empty() { self.text_before() } else { before };
        let next = after.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if !before.ends_with(' ') || (!next.is_empty() && !AFTER_NOUNS.contains(&next)) {
            return false;
        }
        let before = before.trim_end();
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        // In a list after another one.
        let follows_other = before.ends_with(',') && self.names > 0;
        follows_other || BEFORE_NOUNS.contains(&word.to_lowercase().as_str())
    }

    /// The end of a line inside a sentence: the words on both sides of it are two.
    pub(crate) fn line_break(&mut self, raw: &str, at: usize) {
        let divides = self.text_before().ends_with(char::is_alphanumeric);
        self.marker(raw, at);
        if divides {
            self.block(at).divide_word(at);
        }
    }

    /// Whether a line of the paragraph begins with a picture.
    fn begins_with_picture(&self, line: &str) -> bool {
        let Some(block) = &self.block else { return false };
        let start = block.text.len() - line.len();
        let end = start + line.len() - line.trim_start().len();
        let first = block.elements.partition_point(|element| element.text.start < start);
        let here = block.elements[first..].iter().take_while(|element| element.text.start <= end);
        here.take(8).any(|element| element.text.is_empty() && is_picture(&element.open))
    }

    /// Ends a sentence here, if one has begun.
    pub(crate) fn divide(&mut self) {
        if let Some(block) = &mut self.block {
            block.divide();
        }
    }

    /// The way in which arguments are named.
    pub(crate) fn style(&self) -> Style {
        self.how.style
    }

    /// A number that the paragraph and this text have not: a translator reads it for an argument.
    fn number(&self, text: &str) -> Option<String> {
        let before = self.text_before();
        let free = numbers::EXAMPLES.iter().find(|number| !before.contains(**number) && !text.contains(**number));
        free.map(|number| (*number).to_owned())
    }

    /// The text of the paragraph so far.
    pub(crate) fn text_before(&self) -> &str {
        self.block.as_ref().map_or("", |block| &block.text)
    }

    /// The byte of the input at which the paragraph begins.
    pub(crate) fn begins_at(&self) -> Option<usize> {
        self.block.as_ref().map(|block| block.range.start)
    }

    /// Text without anything special in it but characters that are written in another way.
    fn characters(&mut self, text: &str, origin: Range<usize>) {
        if closes_directly(text) {
            self.join_marker();
        }
        self.has_bare_text |= self.open.is_empty() && !text.trim().is_empty();
        if self.how.notation == Notation::Prose || !self.how.keep.placeholders || !text.contains(['\\', '&']) {
            return self.block(origin.start).push(text, origin);
        }
        let linear = text.len() == origin.len();
        for part in written(text) {
            let (Written::Plain(range) | Written::Character(_, range)) = &part;
            let place = if linear { origin.start + range.start..origin.start + range.end } else { origin.clone() };
            let block = self.block(place.start);
            match &part {
                Written::Plain(range) => block.push(&text[range.clone()], place),
                Written::Character(c, range) => block.push_rewritten(*c, &text[range.clone()], place),
            }
        }
    }

    /// The start of an element.
    pub(crate) fn open(&mut self, name: &str, raw: &str, at: usize) {
        let parent = self.parent();
        *self.names_open.entry(name.to_owned()).or_default() += 1;
        if !self.block(at).has_room(parent) {
            self.open.push(OpenElement { name: name.to_owned(), element: None, innermost: parent });
            return self.marker(raw, at);
        }
        let element = Some(self.block(at).open(raw, parent));
        self.unmatched.push(true);
        self.open.push(OpenElement { name: name.to_owned(), element, innermost: element });
    }

    /// The end of an element; one that was never opened is a marker.
    pub(crate) fn close(&mut self, name: &str, raw: &str, at: usize) {
        if self.names_open.get(name).is_none_or(|&open| open == 0) {
            return self.marker(raw, at);
        }
        // The elements inside it end here, too.
        while let Some(open) = self.open.pop() {
            if let Some(count) = self.names_open.get_mut(&open.name) {
                *count -= 1;
            }
            if open.name == name {
                let Some(element) = open.element else { return self.marker(raw, at) };
                self.unmatched[element] = false;
                return self.block(at).close(element, raw);
            }
        }
    }

    /// Markup at a place.
    pub(crate) fn marker(&mut self, raw: &str, at: usize) {
        let parent = self.parent();
        self.block(at).open(raw, parent);
        self.unmatched.push(false);
    }

    /// A thing to copy, which reads as `shown`.
    pub(crate) fn copied(&mut self, shown: &str, raw: &str, origin: Range<usize>) {
        let shown: Vec<&str> = shown.split_whitespace().collect();
        let shown = shown.join(" ");
        if shown.is_empty() || shown.len() > LONGEST_COPIED {
            return self.marker(raw, origin.start);
        }
        self.block(origin.start).push_copied(&shown, raw, origin);
    }

    /// A thing to copy that stands for words: a translator reads a name for it.
    pub(crate) fn named(&mut self, raw: &str, origin: Range<usize>) {
        let (id, at) = (attribute(raw, "id").unwrap_or_default(), origin.start);
        // Angular's pairs of elements, and its ends of lines.
        if let Some(name) = id.strip_prefix("START_") {
            return self.open(name, raw, at);
        }
        if let Some(name) = id.strip_prefix("CLOSE_") {
            return self.close(name, raw, at);
        }
        if id == "LINE_BREAK" || attribute(raw, "ctype") == Some("lb") {
            self.divide();
            self.marker(raw, at);
            return self.divide();
        }
        if self.text_before().ends_with(char::is_alphanumeric) {
            // No name stands inside a word.
            return self.marker(raw, at);
        }
        self.names += 1;
        let name = format!("X{}", self.names);
        self.block(origin.start).push_copied(&name, raw, origin);
    }

    /// The paragraph ends before this byte.
    pub(crate) fn end(&mut self, at: usize) {
        let unmatched = std::mem::take(&mut self.unmatched);
        self.open.clear();
        self.names_open.clear();
        let Some(mut block) = self.block.take() else { return };
        for number in 0..block.elements.len() {
            // What stands in an element without an end stands in the element around it.
            while let Some(parent) = block.elements[number].parent.filter(|&parent| unmatched[parent]) {
                block.elements[number].parent = block.elements[parent].parent;
            }
            if unmatched[number] {
                let at = block.elements[number].text.start;
                block.elements[number].text.end = at;
            }
        }
        block.end(at, self.how);
        if block.sentences.iter().any(|sentence| sentence.has_words) {
            self.done.push(block);
        }
        self.names = 0;
        self.has_bare_text = false;
    }

    /// Whether all text of the paragraph so far stands in elements.
    pub(crate) fn is_in_elements(&self) -> bool {
        !self.has_bare_text
    }

    /// All paragraphs of an input of this many bytes.
    pub(crate) fn finish(mut self, end: usize) -> Vec<Block> {
        self.end(end);
        self.done
    }
}
