//! Messages in XLIFF 1.2 and 2: targets are written where there are none yet.
//!
//! Each untranslated source is copied to its target, and the copy is translated in its place.

use super::accelerators::Markers;
use super::edits::{Edit, NewPart, apply, attribute as set, same_language};
use super::messages::{Form, Message, Messages};
use crate::markup::{Kind, Shown, Syntax, Token, attribute, ends, scan};
use crate::patterns::Style;
use crate::{Entries, Options};
use std::collections::HashMap;
use std::ops::Range;

/// Elements whose sources are proposals of others.
const PROPOSALS: &[&str] = &["alt-trans", "match", "matches"];

/// States of targets that are no translations yet, if they say what the source says.
const UNTRANSLATED: &[&str] = &["new", "needs-translation", "needs-adaptation", "needs-l10n", "initial"];

/// The messages of a file, how many have a translation already, and how many there are.
pub(crate) fn messages(text: &str, options: &Options) -> (Messages, usize, usize) {
    let tokens = scan(text, Syntax::Xml);
    let reader = Reader { text, ends: ends(&tokens), tokens: &tokens, entries: options.files.entries };
    let (mut edits, mut left, mut all) = (Vec::new(), 0, 0);
    // By element that is open: its tokens, and whether its messages are translated.
    let mut open: Vec<(Range<usize>, bool)> = Vec::new();
    let mut number = 0;
    while let Some(token) = tokens.get(number) {
        number += 1;
        while open.pop_if(|(range, _)| range.end < number).is_some() {}
        let Kind::Open(name, closed) = &token.kind else { continue };
        edits.extend(reader.language(number - 1, name, &options.target));
        let (false, Some(end)) = (closed, reader.ends[number - 1]) else { continue };
        let (parent, translated) = open.last().cloned().unwrap_or((0..tokens.len(), true));
        if short(name) != "source" {
            let told = attribute(&text[token.range.clone()], "translate").map(|told| told != "no");
            open.push((number - 1..end, told.unwrap_or(translated) && !PROPOSALS.contains(&short(name))));
            continue;
        }
        if translated {
            let unit = reader.unit(number - 1..end, parent);
            all += 1;
            let found = reader.edits(&unit);
            left += usize::from(found.is_empty() && unit.target.is_some());
            edits.extend(found);
        }
        number = end + 1;
    }
    let (text, parts) = apply(text, edits);
    let markers = Markers::new(parts.iter().map(|part| Shown::xml(&text, part.range.clone()).text), None);
    let message = |NewPart { range, before }| Message { range, before: Some(before), style: Style::Any };
    let messages = parts.into_iter().map(message).collect();
    (Messages { text, all: messages, markers, form: Form::Xml }, left, all)
}

/// A name without its prefix.
fn short(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// A message: numbers of the first and the last token of its elements.
struct Unit {
    source: Range<usize>,
    /// The source divided into segments.
    segments: Option<Range<usize>>,
    target: Option<Range<usize>>,
    /// The element around them.
    parent: usize,
}

struct Reader<'t> {
    text: &'t str,
    tokens: &'t [Token],
    ends: Vec<Option<usize>>,
    entries: Entries,
}

