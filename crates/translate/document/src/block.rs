//! A paragraph: its text, its sentences, and the markup inside it.

use crate::cut::cut;
use crate::escape::Escape;
use crate::keep::{CopySpan, Keep, find_in};
use crate::layout::Layout;
use crate::patterns::Style;
use crate::split::{Splitter, trimmed};
use crate::{escapes, list, wrapped};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// Elements inside elements, at most; what lies deeper is copied in its place.
const DEEPEST: usize = 64;

/// A paragraph of a document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    /// Its bytes in the input.
    pub(crate) range: Range<usize>,
    /// Its text as a translator reads it: without markup.
    pub(crate) text: String,
    /// Where the text stands in the input: runs of bytes of the text, and the bytes of the input that they stand for.
    origins: Vec<(Range<usize>, Range<usize>)>,
    /// Its sentences, in order; the text between them is copied.
    pub(crate) sentences: Vec<Sentence>,
    /// Elements and markers, in the order of their beginnings in the input.
    pub(crate) elements: Vec<Element>,
    /// The markup around text that is in no element.
    pub(crate) wrap: Wrap,
    /// How characters are written, if not as in most paragraphs of the text.
    pub(crate) escape: Option<Escape>,
    /// How its translation is divided into subtitles and lines.
    pub(crate) layout: Option<Layout>,
    /// The text in its place as long as it has no translation; `None`: that of the input.
    pub(crate) untranslated: Option<String>,
    /// The element that marks an access key, and the letter after it.
    pub(crate) access_key: Option<(usize, char)>,
    /// Things to copy that the format names.
    copied: Vec<CopySpan>,
    /// Bytes of the text where a sentence ends whatever stands there.
    breaks: Vec<usize>,
    /// Characters that the input writes in another way, such as `\"` or `&copy;`.
    rewritten: Vec<Rewrite>,
    /// By sentence, with the text before it, and for the text after all: what is written for characters.
    pub(crate) rewrites: Vec<HashMap<char, String>>,
}

/// A character that the input writes in another way.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rewrite {
    /// Its byte in the text.
    at: usize,
    character: char,
    /// What stands for it in the input.
    written: String,
}

/// The markup before and after each run of text, such as the tags of a run in an office document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Wrap {
    pub(crate) before: String,
    pub(crate) after: String,
}

/// A sentence of a paragraph.
#[derive(Debug, Clone)]
pub(crate) struct Sentence {
    /// Its bytes in the text of the paragraph.
    pub(crate) range: Range<usize>,
    /// Things to copy; bytes of the sentence.
    pub(crate) kept: Vec<CopySpan>,
    /// Whether there are words to translate.
    pub(crate) has_words: bool,
    /// Whether its translation has as many lines.
    pub(crate) keeps_lines: bool,
}

/// Markup inside a paragraph: around a part of its text, or at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element {
    /// The bytes of the text inside it.
    pub(crate) text: Range<usize>,
    /// The number of the element around it.
    pub(crate) parent: Option<usize>,
    /// The markup that is written before its text.
    pub(crate) open: String,
    /// The markup that is written after its text.
    pub(crate) close: String,
    /// The markup around each run of the text in it.
    pub(crate) wrap: Wrap,
    /// Whether the blank after it is not in the input: it stands between two words that the input writes as one.
    pub(crate) divides: bool,
}

impl Block {
    /// A paragraph that begins at this byte of the input.
    pub(crate) fn new(start: usize) -> Self {
        Self { range: start..start, ..Self::default() }
    }

    /// Bytes of the input that are something else in the output, whatever its translations are.
    pub(crate) fn fixed(range: Range<usize>, text: &str) -> Self {
        Self { range, untranslated: Some(text.to_owned()), ..Self::default() }
    }

    /// The paragraph with its translation at these bytes of the input.
    pub(crate) fn at(self, range: Range<usize>) -> Self {
        Self { range, ..self }
    }

    /// Appends text that stands for these bytes of the input, without the characters that no reader sees.
    pub(crate) fn push(&mut self, text: &str, origin: Range<usize>) {
        if !text.contains(is_invisible) {
            return self.push_visible(text, origin);
        }
        let is_linear = text.len() == origin.len();
        let mut start = 0;
        for run in text.split_inclusive(is_invisible) {
            let visible = run.trim_end_matches(is_invisible);
            let place =
                if is_linear { origin.start + start..origin.start + start + visible.len() } else { origin.clone() };
            self.push_visible(visible, place);
            start += run.len();
        }
    }

