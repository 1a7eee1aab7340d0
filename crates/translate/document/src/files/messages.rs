//! Messages of programs: strings of a file whose translations stand in their places.
//!
//! A format finds the strings, gives each a copy where its translation belongs, and says [how](Form) they are written.
//! Here access keys are taken out, and the texts inside [arguments](icu) are translated before the messages around
//! them.

use super::accelerators::{self, Markers};
use super::icu::{self, Argument, Sign};
use crate::block::{Block, LineEnds, Notation, Sentences};
use crate::escape::{Base, Escape};
use crate::markup::{Inset, InsetKind, Kind, Paragraphs, Part as Characters, Shown, Syntax, parts, scan, xml_part};
use crate::patterns::Style;
use crate::plain::tagged;
use crate::prepared::how;
use crate::split::Splitter;
use crate::{Error, Options, SegmentedText, Split};
use std::ops::Range;

/// How the strings of a format are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As they are.
    Text,
    /// With backslashes, as in C and JSON.
    Quoted,
    /// As a part of XML.
    Xml,
}

/// A string to translate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    /// Its bytes, without the marks around it.
    pub(crate) range: Range<usize>,
    /// What its place has as long as there is no translation; `None`: the message.
    pub(crate) before: Option<String>,
    /// The way in which its arguments are named.
    pub(crate) style: Style,
}

/// The strings of a file.
#[derive(Debug, Clone)]
pub(crate) struct Messages {
    pub(crate) text: String,
    pub(crate) all: Vec<Message>,
    pub(crate) markers: Markers,
    pub(crate) form: Form,
}

impl From<Sign> for InsetKind {
    fn from(sign: Sign) -> Self {
        match sign {
            Sign::Apostrophe => Self::Apostrophe,
            Sign::Kept => Self::Kept,
            Sign::Number(number) => Self::Number(number),
        }
    }
}

impl Form {
    /// A string with bytes in place of other signs; no byte moves.
    fn masked(self, raw: &str) -> String {
        let mut masked = String::with_capacity(raw.len());
        let hide = |masked: &mut String, bytes: usize| masked.extend(std::iter::repeat_n('\u{1}', bytes));
        match self {
            Self::Text => masked.push_str(raw),
            Self::Quoted => {
                let mut characters = raw.chars();
                while let Some(c) = characters.next() {
                    let next = if c == '\\' { characters.next() } else { None };
                    match next {
                        Some(next) => hide(&mut masked, 1 + next.len_utf8()),
                        None => masked.push(c),
                    }
                }
            }
            Self::Xml => {
                for token in scan(raw, Syntax::Xml) {
                    let text = &raw[token.range];
                    if token.kind != Kind::Text {
                        hide(&mut masked, text.len());
                        continue;
                    }
                    for part in parts(text, Syntax::Xml) {
                        match part {
                            Characters::Plain(text) => masked.push_str(text),
                            Characters::Character(_, length) | Characters::Unknown(_, length) => {
                                hide(&mut masked, length)
                            }
                        }
                    }
                }
            }
        }
        masked
    }

    fn escape(self) -> Escape {
        match self {
            Self::Text => Escape::None,
            Self::Quoted => Escape::Quoted,
            Self::Xml => Escape::Markup,
        }
    }

    /// How text inside ICU's messages is written.
    fn message_escape(self) -> Escape {
        Escape::Message(match self {
            Self::Text => Base::None,
            Self::Quoted => Base::Quoted,
            Self::Xml => Base::Markup,
        })
    }

    /// The sentences of its strings.
    fn how<'a>(self, splitter: &'a Splitter, options: &Options) -> Sentences<'a> {
        let line_ends = match self {
            Self::Text if options.split == Split::Wrapped => LineEnds::Paragraphs,
            Self::Text => LineEnds::Sentences,
            Self::Quoted => LineEnds::Message,
            Self::Xml => LineEnds::Blanks,
        };
        let notation = if self == Self::Xml { Notation::Prose } else { Notation::Source };
        Sentences { line_ends, notation, escape: self.escape(), ..how(splitter, options) }
    }
}

