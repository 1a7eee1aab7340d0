//! Files of messages, such as those of programs: each message is a text of its own, which is written back in the form
//! that its file asks for.

use super::accelerators::{self, Markers};
use super::message::{Message, MessageForm, MessagePlace, Messages, pattern};
use super::reading::Reading;
use super::{icu, messages, rst};
use crate::block::{LineEnds, Notation, Sentences};
use crate::escape::Escape;
use crate::markup::{Paragraphs, xml_part};
use crate::plain::tagged;
use crate::{Error, SegmentedText};
use regex::Regex;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// A file whose messages are texts.
#[derive(Debug)]
pub(crate) struct MessageFile {
    input: String,
    messages: Vec<Message>,
    /// Messages about the file.
    pub(crate) notes: Vec<String>,
}

/// A code in braces.
static CODE: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"\{[^{}]*\}"));

impl MessageFile {
    /// A file and the texts of its messages.
    pub(crate) fn new(
        input: String,
        found: Messages,
        reading: &Reading<'_>,
    ) -> Result<(Self, Vec<SegmentedText>), Error> {
        let Messages { mut messages, kept, markers, notes } = found;
        let reader = TextReader { kept, markers: &markers, reading };
        messages.sort_by_key(|message| message.range.start);
        let (mut texts, mut last) = (Vec::with_capacity(messages.len()), 0);
        // Only a broken file has messages that overlap; the first of them is translated.
        messages.retain(|message| {
            let apart = message.range.start >= last;
            last = if apart { message.range.end } else { last };
            apart
        });
        for message in &messages {
            texts.push(reader.read(message)?);
        }
        Ok((Self { input, messages, notes }, texts))
    }

    /// The file with the translations of all messages. `None`: a message was not translated.
    pub(crate) fn write(&self, translations: &[Option<&str>]) -> String {
        let mut output = String::with_capacity(self.input.len());
        let mut last = 0;
        for (message, translation) in self.messages.iter().zip(translations) {
            let translation = match (message.place, translation) {
                (MessagePlace::Source, Some(translation)) if *translation == message.text => continue,
                (MessagePlace::Part, None) => message.text.as_str(),
                (_, None) => continue,
                (_, Some(translation)) => *translation,
            };
            output.push_str(&self.input[last..message.range.start]);
            output.push_str(&(message.encode)(&with_no_break_spaces(&message.text, translation)));
            last = message.range.end;
        }
        output.push_str(&self.input[last..]);
        output
    }
}

/// Reads the texts of messages.
struct TextReader<'a> {
    /// Things that stay, in addition to those of all texts.
    kept: Option<&'static Regex>,
    markers: &'a Markers,
    reading: &'a Reading<'a>,
}