    fn push_visible(&mut self, text: &str, origin: Range<usize>) {
        let start = self.text.len();
        self.text.push_str(text);
        let linear = |text: &Range<usize>, input: &Range<usize>| text.len() == input.len();
        match self.origins.last_mut() {
            Some((known, input)) if input.end == origin.start && linear(known, input) && text.len() == origin.len() => {
                (known.end, input.end) = (self.text.len(), origin.end);
            }
            _ if text.is_empty() => {}
            _ => self.origins.push((start..self.text.len(), origin)),
        }
    }

    /// Appends a thing to copy: the text that the translator reads, and what is written for it.
    pub(crate) fn push_copied(&mut self, shown: &str, written: &str, origin: Range<usize>) {
        let start = self.text.len();
        self.push(shown, origin);
        if start < self.text.len() {
            self.copied.push(CopySpan { range: start..self.text.len(), written: Some(written.to_owned()) });
        }
    }

    /// The words before and after the last element, at this byte of the input, are two; the input does not divide them.
    pub(crate) fn divide_word(&mut self, at: usize) {
        self.push(" ", at..at);
        if let Some(last) = self.elements.last_mut() {
            last.divides = true;
        }
    }

    /// Gives the blank at the end of the text to the markers after it, of which this is the first.
    pub(crate) fn give_blank(&mut self, first: usize) {
        let Some(inner) = self.text.strip_suffix(' ').filter(|inner| inner.ends_with(char::is_alphanumeric)) else {
            return;
        };
        let end = inner.len();
        match self.origins.last_mut() {
            Some((text, input)) if text.len() == input.len() && text.len() > 1 => {
                (text.end, input.end) = (text.end - 1, input.end - 1);
            }
            _ => return,
        }
        self.text.truncate(end);
        self.elements[first].open.insert(0, ' ');
        self.elements[first..].iter_mut().for_each(|element| element.text = end..end);
        self.breaks.iter_mut().for_each(|at| *at = (*at).min(end));
    }

    /// Ends a sentence here.
    pub(crate) fn divide(&mut self) {
        self.breaks.push(self.text.len());
    }

    /// Appends a character that is written as `written` in the input.
    pub(crate) fn push_rewritten(&mut self, character: char, written: &str, origin: Range<usize>) {
        self.rewritten.push(Rewrite { at: self.text.len(), character, written: written.to_owned() });
        self.push(character.encode_utf8(&mut [0; 4]), origin);
    }

    /// Begins an element inside the element `parent`; gives its number. An element that lies too deep has none.
    pub(crate) fn open(&mut self, open: impl Into<String>, parent: Option<usize>) -> usize {
        let at = self.text.len();
        let (open, close, wrap) = (open.into(), String::new(), Wrap::default());
        self.elements.push(Element { text: at..at, parent, open, close, wrap, divides: false });
        self.elements.len() - 1
    }

    /// Whether an element can be opened inside another one.
    pub(crate) fn has_room(&self, parent: Option<usize>) -> bool {
        std::iter::successors(parent, |&parent| self.elements[parent].parent).take(DEEPEST).count() < DEEPEST
    }

    /// Ends an element.
    pub(crate) fn close(&mut self, element: usize, close: impl Into<String>) {
        let end = self.text.len();
        if let Some(element) = self.elements.get_mut(element) {
            (element.text.end, element.close) = (end, close.into());
        }
    }

    /// Ends the paragraph at this byte of the input and finds its sentences.
    pub(crate) fn end(&mut self, end: usize, how: &Sentences<'_>) {
        self.range.end = end;
        let copied = std::mem::take(&mut self.copied);
        let view = how.view(&self.text);
        let found = match how.splitter {
            Some(splitter) => splitter.sentences(&view),
            None => lines(&view),
        };
        let apart: Vec<Range<usize>> = copied.iter().map(|copied| copied.range.clone()).collect();
        let found = join_over(join_over(found, &find_in(&self.text, how.keep, how.style)), &apart);
        let whole = divided(&view, found, &self.breaks);
        let longest = how.longest;
        let cut = |range| match longest {
            Some(longest) => join_over(cut(&view, range, longest), &apart),
            None => vec![range],
        };
        let after_mark = |range: Range<usize>| {
            if !how.keep.placeholders {
                return range;
            }
            let inside = list::after_marks(&view, range.clone());
            // The number that is read for `{count}` in `{count}. week` is no mark: it would be written as it is read.
            let first = apart.partition_point(|thing| thing.end <= range.start);
            let last = apart.partition_point(|thing| thing.start < range.end);
            let things = apart.get(first..last).unwrap_or_default();
            let skips = things.first().is_some_and(|thing| thing.start < inside.start)
                || things.last().is_some_and(|thing| thing.end > inside.end);
            if skips { range } else { inside }
        };
        let parts: Vec<Range<usize>> = whole.into_iter().map(after_mark).flat_map(cut).collect();
        drop(view);
        if !self.rewritten.is_empty() {
            let ends = parts.iter().map(|part| part.end).chain([self.text.len()]);
            self.rewrites =
                ends.scan(0, |start, end| Some(self.rewrites_in(std::mem::replace(start, end)..end))).collect();
        }
        let mut copied = copied.into_iter().peekable();
        let cuts = self.cuts();
        for range in parts {
            let mut kept = Vec::new();
            while let Some(next) = copied.next_if(|next| next.range.end <= range.end) {
                kept.extend((next.range.start >= range.start).then_some(next));
            }
            let found = find_apart(&self.text, &range, |text| find_in(text, how.keep, how.style), &cuts);
            let keeps_lines = how.line_ends == LineEnds::Message && self.text[range.clone()].contains('\n');
            self.sentences.push(Sentence { keeps_lines, ..Sentence::new(&self.text, range, kept, found) });
        }
    }

