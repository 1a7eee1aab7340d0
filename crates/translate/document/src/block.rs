//! A paragraph: its text, its sentences, and the markup inside it.

use crate::cut::cut;
use crate::files::subtitles::Layout;
use crate::keep::{CopySpan, Keep, find};
use crate::split::Splitter;
use crate::write::Escape;
use std::borrow::Cow;
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

    /// Appends text that stands for these bytes of the input.
    pub(crate) fn push(&mut self, text: &str, origin: Range<usize>) {
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
        self.copied.push(CopySpan { range: start..self.text.len(), written: Some(written.to_owned()) });
    }

    /// Begins an element inside the element `parent`; gives its number. An element that lies too deep has none.
    pub(crate) fn open(&mut self, open: impl Into<String>, parent: Option<usize>) -> usize {
        let at = self.text.len();
        let element = Element { text: at..at, parent, open: open.into(), close: String::new(), wrap: Wrap::default() };
        self.elements.push(element);
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
        let whole = join_over(found, &copied);
        let longest = how.longest;
        let cut = |range| match longest {
            Some(longest) => join_over(cut(&view, range, longest), &copied),
            None => vec![range],
        };
        let parts: Vec<Range<usize>> = whole.into_iter().flat_map(cut).collect();
        drop(view);
        let mut copied = copied.into_iter().peekable();
        let cuts = self.cuts();
        for range in parts {
            let mut kept = Vec::new();
            while let Some(next) = copied.next_if(|next| next.range.end <= range.end) {
                kept.extend((next.range.start >= range.start).then_some(next));
            }
            let found = find_apart(&self.text, &range, how.keep, &cuts);
            self.sentences.push(Sentence::new(&self.text, range, kept, found));
        }
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

/// How the sentences of a paragraph are found.
pub(crate) struct Sentences<'a> {
    /// `None`: each line is a sentence.
    pub(crate) splitter: Option<&'a Splitter>,
    /// The weight of the longest sentence.
    pub(crate) longest: Option<usize>,
    /// The things that stay.
    pub(crate) keep: Keep,
    /// Whether the ends of lines are blanks: `Some(true)`: all; `Some(false)`: those inside paragraphs.
    pub(crate) flat: Option<bool>,
}

impl Sentences<'_> {
    /// The text with blanks for the ends of lines that end no sentence; no byte moves.
    fn view<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.flat {
            Some(true) => text.replace(['\n', '\r', '\t', '\u{c}'], " ").into(),
            Some(false) => {
                let mut view = String::with_capacity(text.len());
                let mut lines = text.split_inclusive('\n').peekable();
                while let Some(line) = lines.next() {
                    let inside = !line.trim().is_empty() && lines.peek().is_some_and(|next| !next.trim().is_empty());
                    if inside { view.push_str(&line.replace(['\n', '\r'], " ")) } else { view.push_str(line) }
                }
                view.into()
            }
            // A tab divides the text of a menu from its key, or columns.
            None if self.splitter.is_some() && text.contains('\t') => text.replace('\t', "\n").into(),
            None => text.into(),
        }
    }
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

/// No sentence ends inside a thing to copy.
fn join_over(sentences: Vec<Range<usize>>, copied: &[CopySpan]) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(sentences.len());
    for sentence in sentences {
        if let Some(previous) = joined.last_mut() {
            let at = copied.partition_point(|kept| kept.range.end <= previous.end);
            if copied.get(at).is_some_and(|kept| kept.range.start < previous.end && kept.range.end > previous.end) {
                previous.end = sentence.end;
                continue;
            }
        }
        joined.push(sentence);
    }
    joined
}

/// The things of a sentence that stay because of their form; bytes of the sentence. Markup stands inside of none.
fn find_apart(text: &str, sentence: &Range<usize>, keep: Keep, cuts: &[usize]) -> Vec<Range<usize>> {
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
            find(&text[from..to], keep)
                .into_iter()
                .map(move |part| part.start + from_sentence..part.end + from_sentence)
        });
        again.collect()
    };
    find(&text[sentence.clone()], keep).into_iter().flat_map(apart).collect()
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
        Self { range, kept, has_words }
    }
}