impl TextReader<'_> {
    /// The sentences of a message.
    fn read(&self, message: &Message) -> Result<SegmentedText, Error> {
        let (text, how) = (message.text.as_str(), self.reading.lines());
        match message.form {
            MessageForm::Xml(names) => {
                let names = names.iter().map(|&name| name.to_owned());
                let copied: Vec<String> = self.reading.options.copied.iter().cloned().chain(names).collect();
                let blocks = xml_part(text, 0..text.len(), &[], &copied, &how)?.into_iter().collect();
                Ok(SegmentedText::from_blocks(text.to_owned(), blocks, Escape::Markup))
            }
            MessageForm::Codes => {
                let mut paragraphs = Paragraphs::new(&how);
                for (part, is_code) in parts(text, 0..text.len(), CODE.as_ref()) {
                    match is_code {
                        true => paragraphs.marker(&text[part.clone()], part.start),
                        false => paragraphs.text(&text[part.clone()], part),
                    }
                }
                Ok(SegmentedText::from_blocks(text.to_owned(), paragraphs.finish(text.len()), Escape::None))
            }
            MessageForm::Rst => Ok(rst::inline::read(text, &how)),
            MessageForm::Text if how.keep.placeholders && !icu::arguments(text).is_empty() => {
                messages::Messages::text(text.to_owned()).read(self.reading.options)
            }
            MessageForm::Text => Ok(self.text(text, &how)),
        }
    }

    /// The sentences of a text. Its characters may be written as programs and pages write them: `&copy;`, `\"`.
    fn text(&self, text: &str, how: &Sentences<'_>) -> SegmentedText {
        let how = Sentences { notation: Notation::Source, line_ends: LineEnds::Message, ..*how };
        let key = self.markers.find(text).filter(|_| how.keep.placeholders);
        let mut paragraphs = Paragraphs::new(&how);
        let read = |paragraphs: &mut Paragraphs<'_>, part: Range<usize>| {
            if !part.is_empty() {
                paragraphs.text(&text[part.clone()], part);
            }
        };
        for piece in divided(text) {
            let origin = |range: Range<usize>| piece.start + range.start..piece.start + range.end;
            let inner = &text[piece.clone()];
            let written = |range: Range<usize>| inner[range].to_owned();
            tagged(&mut paragraphs, inner, how.keep.placeholders, &origin, &written, &mut |paragraphs, part| {
                for (part, stays) in parts(text, origin(part), self.kept.filter(|_| how.keep.placeholders)) {
                    match key.filter(|key| part.contains(key)) {
                        _ if stays => paragraphs.copied(&text[part.clone()], &text[part.clone()], part),
                        None => read(paragraphs, part),
                        Some(key) => {
                            read(paragraphs, part.start..key);
                            paragraphs.marker(sign(text, key), key);
                            read(paragraphs, key + sign(text, key).len()..part.end);
                        }
                    }
                }
            });
            paragraphs.end(piece.end);
        }
        let mut blocks = paragraphs.finish(text.len());
        if let Some(key) = key {
            blocks.iter_mut().for_each(|block| accelerators::claim(block, sign(text, key)));
        }
        SegmentedText::from_blocks(text.to_owned(), blocks, Escape::None)
    }
}

/// The character of a text at a byte.
fn sign(text: &str, at: usize) -> &str {
    &text[at..text.ceil_char_boundary(at + 1)]
}

/// The parts of a message that tabs divide, and bars between blanks, as plural forms of Vue and parts of titles;
/// `{{ a | b }}` is one thing.
fn divided(text: &str) -> Vec<Range<usize>> {
    let (mut pieces, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '|' if depth == 0 && text[..at].ends_with(' ') && text[at + 1..].starts_with(' ') => {
                pieces.push(start..at);
                start = at + 1;
            }
            '\t' => {
                pieces.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(start..text.len());
    pieces
}

/// The parts of a text, and whether each is one of the things that stay.
fn parts(text: &str, part: Range<usize>, kept: Option<&Regex>) -> Vec<(Range<usize>, bool)> {
    let (mut parts, mut last) = (Vec::new(), part.start);
    for found in kept.iter().flat_map(|kept| kept.find_iter(&text[part.clone()])) {
        let (start, end) = (part.start + found.start(), part.start + found.end());
        if start > last {
            parts.push((last..start, false));
        }
        if end > start {
            parts.push((start..end, true));
            last = end;
        }
    }
    if last < part.end {
        parts.push((last..part.end, false));
    }
    parts
}

/// A translation with the spaces of its source that allow no break, where it has a blank next to the same word: `5 km`.
fn with_no_break_spaces<'t>(source: &str, translation: &'t str) -> Cow<'t, str> {
    const MOST_SPACES: usize = 100;
    const SPACES: [char; 2] = ['\u{a0}', '\u{202f}'];
    if !source.contains(SPACES) {
        return translation.into();
    }
    let mut found = translation.to_owned();
    for (at, space) in source.match_indices(SPACES).take(MOST_SPACES) {
        let before = source[..at].rsplit(char::is_whitespace).next().unwrap_or_default();
        let after = source[at + space.len()..].split(char::is_whitespace).next().unwrap_or_default();
        // The number is the same in both languages, and so is a placeholder.
        let place = [(format!("{before} "), before.len()), (format!(" {after}"), 0)]
            .into_iter()
            .find_map(|(part, blank)| (part.len() > 1).then(|| found.find(&part).map(|at| at + blank)).flatten());
        if let Some(at) = place {
            found.replace_range(at..at + 1, space);
        }
    }
    found.into()
}