    /// What is written for characters of a part of the text. A character that stands there as itself, too, is written
    /// as itself.
    fn rewrites_in(&self, part: Range<usize>) -> HashMap<char, String> {
        let first = self.rewritten.partition_point(|rewrite| rewrite.at < part.start);
        let last = self.rewritten.partition_point(|rewrite| rewrite.at < part.end);
        let mut counts: HashMap<char, (usize, &String)> = HashMap::new();
        for rewrite in &self.rewritten[first..last] {
            counts.entry(rewrite.character).or_insert((0, &rewrite.written)).0 += 1;
        }
        let text = &self.text[part];
        let always = counts.into_iter().filter(|(character, (count, _))| text.matches(*character).count() == *count);
        always.map(|(character, (_, written))| (character, written.clone())).collect()
    }

    /// The bytes of the text where elements begin or end, in order.
    pub(crate) fn cuts(&self) -> Vec<usize> {
        let mut cuts: Vec<usize> =
            self.elements.iter().flat_map(|element| [element.text.start, element.text.end]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }

    /// The bytes of the input that a part of the text stands for.
    pub(crate) fn origin(&self, part: &Range<usize>) -> Range<usize> {
        let first = self.origins.partition_point(|(text, _)| text.end <= part.start);
        let last = self.origins.partition_point(|(text, _)| text.start < part.end).saturating_sub(1);
        let start = self.origins.get(first).map_or(self.range.start, |(text, input)| {
            let inside = part.start.saturating_sub(text.start);
            if text.len() == input.len() { input.start + inside } else { input.start }
        });
        let end = self.origins.get(last).map_or(self.range.end, |(text, input)| {
            let inside = part.end.saturating_sub(text.start);
            if text.len() == input.len() { input.start + inside.min(input.len()) } else { input.end }
        });
        start..end.max(start)
    }
}

/// Characters that mark where a word may be divided and that no reader sees: soft hyphens, and blanks and joiners
/// without width. Those that change the form of letters (U+200C, U+200D) or the direction of text are read.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// How the sentences of a paragraph are found.
#[derive(Clone, Copy)]
pub(crate) struct Sentences<'a> {
    /// `None`: each line is a sentence.
    pub(crate) splitter: Option<&'a Splitter>,
    /// The weight of the longest sentence.
    pub(crate) longest: Option<usize>,
    /// The things that stay.
    pub(crate) keep: Keep,
    pub(crate) line_ends: LineEnds,
    /// What programs write into the text.
    pub(crate) notation: Notation,
    /// The way in which its arguments are named.
    pub(crate) style: Style,
    /// How its characters are written.
    pub(crate) escape: Escape,
}

/// What the ends of lines are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnds {
    /// Ends of sentences.
    Sentences,
    /// Ends of sentences, unless a sentence plainly goes on in the next line: its translation has as many lines.
    Message,
    /// Blanks inside paragraphs.
    Paragraphs,
    /// Blanks.
    Blanks,
}

/// What programs write into a text that is no markup.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Notation {
    /// Nothing but placeholders and the like.
    #[default]
    Prose,
    /// Text as it stands in sources of programs: `\n`, `\"` and `&copy;` are characters.
    Source,
}

