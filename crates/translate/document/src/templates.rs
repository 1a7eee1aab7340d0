//! Tags of templates in texts: `{% if user %}Welcome{% endif %}`, `{{#each}}`, `<% if %>`, `%1$sa link%2$s`.
//!
//! The text between is translated; tags that belong together stay around it. Tags that stand for words, as `{{name}}`
//! and `<%= name %>`, are things to copy.

use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// What a tag does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tag {
    /// Begins a part of this name.
    Open(String),
    /// Ends a part of this name.
    Close(String),
    /// Stands at a place.
    Marker,
    /// Stands between two parts, as `{% else %}`.
    Divider,
}

static TAGS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let ways = [
        // Django, Jinja, Twig, Liquid; and their comments.
        r"\{%-?(?P<block>[^%\n]*?)-?%\}",
        r"\{#\s[^#\n]*#\}",
        // Handlebars, Mustache; shortcodes of Hugo; Go.
        r"\{\{\{?[~-]?(?P<mustache>\s*[#/^>!][^{}\n]*|[<%][^{}\n]*[>%]|\s*(?:(?:if|range|with|block|define)\s[^{}\n]*|(?:end|else)(?:\s[^{}\n]*)?))[~-]?\}?\}\}",
        // Ruby, JSP.
        r"<%(?P<ruby>-?[^=%\-\n][^%\n]*)%>",
    ];
    Regex::new(&ways.join("|")).ok()
});

/// The tags of a text that stand for no words, in order.
pub(crate) fn tags(text: &str) -> Vec<(Range<usize>, Tag)> {
    let mut found = argument_pairs(text);
    if found.is_empty() {
        return signed_tags(text);
    }
    let mut signed = signed_tags(text);
    signed.retain(|(range, _)| {
        let next = found.partition_point(|(known, _)| known.end <= range.start);
        found.get(next).is_none_or(|(known, _)| range.end <= known.start)
    });
    found.append(&mut signed);
    found.sort_by_key(|(range, _)| range.start);
    found
}

/// Whether a range is one of these tags, which are in order.
pub(crate) fn is_tag(tags: &[Range<usize>], range: &Range<usize>) -> bool {
    tags.binary_search_by_key(&range.start, |tag| tag.start).is_ok_and(|at| tags[at] == *range)
}

static ARGUMENTS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"%(?:\d+\$)?[s@]|\{\{[ ]?[\w.-]+[ ]?\}\}|\{[\w.-]+\}").ok());

/// Arguments that stand for the tags around a link or around emphasis: `our %1$sprivacy policy%2$s`,
/// `{linkStart}here{linkEnd}`. They touch the text between them, and nothing outside.
fn argument_pairs(text: &str) -> Vec<(Range<usize>, Tag)> {
    if !text.contains(['%', '{']) {
        return Vec::new();
    }
    let arguments: Vec<Range<usize>> =
        ARGUMENTS.iter().flat_map(|arguments| arguments.find_iter(text)).map(|found| found.range()).collect();
    let mut found = Vec::new();
    let mut next = 0;
    while let [open, close, ..] = &arguments[next..] {
        next += 1;
        let inner = &text[open.end..close.start];
        let is_apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '%' | '_' | '$'));
        let are_alike = text[open.clone()].starts_with('{') == text[close.clone()].starts_with('{');
        let is_pair = are_alike
            && inner.chars().filter(|c| c.is_alphabetic()).count() > 2
            && inner.starts_with(|c: char| c.is_alphabetic() || matches!(c, '%' | '{'))
            && !inner.ends_with(char::is_whitespace)
            && is_apart(text[..open.start].chars().next_back())
            && is_apart(text[close.end..].chars().next());
        if is_pair {
            let name = format!("%{}", found.len());
            found.extend([(open.clone(), Tag::Open(name.clone())), (close.clone(), Tag::Close(name))]);
            next += 1;
        }
    }
    found
}

/// The tags with signs around them.
fn signed_tags(text: &str) -> Vec<(Range<usize>, Tag)> {
    if !text.contains("{%") && !text.contains("{{") && !text.contains("{#") && !text.contains("<%") {
        return Vec::new();
    }
    let read = |found: regex::Captures<'_>| {
        let range = found.get(0)?.range();
        let tag = match (found.name("block"), found.name("mustache"), found.name("ruby")) {
            (Some(block), ..) => block_tag(block.as_str()),
            (_, Some(mustache), _) => mustache_tag(mustache.as_str()),
            (_, _, Some(ruby)) => ruby_tag(ruby.as_str()),
            _ => Tag::Marker,
        };
        Some((range, tag))
    };
    TAGS.iter().flat_map(|tags| tags.captures_iter(text)).filter_map(read).collect()
}

fn is_divider(word: &str) -> bool {
    matches!(word, "else" | "elif" | "elsif" | "elseif" | "elseunless" | "when" | "plural" | "pluralize")
}

