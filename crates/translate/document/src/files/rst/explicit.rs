//! Explicit markup: directives with their options, notes, targets, comments.

use super::directives::{Argument, Content, Directive, TEXT_OPTIONS, directive};
use super::lines::Line;
use super::{Finder, Hanging};
use crate::files::message::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// What begins explicit markup: `.. name:: argument`, and the name of the substitution before it.
static DIRECTIVE: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^(?:\|[^|\n]+\|\s+)?(?<name>[A-Za-z][\w.+:-]*?)\s?::(?:\s+|$)"));

/// The label of a note or a citation.
static LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^\[(?:\d+|#[\w.-]*|\*|[A-Za-z][\w.-]*)\]\s+"));

/// An option of a directive.
static OPTION: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^:(?<name>[A-Za-z][\w -]*):(?:\s+|$)"));

/// The title of an entry in a table of contents, before its file.
static ENTRY: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^(?<title>[^<>]*[^<>\s])\s+<[^<>]+>$"));

impl Finder<'_> {
    /// What follows two full stops. `start`: the byte after them; `column`: where they stand.
    pub(super) fn explicit(&mut self, start: usize, column: usize) {
        let line = self.lines[self.at].text.clone();
        let rest = &self.text[start..line.end];
        let label = LABEL.as_ref().and_then(|label| label.find(rest));
        let found = DIRECTIVE.as_ref().and_then(|directive| directive.captures(rest));
        if let Some(label) = label {
            self.paragraph(start + label.end(), Hanging::Beyond(column));
        } else if let Some((found, name)) = found.as_ref().and_then(|found| Some((found.get(0)?, found.name("name")?)))
        {
            self.directive(directive(name.as_str()), start + found.end(), column);
        } else if rest.starts_with('_') {
            self.at += 1;
            self.skip_while(|line| !line.text.is_empty() && line.indent > column);
        } else {
            self.at += 1;
            self.skip_inside(column);
        }
    }

    fn directive(&mut self, directive: Directive, argument: usize, column: usize) {
        let line = self.lines[self.at].text.clone();
        let rest = &self.text[argument..line.end];
        let words = match directive.argument {
            Argument::Stays => 0,
            Argument::Text => rest.len(),
            Argument::AfterWord => {
                rest.split_once(char::is_whitespace).map_or(0, |(_, after)| after.trim_start().len())
            }
        };
        match words {
            0 => {
                self.at += 1;
                // The argument goes on.
                let is_more =
                    |line: &Line, text: &str| !line.text.is_empty() && line.indent > column && !is_option(text);
                while self.lines.get(self.at).is_some_and(|line| is_more(line, &self.text[line.text.clone()]))
                    && directive.argument == Argument::Stays
                    && !rest.is_empty()
                {
                    self.at += 1;
                }
            }
            words => self.paragraph(line.end - words, Hanging::Beyond(column)),
        }
        self.options(column);
        match directive.content {
            Content::Body => {}
            Content::Stays => self.skip_inside(column),
            Content::Entries => self.entries(column),
            Content::Terms => {
                let next = self.lines[self.at..].iter().find(|line| !line.text.is_empty());
                self.terms = next.filter(|next| next.indent > column).map(|next| (column, next.indent));
            }
        }
    }

    /// The options of a directive, which follow it without an empty line.
    fn options(&mut self, column: usize) {
        while let Some(line) = self.lines.get(self.at).filter(|line| line.indent > column).cloned() {
            let Some(option) = OPTION.as_ref().and_then(|option| option.captures(self.content(self.at))) else {
                return;
            };
            let name = option.name("name").map_or("", |name| name.as_str());
            let value = line.text.start + option.get(0).map_or(0, |all| all.len());
            if TEXT_OPTIONS.contains(&name) && value < line.text.end {
                self.paragraph(value, Hanging::Beyond(line.indent));
            } else {
                self.at += 1;
                self.skip_while(|next| !next.text.is_empty() && next.indent > line.indent);
            }
        }
    }

    /// The titles in a table of contents.
    fn entries(&mut self, column: usize) {
        while let Some(line) = self.lines.get(self.at).filter(|line| line.text.is_empty() || line.indent > column) {
            let (start, content) = (line.text.start, self.content(self.at));
            let title = ENTRY.as_ref().and_then(|entry| entry.captures(content)).and_then(|entry| entry.name("title"));
            if let Some(title) = title {
                let title = start + title.start()..start + title.end();
                self.message(std::slice::from_ref(&title), Hanging::Beyond(column));
            }
            self.at += 1;
        }
    }
}

/// Whether a line is an option of a directive.
pub(super) fn is_option(content: &str) -> bool {
    OPTION.as_ref().is_some_and(|option| option.is_match(content))
}
