//! Things that a translation has to keep as they are: placeholders of programs, addresses, numbers.

use crate::patterns::{self, Style, without_end};
use crate::templates;
use metaphrase_text::without_spaces;
use regex::Regex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

/// Which things of a text stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Placeholders of programs, as `%1$s`, `{name}`, `{{name}}`, `${name}`, `%(name)s`; other things of programs, as
    /// code between backticks, paths, constants and options; and in plain text tags, as `<x id="1"/>`.
    pub placeholders: bool,
    /// Addresses of the web and of mail.
    pub addresses: bool,
    /// Numbers in digits.
    pub numbers: bool,
}

impl Default for Keep {
    /// Placeholders and addresses.
    fn default() -> Self {
        Self { placeholders: true, addresses: true, numbers: false }
    }
}

impl Keep {
    /// Nothing stays because of its form.
    pub const NOTHING: Self = Self { placeholders: false, addresses: false, numbers: false };
}

/// A thing that stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopySpan {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// The bytes that stand for it in the input, and in the output; `None`: those of the text.
    pub written: Option<String>,
}

/// Each pattern is tried where the ones before it found nothing.
static PLACEHOLDERS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        // References to other messages, and messages with plural forms of their own.
        r"\$t?\([\w.:-]+\)|@(?:\.\w+)?:[\w.]*\w|%(?:\d+\$)?#@\w+@",
        r"\{\{\{[^{}]*\}\}\}|\{\{[^{}]*\}\}",
        r"(?:\$\$|[$#%@])?\{[^{}\n]*\}",
        r"%\([A-Za-z_]\w*\)[-+#0]*\d*(?:\.\d+)?[diouxXeEfFgGcrs]",
        r"%\d+\$[-+#0]*\d*(?:\.\d+)?(?:hh?|ll?|[Lqjzt])?[diouxXeEfFgGaAcsSpn@]",
        r"%[-+#0]*\d*(?:\.\d+)?(?:hh?|ll?|[Lqjzt])?[diouxXeEfFgGaAcsSp]\b|%@",
        r"\$[A-Za-z_]\w*",
    ])
});

static ADDRESSES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r#"(?i)(?:https?|ftps?|sftp|file|ssh|git)://[^\s<>"\u{3000}-\u{ffff}]+"#,
        r#"(?i)www\.[^\s<>"\u{3000}-\u{ffff}]+"#,
        r"\b(?:doi|arXiv|urn|isbn|ISBN|DOI):[^\s<>]+",
        r"(?i)(?:@|\b(?:mailto:)?)[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+",
        // Without a scheme. Ends that are words, too, need a path after them: a blank may lack after a full stop.
        r#"\b(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+(?:app|br|ca|ch|cloud|com|dev|edu|eu|fr|gov|io|net|nl|org|pl|social|tv|uk)\b(?:[:/][^\s<>"\u{3000}-\u{ffff}]*)?"#,
        r#"\b(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[a-z]{2,6}/[^\s<>"\u{3000}-\u{ffff}]+"#,
    ])
});

static NUMBERS: LazyLock<Vec<Regex>> = LazyLock::new(|| patterns(&[r"\d+(?:[.,:\u{a0}\u{202f}'’]\d+)*"]));

/// Beginnings of arguments with messages inside, as in `{n, plural, one {# file} other {# files}}`.
static ARGUMENTS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| patterns(&[r"\{\s*[\w.-]+\s*,\s*(?:plural|select|selectordinal)\s*,"]));

/// Arguments with messages inside, to the brace that closes them.
fn arguments(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for start in matches(text, &ARGUMENTS).map(|range| range.start) {
        if found.last().is_some_and(|last| start < last.end) {
            continue;
        }
        let mut depth = 0_usize;
        for (at, c) in text[start..].char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => continue,
            }
            if depth == 0 {
                found.push(start..start + at + 1);
                break;
            }
        }
        if depth > 0 {
            // No brace closes it, nor one that begins later.
            break;
        }
    }
    found
}

fn patterns(sources: &[&str]) -> Vec<Regex> {
    // The tests use each pattern.
    sources.iter().filter_map(|source| Regex::new(source).ok()).collect()
}

/// The things of a text that stay as they are, in order and apart from each other.
#[must_use]
pub fn find(text: &str, keep: Keep) -> Vec<Range<usize>> {
    find_in(text, keep, Style::Any)
}

/// As [`find`], in a message with arguments of this style.
pub(crate) fn find_in(text: &str, keep: Keep, style: Style) -> Vec<Range<usize>> {
    // Ends by starts.
    let mut found: BTreeMap<usize, usize> = BTreeMap::new();
    let mut add = |range: Range<usize>| {
        let before = found.range(..range.end).next_back();
        if !range.is_empty() && before.is_none_or(|(_, &end)| end <= range.start) {
            found.insert(range.start, range.end);
        }
    };
    let tags = if keep.placeholders { templates::tags(text) } else { Vec::new() };
    let tags: Vec<Range<usize>> = tags.into_iter().map(|(range, _)| range).collect();
    if keep.placeholders {
        // Addresses stand in code, too.
        patterns::code(text).into_iter().for_each(&mut add);
        tags.iter().cloned().for_each(&mut add);
    }
    if keep.addresses {
        let address = |range: Range<usize>| range.start..range.start + without_end(&text[range]).len();
        matches(text, &ADDRESSES).map(address).for_each(&mut add);
    }
    if keep.placeholders {
        // A percent sign after a digit is that of `50%`.
        let percent = |range: &Range<usize>| {
            let found = &text[range.clone()];
            found.starts_with('%') && found != "%%" && text[..range.start].ends_with(|c: char| c.is_ascii_digit())
        };
        patterns::first(text).for_each(&mut add);
        arguments(text).into_iter().for_each(&mut add);
        patterns::arguments(text, style).filter(|range| !percent(range)).for_each(&mut add);
        matches(text, &PLACEHOLDERS).filter(|range| !percent(range)).for_each(&mut add);
        patterns::paths(text).for_each(&mut add);
        patterns::names(text).filter(|range| !percent(range)).for_each(&mut add);
    }
    if keep.numbers {
        matches(text, &NUMBERS).for_each(&mut add);
    }
    joined(text, found.into_iter().map(|(start, end)| start..end), &tags)
}

