//! Parts of a text that are no text of its sentences: emoji, faces, marks of notes, tags of templates, signs around
//! words, signs between items, and what is read in another way.

use crate::block::{Notation, Sentences};
use crate::keep::{find, find_in};
use crate::templates::{self, Tag};
use crate::{marks, numbers};
use regex::Regex;
use std::cell::LazyCell;
use std::collections::HashSet;
use std::ops::{Deref, Range};
use std::sync::LazyLock;

/// Emoji and similar characters, with their joiners, colours, flags and keycaps.
static PICTURES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let keycap = r"[0-9#*]\x{fe0f}?\x{20e3}";
    // Pictures without a colour of their own, such as ✓, ⌨ and ⏱.
    let signs =
        r"[\x{2600}-\x{27bf}[\x{2300}-\x{25ff}\x{2b00}-\x{2bff}&&\p{Extended_Pictographic}]\x{1f000}-\x{1faff}]";
    let emoji = format!(r"(?:{keycap}|\p{{Emoji}}\x{{fe0f}}|\p{{Emoji_Presentation}}|{signs})");
    let more = r"[\x{fe0f}\x{fe0e}\x{20e3}\p{Emoji_Modifier}\x{e0020}-\x{e007f}]*";
    Regex::new(&format!(r"(?:{emoji}{more}(?:\x{{200d}}(?:{emoji}|\p{{Extended_Pictographic}}){more})*\x{{200d}}?)+"))
        .ok()
});

/// Whether markup is a picture, with a blank before it at most.
pub(crate) fn is_picture(raw: &str) -> bool {
    PICTURES.as_ref().and_then(|form| form.find(raw)).is_some_and(|at| at.start() <= 1)
}

/// Links of reStructuredText: the text, and what stands before and after it.
static LINKS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?::[A-Za-z][\w:.+-]*:)?`(?P<text>[^`<>\n]*[^`<>\s])\s*<[^`<>\n]+>`_{0,2}").ok());

/// Links of Markdown, which other texts have, too.
static BRACKETS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\[(?P<text>[^\[\]\n]*\p{L}[^\[\]\n]*)\]\([^()\s]+\)").ok());

/// What may be emphasis in a text: words between two equal signs.
static EMPHASIS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?P<open>\*{1,3}|_{1,2}|~~)(?P<text>[^\s*_~](?:[^*_~\n]*[^\s*_~])?)(?P<close>\*{1,3}|_{1,2}|~~)").ok()
});

/// A part of a text that is no text of a sentence.
pub(super) enum Special {
    Picture,
    /// The mark of a note.
    Mark,
    Tag(Tag),
    /// An argument that stands for a number, and the sign after it.
    Number(&'static str),
    /// Text that a translator reads in another way.
    ReadAs(String),
    /// The text of a link, or a text that is emphasised.
    Span(Range<usize>),
}

/// The name of the element of such a text.
pub(super) const SPAN: &str = "`";

/// Faces made of punctuation.
static FACES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[:;=8][-o^']?(?:[)(DPp/|*\\]|\]|\[)|<3|¯\\_\(ツ\)_/¯|\^_*\^").ok());

/// Elements in other brackets than those of HTML, as `[b]bold[/b]` and `{link}here{/link}`.
static BRACKET_TAGS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?:\[(?P<close>/?)(?P<name>[A-Za-z][\w-]*)(?:[= ][^\]\n]*)?\]|\{(?P<close2>/?)(?P<name2>[A-Za-z][\w-]*)\})",
    )
    .ok()
});

/// The tags of such elements that have an end.
fn bracket_tags(text: &str) -> Vec<(Range<usize>, Tag)> {
    if !text.contains("[/") && !text.contains("{/") {
        return Vec::new();
    }
    let tags = BRACKET_TAGS.iter().flat_map(|tags| tags.captures_iter(text)).filter_map(|tag| {
        let range = tag.get(0)?.range();
        let close = tag.name("close").or(tag.name("close2"))?;
        let name = tag.name("name").or(tag.name("name2"))?;
        // With the bracket: `{b}` does not end at `[/b]`.
        Some((range.clone(), !close.is_empty(), format!("{}{}", &text[range.start..range.start + 1], name.as_str())))
    });
    let tags: Vec<_> = tags.collect();
    let [opened, closed] = [false, true]
        .map(|closes| tags.iter().filter(|tag| tag.1 == closes).map(|tag| tag.2.clone()).collect::<HashSet<String>>());
    let pairs = tags.into_iter().filter(|(_, _, name)| opened.contains(name) && closed.contains(name));
    pairs.map(|(range, closes, name)| (range, if closes { Tag::Close(name) } else { Tag::Open(name) })).collect()
}

/// Signs that divide the items of a line, as in `Home · News`.
const SEPARATORS: [char; 8] = ['·', '•', '›', '▸', '❯', '‣', '∙', '|'];

/// The signs between items of a text: blanks stand around them, and words on both sides.
fn separators(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = signs_between_items(text).collect();
    for (separator, fewest) in [("; ", 3), (" / ", 2)] {
        found.extend(short_items(text, separator, fewest));
    }
    found.extend(RULES.iter().flat_map(|rules| rules.find_iter(text)).filter_map(|rule| divider(text, rule.range())));
    found.sort_by_key(|place| place.start);
    found
}

