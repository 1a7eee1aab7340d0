//! A translated paragraph as it is written: text, markup and things to copy.

use crate::answer::{Answer, RestoredTranslation, restore, unchanged};
use crate::block::{Block, Element, Wrap};
use crate::escape::Escape;
use crate::files::accelerators;
use crate::files::markdown::escape::fit;
use crate::place::{ElementPlace, ParagraphText, place};
use crate::split::{closes, opens};
use crate::units::Words;
use metaphrase_text::without_spaces;
use std::collections::HashMap;
use std::ops::Range;

/// A paragraph that was written.
#[derive(Debug, Default)]
pub(crate) struct WrittenParagraph {
    /// By sentence: its bytes in the output.
    pub(crate) sentences: Vec<Range<usize>>,
    /// By sentence: the number of things to copy that its translation lacked.
    pub(crate) inserted: Vec<usize>,
}

/// Appends the translation of a paragraph. `answers`: by sentence; a sentence without an answer stays as it is.
pub(crate) fn write(block: &Block, answers: &[Option<&Answer>], escape: Escape, out: &mut String) -> WrittenParagraph {
    let restored: Vec<RestoredTranslation> = block
        .sentences
        .iter()
        .zip(answers)
        .map(|(sentence, answer)| {
            let source = &block.text[sentence.range.clone()];
            answer.map_or_else(|| unchanged(sentence, source), |answer| restore(sentence, source, answer))
        })
        .collect();
    let inserted = restored.iter().map(|restored| restored.inserted).collect();
    let (joined, kept) = join(block, &restored);
    let mut placed = place(block, &joined);
    accelerators::place(block, &joined, kept.iter().map(|(range, _)| range), &mut placed);
    if matches!(escape, Escape::Markdown(_)) {
        let kept: Vec<Range<usize>> = kept.iter().map(|(range, _)| range.clone()).collect();
        fit(block, &joined.text, &kept, &mut placed);
    }
    let mut writer = Writer {
        joined: &joined,
        kept: &kept,
        escape,
        rewrites: &block.rewrites,
        out,
        starts: Vec::new(),
        ends: Vec::new(),
        at: 0,
        next_kept: 0,
        last: None,
    };
    writer.block(block, &placed);
    let sentences = writer.starts.iter().zip(&writer.ends).map(|(&start, &end)| start..end.max(start)).collect();
    WrittenParagraph { sentences, inserted }
}

/// A thing to copy in a text: its bytes there, and what is written for it.
type CopyPlace<'a> = (Range<usize>, Option<&'a str>);

/// One text from the translations of the sentences and the text between them; and its things to copy.
fn join<'a>(block: &'a Block, restored: &[RestoredTranslation]) -> (ParagraphText, Vec<CopyPlace<'a>>) {
    let (mut joined, mut kept) = (ParagraphText::default(), Vec::new());
    let cuts = block.cuts();
    let mut last = 0;
    for (sentence, restored) in block.sentences.iter().zip(restored) {
        let gap = &block.text[last..sentence.range.start];
        let around = (block.text[..last].chars().next_back(), block.text[sentence.range.start..].chars().next());
        joined.text.push_str(space_between(
            gap,
            around,
            (joined.text.chars().next_back(), restored.text.chars().next()),
        ));
        let start = joined.text.len();
        joined.text.push_str(&restored.text);
        joined.sentences.push(start..joined.text.len());
        let mut here: Vec<CopyPlace<'_>> = restored
            .kept
            .iter()
            .zip(&sentence.kept)
            .map(|(range, kept)| (start + range.start..start + range.end, kept.written.as_deref()))
            .collect();
        here.sort_by_key(|(range, _)| range.start);
        kept.extend(here);
        if !block.elements.is_empty() {
            let source_kept: Vec<Range<usize>> = sentence.kept.iter().map(|kept| kept.range.clone()).collect();
            let source = (&block.text[sentence.range.clone()], source_kept.as_slice());
            let [first, end] =
                [sentence.range.start, sentence.range.end].map(|at| cuts.partition_point(|&cut| cut < at));
            let cuts: Vec<usize> = cuts[first..end].iter().map(|cut| cut - sentence.range.start).collect();
            joined.words.push(Words::new(source, (&restored.text, &restored.kept), &restored.links, &cuts));
        }
        last = sentence.range.end;
    }
    joined.text.push_str(&block.text[last..]);
    (joined, kept)
}

