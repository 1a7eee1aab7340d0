//! Messages of ICU: `{n, plural, one {# file} other {# files}}`. The texts of their branches are translated one by one,
//! and plurals get the categories of the language of the translation, which CLDR lists.
//!
//! Ranges are those of a text whose other signs, such as tags, are masked: they may stand inside and around arguments.

use super::edits::{self, Edit};
use icu_locale_core::Locale;
use icu_plurals::{PluralCategory, PluralRules};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Arguments inside arguments, at most.
const DEEPEST: usize = 16;

/// The beginning of an argument with branches.
static BEGINNING: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\{\s*[\w.-]+\s*,\s*(?:plural|select|selectordinal)\s*,").ok());

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plural,
    Ordinal,
    Select,
}

/// An argument with branches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Argument {
    /// From brace to brace.
    pub(crate) range: Range<usize>,
    kind: Kind,
    branches: Vec<Branch>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Branch {
    keyword: Range<usize>,
    /// The message between the braces.
    content: Range<usize>,
    arguments: Vec<Argument>,
}

/// A text of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BranchText {
    pub(crate) range: Range<usize>,
    /// A number that `#` may stand for; `None`: it is a sign like others.
    pub(crate) number: Option<&'static str>,
}

/// Whether a text may have arguments with branches.
pub(crate) fn may_have_arguments(text: &str) -> bool {
    BEGINNING.as_ref().is_some_and(|beginning| beginning.is_match(text))
}

/// The arguments with branches of a text, in order.
pub(crate) fn arguments(text: &str) -> Vec<Argument> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(start) = BEGINNING.as_ref().and_then(|beginning| beginning.find_at(text, at)) {
        let mut parser = MessageParser { text, at: start.start() };
        // A fault ends the search before it, so that no byte is read twice.
        let argument = parser.argument(0);
        found.extend(argument.flatten());
        at = parser.at.max(start.end());
    }
    found
}

impl Argument {
    /// Moves it by as many bytes.
    pub(crate) fn shift(&mut self, bytes: usize) {
        let shift = |range: &mut Range<usize>| *range = range.start + bytes..range.end + bytes;
        shift(&mut self.range);
        for branch in &mut self.branches {
            shift(&mut branch.keyword);
            shift(&mut branch.content);
            branch.arguments.iter_mut().for_each(|argument| argument.shift(bytes));
        }
    }
}

struct MessageParser<'t> {
    text: &'t str,
    at: usize,
}

impl MessageParser<'_> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips bytes that are no signs.
    fn skip(&mut self, skipped: impl Fn(u8) -> bool) -> Range<usize> {
        let start = self.at;
        while self.byte().is_some_and(&skipped) {
            self.at += 1;
        }
        start..self.at
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.skip(is_blank);
        (self.byte() == Some(byte)).then(|| self.at += 1)
    }

    /// An argument at its brace: `Some(None)` for one without branches, `None` for none at all.
    fn argument(&mut self, depth: usize) -> Option<Option<Argument>> {
        let start = self.at;
        self.expect(b'{')?;
        self.skip(is_blank);
        self.skip(|byte| !matches!(byte, b',' | b'{' | b'}') && !is_blank(byte));
        self.skip(is_blank);
        if self.byte() == Some(b',') {
            self.at += 1;
            self.skip(is_blank);
            let kind = self.skip(|byte| byte.is_ascii_alphabetic());
            let kind = match &self.text[kind] {
                "plural" => Some(Kind::Plural),
                "selectordinal" => Some(Kind::Ordinal),
                "select" => Some(Kind::Select),
                _ => None,
            };
            self.skip(is_blank);
            if let Some(kind) = kind.filter(|_| self.byte() == Some(b',') && depth < DEEPEST) {
                self.at += 1;
                let branches = self.branches(kind, depth)?;
                return Some(Some(Argument { range: start..self.at, kind, branches }));
            }
        }
        self.rest()?;
        Some(None)
    }

    /// The rest of an argument without branches, to its brace.
    fn rest(&mut self) -> Option<()> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.byte()? {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
        Some(())
    }

    /// The branches to the brace after them.
    fn branches(&mut self, kind: Kind, depth: usize) -> Option<Vec<Branch>> {
        let mut branches = Vec::new();
        loop {
            self.skip(is_blank);
            if self.byte() == Some(b'}') {
                self.at += 1;
                return (!branches.is_empty()).then_some(branches);
            }
            let keyword = self.skip(|byte| !matches!(byte, b'{' | b'}' | b',' | 1) && !is_blank(byte));
            if branches.is_empty() && self.text[keyword.clone()].starts_with("offset:") {
                continue;
            }
            self.expect(b'{').filter(|()| !keyword.is_empty())?;
            let start = self.at;
            let arguments = self.message(kind, depth + 1)?;
            branches.push(Branch { keyword, content: start..self.at, arguments });
            self.expect(b'}')?;
        }
    }

    /// The arguments of a message up to the brace after it.
    fn message(&mut self, kind: Kind, depth: usize) -> Option<Vec<Argument>> {
        let mut arguments = Vec::new();
        loop {
            self.skip(|byte| !matches!(byte, b'{' | b'}' | b'\''));
            match self.byte()? {
                b'}' => return Some(arguments),
                b'{' => arguments.extend(self.argument(depth)?),
                _ => self.at = quoted(self.text, self.at, kind != Kind::Select).unwrap_or(self.at + 1),
            }
        }
    }
}

fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

/// The end of a quotation that begins with this apostrophe: `''` or `'{…}'`; `None` if it is an apostrophe.
fn quoted(text: &str, at: usize, in_plural: bool) -> Option<usize> {
    let rest = &text[at + 1..];
    match rest.bytes().next()? {
        b'\'' => Some(at + 2),
        b'{' | b'}' | b'|' => Some(at + 2 + rest[1..].find('\'')? + 1),
        b'#' if in_plural => Some(at + 2 + rest[1..].find('\'')? + 1),
        _ => None,
    }
}

/// A number of a branch, as a translator reads it in place of `#`: nouns follow it.
fn number(keyword: &str) -> &'static str {
    match keyword {
        "one" | "=1" => "1",
        "two" | "=2" => "2",
        "few" => "3",
        _ => "17",
    }
}

/// The texts of all branches in a text, without the arguments with branches inside them.
pub(crate) fn texts(text: &str, arguments: &[Argument]) -> Vec<BranchText> {
    let mut found = Vec::new();
    let mut waiting: Vec<(&Argument, Option<&'static str>)> =
        arguments.iter().map(|argument| (argument, None)).collect();
    while let Some((argument, outer)) = waiting.pop() {
        for branch in &argument.branches {
            let own = || text.get(branch.keyword.clone()).map_or("17", number);
            let number = if argument.kind == Kind::Select { outer } else { Some(own()) };
            let mut start = branch.content.start;
            for inner in &branch.arguments {
                found.push(BranchText { range: start..inner.range.start, number });
                start = inner.range.end;
                waiting.push((inner, number));
            }
            found.push(BranchText { range: start..branch.content.end, number });
        }
    }
    found.retain(|text| !text.range.is_empty());
    found.sort_by_key(|text| text.range.start);
    found
}

/// A sign inside a text of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sign {
    /// `''`, an apostrophe.
    Apostrophe,
    /// A quoted text: it stays.
    Kept,
    /// `#`, which stands for a number like this one.
    Number(&'static str),
}

/// The signs of a text of a message, in order. `number`: what `#` may stand for.
pub(crate) fn signs(text: &str, number: Option<&'static str>) -> Vec<(Range<usize>, Sign)> {
    let (mut found, mut at, mut depth) = (Vec::new(), 0, 0_usize);
    while let Some(next) = text[at..].find(['\'', '#', '{', '}']).map(|next| at + next) {
        at = next + 1;
        match text.as_bytes()[next] {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b'#' if depth == 0 => found.extend(number.map(|number| (next..at, Sign::Number(number)))),
            b'\'' => {
                if let Some(end) = quoted(text, next, number.is_some()) {
                    found.push((next..end, if end == next + 2 { Sign::Apostrophe } else { Sign::Kept }));
                    at = end;
                }
            }
            _ => {}
        }
    }
    found
}

/// The categories of a language's plurals, as CLDR names them; `None` for a code that is none.
fn categories(language: &str, kind: Kind) -> Option<Vec<&'static str>> {
    let locale: Locale = language.replace('_', "-").parse().ok()?;
    let rules = match kind {
        Kind::Plural => PluralRules::try_new_cardinal((&locale).into()),
        _ => PluralRules::try_new_ordinal((&locale).into()),
    };
    let name = |category| match category {
        PluralCategory::Zero => "zero",
        PluralCategory::One => "one",
        PluralCategory::Two => "two",
        PluralCategory::Few => "few",
        PluralCategory::Many => "many",
        PluralCategory::Other => "other",
    };
    Some(rules.ok()?.categories().map(name).collect())
}