/// Runs of signs that lead the eye or are to be written on, as in `Introduction ........ 3` and `Name: ________`.
static RULES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:\. ?){5,}|…{2,}|_{3,}|[-–—]{4,}|={3,}|~{3,}|\*{3,}").ok());

/// The most dots that touch a word as the end of a thought, `I do not know......`. More, or dots before a number, lead
/// to it: `Introduction...... 3`.
const PAUSE: usize = 8;

/// The run without the blank at its end, unless it touches words.
fn divider(text: &str, run: Range<usize>) -> Option<Range<usize>> {
    let run = run.start..run.start + text[run.clone()].trim_end().len();
    let touches = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
    let [before, after] = [text[..run.start].chars().next_back(), text[run.end..].chars().next()];
    let has_number = text[run.end..].trim_start().starts_with(|c: char| c.is_ascii_digit());
    let leads = text[run.clone()].starts_with(['.', '…']) && (has_number || run.len() > PAUSE);
    ((leads || !touches(before)) && !touches(after)).then_some(run)
}

/// The most words of an item between semicolons or slashes: more are parts of a sentence.
const ITEM_WORDS: usize = 3;

/// The separators in lines that have nothing but short items between them, at least this number of them:
/// `bread; cheese; eggs`, `yes / no`.
fn short_items<'t>(text: &'t str, separator: &'t str, fewest: usize) -> impl Iterator<Item = Range<usize>> + 't {
    let is_item = |item: &str| {
        let words = item.split_whitespace().count();
        let is_sentence = item.trim_end_matches('.').contains(['.', ':', '!', '?']);
        // `Salt &amp; pepper`
        let is_reference = item.rsplit_once('&').is_some_and(|(_, name)| !name.starts_with(' '));
        let has_letters = item.chars().any(char::is_alphabetic);
        (1..=ITEM_WORDS).contains(&words) && has_letters && !is_sentence && !is_reference
    };
    let starts = text.split_inclusive('\n').scan(0, |at, line| Some((std::mem::replace(at, *at + line.len()), line)));
    let lists = starts.filter(move |(_, line)| {
        line.contains(separator) && line.split(separator).count() >= fewest && line.split(separator).all(is_item)
    });
    lists.flat_map(move |(start, line)| {
        let sign = separator.len() - separator.trim_start().len()..separator.trim_end().len();
        line.match_indices(separator).map(move |(at, _)| start + at + sign.start..start + at + sign.end)
    })
}

/// Signs that divide items wherever they stand between two words.
fn signs_between_items(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, ')' | '.' | '!' | '?' | '"'));
    text.match_indices(SEPARATORS).filter_map(move |(at, sign)| {
        let (before, after) = (&text[..at], &text[at + sign.len()..]);
        let is_apart = before.ends_with(' ') && after.starts_with(' ');
        let divides =
            is_apart && is_word(before.trim_end().chars().next_back()) && is_word(after.trim_start().chars().next());
        divides.then(|| at..at + sign.len())
    })
}

/// Words that a noun follows, so that a picture after them stands for one.
pub(super) const BEFORE_NOUNS: &[&str] = &[
    "a", "an", "the", "my", "your", "his", "her", "our", "their", "this", "that", "some", "of", "to", "from", "with",
    "for", "by", "and", "or", "like", "love", "want", "need", "ein", "eine", "einen", "einem", "einer", "der", "die",
    "das", "den", "dem", "mein", "meine", "meinen", "dein", "deine", "von", "zu", "zum", "zur", "nach", "aus", "mit",
    "für", "und", "oder", "mag", "liebe", "möchte", "brauche",
];

/// Words before which a noun ends.
pub(super) const AFTER_NOUNS: &[&str] = &[
    "and", "or", "to", "by", "in", "on", "at", "with", "from", "is", "are", "was", "were", "und", "oder", "nach",
    "mit", "von", "auf", "ist", "sind", "war", "waren",
];

/// Whether a text begins with punctuation that belongs to the words before it.
pub(super) fn closes_directly(text: &str) -> bool {
    let closes = |c: char| matches!(c, '.' | ',' | '!' | '?' | ';' | ':' | ')' | ']' | '}' | '"' | '”' | '“' | '»');
    text.starts_with(closes) && text.chars().nth(1).is_none_or(|next| !next.is_alphanumeric())
}

/// Where a picture begins, with the blank before it if punctuation follows: `you 😍!` reads `you!`.
pub(super) fn picture_start(before: &str, after: &str) -> usize {
    let inner = before.strip_suffix(' ').filter(|inner| inner.ends_with(char::is_alphanumeric));
    inner.filter(|_| closes_directly(after)).map_or(before.len(), str::len)
}

