//! reStructuredText: paragraphs, titles, items, fields and the text of directives are translated; code, targets, names
//! and the rest stay byte for byte.
//!
//! A file is read line by line. Its nesting is that of indentation, so a line needs no more than the column of the text
//! before it. Each paragraph is a message; [inline] reads the signs in it.

mod directives;
mod explicit;
pub(crate) mod inline;
mod lines;

use super::message::{Message, MessageForm, Messages, pattern};
use super::reading::Reading;
use crate::Error;
use explicit::is_option;
use lines::{Line, decoration, lines, mark, underline};
use regex::Regex;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

/// Fields whose values are names, numbers and types.
const FIELDS: &[&str] = &[
    "address",
    "author",
    "authors",
    "contact",
    "copyright",
    "date",
    "orphan",
    "organization",
    "revision",
    "rtype",
    "status",
    "tocdepth",
    "type",
    "vartype",
    "version",
    "nosearch",
];

/// The start of a text that would be something else than a paragraph.
static BEGINS_OTHER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^(?:[-*+•‣⁃](?:\s|$)|\(?(?:\d+|[A-Za-z]|[ivxlcdm]+|[IVXLCDM]+|#)[.)]\s|\.\.(?:\s|$)|__\s|:[^:\s]+:\s|\||>>>\s|--?\w)",
    )
});

/// The texts of a file.
pub(super) fn messages(text: &str, _: &Reading<'_>) -> Result<Messages, Error> {
    let names = inline::references(text).collect();
    let mut finder = Finder { text, lines: lines(text), at: 0, terms: None, tables: 0, names, messages: Vec::new() };
    while finder.at < finder.lines.len() {
        finder.block();
    }
    let notes = note(finder.tables).into_iter().collect();
    Ok(Messages { messages: finder.messages, notes, ..Messages::default() })
}

/// The message about tables that are drawn with signs: their columns have the width of their text.
fn note(tables: usize) -> Option<String> {
    let stay =
        if tables == 1 { "1 table that is drawn stays as it is" } else { "tables that are drawn stay as they are" };
    let count = if tables == 1 { String::new() } else { format!("{tables} ") };
    (tables > 0).then(|| format!("{count}{stay}; the text of a list-table is translated"))
}

/// How the lines after the first one of a paragraph are indented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hanging {
    /// As its text.
    Column(usize),
    /// More than this column.
    Beyond(usize),
}

struct Finder<'t> {
    text: &'t str,
    lines: Vec<Line>,
    /// The line that is read.
    at: usize,
    /// The columns of a glossary that is open and of its terms.
    terms: Option<(usize, usize)>,
    /// How many tables stay.
    tables: usize,
    /// Names that references have; titles are named so.
    names: HashSet<String>,
    messages: Vec<Message>,
}

