//! The markup inside paragraphs: which tags belong together.

use crate::block::{Block, Sentences};
use regex::Regex;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// The longest text of a thing to copy that a translator reads; a longer one is a marker.
const LONGEST_COPIED: usize = 80;

/// Emoji and similar characters, with their joiners and colours.
static PICTURES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let (signs, more) = (r"\x{1f000}-\x{1faff}\x{2600}-\x{27bf}", r"\x{fe0f}\x{200d}\x{e0020}-\x{e007f}");
    Regex::new(&format!("[{signs}][{signs}{more}]*")).ok()
});

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
        Self { how, done, block: None, open, names_open, unmatched, names: 0 }
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

    /// Text, and the bytes of the input that it stands for. Pictures in it are markers: few vocabularies have them.
    pub(crate) fn text(&mut self, text: &str, origin: Range<usize>) {
        let linear = text.len() == origin.len();
        let place = |part: Range<usize>| {
            if linear { origin.start + part.start..origin.start + part.end } else { origin.clone() }
        };
        let mut last = 0;
        let pictures = PICTURES.iter().filter(|_| self.how.keep.placeholders && !text.is_ascii());
        for picture in pictures.flat_map(|pictures| pictures.find_iter(text)) {
            if picture.start() > last {
                let before = last..picture.start();
                self.block(origin.start).push(&text[before.clone()], place(before));
            }
            self.marker(picture.as_str(), place(picture.range()).start);
            last = picture.end();
        }
        if last < text.len() || last == 0 {
            self.block(origin.start).push(&text[last..], place(last..text.len()));
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
    }

    /// All paragraphs of an input of this many bytes.
    pub(crate) fn finish(mut self, end: usize) -> Vec<Block> {
        self.end(end);
        self.done
    }
}