/// The text between the translations of two sentences that have `gap` between them: languages with spaces between words
/// have one between sentences, others do not. `source`, `target`: the characters before and after it.
#[must_use]
pub fn space_between(gap: &str, source: (Option<char>, Option<char>), target: (Option<char>, Option<char>)) -> &str {
    let unspaced = |(before, after): (Option<char>, Option<char>)| {
        let wide =
            |c: char| without_spaces(c) || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}' | '“' | '”');
        before.is_some_and(wide) && after.is_some_and(wide)
    };
    match gap {
        "" if source.0.is_some() && unspaced(source) && !unspaced(target) => " ",
        " " if unspaced(target) && !unspaced(source) => "",
        gap => gap,
    }
}

/// The markup that is written at a place.
enum Event {
    Open(usize),
    Close(usize),
}

struct Writer<'a> {
    joined: &'a ParagraphText,
    kept: &'a [CopyPlace<'a>],
    escape: Escape,
    /// By sentence, with the text before it: what is written for characters.
    rewrites: &'a [HashMap<char, String>],
    out: &'a mut String,
    /// Where sentences begin and end in the output.
    starts: Vec<usize>,
    ends: Vec<usize>,
    /// The bytes of the joined text that are written.
    at: usize,
    next_kept: usize,
    /// The last character that was written, or [`MARKER`].
    last: Option<char>,
}

/// What stands for a marker among the characters that were written.
const MARKER: char = '\u{fffc}';

impl Writer<'_> {
    fn block(&mut self, block: &Block, placed: &[ElementPlace]) {
        let mut inside: Vec<usize> = Vec::new();
        for (at, event) in events(block, placed) {
            let wrap = inside.last().map_or(&block.wrap, |&element| &block.elements[element].wrap);
            self.text(at, wrap);
            match event {
                Event::Open(element) => {
                    let place = &placed[element];
                    let touches = place.apart_before && self.last.is_some_and(is_letter);
                    if (place.blank_before && self.ends_word()) || touches {
                        self.blank(wrap);
                    }
                    self.pass(at, true);
                    if !self.is_lost(&block.elements[element], &placed[element]) {
                        self.out.push_str(&block.elements[element].open);
                    }
                    inside.push(element);
                }
                Event::Close(element) => {
                    if !self.is_lost(&block.elements[element], &placed[element]) {
                        self.out.push_str(&block.elements[element].close);
                    }
                    inside.pop();
                    self.pass(at, false);
                    if placed[element].range.is_empty() {
                        self.last = Some(MARKER);
                    }
                    if block.elements[element].divides && self.at == at && self.joined.text[at..].starts_with(' ') {
                        self.at += 1;
                    }
                    let (place, rest) = (&placed[element], &self.joined.text[at..]);
                    let touches = place.apart_after && rest.starts_with(is_letter);
                    if (place.blank_after && begins_word(rest)) || touches {
                        self.blank(inside.last().map_or(&block.wrap, |&element| &block.elements[element].wrap));
                    }
                }
            }
        }
        self.text(self.joined.text.len(), &block.wrap);
        self.pass(self.joined.text.len(), true);
    }

    /// Whether an element has no text any more and would only be in the way: signs of Markdown, which would be text
    /// themselves (`****`), and what was raised or lowered (`2<sup>nd</sup>`, which is `2.` in German).
    fn is_lost(&self, element: &Element, place: &ElementPlace) -> bool {
        let is_emptied = place.range.is_empty() && !element.text.is_empty();
        let has_signs = matches!(self.escape, Escape::Markdown(_))
            && element.open == element.close
            && element.open.chars().all(|c| matches!(c, '*' | '_' | '~' | '^' | '=' | '+'));
        is_emptied && (has_signs || matches!(&*element.open, "<sup>" | "<sub>"))
    }

    /// Notes the ends of sentences up to this byte; with `starts` their beginnings, too.
    fn pass(&mut self, at: usize, starts: bool) {
        let (sentences, len) = (&self.joined.sentences, self.out.len());
        while sentences
            .get(self.ends.len())
            .is_some_and(|sentence| sentence.end <= at && self.starts.len() > self.ends.len())
        {
            self.ends.push(len);
        }
        while starts && sentences.get(self.starts.len()).is_some_and(|sentence| sentence.start <= at) {
            self.starts.push(len);
            while sentences
                .get(self.ends.len())
                .is_some_and(|sentence| sentence.end <= at && self.starts.len() > self.ends.len())
            {
                self.ends.push(len);
            }
        }
    }

    /// Whether something was written that a blank may stand after.
    fn ends_word(&self) -> bool {
        self.last.is_some_and(|last| match last {
            last if is_quote(last) => {
                self.joined.text[..self.at].chars().rev().nth(1).is_some_and(|before| !before.is_whitespace())
            }
            last => !last.is_whitespace() && !opens(last),
        })
    }

    /// Writes a blank next to a marker.
    fn blank(&mut self, wrap: &Wrap) {
        self.out.push_str(&wrap.before);
        self.out.push(' ');
        self.out.push_str(&wrap.after);
        self.last = Some(' ');
    }

    /// Writes characters as the input writes them, others by these rules.
    fn characters(&mut self, text: &str, escape: Escape) {
        let Some(rewrites) = self.rewrites.get(self.ends.len()).filter(|rewrites| !rewrites.is_empty()) else {
            return escape.push(self.out, text);
        };
        for character in text.chars() {
            let mut same = [0; 4];
            let same = &*character.encode_utf8(&mut same);
            escape.push(self.out, rewrites.get(&character).map_or(same, String::as_str));
        }
    }

    /// Writes the text up to a byte.
    fn text(&mut self, end: usize, wrap: &Wrap) {
        if self.at >= end {
            return;
        }
        self.pass(self.at, true);
        self.out.push_str(&wrap.before);
        while self.at < end {
            self.pass(self.at, true);
            let kept = self.kept.get(self.next_kept);
            if let Some((range, written)) = kept.filter(|(range, _)| range.start <= self.at) {
                let shown = &self.joined.text[range.clone()];
                match written {
                    Some(written) => self.out.push_str(written),
                    None => self.characters(shown, self.escape.of_copies()),
                }
                self.at = range.end.max(self.at);
                self.next_kept += 1;
                continue;
            }
            let stops = [
                kept.map(|(range, _)| range.start),
                self.joined.sentences.get(self.starts.len()).map(|sentence| sentence.start),
                self.joined.sentences.get(self.ends.len()).map(|sentence| sentence.end),
            ];
            let stop = stops.into_iter().flatten().filter(|&stop| stop > self.at).min().unwrap_or(end).min(end);
            self.characters(&self.joined.text[self.at..stop], self.escape);
            self.at = stop;
        }
        self.last = self.joined.text[..self.at].chars().next_back();
        self.pass(self.at, false);
        self.out.push_str(&wrap.after);
    }
}

