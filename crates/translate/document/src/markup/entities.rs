//! Character references of HTML and XML.

use super::scan::Syntax;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The references of HTML 4: names and code points.
static NAMES: LazyLock<HashMap<&str, char>> = LazyLock::new(|| {
    let entry = |line: &'static str| {
        let (name, code) = line.split_once(' ')?;
        Some((name, char::from_u32(u32::from_str_radix(code, 16).ok()?)?))
    };
    include_str!("entities.txt").lines().filter_map(entry).collect()
});

/// The first part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part<'t> {
    /// Characters that stand for themselves.
    Plain(&'t str),
    /// A reference to a character, of this many bytes.
    Character(char, usize),
    /// A reference to an entity of the document's own definitions: its name, and its bytes.
    Unknown(&'t str, usize),
}

/// The parts of a text.
pub(crate) fn parts(text: &str, syntax: Syntax) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let part = match reference(rest, syntax) {
            Some(part) if first == '&' => part,
            _ => {
                let skip = first.len_utf8();
                let end = rest[skip..].find('&').map_or(rest.len(), |at| at + skip);
                Part::Plain(&rest[..end])
            }
        };
        let length = match part {
            Part::Plain(text) => text.len(),
            Part::Character(_, length) | Part::Unknown(_, length) => length,
        };
        rest = &rest[length..];
        Some(part)
    })
}

fn reference(text: &str, syntax: Syntax) -> Option<Part<'_>> {
    let inner = text.strip_prefix('&')?;
    let end = inner.bytes().take(40).position(|byte| byte == b';')?;
    let name = inner.get(..end)?;
    let length = end + 2;
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return Some(Part::Character(code.ok().and_then(char::from_u32).filter(|&c| c != '\0')?, length));
    }
    let known = matches!(name, "amp" | "lt" | "gt" | "quot" | "apos") || syntax == Syntax::Html;
    let character = if name == "apos" { Some('\'') } else { NAMES.get(name).copied() };
    match character.filter(|_| known) {
        Some(character) => Some(Part::Character(character, length)),
        None => {
            let is_name =
                !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':'));
            is_name.then_some(Part::Unknown(name, length))
        }
    }
}

/// A text without its references.
pub(crate) fn plain_text(raw: &str, syntax: Syntax) -> String {
    let mut text = String::with_capacity(raw.len());
    for part in parts(raw, syntax) {
        match part {
            Part::Plain(plain) => text.push_str(plain),
            Part::Character(c, _) => text.push(c),
            Part::Unknown(name, _) => text.push_str(name),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read() {
        let all = |text, syntax| parts(text, syntax).collect::<Vec<_>>();
        assert_eq!(
            all("a&amp;b &#228;&#xE4; &nbsp;&auml", Syntax::Html),
            [
                Part::Plain("a"),
                Part::Character('&', 5),
                Part::Plain("b "),
                Part::Character('ä', 6),
                Part::Character('ä', 6),
                Part::Plain(" "),
                Part::Character('\u{a0}', 6),
                Part::Plain("&auml"),
            ]
        );
        assert_eq!(
            all("AT&T & &x;", Syntax::Html),
            [Part::Plain("AT"), Part::Plain("&T "), Part::Plain("& "), Part::Unknown("x", 3)]
        );
        assert_eq!(all("&true;&auml;", Syntax::Xml), [Part::Unknown("true", 6), Part::Unknown("auml", 6)]);
        assert_eq!(all("&#0;&#99999999;", Syntax::Xml), [Part::Plain("&#0;"), Part::Plain("&#99999999;")]);
    }
}
