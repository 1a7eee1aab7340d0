//! A text while signs of other dialects are hidden in it, and after.

use super::value::{Quote, Value};
use regex::{Captures, Regex};
use std::ops::Range;
use std::sync::LazyLock;

/// A text without the signs of other dialects.
pub(crate) struct Mask {
    /// As long as the original.
    pub(crate) text: String,
    /// The lines that act as items.
    pub(super) hidden: Vec<Range<usize>>,
    /// Attributes of the elements that they touch.
    pub(super) attributes: Vec<Range<usize>>,
    /// The texts inside the signs.
    pub(crate) values: Vec<Value>,
}

impl Mask {
    /// Whether the text at this byte is not that of the original.
    pub(crate) fn hides(&self, at: usize) -> bool {
        let next = self.hidden.partition_point(|hidden| hidden.end <= at);
        self.hidden.get(next).is_some_and(|hidden| hidden.start <= at)
    }

    /// The attributes that begin at this byte.
    pub(crate) fn attributes_at(&self, at: usize) -> Option<&Range<usize>> {
        self.attributes.binary_search_by_key(&at, |attributes| attributes.start).ok().map(|next| &self.attributes[next])
    }
}

pub(super) fn regex(pattern: &str) -> Option<Regex> {
    // The tests use each pattern.
    Regex::new(pattern).ok()
}

/// The attributes of a tag of JSX: text, strings, and expressions in braces.
macro_rules! attributes {
    () => {
        r#"(?:\s(?:[^<>{}"'`]|"[^"]*"|'[^']*'|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*)?"#
    };
}

/// Attributes of an element: `{.class #name key="value"}`.
macro_rules! element_attributes {
    () => {
        concat!(
            r#"\{:?\s*(?:[.#][\w:-]+|[\w:-]+=(?:"[^"\n]*"|'[^'\n]*'|[^\s{}"'`]+))"#,
            r#"(?:\s+(?:[.#][\w:-]+|[\w:-]+=(?:"[^"\n]*"|'[^'\n]*'|[^\s{}"'`]+)))*\s*\}"#
        )
    };
}
pub(super) use {attributes, element_attributes};

/// Titles among the parameters of signs and tags.
static PARAMETERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(r#"[\s(](?:title|caption|alt|label|summary|description|placeholder)\s*=\s*"(?P<quoted>[^"\n]*)""#)
});

/// A text as it is masked, line by line.
pub(super) struct Masker<'t> {
    pub(super) input: &'t str,
    pub(super) text: Vec<u8>,
    pub(super) hidden: Vec<Range<usize>>,
    pub(super) attributes: Vec<Range<usize>>,
    pub(super) values: Vec<Value>,
}

impl Masker<'_> {
    /// The title that a pattern found.
    pub(super) fn value(&mut self, start: usize, found: &Captures<'_>) {
        for (name, quote) in [("quoted", Quote::Double), ("title", Quote::Line), ("bracketed", Quote::Bracket)] {
            if let Some(title) = found.name(name) {
                self.values.push(Value { range: start + title.start()..start + title.end(), quote });
            }
        }
    }

    /// The titles among parameters.
    pub(super) fn parameters(&mut self, range: Range<usize>) {
        let text = &self.input[range.clone()];
        if !text.starts_with(['{', '<']) {
            return;
        }
        for found in PARAMETERS.iter().flat_map(|pattern| pattern.captures_iter(text)) {
            self.value(range.start, &found);
        }
    }
}
