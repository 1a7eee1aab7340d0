//! Tags, text and the rest of HTML and XML, as ranges of the input. Nothing is changed or corrected.

use std::ops::Range;

/// A part of the input; the parts follow each other without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text with references.
    Text,
    /// The content of a CDATA section, with its marks.
    Cdata,
    /// A start tag; whether it ends with `/>`.
    Open(String, bool),
    /// An end tag.
    Close(String),
    /// A comment, a declaration, a processing instruction, the content of a script.
    Other,
}

/// The most bytes of a tag of a template.
const LONGEST_TEMPLATE: usize = 10_000;

/// The kind of markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    Html,
    Xml,
}

/// Moves the tokens of a part of an input, which starts at this byte, to their places in the whole input.
pub(crate) fn move_by(tokens: &mut [Token], start: usize) {
    tokens.iter_mut().for_each(|token| token.range = start + token.range.start..start + token.range.end);
}

/// The parts of an input.
pub(crate) fn scan(input: &str, syntax: Syntax) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while at < input.len() {
        let (kind, end) = next(input, at, syntax);
        let raw = match &kind {
            Kind::Open(name, false) if syntax == Syntax::Html => raw_text(name),
            _ => false,
        };
        match (&kind, tokens.last_mut()) {
            // A sign that begins no tag is text.
            (Kind::Text, Some(Token { kind: Kind::Text, range })) => range.end = end,
            _ => tokens.push(Token { kind, range: at..end }),
        }
        at = end;
        if raw {
            let name = match tokens.last() {
                Some(Token { kind: Kind::Open(name, _), .. }) => format!("</{name}"),
                _ => String::new(),
            };
            let end = find_ignoring_case(input, at, &name);
            if end > at {
                tokens.push(Token { kind: Kind::Other, range: at..end });
                at = end;
            }
        }
    }
    tokens
}

/// Elements of HTML whose content is no markup.
fn raw_text(name: &str) -> bool {
    matches!(name, "script" | "style" | "textarea" | "xmp" | "iframe" | "noembed" | "noframes" | "plaintext")
}

fn find_ignoring_case(input: &str, from: usize, what: &str) -> usize {
    let (bytes, what) = (input.as_bytes(), what.as_bytes());
    let found = bytes[from..].windows(what.len().max(1)).position(|window| window.eq_ignore_ascii_case(what));
    found.map_or(input.len(), |at| from + at)
}

/// The part that begins at `at`, and its end.
fn next(input: &str, at: usize, syntax: Syntax) -> (Kind, usize) {
    let rest = &input[at..];
    let until = |mark: &str, from: usize| {
        rest[from.min(rest.len())..].find(mark).map_or(input.len(), |found| at + from + found + mark.len())
    };
    if !rest.starts_with('<') {
        return (Kind::Text, rest.find('<').map_or(input.len(), |found| at + found));
    }
    if rest.starts_with("<!--") {
        return (Kind::Other, until("-->", 4));
    }
    if rest.starts_with("<![CDATA[") {
        return (if syntax == Syntax::Xml { Kind::Cdata } else { Kind::Other }, until("]]>", 9));
    }
    if rest.starts_with("<?") {
        return (Kind::Other, until(if syntax == Syntax::Xml { "?>" } else { ">" }, 2));
    }
    // Tags of templates: of Ruby, JSP, ASP, EJS.
    if syntax == Syntax::Html
        && rest.starts_with("<%")
        && let Some(end) = rest[..rest.floor_char_boundary(LONGEST_TEMPLATE)].find("%>")
    {
        return (Kind::Other, at + end + 2);
    }
    if rest.starts_with("<!") {
        return (Kind::Other, declaration_end(input, at));
    }
    let close = rest.starts_with("</");
    let name_start = if close { 2 } else { 1 };
    let begins = |c: char| c.is_alphabetic() || c == '_' || (syntax == Syntax::Xml && c == ':');
    if !rest[name_start..].starts_with(begins) {
        return (Kind::Text, at + 1);
    }
    let Some(end) = tag_end(input, at + name_start) else { return (Kind::Other, input.len()) };
    let tag = &input[at + name_start..end - 1];
    let name = tag.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
    let name = if syntax == Syntax::Html { name.to_ascii_lowercase() } else { name.to_owned() };
    (if close { Kind::Close(name) } else { Kind::Open(name, tag.ends_with('/')) }, end)
}

