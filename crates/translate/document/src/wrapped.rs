//! Lines of a text: which of them belong to one paragraph, and the columns in them. No byte moves.

use crate::list::begins_item;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The blanks between two columns, at least.
const GAP: usize = 3;

/// The beginning of a line of a log: a date or a time.
static TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^[\[(]?(?:\d{4}[-/]\d\d[-/]\d\d|\d\d[./]\d\d[./]\d{2,4}|\d\d:\d\d(?::\d\d)?)\b").ok()
});

/// The text with a blank for the end of each line that goes on in the next one.
pub(crate) fn joined(text: &str) -> String {
    let lines: Vec<Line<'_>> = text.split_inclusive('\n').map(Line::new).collect();
    let mut view = String::with_capacity(text.len());
    // The indentation of the lines that continue the paragraph, and whether a signature has begun.
    let (mut hanging, mut signature) = (0, false);
    for (number, line) in lines.iter().enumerate() {
        let goes_on = lines.get(number + 1).is_some_and(|next| {
            let is_first = number == 0 || !view.ends_with(' ');
            if is_first {
                hanging = line.indent + line.mark;
            }
            signature = line.content == "--" || (signature && !line.content.is_empty());
            let underlined = lines.get(number + 2).is_some_and(|after| after.underlines(next));
            !signature && !underlined && line.continues(next, hanging, is_first)
        });
        if goes_on { view.push_str(&line.raw.replace(['\n', '\r'], " ")) } else { view.push_str(line.raw) }
    }
    view
}

/// The fewest characters of a line that is full: the next one goes on if a small letter begins it.
const FULL: usize = 25;

/// The text of a message with a blank for the end of each line after which a sentence plainly goes on: it has no mark
/// at its end, and a small letter follows. Short lines may be items, so a sentence in short lines has to end with a
/// mark.
pub(crate) fn with_whole_sentences(text: &str) -> String {
    let lines: Vec<Line<'_>> = text.split_inclusive('\n').map(Line::new).collect();
    let goes_on = |line: &Line<'_>, next: &Line<'_>| {
        let is_open =
            line.content.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | ')' | '}' | '`' | '”' | '"'));
        let is_plain = line.indent == 0 && next.indent == 0 && !line.raw.ends_with("\r\n");
        is_plain && is_open && next.content.starts_with(char::is_lowercase) && line.continues(next, line.mark, false)
    };
    let open: Vec<bool> = lines.windows(2).map(|pair| goes_on(&pair[0], &pair[1])).collect();
    let mut view = String::with_capacity(text.len());
    let mut ends = false;
    for (number, line) in lines.iter().enumerate() {
        let is_open = open.get(number) == Some(&true);
        if is_open && (number == 0 || !open[number - 1]) {
            let last = number + open[number..].iter().take_while(|open| **open).count();
            ends = lines[last].content.ends_with(['.', '!', '?', '…', ':']);
        }
        let is_full = line.content.chars().count() >= FULL;
        match line.raw.strip_suffix('\n').filter(|_| is_open && (ends || is_full)) {
            Some(line) => view.extend([line, " "]),
            None => view.push_str(line.raw),
        }
    }
    view
}

/// Writes ends of lines in place of blanks of a translation, so that its lines are about as long to each other as those
/// of the source. No byte moves, and none of `kept` is divided.
pub(crate) fn divide_like(source: &str, text: &mut String, kept: &[Range<usize>]) {
    let widths: Vec<usize> = source.lines().map(|line| line.chars().count()).collect();
    let (all, whole) = (widths.iter().sum::<usize>().max(1), text.chars().count());
    let is_free = |at: &usize| kept.iter().all(|kept| *at < kept.start || kept.end <= *at);
    // By blank: its byte, and the characters before it.
    let blanks = text.char_indices().enumerate().filter(|(_, (_, c))| *c == ' ');
    let mut blanks: Vec<(usize, usize)> = blanks.map(|(before, (at, _))| (at, before)).collect();
    blanks.retain(|(at, _)| is_free(at));
    let (mut so_far, mut first) = (0, 0);
    for (number, width) in widths.iter().enumerate().take(widths.len().saturating_sub(1)) {
        so_far += width;
        let wanted = whole * so_far / all;
        let last = blanks.len().saturating_sub(widths.len() - 2 - number).max(first);
        let Some(best) = (first..last).min_by_key(|&blank| blanks[blank].1.abs_diff(wanted)) else { return };
        text.replace_range(blanks[best].0..=blanks[best].0, "\n");
        first = best + 1;
    }
}

/// A line of a text.
struct Line<'t> {
    raw: &'t str,
    content: &'t str,
    indent: usize,
    /// The bytes of the mark that begins an item.
    mark: usize,
    is_text: bool,
    has_columns: bool,
}

impl<'t> Line<'t> {
    fn new(raw: &'t str) -> Self {
        let content = raw.trim();
        let indent = raw.len() - raw.trim_start().len();
        let mark = begins_item(content);
        let is_table = content.starts_with(['|', '>']) || content.starts_with("+-") || content.starts_with("+=");
        let is_text = content.contains(char::is_alphabetic) && !is_table;
        Self { raw, content, indent, mark, is_text, has_columns: !gaps(raw).is_empty() || content.contains('\t') }
    }

    /// Whether a line goes on in the next one. `hanging`: the indentation of its item's text; `is_first`: whether it is
    /// the first line of its paragraph.
    fn continues(&self, next: &Self, hanging: usize, is_first: bool) -> bool {
        let is_time = |line: &Self| TIME.as_ref().is_some_and(|time| time.is_match(line.content));
        let indented = next.indent == self.indent
            || next.indent == hanging
            // The first line of a paragraph may be indented.
            || (is_first && next.indent < self.indent && next.content.starts_with(char::is_lowercase));
        self.is_text
            && next.is_text
            && next.mark == 0
            && indented
            && !self.has_columns
            && !next.has_columns
            && !(is_time(self) && is_time(next))
    }