impl Sentences<'_> {
    /// The text with blanks for the ends of lines that end no sentence; no byte moves.
    fn view<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut view = self.flat_view(text);
        if self.line_ends != LineEnds::Blanks && self.splitter.is_some() && text.contains("   ") {
            wrapped::divide_columns(text, view.to_mut());
        }
        match self.notation {
            Notation::Source if self.keep.placeholders => escapes::with_line_ends(view),
            _ => view,
        }
    }

    fn flat_view<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.line_ends {
            LineEnds::Blanks => text.replace(['\n', '\r', '\t', '\u{c}'], " ").into(),
            LineEnds::Paragraphs => wrapped::joined(text).into(),
            _ if self.splitter.is_none() => text.into(),
            LineEnds::Message if text.contains('\n') => with_tabs_apart(wrapped::with_whole_sentences(text).into()),
            LineEnds::Message | LineEnds::Sentences => with_tabs_apart(text.into()),
        }
    }
}

/// A tab divides the text of a menu from its key, or columns.
fn with_tabs_apart(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.contains('\t') { text.replace('\t', "\n").into() } else { text }
}

/// The lines without the white space around them.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').filter_map(|line| {
        let at = start;
        start += line.len();
        let indent = line.len() - line.trim_start().len();
        (!line.trim().is_empty()).then(|| at + indent..at + line.trim_end().len())
    });
    lines.collect()
}

/// Sentences end at these bytes, too.
fn divided(text: &str, sentences: Vec<Range<usize>>, breaks: &[usize]) -> Vec<Range<usize>> {
    let parts = sentences.into_iter().flat_map(|sentence| {
        let inside =
            breaks.partition_point(|&at| at <= sentence.start)..breaks.partition_point(|&at| at < sentence.end);
        let starts: Vec<usize> = std::iter::once(sentence.start).chain(breaks[inside].iter().copied()).collect();
        let ends = starts[1..].iter().copied().chain([sentence.end]);
        starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect::<Vec<_>>()
    });
    parts.filter_map(|part| trimmed(text, part)).collect()
}

/// No sentence ends inside a thing to copy.
fn join_over(sentences: Vec<Range<usize>>, copied: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(sentences.len());
    for sentence in sentences {
        if let Some(previous) = joined.last_mut() {
            let at = copied.partition_point(|kept| kept.end <= previous.end);
            if copied.get(at).is_some_and(|kept| kept.start < previous.end && kept.end > previous.end) {
                previous.end = sentence.end;
                continue;
            }
        }
        joined.push(sentence);
    }
    joined
}

/// The things of a sentence that stay because of their form; bytes of the sentence. Markup stands inside of none.
fn find_apart(
    text: &str,
    sentence: &Range<usize>,
    find: impl Fn(&str) -> Vec<Range<usize>>,
    cuts: &[usize],
) -> Vec<Range<usize>> {
    let cuts = &cuts[cuts.partition_point(|&cut| cut <= sentence.start)..];
    let apart = |found: Range<usize>| {
        let (start, end) = (found.start + sentence.start, found.end + sentence.start);
        let inside = cuts.partition_point(|&cut| cut <= start)..cuts.partition_point(|&cut| cut < end);
        if inside.is_empty() {
            return vec![found];
        }
        let starts = std::iter::once(&start).chain(&cuts[inside.clone()]);
        let parts = starts.zip(cuts[inside].iter().chain([&end]));
        let again = parts.flat_map(|(&from, &to)| {
            let from_sentence = from - sentence.start;
            find(&text[from..to]).into_iter().map(move |part| part.start + from_sentence..part.end + from_sentence)
        });
        again.collect()
    };
    find(&text[sentence.clone()]).into_iter().flat_map(apart).collect()
}

impl Sentence {
    fn new(text: &str, range: Range<usize>, copied: Vec<CopySpan>, found: Vec<Range<usize>>) -> Self {
        let sentence = &text[range.clone()];
        let mut kept: Vec<CopySpan> = copied;
        kept.iter_mut().for_each(|kept| kept.range = kept.range.start - range.start..kept.range.end - range.start);
        let given = kept.len();
        for found in found {
            let free = kept[..given].iter().all(|kept| kept.range.end <= found.start || found.end <= kept.range.start);
            if free {
                kept.push(CopySpan { range: found, written: None });
            }
        }
        kept.sort_by_key(|kept| kept.range.start);
        let mut last = 0;
        let mut has_words = false;
        for kept in &kept {
            has_words |= sentence[last..kept.range.start].contains(char::is_alphabetic);
            last = kept.range.end;
        }
        has_words |= sentence[last..].contains(char::is_alphabetic);
        Self { range, kept, has_words, keeps_lines: false }
    }
}
