//! The signs inside a paragraph of reStructuredText: literals, roles, references, emphasis.

use crate::SegmentedText;
use crate::block::{LineEnds, Sentences};
use crate::escape::Escape;
use crate::files::message::pattern;
use crate::markup::Paragraphs;
use regex::{Captures, Regex};
use std::ops::Range;
use std::sync::LazyLock;

/// Roles whose text readers see, and whose target stands in angle brackets.
const TITLED: &[&str] = &["ref", "doc", "any", "term", "numref", "download", "std:ref", "std:doc"];

/// Roles that are another way to write emphasis.
const EMPHASIS: &[&str] = &["emphasis", "strong", "title-reference", "title", "t"];

/// Emphasis goes over at most this number of other signs.
const MOST_INSIDE: usize = 100;

/// A sign, and all that belongs to it.
static SIGNS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?s)(?<escape>\\.)",
        r"|(?<literal>``.+?``+)",
        r"|(?<target>_`[^`]+`)",
        r"|(?<open>(?::(?<role>[A-Za-z][\w.+:-]*):)?`)(?<inner>[^`]+)`(?<after>:[A-Za-z][\w.+:-]*:|__?)?",
        r"|(?<note>\[(?:\d+|#[\w.-]*|\*|[A-Za-z][\w.-]*)\]_\b)",
        r"|(?<replaced>\|[^\s|](?:[^|]*[^\s|])?\|_{0,2})",
        r"|(?<address>[A-Za-z][A-Za-z+.-]*://[^\s<>]+)",
        r"|(?<star>\*{1,2})",
        r"|(?<reference>\b[A-Za-z0-9]+(?:[-_.:+][A-Za-z0-9]+)*__?\b)",
    ))
});

/// A title and the target after it.
static TITLE: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(?s)^(?<title>.*[^\s])(?<target>\s+<[^<>]+>)$"));

/// The sentences of a paragraph.
pub(crate) fn read(text: &str, how: &Sentences<'_>) -> SegmentedText {
    let how = Sentences { line_ends: LineEnds::Blanks, ..*how };
    let signs: Vec<Captures<'_>> = SIGNS.iter().flat_map(|signs| signs.captures_iter(text)).collect();
    let mut reader = Reader { text, paragraphs: Paragraphs::new(&how), emphasis: None, last: 0 };
    for (number, sign) in signs.iter().enumerate() {
        reader.sign(sign, &signs[number + 1..]);
    }
    reader.plain(text.len());
    SegmentedText::from_blocks(text.to_owned(), reader.paragraphs.finish(text.len()), Escape::Rst)
}

/// The bytes of the signs of a paragraph in which names of other places stand, as they are written.
pub(super) fn references(text: &str) -> impl Iterator<Item = String> + '_ {
    SIGNS.iter().flat_map(|signs| signs.captures_iter(text)).filter_map(|sign| {
        if let Some(reference) = sign.name("reference") {
            return Some(name(reference.as_str().trim_end_matches('_')));
        }
        let inner = sign.name("inner").filter(|_| sign.name("after").is_some_and(|after| after.as_str() == "_"))?;
        Some(name(inner.as_str()))
    })
}

/// A name as names are compared: in small letters, with single blanks.
pub(super) fn name(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Reads a paragraph sign by sign.
struct Reader<'a> {
    text: &'a str,
    paragraphs: Paragraphs<'a>,
    /// The byte at which the emphasis that is open ends.
    emphasis: Option<usize>,
    /// The end of the last sign.
    last: usize,
}