/// The end of a declaration, with the brackets of a document type.
fn declaration_end(input: &str, at: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, byte) in input.as_bytes()[at..].iter().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            b'>' if depth == 0 => return at + offset + 1,
            _ => {}
        }
    }
    input.len()
}

/// The byte after the `>` of a tag: one inside a quoted value does not count.
fn tag_end(input: &str, from: usize) -> Option<usize> {
    let (mut quote, mut value) = (None, false);
    for (offset, &byte) in input.as_bytes()[from..].iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') if value => quote = Some(byte),
            (None, b'>') => return Some(from + offset + 1),
            (None, _) => {}
        }
        value = byte == b'=' || (value && byte.is_ascii_whitespace());
    }
    None
}

/// The value of an attribute of a start tag, as it is written.
pub(crate) fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = tag.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/');
    rest = &rest[rest.find(char::is_whitespace)?..];
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        if rest.is_empty() {
            return None;
        }
        let key_end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len()).max(1);
        let key = rest.get(..key_end)?;
        let after = rest.get(key_end..)?.trim_start();
        let (value, next) = match after.strip_prefix('=') {
            // A part of the tag, too: callers compute its place.
            None => (&after[..0], after),
            Some(value) => {
                let value = value.trim_start();
                match value.chars().next() {
                    Some(quote @ ('"' | '\'')) => {
                        let end = value[1..].find(quote).map_or(value.len(), |end| end + 1);
                        (&value[1..end], value.get(end + 1..).unwrap_or_default())
                    }
                    _ => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
                }
            }
        };
        if key.eq_ignore_ascii_case(name) {
            return Some(value);
        }
        rest = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(input: &str, syntax: Syntax) -> Vec<(Kind, &str)> {
        scan(input, syntax).into_iter().map(|token| (token.kind, &input[token.range])).collect()
    }

    #[test]
    fn parts_of_html() {
        let open = |name: &str| Kind::Open(name.into(), false);
        let close = |name: &str| Kind::Close(name.into());
        assert_eq!(
            parts("<!doctype html><P title='a > b'>1 < 2<br/><!-- <i> --></p>", Syntax::Html),
            [
                (Kind::Other, "<!doctype html>"),
                (open("p"), "<P title='a > b'>"),
                (Kind::Text, "1 < 2"),
                (Kind::Open("br".into(), true), "<br/>"),
                (Kind::Other, "<!-- <i> -->"),
                (close("p"), "</p>"),
            ]
        );
        assert_eq!(
            parts("<script>if (a < b) '</b>'</SCRIPT>x", Syntax::Html),
            [
                (open("script"), "<script>"),
                (Kind::Other, "if (a < b) '</b>'"),
                (close("script"), "</SCRIPT>"),
                (Kind::Text, "x")
            ]
        );
        assert_eq!(parts("a <b", Syntax::Html), [(Kind::Text, "a "), (Kind::Other, "<b")]);
        assert_eq!(parts("<a title=it's>b", Syntax::Html), [(open("a"), "<a title=it's>"), (Kind::Text, "b")]);
    }

    #[test]
    fn parts_of_xml() {
        assert_eq!(
            parts("<?xml?><!DOCTYPE a [<!ENTITY b \"c\">]><a><![CDATA[<b>]]></a>", Syntax::Xml),
            [
                (Kind::Other, "<?xml?>"),
                (Kind::Other, "<!DOCTYPE a [<!ENTITY b \"c\">]>"),
                (Kind::Open("a".into(), false), "<a>"),
                (Kind::Cdata, "<![CDATA[<b>]]>"),
                (Kind::Close("a".into()), "</a>"),
            ]
        );
    }

    #[test]
    fn attributes_are_found() {
        let tag = "<p Class=\"a b\" hidden translate = 'no' x=1>";
        assert_eq!(attribute(tag, "class"), Some("a b"));
        assert_eq!(attribute(tag, "translate"), Some("no"));
        assert_eq!(attribute(tag, "hidden"), Some(""));
        assert_eq!(attribute(tag, "x"), Some("1"));
        assert_eq!(attribute(tag, "y"), None);
        assert_eq!(attribute("<p>", "y"), None);
    }
}