fn matches<'t>(text: &'t str, patterns: &'t [Regex]) -> impl Iterator<Item = Range<usize>> + 't {
    patterns.iter().flat_map(move |pattern| pattern.find_iter(text).map(|found| found.range()))
}

/// Things that stand side by side are one thing, and so are the letters and digits that touch it, `v{version}`, and
/// signs between two things, `{day}/{month}`. Tags of templates stand next to text.
fn joined(text: &str, found: impl Iterator<Item = Range<usize>>, tags: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    let touches = |c: &char| (c.is_alphanumeric() || *c == '_') && !without_spaces(*c);
    let is_sign = |c: char| "+-/*=:.|~^@&×#_".contains(c);
    let mut tag_end = 0;
    for range in found {
        if templates::is_tag(tags, &range) {
            tag_end = range.end;
            all.push(range);
            continue;
        }
        // What the last thing has is not looked at again.
        let known = all.last().map_or(0, |previous| previous.end);
        if known >= range.end && known != tag_end {
            continue;
        }
        let before = text[known.min(range.start)..range.start].chars().rev().take_while(touches);
        let after = text[range.end..].chars().take_while(touches);
        let start = range.start - before.map(char::len_utf8).sum::<usize>();
        // `--%s`.
        let start = if text[..start].ends_with("--") { start - 2 } else { start };
        let end = range.end + after.map(char::len_utf8).sum::<usize>();
        match all.last_mut() {
            Some(previous) if previous.end >= start && previous.end != tag_end => previous.end = previous.end.max(end),
            Some(previous)
                if previous.end != tag_end
                    && start - previous.end <= 3
                    && text[previous.end..start].chars().all(is_sign) =>
            {
                previous.end = end;
            }
            _ => all.push(start..end),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str, keep: Keep) -> Vec<&str> {
        find(text, keep).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn placeholders_are_found() {
        for (text, expected) in [
            ("Hello %1$s, good to see you again!", &["%1$s"][..]),
            ("%d of %(total)d files, %5.2f %% done, %@", &["%d", "%(total)d", "%5.2f", "%%", "%@"]),
            ("Hi {name}, {{ user.name }} has ${count} {0:>5}", &["{name}", "{{ user.name }}", "${count}", "{0:>5}"]),
            ("v{version} ({date}) #{id}", &["v{version}", "{date}", "#{id}"]),
            ("export $HOME and 5 < 6 > 3, 50% discount, 100 % sure, 30%of", &["$HOME"]),
            ("%d%% of 100%% %s", &["%d%%", "100%%", "%s"]),
            ("{count, number, integer} Stück", &["{count, number, integer}"]),
            (
                "You have {n, plural, one {# file} other {{n} files}} in {dir}",
                &["{n, plural, one {# file} other {{n} files}}", "{dir}"],
            ),
            ("{n, plural, one {# file", &[]),
            ("你好{name}，再见", &["{name}"]),
            ("CO₂ and H₂SO₄ are 2 gases", &["CO₂", "H₂SO₄"]),
            ("64-Bit-Versionen, RFC-1867-konforme Browser, ISO-8859-1-Kodierung", &["ISO-8859-1"]),
            ("$100 for a bag and $2 for coffee", &[]),
            ("the key sk-proj-1234567890abcdef", &["sk-proj-1234567890abcdef"]),
        ] {
            assert_eq!(kept(text, Keep::default()), expected, "{text}");
        }
    }

    #[test]
    fn addresses_are_found() {
        for (text, expected) in [
            (
                "See https://example.org/a_(b)?q=1#c, (or www.example.com/x).",
                &["https://example.org/a_(b)?q=1#c", "www.example.com/x"][..],
            ),
            ("Mail first.last+tag@example.co.uk.", &["first.last+tag@example.co.uk"]),
            ("Go to example.org, or to docs.example.co.uk/a-b.", &["example.org", "docs.example.co.uk/a-b"]),
            ("He said so.It was late. Write to name@example.org", &["name@example.org"]),
            ("Follow @example_1, @a@example.social and #MeToo; not #1", &["@example_1", "@a@example.social", "#MeToo"]),
            ("看https://example.org/路径。", &["https://example.org/"]),
        ] {
            assert_eq!(kept(text, Keep::default()), expected, "{text}");
        }
        assert!(kept("https://a.example {b}", Keep::NOTHING).is_empty());
    }

    #[test]
    fn numbers_are_found_on_request() {
        let keep = Keep { numbers: true, ..Keep::NOTHING };
        assert_eq!(kept("In 1990, 1,000.50 of 3 at 12:30.", keep), ["1990", "1,000.50", "3", "12:30"]);
    }
}
