//! Access keys of menus and buttons: the sign before a letter, as in `&File` and `_Open`.
//!
//! The sign is taken out of the message before it is translated, and put before the same letter of the translation, or
//! before its first letter.

use crate::block::Block;
use crate::place::{ElementPlace, ParagraphText};
use std::ops::Range;

/// The signs.
const MARKERS: [char; 2] = ['&', '_'];

/// Messages of more words have no access key inside a word, and longer ones have none.
const WORDS: usize = 4;
const LONGEST: usize = 200;

/// The signs that a catalogue has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Markers(Vec<char>);

impl Markers {
    /// The sign that a catalogue names, or those that mark a key in most of the messages that have them before a
    /// letter.
    pub(crate) fn new(messages: impl Iterator<Item = impl AsRef<str>>, named: Option<char>) -> Self {
        if let Some(named) = named {
            return Self(vec![named]);
        }
        // By sign: messages with an access key, and messages that have the sign before another letter.
        let mut counts = [(0_usize, 0_usize); MARKERS.len()];
        for message in messages {
            for (marker, (keys, others)) in MARKERS.into_iter().zip(&mut counts) {
                if stands_before_letter(message.as_ref(), marker) {
                    *if find(message.as_ref(), marker).is_some() { keys } else { others } += 1;
                }
            }
        }
        let usual = MARKERS.into_iter().zip(counts).filter(|(_, (keys, others))| keys > others);
        Self(usual.map(|(marker, _)| marker).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The byte of the sign in a message with an access key.
    pub(crate) fn find(&self, message: &str) -> Option<usize> {
        self.0.iter().find_map(|&marker| find(message, marker))
    }
}

fn stands_before_letter(message: &str, marker: char) -> bool {
    message.match_indices(marker).any(|(at, _)| message[at + 1..].starts_with(char::is_alphabetic))
}

/// The byte of the one sign in a message that marks an access key.
fn find(message: &str, marker: char) -> Option<usize> {
    if message.len() > LONGEST {
        return None;
    }
    let short = message.split_whitespace().count() <= WORDS;
    let mut found = None;
    let mut skipped = 0;
    for (at, _) in message.match_indices(marker) {
        let (before, rest) = (message[..at].chars().next_back(), &message[at + marker.len_utf8()..]);
        let next = rest.chars().next();
        if at < skipped {
            continue;
        }
        if next == Some(marker) {
            // Two signs stand for one.
            skipped = at + 2 * marker.len_utf8();
            continue;
        }
        let inside = before.is_some_and(|c| c.is_alphanumeric() || c == marker);
        let in_name =
            marker == '_' && inside && (!short || message.matches('_').count() > 1 || rest.contains(['(', '=', '.']));
        let in_name = in_name || (marker == '_' && is_inside_name(&message[..at], rest));
        let in_capitals = inside && next.is_some_and(char::is_uppercase);
        let reference = marker == '&' && is_reference(rest);
        let placeholder =
            before.is_some_and(|c| matches!(c, '%' | '{' | '$' | '/' | '\\' | '#' | '@' | '?' | '=' | '<'));
        if next.is_none_or(|next| !next.is_alphanumeric()) || in_name || in_capitals || reference || placeholder {
            continue;
        }
        if found.replace(at).is_some() {
            return None;
        }
    }
    found
}

/// Whether a sign is inside a name of programs after other words, such as `user_name`: in small letters, at least three
/// of them on each side.
fn is_inside_name(before: &str, after: &str) -> bool {
    let is_other = |c: char| !c.is_alphanumeric();
    let first = before.rsplit(is_other).next().unwrap_or_default();
    let last = after.split(is_other).next().unwrap_or_default();
    let is_small = |part: &str| part.chars().count() >= 3 && part.chars().all(|c| c.is_lowercase() || c.is_numeric());
    first.len() < before.len() && is_small(first) && is_small(last)
}

/// Whether the name of a character follows.
fn is_reference(rest: &str) -> bool {
    let name = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    !name.is_empty() && rest[name.len()..].starts_with(';')
}

/// Makes the element whose text is the sign the access key of a paragraph. `written`: the sign.
pub(crate) fn claim(block: &mut Block, written: &str) {
    let is_sign = |element: &crate::block::Element| element.open == written && element.close.is_empty();
    let Some(element) = block.elements.iter().position(is_sign) else { return };
    let at = block.elements[element].text.start;
    let Some(letter) = block.text[at..].chars().next() else { return };
    block.elements[element].parent = None;
    block.access_key = Some((element, letter));
}

/// Puts the access key before its letter of the translation, outside the things to copy.
pub(crate) fn place<'k>(
    block: &Block,
    joined: &ParagraphText,
    kept: impl Iterator<Item = &'k Range<usize>> + Clone,
    placed: &mut [ElementPlace],
) {
    let Some((element, letter)) = block.access_key else { return };
    // Markup is written whole: the sign stands outside of it where it can.
    let around: Vec<Range<usize>> = placed
        .iter()
        .enumerate()
        .filter(|(number, _)| *number != element)
        .map(|(_, place)| place.range.clone())
        .collect();
    let free = |at: &usize| {
        kept.clone().all(|kept| *at < kept.start || *at >= kept.end)
            && around.iter().all(|around| *at <= around.start || *at >= around.end)
    };
    let text = &joined.text;
    let at = |wanted: &dyn Fn(char, Option<char>) -> bool| {
        let found = |(at, c): (usize, char)| wanted(c, text[..at].chars().next_back()).then_some(at);
        text.char_indices().filter_map(found).find(free)
    };
    let same = |c: char| c.to_lowercase().eq(letter.to_lowercase());
    let starts_word = |before: Option<char>| before.is_none_or(|before| !before.is_alphanumeric());
    let place = at(&|c, before| same(c) && starts_word(before))
        .or_else(|| at(&|c, _| same(c)))
        .or_else(|| at(&|c, _| c.is_alphanumeric()));
    let place = place.unwrap_or(0);
    placed[element] = ElementPlace { range: place..place, ..ElementPlace::default() };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn access_keys_are_found() {
        for (message, marker, at) in [
            ("&File", '&', Some(0)),
            ("Save &as...", '&', Some(5)),
            ("E&xit", '&', Some(1)),
            ("Cut && &paste", '&', Some(7)),
            ("R&B", '&', None),
            ("AT&T", '&', None),
            ("Rock&Roll", '&', None),
            ("Black & white", '&', None),
            ("a &lt; b", '&', None),
            ("_Open the file", '_', Some(0)),
            ("Cu_t", '_', Some(2)),
            ("the option max_size of this file", '_', None),
            ("max_size_of", '_', None),
            ("Open user_name file", '_', None),
            ("Save as te_xt", '_', Some(10)),
            ("Prefer_ences", '_', Some(6)),
            ("&A and &B", '&', None),
            ("~Save as", '~', Some(0)),
        ] {
            assert_eq!(find(message, marker), at, "{message}");
        }
        let markers = |messages: &[&str], named| Markers::new(messages.iter(), named);
        assert_eq!(markers(&["&File", "_Edit", "R&B", "Save &as"], None), Markers(vec!['&', '_']));
        assert_eq!(markers(&["_File", "&copy; 2024"], None), Markers(vec!['_']));
        assert!(markers(&["R&B", "max_size_of"], None).is_empty());
        assert_eq!(markers(&["&File", "Salt & pepper", "Black & white"], None), Markers(vec!['&']));
        assert_eq!(markers(&["File"], Some('~')), Markers(vec!['~']));
    }
}