impl Reader<'_> {
    /// The text up to a sign.
    fn plain(&mut self, end: usize) {
        if self.last < end {
            self.paragraphs.text(&self.text[self.last..end], self.last..end);
        }
        self.last = self.last.max(end);
    }

    /// A sign. `next`: those after it.
    fn sign(&mut self, sign: &Captures<'_>, next: &[Captures<'_>]) {
        let Some(range) = sign.get(0).map(|all| all.range()) else { return };
        let raw = on_one_line(&self.text[range.clone()]);
        if sign.name("star").is_some() {
            return self.star(range, next);
        }
        let starts_word = !self.text[..range.start].ends_with(char::is_alphanumeric);
        let is_part = sign.name("reference").is_some() && !ends_reference(&self.text[range.end..]);
        // Between letters these are no signs.
        if sign.name("address").is_some() || is_part || (!starts_word && sign.name("escape").is_none()) {
            return;
        }
        self.plain(range.start);
        self.last = range.end;
        if let Some(escape) = sign.name("escape") {
            match escape.as_str()[1..].trim() {
                // A blank that divides signs from words.
                "" => self.paragraphs.marker(&raw, range.start),
                character => {
                    // It divides a sign from what follows.
                    if self.text[..range.start].ends_with(['*', '`', '|', '_']) {
                        self.paragraphs.marker("\\", range.start);
                    }
                    self.paragraphs.text(character, range);
                }
            }
        } else if sign.name("note").is_some() {
            self.paragraphs.marker(&raw, range.start);
        } else if let Some(inner) = sign.name("inner") {
            self.interpreted(sign, inner.range(), &raw, range);
        } else {
            let shown = raw.trim_matches(['`', '|', '_']).to_owned();
            self.paragraphs.copied(&shown, &raw, range);
        }
    }

    /// A text in backticks.
    fn interpreted(&mut self, sign: &Captures<'_>, inner: Range<usize>, raw: &str, range: Range<usize>) {
        let group = |name: &str| sign.name(name).map_or("", |found| found.as_str());
        let (role, open, after) = (group("role"), group("open"), group("after"));
        let text = &self.text[inner.clone()];
        let titled = TITLE.as_ref().and_then(|title| title.captures(text));
        let target = titled.as_ref().and_then(|titled| titled.name("target"));
        let is_reference = after.starts_with('_');
        let close = match target {
            Some(target) if TITLED.contains(&role) || is_reference => {
                format!("{}`{after}", &on_one_line(target.as_str()))
            }
            // The name that others refer to stays; the text next to it is another one, and no name itself.
            None if after == "_" && !text.contains(['<', '\\', '`']) => format!(" <{}_>`__", on_one_line(text)),
            None if after == "__" || EMPHASIS.contains(&role) => format!("`{after}"),
            _ => {
                let shown = text.trim_start_matches(['~', '!']);
                return self.paragraphs.copied(shown, raw, range);
            }
        };
        let end = target.map_or(inner.end, |target| inner.start + target.start());
        self.paragraphs.open("`", open, range.start);
        self.paragraphs.text(&self.text[inner.start..end], inner.start..end);
        self.paragraphs.close("`", &close, end);
    }

    /// One or two stars, which begin or end emphasis or stand for themselves.
    fn star(&mut self, range: Range<usize>, next: &[Captures<'_>]) {
        let raw = &self.text[range.clone()];
        if self.emphasis == Some(range.start) {
            self.plain(range.start);
            self.paragraphs.close("*", raw, range.start);
            (self.emphasis, self.last) = (None, range.end);
            return;
        }
        if self.emphasis.is_some() || !self.begins(&range) {
            return;
        }
        let same = |sign: &&Captures<'_>| sign.name("star").is_some_and(|star| star.as_str() == raw);
        let ends = next.iter().take(MOST_INSIDE).filter(same).filter_map(|sign| sign.get(0));
        let end = ends.map(|star| star.range()).find(|star| star.start > range.end && self.ends(star));
        if let Some(end) = end {
            self.plain(range.start);
            self.paragraphs.open("*", raw, range.start);
            (self.emphasis, self.last) = (Some(end.start), range.end);
        }
    }

    fn begins(&self, sign: &Range<usize>) -> bool {
        let before = self.text[..sign.start].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric()) && !self.text[sign.end..].starts_with(char::is_whitespace)
    }

    fn ends(&self, sign: &Range<usize>) -> bool {
        let after = self.text[sign.end..].chars().next();
        after.is_none_or(|c| !c.is_alphanumeric()) && !self.text[..sign.start].ends_with(char::is_whitespace)
    }
}

/// Whether the name of a reference may end before this text.
fn ends_reference(after: &str) -> bool {
    let ends = |c: char| c.is_whitespace() || "'\")]}>-/:.,;!?\\".contains(c) || !c.is_ascii();
    after.chars().next().is_none_or(ends)
}

/// A sign that goes over several lines.
fn on_one_line(raw: &str) -> String {
    raw.replace("\r\n", " ").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::prepared::how;
    use crate::split::Splitter;

    /// The paragraph with its sentences in capitals.
    fn capitals(text: &str) -> String {
        let (options, splitter) = (Options::default(), Splitter::new("en"));
        let prepared = read(text, &how(&splitter, &options));
        let answers: Vec<_> = prepared
            .sentences()
            .map(|source| {
                let kept = source.kept.iter().map(|kept| Some(kept.range.clone())).collect();
                Some(crate::Answer { text: source.text.to_uppercase(), kept, links: vec![] })
            })
            .collect();
        prepared.finish(&answers).text
    }

    #[test]
    fn signs_stay() {
        for (text, expected) in [
            ("Use ``run x`` *now* and **then\ngo**.", "USE ``run x`` *NOW* AND **THEN GO**."),
            ("**Use ``x`` here**", "**USE ``x`` HERE**"),
            ("See :ref:`the house <home>` or :class:`~a.Foo`.", "SEE :ref:`THE HOUSE <home>` OR :class:`~a.Foo`."),
            ("Read `the page <https://a.org/b_>`_ now", "READ `THE PAGE <https://a.org/b_>`_ NOW"),
            ("Read `old house`_ and Python_ [1]_.", "READ `OLD HOUSE <old house_>`__ AND Python_ [1]_."),
            ("The |name| of `x y`__", "THE |name| OF `X Y`__"),
            ("An escaped \\*star and 5 * 3", "AN ESCAPED \\*STAR AND 5 * 3"),
            ("See *man*\\(1) in config_*.txt", "SEE *MAN*\\(1) IN CONFIG\\_\\*.TXT"),
            ("H\\ :sub:`2`\\ O is water", "H\\ :sub:`2`\\ O IS WATER"),
        ] {
            assert_eq!(capitals(text), expected, "{text}");
        }
    }

    #[test]
    fn many_signs_take_no_time() {
        for piece in ["*a ", "`", "|a ", "[1]_ ", "a_ ", "``", "\\", ":a:`", "**a `b` "] {
            capitals(&piece.repeat(20_000));
        }
    }
}