/// How many categories the plurals of a language have; `None` for a code that is none.
pub(crate) fn cardinals(language: &str) -> Option<usize> {
    categories(language, Kind::Plural).map(|categories| categories.len())
}

/// A text whose plurals have the categories of a language: those that it lacks are dropped, new ones say what `other`
/// says. `masked`: the text with other signs masked.
pub(crate) fn complete(text: &str, masked: &str, language: &str) -> String {
    let mut edits = Vec::new();
    let mut waiting = arguments(masked);
    while let Some(argument) = waiting.pop() {
        if argument.kind != Kind::Select {
            edits.extend(category_edits(text, &argument, language));
        }
        waiting.extend(argument.branches.into_iter().flat_map(|branch| branch.arguments));
    }
    edits::apply(text, edits).0
}

fn category_edits(text: &str, argument: &Argument, language: &str) -> Vec<Edit> {
    const ALL: [&str; 5] = ["zero", "one", "two", "few", "many"];
    let keyword = |branch: &Branch| text[branch.keyword.clone()].to_owned();
    let other = argument.branches.iter().find(|branch| keyword(branch) == "other");
    let (Some(other), Some(wanted)) = (other, categories(language, argument.kind)) else { return Vec::new() };
    let mut edits = Vec::new();
    for (number, branch) in argument.branches.iter().enumerate() {
        let known = keyword(branch);
        if ALL.contains(&known.as_str()) && !wanted.contains(&known.as_str()) {
            let end = argument.branches.get(number + 1).map_or(branch.content.end + 1, |next| next.keyword.start);
            edits.push(Edit::new(branch.keyword.start..end, ""));
        }
    }
    // One that names no category but `other` needs none.
    let names_some = argument.branches.iter().any(|branch| ALL.contains(&keyword(branch).as_str()));
    for category in wanted.into_iter().filter(|category| *category != "other" && names_some) {
        if !argument.branches.iter().any(|branch| keyword(branch) == category) {
            let content = &text[other.content.clone()];
            edits.push(Edit::new(other.keyword.start..other.keyword.start, format!("{category} {{{content}}} ")));
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<&str> {
        texts(text, &arguments(text)).into_iter().map(|found| &text[found.range]).collect()
    }

    #[test]
    fn texts_of_branches_are_found() {
        for (text, expected) in [
            ("You have {n, plural, one {# file} other {# files}} here", &["# file", "# files"][..]),
            ("{n,plural,offset:1 =0{nobody}other{'{'# '#' it''s}}", &["nobody", "'{'# '#' it''s"]),
            (
                "{g, select, male {He has {n, plural, one {one} other {{n} of #}} left} other {They}}",
                &["He has ", "one", "{n} of #", " left", "They"],
            ),
            ("{n, selectordinal, one {#st} other {#th of {d, date, ::yMMMd}}}", &["#st", "#th of {d, date, ::yMMMd}"]),
            ("{n, plural, one {# file", &[]),
            ("{n, plural, } {n, plural, other {x}}", &["x"]),
            ("{name} and {n, number, integer}", &[]),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
        let deep = "{n, plural, other {".repeat(10_000);
        assert!(arguments(&deep).is_empty());
    }

    #[test]
    fn plurals_have_the_categories_of_the_language() {
        let text = "{n, plural, =0 {none} one {# file} other {# files}}";
        for (language, expected) in [
            ("de", text),
            ("", text),
            ("ja", "{n, plural, =0 {none} other {# files}}"),
            ("pl", "{n, plural, =0 {none} one {# file} few {# files} many {# files} other {# files}}"),
        ] {
            assert_eq!(complete(text, text, language), expected, "{language}");
        }
        let ordinal = "{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}";
        assert_eq!(complete(ordinal, ordinal, "de"), "{n, selectordinal, other {#th}}");
        let select = "{g, select, one {x} other {y}}";
        assert_eq!(complete(select, select, "ja"), select);
    }
}
