//! Plain text: the whole text is one paragraph, unless it has tags.

use crate::block::{Block, Sentences};
use crate::marks::{Form, is_mark};
use crate::markup::{Paragraphs, Syntax, references};
use crate::patterns;
use regex::Regex;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

/// Text in the form of a tag; `5 < 6` and `<name@example.org>` do not. Times and codes of subtitles do: `<00:01.000>`,
/// `{\an8}`.
static TAG: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"<(/?)([A-Za-z][\w.:-]*|\d[\d:.]*)((?:\s[^<>]*?)?)(/?)>|\{\\[^{}\s]+\}").ok());

/// Elements that are copied with their content.
const CODE: &[&str] = &["code", "kbd", "samp", "tt", "var"];

/// Elements that end sentences. Names of others, as `button` and `link`, stand for parts of sentences in many messages.
const DIVIDERS: &[&str] = &[
    "blockquote",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];

/// Elements of HTML inside sentences.
const HTML: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "del", "dfn", "em", "font", "i", "ins", "label", "mark", "q", "s",
    "small", "span", "strike", "strong", "sub", "sup", "u",
];

/// The ends of elements; `</c>` ends `<c.yellow>`.
static ENDS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"</([A-Za-z0-9][\w:-]*)").ok());

/// Elements without an end.
const VOID: &[&str] = &["br", "hr", "img", "wbr"];

/// The paragraphs of a text. `tags`: whether tags are markup.
pub(crate) fn paragraphs(text: &str, tags: bool, how: &Sentences<'_>) -> Vec<Block> {
    // A byte order mark is no text.
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    part(text, start..text.len(), tags, false, how)
}

/// The paragraph of a part of a text, if it has words. `with_references`: whether the text has references, as `&amp;`.
pub(crate) fn part(
    text: &str,
    part: Range<usize>,
    tags: bool,
    with_references: bool,
    how: &Sentences<'_>,
) -> Vec<Block> {
    let mut paragraphs = Paragraphs::new(how);
    let origin = |range: Range<usize>| part.start + range.start..part.start + range.end;
    let inner = &text[part.clone()];
    tagged(&mut paragraphs, inner, tags, &origin, &|range| inner[range].to_owned(), &mut |paragraphs, range| {
        if with_references {
            references(paragraphs, text, origin(range), Syntax::Html);
        } else {
            paragraphs.text(&inner[range.clone()], origin(range));
        }
    });
    paragraphs.finish(part.end)
}

/// The bytes of the input that bytes of a text stand for.
pub(crate) type Origin<'a> = &'a dyn Fn(Range<usize>) -> Range<usize>;

