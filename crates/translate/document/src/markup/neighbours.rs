//! Elements that touch words: marks of notes, which belong to no word, and neighbours that are words of their own.

use super::{BLOCKS, Kind, Part, Reader, attribute, parts};
use crate::marks::{Form, is_mark};

/// The most tags and texts of a mark.
const MARK: usize = 16;

impl Reader<'_> {
    /// Whether the element from token `start` to token `end` is the mark of a note next to a word.
    pub(crate) fn marks_note(&self, start: usize, end: usize) -> bool {
        let tag = &self.input[self.tokens[start].range.clone()];
        let Kind::Open(name, false) = &self.tokens[start].kind else { return false };
        if end - start > MARK {
            return false;
        }
        let inner = &self.tokens[start + 1..end];
        let is_raised = |name: &str| matches!(name, "sup" | "superscript");
        let told = || {
            let mut values = ["class", "style", "epub:type", "role"].into_iter().filter_map(|key| attribute(tag, key));
            values.any(|value| value.contains("super") || value.contains("noteref"))
        };
        let has_raised = inner.iter().any(|token| matches!(&token.kind, Kind::Open(name, _) if is_raised(name)));
        let form = match name.as_str() {
            name if is_raised(name) || told() => Form::Raised,
            "a" if has_raised => Form::Raised,
            "a" => Form::Link,
            _ => return false,
        };
        let mut shown = String::new();
        for token in inner {
            match &token.kind {
                Kind::Open(name, _) | Kind::Close(name) if BLOCKS.contains(&name.as_str()) => return false,
                Kind::Text => shown.push_str(&self.first_text(token.range.clone(), usize::MAX)),
                _ => {}
            }
        }
        let before = self.paragraphs.text_before();
        if form == Form::Raised && before.trim().is_empty() {
            // Before the first word of a note.
            let next = self.tokens.get(end + 1).filter(|next| next.kind == Kind::Text);
            let touches = next.is_some_and(|next| self.input[next.range.clone()].starts_with(char::is_alphanumeric));
            return touches && is_mark(&shown, form, "word");
        }
        is_mark(&shown, form, before)
    }

    /// Whether the element that begins here, right after another one, begins a word, as in
    /// `<span>First</span><span>Second</span>`. A word may be divided among elements, too, so both sides must
    /// look like words.
    pub(crate) fn divides_words(&self, start: usize) -> bool {
        let before = self.paragraphs.text_before();
        let (Some(Kind::Close(closed)), Kind::Open(opened, false)) =
            (start.checked_sub(1).map(|before| &self.tokens[before].kind), &self.tokens[start].kind)
        else {
            return false;
        };
        if BLOCKS.contains(&closed.as_str())
            || matches!(opened.as_str(), "sup" | "sub")
            || matches!(closed.as_str(), "sup" | "sub")
        {
            return false;
        }
        let text = self.tokens[start..].iter().take(MARK).find(|token| token.kind == Kind::Text);
        let after = text.map_or_else(String::new, |token| self.first_text(token.range.clone(), 200));
        let (Some(last), Some(first)) = (before.chars().next_back(), after.chars().next()) else { return false };
        if !last.is_alphanumeric() || !first.is_alphanumeric() {
            return false;
        }
        let letters = |word: &mut dyn Iterator<Item = char>| word.take_while(|c| c.is_alphabetic()).take(20).count();
        let (left, right) = (letters(&mut before.chars().rev()), letters(&mut after.chars()));
        let cased = last.is_lowercase() && first.is_uppercase() && left >= 3;
        let counted = (left >= 3 && first.is_numeric()) || (last.is_numeric() && right >= 3);
        let phrase = |text: &str| text.trim().contains(char::is_whitespace);
        let shown = start.checked_sub(2).map(|inner| &self.tokens[inner]).filter(|token| token.kind == Kind::Text);
        let phrases = shown.is_some_and(|token| phrase(&self.input[token.range.clone()])) && phrase(&after);
        cased || counted || phrases || (closed == "a" && opened == "a")
    }

    /// Whether the element that begins here is one more item of a row of elements, as the links of a navigation bar: no
    /// text stands outside of them, and each begins as a sentence does.
    pub(crate) fn is_next_item(&self, start: usize) -> bool {
        let before = |number: usize| start.checked_sub(number).map(|before| &self.tokens[before]);
        let is_blank =
            |token: &super::Token| token.kind == Kind::Text && self.input[token.range.clone()].trim().is_empty();
        let closed = match before(1) {
            Some(token) if is_blank(token) => before(2),
            token => token,
        };
        let (Some(Kind::Close(closed)), Kind::Open(opened, false)) =
            (closed.map(|token| &token.kind), &self.tokens[start].kind)
        else {
            return false;
        };
        let text = self.tokens[start + 1..].iter().take(MARK).find(|token| token.kind == Kind::Text);
        let after = text.map_or_else(String::new, |token| self.first_text(token.range.clone(), 200));
        closed == opened
            && self.paragraphs.is_in_elements()
            && self.paragraphs.text_before().trim_end().ends_with(char::is_alphanumeric)
            && after.starts_with(|c: char| c.is_uppercase() || c.is_numeric())
    }

    /// Whether the end of a line that stands here is inside a sentence: nothing ends before it, and a small letter
    /// follows.
    pub(crate) fn breaks_inside(&self, number: usize) -> bool {
        let before = self.paragraphs.text_before().trim_end();
        let ends = before.chars().next_back().is_none_or(|last| !last.is_alphanumeric() && last != ',');
        let after = self.tokens.get(number + 1).filter(|next| next.kind == Kind::Text);
        let next = after.map_or_else(String::new, |token| self.first_text(token.range.clone(), 200));
        !ends && next.trim_start().starts_with(char::is_lowercase)
    }

    /// The first characters of a text token.
    fn first_text(&self, range: std::ops::Range<usize>, longest: usize) -> String {
        let mut shown = String::new();
        for part in parts(&self.input[range], self.syntax) {
            match part {
                Part::Plain(text) => shown.push_str(&text[..text.floor_char_boundary(longest.min(text.len()))]),
                Part::Character(c, _) => shown.push(c),
                Part::Unknown(name, _) => shown.push_str(name),
            }
            if shown.len() >= longest {
                break;
            }
        }
        shown
    }
}