fn first_word(text: &str) -> &str {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.')).next().unwrap_or_default()
}

fn block_tag(inner: &str) -> Tag {
    let word = first_word(inner);
    match word.strip_prefix("end") {
        _ if is_divider(word) => Tag::Divider,
        _ if word.is_empty() => Tag::Marker,
        Some(name) => Tag::Close(format!("{{%{name}")),
        None => Tag::Open(format!("{{%{word}")),
    }
}

fn mustache_tag(inner: &str) -> Tag {
    let inner = inner.trim();
    let word = first_word(inner);
    match inner.chars().next() {
        Some('#' | '^') => Tag::Open(format!("{{{{{word}")),
        Some('/') => Tag::Close(format!("{{{{{word}")),
        Some('<' | '%') => {
            let sign = &inner[..1];
            let closes = inner[1..].trim_start().starts_with('/');
            let name = format!("{{{{{sign}{word}");
            if closes { Tag::Close(name) } else { Tag::Open(name) }
        }
        Some('>' | '!') => Tag::Marker,
        _ if word == "end" => Tag::Close("{{".to_owned()),
        _ if word == "else" => Tag::Divider,
        _ => Tag::Open("{{".to_owned()),
    }
}

fn ruby_tag(inner: &str) -> Tag {
    let word = first_word(inner);
    let begins = matches!(word, "if" | "unless" | "for" | "while" | "case" | "begin") || inner.contains(" do");
    match word {
        "end" => Tag::Close("<%".to_owned()),
        _ if is_divider(word) => Tag::Divider,
        _ if inner.trim() == "}" => Tag::Close("<%".to_owned()),
        _ if begins || inner.trim_end().ends_with('{') => Tag::Open("<%".to_owned()),
        _ => Tag::Marker,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_around_text_are_tags() {
        let pairs = |text: &str| {
            let found = tags(text).into_iter();
            found
                .map(|(range, tag)| format!("{}{}", &text[range], if matches!(tag, Tag::Open(_)) { '+' } else { '-' }))
                .collect::<Vec<_>>()
        };
        for (text, expected) in [
            ("our %1$sPrivacy Policy%2$s and %3$sTerms%4$s.", &["%1$s+", "%2$s-", "%3$s+", "%4$s-"][..]),
            ("Read the %sdocumentation%s (%d pages).", &["%s+", "%s-"]),
            ("%1$sNote:%2$s You have %3$s%4$d new messages%5$s", &["%1$s+", "%2$s-", "%3$s+", "%5$s-"]),
            ("our {linkStart}policy{linkEnd}, {0}click here{1}", &["{linkStart}+", "{linkEnd}-", "{0}+", "{1}-"]),
            ("the {{ start }}terms of use{{ end }}.", &["{{ start }}+", "{{ end }}-"]),
            ("{first} and {last}, {h}hrs {m}mins, {version}{suffix}, v{major}beta{minor}", &[]),
            ("Need %1$@more help%2$@?", &["%1$@+", "%2$@-"]),
            ("{% if x %}a %slink%s{% endif %}", &["{% if x %}+", "%s+", "%s-", "{% endif %}-"]),
            // Values.
            ("%s of %s, %1$s is %2$s, %ss to %ss", &[]),
            ("%sx%s pixels, pre%sfix%s", &[]),
            ("100%safe and %s", &[]),
        ] {
            assert_eq!(pairs(text), expected, "{text}");
        }
    }

    #[test]
    fn tags_are_read() {
        let kinds = |text: &str| {
            let found = tags(text).into_iter();
            found.map(|(range, tag)| (text[range].to_owned(), tag)).collect::<Vec<_>>()
        };
        let open = |name: &str| Tag::Open(name.to_owned());
        let close = |name: &str| Tag::Close(name.to_owned());
        let of = |text: &str| kinds(text).into_iter().map(|(_, tag)| tag).collect::<Vec<_>>();
        assert_eq!(
            kinds("{% if user %}Hi{%- else -%}no{% endif %}"),
            [
                ("{% if user %}".to_owned(), open("{%if")),
                ("{%- else -%}".to_owned(), Tag::Divider),
                ("{% endif %}".to_owned(), close("{%if"))
            ]
        );
        assert_eq!(
            of("{{#if a}}x{{else}}y{{/if}} {{name}} {{> part}}"),
            [open("{{if"), Tag::Divider, close("{{if"), Tag::Marker]
        );
        assert_eq!(
            of("{{< note >}}x{{< /note >}} {{if .X}}a{{end}}"),
            [open("{{<note"), close("{{<note"), open("{{"), close("{{")]
        );
        assert_eq!(of("<% if a %>x<% end %> <%= a %>"), [open("<%"), close("<%")]);
        assert!(tags("50% {name} {ifx} {{ifs}} <5%> {{ user.end }}").is_empty());
    }
}