    /// Whether this line underlines a title.
    fn underlines(&self, title: &Self) -> bool {
        let Some(sign) = self.content.chars().next().filter(|sign| matches!(sign, '=' | '-' | '~' | '^' | '#' | '*'))
        else {
            return false;
        };
        let width = title.content.chars().count();
        self.content.len() >= 3
            && self.content.chars().all(|c| c == sign)
            && (sign == '=' || self.content.len().abs_diff(width) <= 2)
    }
}

/// The runs of blanks between columns, in order.
fn gaps(text: &str) -> Vec<Range<usize>> {
    let mut gaps: Vec<Range<usize>> = Vec::new();
    let mut run = 0..0;
    // At the start of a line blanks divide nothing.
    let mut inside = false;
    for (at, c) in text.char_indices() {
        if c == ' ' {
            run = if run.end == at { run.start..at + 1 } else { at..at + 1 };
            continue;
        }
        if inside && !c.is_whitespace() && run.end == at && run.len() >= GAP {
            gaps.push(run.clone());
        }
        inside = !matches!(c, '\n' | '\r') && (inside || !c.is_whitespace());
    }
    gaps
}

/// Puts the end of a line in place of the first blank between two columns of a text. `view`: the text with other bytes
/// for the ends of its lines.
pub(crate) fn divide_columns(text: &str, view: &mut String) {
    let mut apart = String::with_capacity(view.len());
    let mut last = 0;
    for gap in gaps(text) {
        apart.push_str(&view[last..gap.start]);
        apart.push('\n');
        last = gap.start + 1;
    }
    apart.push_str(&view[last..]);
    *view = apart;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paragraphs(text: &str) -> Vec<String> {
        let mut view = joined(text);
        assert_eq!(view.len(), text.len());
        divide_columns(text, &mut view);
        view.lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .filter(|l| !l.is_empty())
            .collect()
    }

    #[test]
    fn lines_of_a_paragraph_are_joined() {
        for (text, expected) in [
            ("A line that\ngoes on\n\nand another\r\none", &["A line that goes on", "and another one"][..]),
            (
                "Ingredients:\n  * 2 cups of flour\n    and sugar\n  * 3 eggs\n",
                &["Ingredients:", "* 2 cups of flour and sugar", "* 3 eggs"],
            ),
            ("1. Open the\n   door.\n2. Go\n", &["1. Open the door.", "2. Go"]),
            ("> One\n>> Two\nThree", &["> One", ">> Two", "Three"]),
            ("+----+\n| Name |\n+----+\n| Tom |", &["+----+", "| Name |", "+----+", "| Tom |"]),
            (
                "Text here\nCHAPTER ONE\n====\nThe house\nis old",
                &["Text here", "CHAPTER ONE", "====", "The house is old"],
            ),
            ("Text\nA title\n-------\nMore", &["Text", "A title", "-------", "More"]),
            ("Name    Age\nTom     5\nText", &["Name", "Age", "Tom", "5", "Text"]),
            ("He said:\n    a quotation\n    goes on\nand more", &["He said:", "a quotation goes on", "and more"]),
            ("    The first line is\nindented here.\n", &["The first line is indented here."]),
            ("2024-01-31 10:00 Start\n2024-01-31 10:01 End\n", &["2024-01-31 10:00 Start", "2024-01-31 10:01 End"]),
            (
                "It ends.\n-- \nJohn Smith\nThe house\n\nA new\nline",
                &["It ends.", "--", "John Smith", "The house", "A new line"],
            ),
            ("It is from\n1990 and big", &["It is from 1990 and big"]),
            ("The well-known –\n– so they say – house", &["The well-known – – so they say – house"]),
        ] {
            assert_eq!(paragraphs(text), expected, "{text}");
        }
    }

    #[test]
    fn columns_are_found() {
        assert_eq!(gaps("  a   b  c    \n   d      e"), [3..6, 19..25]);
    }

    #[test]
    fn sentences_go_on_in_messages() {
        for (text, view) in [
            (
                "The program cannot read the file that\nyou have given, because it is too large.\n",
                "The program cannot read the file that you have given, because it is too large.\n",
            ),
            ("Are you sure\nyou want to quit?", "Are you sure you want to quit?"),
            // Items, verses, options.
            ("copy\npaste\ncut", "copy\npaste\ncut"),
            ("Roses are red\nviolets are blue", "Roses are red\nviolets are blue"),
            (
                "Options:\n  -h  show this help\n  -v  show the version\n",
                "Options:\n  -h  show this help\n  -v  show the version\n",
            ),
            ("First line\nSecond line.", "First line\nSecond line."),
        ] {
            assert_eq!(with_whole_sentences(text), view);
        }
    }

    #[test]
    fn a_translation_has_the_lines_of_its_source() {
        let divided = |source: &str, text: &str, kept: &[Range<usize>]| {
            let mut text = text.to_owned();
            divide_like(source, &mut text, kept);
            text
        };
        assert_eq!(divided("one two\nthree four", "eins zwei drei vier", &[]), "eins zwei\ndrei vier");
        assert_eq!(divided("a\nb\nc", "eins zwei drei", &[]), "eins\nzwei\ndrei");
        assert_eq!(
            divided("one two\nthree four", "eins `zwei drei` vier", std::slice::from_ref(&(5..16))),
            "eins\n`zwei drei` vier"
        );
        assert_eq!(divided("one\ntwo", "einszwei", &[]), "einszwei");
    }
}