impl Messages {
    /// A text with messages in it: each line with arguments is one, and so is the text between them.
    pub(crate) fn text(text: String) -> Self {
        // A byte order mark is no text.
        let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut parts: Vec<Range<usize>> = Vec::new();
        let mut arguments = icu::arguments(&text[at..]);
        arguments.iter_mut().for_each(|argument| argument.shift(at));
        for Argument { range: argument, .. } in &arguments {
            let end = text[argument.end..].find('\n').map_or(text.len(), |end| argument.end + end);
            match parts.last_mut().filter(|last| last.end > argument.start || at > argument.start) {
                // One line has both.
                Some(last) => last.end = end,
                None => {
                    let start = text[at..argument.start].rfind('\n').map_or(at, |line| at + line + 1);
                    parts.extend([at..start, start..end]);
                }
            }
            at = end;
        }
        parts.push(at..text.len());
        let message = |range| Message { range, before: None, style: Style::Any };
        let all = parts.into_iter().filter(|part| !part.is_empty()).map(message).collect();
        Self { text, all, markers: Markers::default(), form: Form::Text }
    }

    /// The sentences of the messages; those inside arguments come last.
    pub(crate) fn read(self, options: &Options) -> Result<SegmentedText, Error> {
        let text = self.outer(options)?;
        let splitter = Splitter::new(&options.language);
        let how = self.form.how(&splitter, options);
        let mut inner = Vec::new();
        for message in &self.all {
            let how = Sentences { style: message.style, ..how };
            for text in icu::texts(&self.text, &self.arguments(&message.range, options)) {
                let insets = self.signs(&text.range, text.number);
                // A branch with half an element stays as it is.
                if let Ok(Some(mut block)) = self.block(text.range, &insets, options, &how) {
                    block.escape = Some(self.form.message_escape());
                    inner.push(block);
                }
            }
        }
        Ok(text.with_messages(inner, options, self))
    }

    /// The sentences outside arguments.
    pub(crate) fn outer(&self, options: &Options) -> Result<SegmentedText, Error> {
        let splitter = Splitter::new(&options.language);
        let how = self.form.how(&splitter, options);
        let mut blocks = Vec::new();
        for message in &self.all {
            let how = Sentences { style: message.style, ..how };
            let arguments = self.arguments(&message.range, options);
            let mut insets: Vec<Inset> = arguments
                .iter()
                .map(|argument| Inset { range: argument.range.clone(), kind: InsetKind::Argument })
                .collect();
            if arguments.is_empty() {
                insets.extend(self.access_key(&message.range));
            } else {
                let apart = |inset: &Inset| {
                    let next = arguments.partition_point(|argument| argument.range.end <= inset.range.start);
                    arguments.get(next).is_none_or(|next| inset.range.end <= next.range.start)
                };
                insets.extend(self.signs(&message.range, None).into_iter().filter(apart));
                insets.sort_by_key(|inset| inset.range.start);
            }
            let Some(mut block) = self.block(message.range.clone(), &insets, options, &how)? else { continue };
            block.range = message.range.clone();
            if !arguments.is_empty() {
                block.escape = Some(self.form.message_escape());
            } else {
                block.untranslated.clone_from(&message.before);
            }
            if let Some(key) = insets.iter().find(|inset| inset.kind == InsetKind::AccessKey) {
                accelerators::claim(&mut block, &self.text[key.range.clone()]);
            }
            blocks.push(block);
        }
        Ok(SegmentedText::from_blocks(self.text.clone(), blocks, self.form.escape()))
    }

    /// The messages after their arguments were translated. `text`: the new file; `moved`: the new byte for an old one
    /// outside arguments.
    pub(crate) fn translated(&self, text: &str, moved: &dyn Fn(usize) -> usize, options: &Options) -> Self {
        let mut messages = Self { text: String::with_capacity(text.len()), all: Vec::new(), ..self.clone() };
        let mut last = 0;
        for message in &self.all {
            let place = moved(message.range.start)..moved(message.range.end);
            messages.text.push_str(&text[last..place.start]);
            let start = messages.text.len();
            let raw = &text[place.clone()];
            if options.target.is_empty() || !icu::may_have_arguments(raw) {
                messages.text.push_str(raw);
            } else {
                messages.text.push_str(&icu::complete(raw, &self.form.masked(raw), &options.target));
            }
            messages.all.push(Message { range: start..messages.text.len(), ..message.clone() });
            last = place.end;
        }
        messages.text.push_str(&text[last..]);
        messages
    }