impl<'t> Reader<'t> {
    fn raw(&self, token: usize) -> &'t str {
        &self.text[self.tokens[token].range.clone()]
    }

    /// The bytes between the tags of an element.
    fn inner(&self, element: &Range<usize>) -> Range<usize> {
        let start = self.tokens[element.start].range.end;
        start..self.tokens[element.end].range.start.max(start)
    }

    /// The change of the element that names the language of the targets.
    fn language(&self, token: usize, name: &str, target: &str) -> Option<Edit> {
        let key = match short(name) {
            "file" if attribute(self.raw(token), "source-language").is_some() => "target-language",
            "xliff" if attribute(self.raw(token), "srcLang").is_some() => "trgLang",
            _ => return None,
        };
        let known = attribute(self.raw(token), key).is_some_and(|known| same_language(known, target));
        if known || target.is_empty() {
            return None;
        }
        set(self.text, self.tokens[token].range.clone(), key, target)
    }

    /// The message of a source inside an element.
    fn unit(&self, source: Range<usize>, parent: Range<usize>) -> Unit {
        let mut unit = Unit { source: source.clone(), segments: None, target: None, parent: parent.start };
        let mut number = source.end + 1;
        while number < parent.end.min(self.tokens.len()) {
            let end = self.ends[number].unwrap_or(number);
            match &self.tokens[number].kind {
                Kind::Open(name, _) if short(name) == "target" => {
                    unit.target = Some(number..end);
                    break;
                }
                // The sentences of the source stand between source and target.
                Kind::Open(name, _) if short(name) == "seg-source" => unit.segments = Some(number..end),
                Kind::Open(name, _) if short(name) == "source" => break,
                _ => {}
            }
            number = end + 1;
        }
        unit
    }

    /// The segments inside an element: their names and the bytes of their content.
    fn segments(&self, element: &Range<usize>) -> Vec<(&'t str, Range<usize>)> {
        let segment = |number: usize| {
            let Kind::Open(name, closed) = &self.tokens[number].kind else { return None };
            let is_segment = short(name) == "mrk" && attribute(self.raw(number), "mtype") == Some("seg");
            let end = if *closed { number } else { self.ends[number]? };
            is_segment.then(|| (attribute(self.raw(number), "mid").unwrap_or_default(), self.inner(&(number..end))))
        };
        (element.start + 1..element.end).filter_map(segment).collect()
    }

    /// The changes that give a message a target to translate; none if it has a translation.
    fn edits(&self, unit: &Unit) -> Vec<Edit> {
        let mut segments = unit.segments.as_ref().map_or_else(Vec::new, |segments| self.segments(segments));
        let whole = unit.segments.as_ref().filter(|_| !segments.is_empty()).unwrap_or(&unit.source);
        let source = self.inner(whole);
        if segments.is_empty() {
            segments.push(("", source.clone()));
        }
        let copy = &self.text[source.clone()];
        let mut parts: Vec<Range<usize>> =
            segments.iter().map(|(_, part)| part.start - source.start..part.end - source.start).collect();
        if !Shown::xml(self.text, source.clone()).text.contains(char::is_alphabetic) {
            // A message without words is its own translation.
            if copy.trim().is_empty() {
                return Vec::new();
            }
            parts.clear();
        }
        let Some(target) = &unit.target else {
            let after = self.tokens[unit.segments.as_ref().unwrap_or(whole).end].range.end;
            let new = self.new_target(after, unit, copy, parts);
            return std::iter::once(new).chain(self.state(unit)).collect();
        };
        let inner = self.inner(target);
        let is_empty = self.text[inner.clone()].trim().is_empty();
        let divided = self.segments(target);
        let mut found = if is_empty || (divided.is_empty() && self.is_free(unit, &source, &inner)) {
            match self.tokens[target.start].kind {
                Kind::Open(_, true) => vec![self.opened_target(target.start, copy, parts)],
                _ => vec![Edit { range: inner, with: copy.to_owned(), parts }],
            }
        } else {
            self.segment_edits(unit, &segments, divided)
        };
        if !found.is_empty() {
            found.extend(self.state(unit));
        }
        found
    }

    /// A new target after a source.
    fn new_target(&self, at: usize, unit: &Unit, copy: &str, parts: Vec<Range<usize>>) -> Edit {
        let Kind::Open(name, _) = &self.tokens[unit.source.start].kind else { return Edit::new(at..at, "") };
        let prefix = &name[..name.len() - short(name).len()];
        let open = format!("<{prefix}target>");
        let parts = parts.into_iter().map(|part| open.len() + part.start..open.len() + part.end).collect();
        let with = format!("{open}{copy}</{prefix}target>");
        Edit { range: at..at, with, parts }
    }

    /// A target that was one empty tag.
    fn opened_target(&self, tag: usize, copy: &str, parts: Vec<Range<usize>>) -> Edit {
        let range = self.tokens[tag].range.clone();
        let Kind::Open(name, _) = &self.tokens[tag].kind else { return Edit::new(range, self.raw(tag)) };
        let parts = parts.into_iter().map(|part| 1 + part.start..1 + part.end).collect();
        // The tag's end alone changes, so that its attributes can change, too.
        Edit { range: range.end - 2..range.end, with: format!(">{copy}</{name}>"), parts }
    }

    /// The segments of a target that are empty, or say what the source says.
    fn segment_edits(
        &self,
        unit: &Unit,
        segments: &[(&str, Range<usize>)],
        divided: Vec<(&str, Range<usize>)>,
    ) -> Vec<Edit> {
        let mut edits = Vec::new();
        let sources: HashMap<&str, &Range<usize>> = segments.iter().map(|(name, source)| (*name, source)).collect();
        for (name, place) in divided {
            let Some(&source) = sources.get(name) else { continue };
            let is_empty = self.text[place.clone()].trim().is_empty();
            let closed = is_empty && self.text[..place.start].ends_with("/>");
            let copy = &self.text[source.clone()];
            if closed {
                let start = place.start - 2;
                let part = 1..1 + copy.len();
                edits.push(Edit { range: start..place.start, with: format!(">{copy}</mrk>"), parts: vec![part] });
            } else if is_empty || self.is_free(unit, source, &place) {
                let part = 0..copy.len();
                edits.push(Edit { range: place, with: copy.to_owned(), parts: vec![part] });
            }
        }
        edits
    }

    /// Whether a target may be replaced: it is a copy of its source that no one translated, or all that nobody approved
    /// are replaced.
    fn is_free(&self, unit: &Unit, source: &Range<usize>, target: &Range<usize>) -> bool {
        let words = |range: &Range<usize>| self.text[range.clone()].split_whitespace().collect::<Vec<_>>();
        let Some(element) = &unit.target else { return false };
        let state = attribute(self.raw(element.start), "state").or_else(|| attribute(self.raw(unit.parent), "state"));
        // A segment of XLIFF 2 without a state is in the first one.
        let is_segment = matches!(&self.tokens[unit.parent].kind, Kind::Open(name, _) if short(name) == "segment");
        let untranslated = state.map_or(is_segment, |state| UNTRANSLATED.contains(&state));
        let approved = attribute(self.raw(unit.parent), "approved") == Some("yes");
        !approved && (self.entries == Entries::All || (untranslated && words(source) == words(target)))
    }

    /// The change of a state that was there.
    fn state(&self, unit: &Unit) -> Option<Edit> {
        let of_target = unit.target.as_ref().map(|target| (target.start, "needs-review-translation"));
        let states = of_target.into_iter().chain([(unit.parent, "translated")]);
        let (token, state) = states.into_iter().find(|(token, _)| attribute(self.raw(*token), "state").is_some())?;
        set(self.text, self.tokens[token].range.clone(), "state", state)
    }
}