/// Reads a text as parts of a paragraph: its tags, if `tags`, and the text between them, by `read`. `written`: how a
/// tag is written in the output.
pub(crate) fn tagged(
    paragraphs: &mut Paragraphs<'_>,
    text: &str,
    tags: bool,
    origin: Origin<'_>,
    written: &dyn Fn(Range<usize>) -> String,
    read: &mut dyn FnMut(&mut Paragraphs<'_>, Range<usize>),
) {
    let tags = tags && text.contains(['<', '{']);
    // What looks like a tag in code is code.
    let mut code = Vec::new();
    if tags {
        code.extend(patterns::code(text).into_iter().chain(patterns::arguments(text, paragraphs.style())));
        code.sort_by_key(|code| code.start);
    }
    let ends = if tags { ends(text) } else { HashSet::new() };
    let mut last = 0;
    for tag in TAG.iter().filter(|_| tags).flat_map(|tag| tag.captures_iter(text)) {
        let Some(all) = tag.get(0).map(|all| all.range()) else { continue };
        let [closes, name, attributes, closed] = [1, 2, 3, 4].map(|group| tag.get(group).map(|found| found.as_str()));
        let next = code.partition_point(|code| code.end <= all.start);
        if all.start < last || code.get(next).is_some_and(|code| code.start <= all.start) {
            continue;
        }
        if all.start > last {
            read(paragraphs, last..all.start);
        }
        let note =
            name.filter(|_| closes == Some("")).and_then(|name| note_end(text, &all, name, paragraphs.text_before()));
        if let Some(end) = note {
            last = end;
            paragraphs.marker(&written(all.start..end), origin(all).start);
            continue;
        }
        let code = name.filter(|name| closes == Some("") && CODE.contains(name));
        if let Some(end) = code.and_then(|name| element_end(text, &all, name)) {
            last = end;
            let shown = TAG.as_ref().map_or(Cow::Borrowed(""), |tag| tag.replace_all(&text[all.start..end], ""));
            paragraphs.copied(&shown, &written(all.start..end), origin(all.start..end));
            continue;
        }
        last = all.end;
        let (raw, place) = (written(all.clone()), origin(all));
        let Some(name) = name else {
            paragraphs.marker(&raw, place.start);
            continue;
        };
        let tag = Tag {
            name,
            closes: closes == Some("/"),
            is_empty: closed == Some("/") || attributes.is_some_and(|attributes| attributes.ends_with('/')),
            is_name: attributes == Some("") && is_name(name, &text[last..], &ends),
        };
        tag.read(paragraphs, &raw, place);
    }
    if last < text.len() {
        read(paragraphs, last..text.len());
    }
}

/// The names of the elements that end in a text.
fn ends(text: &str) -> HashSet<&str> {
    ENDS.iter().flat_map(|end| end.captures_iter(text)).filter_map(|end| Some(end.get(1)?.as_str())).collect()
}

/// Whether a name in brackets is no element but stands for something: `<Enter>`, `<file>`. `after`: the text after it.
fn is_name(name: &str, after: &str, ends: &HashSet<&str>) -> bool {
    let touches = after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '{' | '%' | '$' | '<'));
    let has_end = name.split('.').next().is_some_and(|kind| ends.contains(kind));
    name.starts_with(char::is_alphabetic) && !has_end && !HTML.contains(&name) && !touches
}

/// A tag in a text.
struct Tag<'t> {
    name: &'t str,
    /// Whether it ends an element.
    closes: bool,
    /// Whether it is a whole element: `<x/>`.
    is_empty: bool,
    /// Whether it may stand for something.
    is_name: bool,
}

impl Tag<'_> {
    /// Reads it as a part of a paragraph.
    fn read(&self, paragraphs: &mut Paragraphs<'_>, raw: &str, place: Range<usize>) {
        let is_one_of = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(self.name));
        // `</c>` ends `<c.yellow>`.
        let kind = self.name.split('.').next().unwrap_or(self.name);
        let divides = is_one_of(DIVIDERS);
        if divides {
            paragraphs.divide();
        }
        match self.closes {
            true => paragraphs.close(kind, raw, place.start),
            false if is_one_of(VOID) => paragraphs.marker(raw, place.start),
            false if self.is_empty || self.is_name => paragraphs.named(raw, place),
            false => paragraphs.open(kind, raw, place.start),
        }
        if divides {
            paragraphs.divide();
        }
    }
}

/// The most bytes of an element that is looked at as a whole.
const LONGEST: usize = 200;

/// The end of the short element that begins with this tag.
fn element_end(text: &str, tag: &Range<usize>, name: &str) -> Option<usize> {
    let rest = &text[tag.end..text.floor_char_boundary(tag.end + LONGEST)];
    let close = format!("</{name}>");
    Some(tag.end + rest.find(&close)? + close.len())
}

/// The end of an element that begins with this tag and marks a note, as `<sup>1</sup>`.
fn note_end(text: &str, tag: &Range<usize>, name: &str, before: &str) -> Option<usize> {
    let form = match name {
        "sup" => Form::Raised,
        "a" => Form::Link,
        _ => return None,
    };
    let end = element_end(text, tag, name)?;
    let inner = &text[tag.end..end];
    let form = if inner.contains("<sup") { Form::Raised } else { form };
    is_mark(&TAG.as_ref()?.replace_all(inner, ""), form, before).then_some(end)
}