    /// The arguments with branches of a message.
    fn arguments(&self, message: &Range<usize>, options: &Options) -> Vec<Argument> {
        let raw = &self.text[message.clone()];
        if !options.keep.placeholders || !icu::may_have_arguments(raw) {
            return Vec::new();
        }
        let mut arguments = icu::arguments(&self.form.masked(raw));
        arguments.iter_mut().for_each(|argument| argument.shift(message.start));
        arguments
    }

    /// The signs of ICU in a text of a message.
    fn signs(&self, range: &Range<usize>, number: Option<&'static str>) -> Vec<Inset> {
        let masked = self.form.masked(&self.text[range.clone()]);
        let inset = |(found, sign): (Range<usize>, Sign)| Inset {
            range: range.start + found.start..range.start + found.end,
            kind: sign.into(),
        };
        icu::signs(&masked, number).into_iter().map(inset).collect()
    }

    /// The characters of a string, and where they stand.
    fn shown(&self, range: &Range<usize>) -> Shown {
        match self.form {
            Form::Text => Shown::plain(&self.text, range.clone()),
            Form::Quoted => Shown::quoted(&self.text, range.clone()),
            Form::Xml => Shown::xml(&self.text, range.clone()),
        }
    }

    /// The sign of a message's access key.
    fn access_key(&self, message: &Range<usize>) -> Option<Inset> {
        if self.markers.is_empty() {
            return None;
        }
        let shown = self.shown(message);
        let range = shown.origin(self.markers.find(&shown.text)?)?;
        Some(Inset { range, kind: InsetKind::AccessKey })
    }

    /// A paragraph.
    fn block(
        &self,
        range: Range<usize>,
        insets: &[Inset],
        options: &Options,
        how: &Sentences<'_>,
    ) -> Result<Option<Block>, Error> {
        if self.form == Form::Xml {
            return xml_part(&self.text, range, insets, &options.copied, how);
        }
        let shown = self.shown(&range);
        let mut paragraphs = Paragraphs::new(how);
        let mut at = 0;
        let arguments = insets.iter().filter(|inset| inset.kind == InsetKind::Argument);
        for inset in arguments {
            self.run(&mut paragraphs, &shown, at..shown.at(inset.range.start), insets);
            inset.read(&mut paragraphs, &self.text[inset.range.clone()], inset.range.clone());
            at = shown.at(inset.range.end);
        }
        self.run(&mut paragraphs, &shown, at..shown.text.len(), insets);
        Ok(paragraphs.finish(range.end).pop().map(|block| block.at(range)))
    }

    /// Reads a part of a string without arguments: its tags, and the text and the signs between them.
    fn run(&self, paragraphs: &mut Paragraphs<'_>, shown: &Shown, run: Range<usize>, insets: &[Inset]) {
        let origin = |part: Range<usize>| shown.range(run.start + part.start..run.start + part.end);
        let written = |part: Range<usize>| self.text[origin(part)].to_owned();
        let tags = paragraphs.keeps_tags();
        tagged(paragraphs, &shown.text[run.clone()], tags, &origin, &written, &mut |paragraphs, part| {
            let (mut at, end) = (run.start + part.start, run.start + part.end);
            let first = insets.partition_point(|inset| shown.at(inset.range.start) < at);
            for inset in insets[first..].iter().take_while(|inset| shown.at(inset.range.start) < end) {
                let start = shown.at(inset.range.start);
                if at < start {
                    paragraphs.text(&shown.text[at..start], shown.range(at..start));
                }
                inset.read(paragraphs, &self.text[inset.range.clone()], inset.range.clone());
                at = shown.at(inset.range.end);
            }
            if at < end {
                paragraphs.text(&shown.text[at..end], shown.range(at..end));
            }
        });
    }
}
