//! The directives of reStructuredText that have text to translate. All others stay with their content.

/// What follows the two colons of a directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Argument {
    /// A name, an address or code.
    Stays,
    /// A text, which may go on in the next lines.
    Text,
    /// A number of a version, and a text after it.
    AfterWord,
}

/// What the indented lines of a directive are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// Code, data and the like.
    Stays,
    /// Paragraphs, lists and so on.
    Body,
    /// Names of files, some of them with a title.
    Entries,
    /// Terms and their definitions. Others refer to the terms, so these stay.
    Terms,
}

/// How a directive is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Directive {
    pub(super) argument: Argument,
    pub(super) content: Content,
}

/// Options of directives whose values are texts.
pub(super) const TEXT_OPTIONS: &[&str] = &["alt", "caption", "title"];

const TEXT_WITH_BODY: &[&str] = &[
    "admonition",
    "attention",
    "caution",
    "danger",
    "error",
    "hint",
    "important",
    "note",
    "tip",
    "warning",
    "seealso",
    "todo",
    "topic",
    "sidebar",
    "table",
    "list-table",
    "rubric",
    "centered",
    "title",
    "contents",
    "tab",
    "tab-item",
    "card",
    "dropdown",
    "grid-item-card",
    "replace",
    "details",
    "collapse",
    "epigraph",
    "highlights",
    "pull-quote",
    "compound",
    "header",
    "footer",
];

const VERSIONS: &[&str] = &["versionadded", "versionchanged", "deprecated", "versionremoved", "deprecated-removed"];

const BODY: &[&str] = &[
    "figure",
    "container",
    "class",
    "rst-class",
    "cssclass",
    "only",
    "ifconfig",
    "hlist",
    "tabs",
    "tab-set",
    "grid",
    "grid-item",
    "group-tab",
    "line-block",
    "function",
    "method",
    "classmethod",
    "staticmethod",
    "attribute",
    "data",
    "property",
    "exception",
    "decorator",
    "module",
    "option",
    "envvar",
    "confval",
    "describe",
    "object",
    "program",
    "cmdoption",
    "setting",
];

/// How the directive of this name is read.
pub(super) fn directive(name: &str) -> Directive {
    let name = name.to_ascii_lowercase();
    let is = |known: &[&str]| known.contains(&name.as_str());
    // `py:function` describes an object of a program, and so does `autofunction`.
    let describes = (name.contains(':') && !name.ends_with(":domain")) || name.starts_with("auto");
    let (argument, content) = match name.as_str() {
        "toctree" => (Argument::Stays, Content::Entries),
        "glossary" => (Argument::Stays, Content::Terms),
        "csv-table" => (Argument::Text, Content::Stays),
        _ if is(TEXT_WITH_BODY) => (Argument::Text, Content::Body),
        _ if is(VERSIONS) => (Argument::AfterWord, Content::Body),
        _ if is(BODY) || describes => (Argument::Stays, Content::Body),
        _ => (Argument::Stays, Content::Stays),
    };
    Directive { argument, content }
}