impl<'t> Finder<'t> {
    fn content(&self, line: usize) -> &'t str {
        &self.text[self.lines[line].text.clone()]
    }

    /// The next block, or a part of one.
    fn block(&mut self) {
        let line = self.lines[self.at].clone();
        let content = self.content(self.at);
        if content.is_empty() {
            self.at += 1;
            return;
        }
        self.terms = self.terms.filter(|(outer, _)| line.indent > *outer);
        if self.terms.is_some_and(|(_, terms)| line.indent == terms) {
            self.at += 1;
        } else if let Some(end) = self.title_end() {
            self.title(end);
        } else if decoration(content).is_some() && content.len() > 3 {
            self.at += 1;
        } else if let Some(end) = self.table_end() {
            (self.at, self.tables) = (end, self.tables + 1);
        } else if content.starts_with(">>> ") {
            self.skip_while(|line| !line.text.is_empty());
        } else if content == ".." {
            // An empty comment, after which a quotation may begin.
            self.at += 1;
            if self.lines.get(self.at).is_some_and(|next| !next.text.is_empty()) {
                self.skip_inside(line.indent);
            }
        } else if content == "__" || content.starts_with("__ ") {
            self.at += 1;
        } else if let Some(rest) = content.strip_prefix("..").filter(|rest| rest.starts_with(char::is_whitespace)) {
            let start = line.text.end - rest.trim_start().len();
            self.explicit(start, line.indent);
        } else {
            self.text_line(line.text.start, line.indent);
        }
    }

    /// Goes to the next line for which this does not hold.
    fn skip_while(&mut self, holds: impl Fn(&Line) -> bool) {
        while self.lines.get(self.at).is_some_and(&holds) {
            self.at += 1;
        }
    }

    /// Goes over the lines that are indented more than a column, and empty ones.
    fn skip_inside(&mut self, column: usize) {
        self.skip_while(|line| line.text.is_empty() || line.indent > column);
    }

    /// The line after a title that begins here.
    fn title_end(&self) -> Option<usize> {
        let content = |ahead: usize| self.lines.get(self.at + ahead).map(|line| &self.text[line.text.clone()]);
        if self.lines[self.at].indent == 0
            && let Some(sign) = decoration(content(0)?)
        {
            let is_title = content(2)
                .is_some_and(|under| under == content(0).unwrap_or_default() && decoration(under) == Some(sign));
            return (is_title && !content(1)?.is_empty()).then_some(self.at + 3);
        }
        let under = content(1)?;
        decoration(under)?;
        let columns = lines::columns(content(0)?);
        let fits = under.len() >= columns || under.len() >= 4;
        (self.lines[self.at].indent == 0 && self.lines[self.at + 1].indent == 0 && fits).then_some(self.at + 2)
    }

    /// A title with the lines that are drawn under it, and perhaps over it.
    fn title(&mut self, end: usize) {
        let over = (end - self.at == 3).then(|| self.lines[self.at].text.clone());
        let title = self.lines[end - 2].text.clone();
        let under = self.lines[end - 1].text.clone();
        let start = over.as_ref().map_or(title.start, |over| over.start);
        let shown = self.text[title.clone()].to_owned();
        let drawn = self.text[under.clone()].to_owned();
        let before = self.text[start + over.as_ref().map_or(0, ExactSizeIterator::len)..title.start].to_owned();
        let between = self.text[title.end..under.start].to_owned();
        let is_over = over.is_some();
        // Others refer to the title by its text.
        let name = inline::name(&shown);
        let is_new = {
            let name = name.clone();
            move |text: &str| inline::name(text) != name
        };
        let line_end = if between.contains('\r') { "\r\n" } else { "\n" };
        let target =
            self.names.contains(&name).then(|| format!(".. _{}:{line_end}{line_end}", shown.replace(':', "\\:")));
        let source = shown.clone();
        let encode = move |text: &str| {
            let line = underline(&drawn, &source, text);
            let over = if is_over { line.as_str() } else { "" };
            format!(
                "{}{over}{before}{text}{between}{line}",
                target.as_deref().filter(|_| is_new(text)).unwrap_or_default()
            )
        };
        self.push(Message::new(start..under.end, shown, encode));
        self.at = end;
    }

    /// The line after a table that is drawn with signs.
    fn table_end(&self) -> Option<usize> {
        let first = self.content(self.at);
        let is_empty = |line: usize| self.lines.get(line).is_none_or(|line| line.text.is_empty());
        if first.starts_with("+-") && first.ends_with('+') {
            return (self.at..).find(|&line| is_empty(line));
        }
        let is_border = |content: &str| content.starts_with('=') && content.chars().all(|c| matches!(c, '=' | ' '));
        if !is_border(first) || !first.contains(' ') {
            return None;
        }
        let last = (self.at + 1..self.lines.len()).find(|&line| is_border(self.content(line)) && is_empty(line + 1));
        last.map(|line| line + 1)
    }

    /// A line of text, perhaps after the marks of lists. `column`: where its text stands.
    fn text_line(&mut self, mut start: usize, mut column: usize) {
        const MOST_MARKS: usize = 8;
        let line = self.lines[self.at].clone();
        for _ in 0..MOST_MARKS {
            let rest = &self.text[start..line.text.end];
            let Some(found) = mark(rest) else { break };
            let (name, outer) = (found.field, column);
            start += found.length;
            column += lines::columns(&rest[..found.length]);
            if start == line.text.end {
                // The text begins in the next line.
                self.at += 1;
                return;
            }
            if let Some(name) = name {
                let name = name.split_whitespace().next().unwrap_or_default().to_lowercase();
                if FIELDS.contains(&name.as_str()) {
                    self.at += 1;
                    return self.skip_while(|next| !next.text.is_empty() && next.indent > outer);
                }
                // The field may begin with a list.
                if mark(&self.text[start..line.text.end]).is_none() {
                    return self.paragraph(start, Hanging::Beyond(outer));
                }
                continue;
            }
            if found.is_option {
                return self.paragraph(start, Hanging::Beyond(outer));
            }
            if self.text[start..].starts_with(".. ") {
                let rest = self.text[start + 3..line.text.end].trim_start();
                return self.explicit(line.text.end - rest.len(), column);
            }
        }
        self.paragraph(start, Hanging::Column(column));
    }

    /// A paragraph that begins at this byte of the line.
    fn paragraph(&mut self, start: usize, hanging: Hanging) {
        let first = self.lines[self.at].clone();
        if self.text[start..first.text.end].starts_with("| ") {
            // A line of a poem is one by itself.
            let verse = start + 2..first.text.end;
            self.message(std::slice::from_ref(&verse), hanging);
            self.at += 1;
            return;
        }
        let begin = start..first.text.end;
        let mut parts = vec![begin];
        self.at += 1;
        let mut column = hanging;
        while let Some(next) = self.lines.get(self.at).filter(|next| !next.text.is_empty()) {
            let content = self.content(self.at);
            let goes_on = match column {
                Hanging::Column(column) => next.indent == column,
                Hanging::Beyond(outer) => next.indent > outer && !is_option(content) && mark(content).is_none(),
            };
            if !goes_on {
                break;
            }
            column = Hanging::Column(next.indent);
            parts.push(next.text.clone());
            self.at += 1;
        }
        let base = match (column, hanging) {
            (Hanging::Column(column), _) => column,
            (Hanging::Beyond(outer), _) => outer,
        };
        let is_literal = self.text[..parts.last().map_or(start, |part| part.end)].ends_with("::");
        self.message(&parts, hanging);
        if is_literal {
            self.literal(base);
        }
    }

    /// The block of code after a paragraph that ends in two colons.
    fn literal(&mut self, column: usize) {
        let code = (self.at..self.lines.len()).find(|&line| !self.lines[line].text.is_empty());
        let Some(code) = code.filter(|&code| code > self.at) else { return };
        if self.lines[code].indent > column {
            return self.skip_inside(column);
        }
        // Each line of a quotation begins with the same sign.
        let sign = self.content(code).chars().next().filter(char::is_ascii_punctuation);
        if let Some(sign) = sign.filter(|_| self.lines[code].indent == column) {
            self.at = code;
            let text = self.text;
            self.skip_while(|line| text[line.text.clone()].starts_with(sign));
        }
    }

    /// The message of the lines of a paragraph.
    fn message(&mut self, parts: &[Range<usize>], hanging: Hanging) {
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return };
        let range = first.start..last.end;
        let mut shown = parts.iter().map(|part| self.text[part.clone()].trim_end()).collect::<Vec<_>>().join("\n");
        // A sentence that begins on a line of its own does so in the translation.
        let divide =
            parts.get(1).map(|next| self.text[first.end..next.start].trim_start_matches([' ', '\t']).to_owned());
        // Two colons before code are read as one.
        let (before, colons) = match shown.strip_suffix("::") {
            Some(before) if before.ends_with(char::is_whitespace) || before.is_empty() => (before.trim_end(), " ::"),
            Some(_) => (&shown[..shown.len() - 1], ":"),
            None => (shown.as_str(), ""),
        };
        shown.truncate(before.len());
        let is_beyond = matches!(hanging, Hanging::Beyond(_));
        let encode = move |text: &str| {
            let text = text.trim();
            let begins_other = BEGINS_OTHER.as_ref().is_some_and(|begins| begins.is_match(text));
            let full = if colons == ":" && !text.ends_with(':') { ":" } else { "" };
            let text = match &divide {
                // The second line shows how far the text is indented.
                Some(divide) if is_beyond && !text.contains('\n') => in_two_lines(text, divide),
                Some(divide) => text.replace('\n', divide),
                None => text.replace('\n', " "),
            };
            format!("{}{text}{full}{colons}", if begins_other { "\\" } else { "" })
        };
        self.push(Message::new(range, shown, encode));
    }

    fn push(&mut self, message: Message) {
        if message.text.contains(char::is_alphabetic) {
            self.messages.push(Message { form: MessageForm::Rst, ..message });
        }
    }
}

/// A text with the end of a line at its first blank after which nothing but text can begin.
fn in_two_lines(text: &str, divide: &str) -> String {
    const MOST_TRIES: usize = 20;
    let is_text = |at: &usize| BEGINS_OTHER.as_ref().is_none_or(|begins| !begins.is_match(&text[at + 1..]));
    match text.match_indices(' ').map(|(at, _)| at).take(MOST_TRIES).find(is_text) {
        Some(at) => format!("{}{divide}{}", &text[..at], &text[at + 1..]),
        None => text.to_owned(),
    }
}