/// Whether a text begins with something that a blank may stand before.
fn begins_word(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|c| match c {
        // The next character shows whether a quotation begins or ends.
        c if is_quote(c) => characters.next().is_some_and(char::is_alphanumeric),
        '.' | ',' | ';' | ':' | '!' | '?' | '…' | '%' | '。' | '、' | '，' | '！' | '？' | '：' | '；' => {
            false
        }
        c => !c.is_whitespace() && !closes(c),
    })
}

/// Whether a blank stands between this character and a word.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && !without_spaces(c)
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '‘'..='‟' | '«' | '»' | '‹' | '›')
}

/// Beginnings and ends of the elements, in the order in which they are written.
fn events(block: &Block, placed: &[ElementPlace]) -> Vec<(usize, Event)> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); block.elements.len() + 1];
    for (number, element) in block.elements.iter().enumerate() {
        children[element.parent.map_or(0, |parent| parent + 1)].push(number);
    }
    for children in &mut children {
        // An empty element precedes the element that begins there, unless it follows it in the source.
        children.sort_by_key(|&child| (placed[child].range.start, placed[child].range.end, child));
    }
    let mut events = Vec::with_capacity(2 * placed.len());
    let mut waiting: Vec<(usize, bool)> = children[0].iter().rev().map(|&child| (child, true)).collect();
    while let Some((element, opens)) = waiting.pop() {
        if opens {
            events.push((placed[element].range.start, Event::Open(element)));
            waiting.push((element, false));
            waiting.extend(children[element + 1].iter().rev().map(|&child| (child, true)));
        } else {
            events.push((placed[element].range.end, Event::Close(element)));
        }
    }
    events
}