/// The emphasis in a text, with the text inside its signs: no letter touches the signs from outside.
fn emphasis(text: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = 0;
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '*' | '_' | '~'));
    while let Some(parts) = EMPHASIS.as_ref().and_then(|emphasis| emphasis.captures_at(text, at)) {
        let (Some(all), Some(open), Some(inner), Some(close)) =
            (parts.get(0), parts.name("open"), parts.name("text"), parts.name("close"))
        else {
            break;
        };
        let [before, after] = [text[..all.start()].chars().next_back(), text[all.end()..].chars().next()];
        let fits = open.as_str() == close.as_str() && !is_part(before) && !is_part(after);
        if fits && inner.as_str().contains(char::is_alphabetic) {
            found.push((all.range(), inner.range()));
            at = all.end();
        } else {
            at = open.end();
        }
    }
    found
}

/// The parts of a text that are no text of sentences, in order; not those inside things to copy. `before`: the text
/// of the paragraph before it.
pub(super) fn specials(text: &str, before: &str, how: &Sentences<'_>) -> Vec<(Range<usize>, Special)> {
    if !how.keep.placeholders {
        return Vec::new();
    }
    let kept = LazyCell::new(|| find(text, how.keep));
    let mut found: Vec<(Range<usize>, Special)> = Vec::new();
    if !text.is_ascii() || text.contains('\u{20e3}') {
        let pictures = PICTURES.iter().flat_map(|pictures| pictures.find_iter(text));
        found.extend(pictures.map(|picture| (picture.range(), Special::Picture)));
    }
    let faces = FACES.iter().flat_map(|faces| faces.find_iter(text)).map(|face| face.range()).filter(|face| {
        let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let after = text[face.end..].chars().next();
        is_blank(text[..face.start].chars().next_back())
            && (is_blank(after) || after.is_some_and(|c| matches!(c, '.' | ',' | '!' | '?' | ')')))
    });
    found.extend(faces.map(|face| (face, Special::Picture)));
    found.extend(separators(text).into_iter().map(|sign| (sign, Special::Tag(Tag::Divider))));
    if !text.is_ascii() || text.contains('/') {
        let raised = numbers::raised(text).into_iter();
        found.extend(raised.map(|(range, shown)| (range, Special::ReadAs(shown))));
    }
    let marks = marks::in_text(text, before);
    found.extend(marks.into_iter().map(|mark| (mark, Special::Mark)));
    if !found.is_empty() {
        found.retain(|(range, _)| {
            let next = kept.partition_point(|kept| kept.end <= range.start);
            kept.get(next).is_none_or(|kept| range.end <= kept.start)
        });
    }
    let tags = templates::tags(text);
    if text.contains(['%', '{', '$', ':', '#']) {
        let kept = find_in(text, how.keep, how.style).into_iter();
        let places: Vec<Range<usize>> = tags.iter().map(|(range, _)| range.clone()).collect();
        found.extend(kept.filter(|range| !templates::is_tag(&places, range)).filter_map(|range| {
            let thing = &text[range.clone()];
            let special = match thing.strip_suffix("%%") {
                Some(number) if numbers::is_number(number) => Special::Number("%"),
                // `%%` stands for one sign.
                Some(number) if number.bytes().all(|c| c.is_ascii_digit() || matches!(c, b'.' | b',')) => {
                    Special::ReadAs(format!("{number}%"))
                }
                None if numbers::is_number(thing) => Special::Number(""),
                _ => return None,
            };
            Some((range, special))
        }));
    }
    found.extend(bracket_tags(text).into_iter().map(|(range, tag)| (range, Special::Tag(tag))));
    found.extend(tags.into_iter().map(|(range, tag)| (range, Special::Tag(tag))));
    if how.notation == Notation::Source {
        found.extend(spans(text, &kept).into_iter().map(|(range, inner)| (range, Special::Span(inner))));
    }
    found.sort_by_key(|(range, _)| range.start);
    found
}

/// Links and emphasis of plain text, with the text inside their signs; no sign is inside a thing that is `kept`.
fn spans(text: &str, kept: &impl Deref<Target = Vec<Range<usize>>>) -> Vec<(Range<usize>, Range<usize>)> {
    let links = [(&LINKS, '`'), (&BRACKETS, '[')].into_iter().filter(|(_, sign)| text.contains(*sign));
    let links = links.flat_map(|(form, _)| form.iter()).flat_map(|form| form.captures_iter(text));
    let link = |link: regex::Captures<'_>| Some((link.get(0)?.range(), link.name("text")?.range()));
    let mut found: Vec<_> = links.filter_map(link).collect();
    if text.contains(['*', '_', '~']) {
        let emphasis = emphasis(text);
        if !emphasis.is_empty() {
            let around = |at: usize| kept.get(kept.partition_point(|kept| kept.end <= at));
            let is_whole = |(range, inner): &(Range<usize>, Range<usize>)| {
                let mut signs = [range.start, inner.start, inner.end, range.end].into_iter();
                let is_kept =
                    around(range.start).is_some_and(|kept| kept.start <= range.start && range.end <= kept.end);
                !is_kept && !signs.any(|at| around(at).is_some_and(|kept| kept.start < at))
            };
            found.extend(emphasis.into_iter().filter(is_whole));
        }
    }
    found
}
