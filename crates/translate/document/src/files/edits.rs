//! Changes of a file before its sentences are found, such as an attribute that names the language of the translation.

use std::ops::Range;

/// A change of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The bytes that are replaced.
    pub(crate) range: Range<usize>,
    /// The text in their place.
    pub(crate) with: String,
    /// Bytes of `with` that are translated.
    pub(crate) parts: Vec<Range<usize>>,
}

impl Edit {
    /// A change without text to translate.
    pub(crate) fn new(range: Range<usize>, with: impl Into<String>) -> Self {
        Self { range, with: with.into(), parts: Vec::new() }
    }
}

/// A part of a changed text that is translated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewPart {
    /// Its bytes in the changed text.
    pub(crate) range: Range<usize>,
    /// The text in its place before; empty where the change has more than this part.
    pub(crate) before: String,
}

/// The changed text, and the parts of it that are translated. Of changes that overlap, the first one counts.
pub(crate) fn apply(text: &str, mut edits: Vec<Edit>) -> (String, Vec<NewPart>) {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let (mut out, mut parts, mut last) = (String::with_capacity(text.len()), Vec::new(), 0);
    for edit in edits {
        if edit.range.start < last {
            continue;
        }
        out.push_str(&text[last..edit.range.start]);
        let is_whole = matches!(&edit.parts[..], [part] if *part == (0..edit.with.len()));
        let before = if is_whole { &text[edit.range.clone()] } else { "" };
        parts.extend(
            edit.parts
                .into_iter()
                .map(|part| NewPart { range: out.len() + part.start..out.len() + part.end, before: before.to_owned() }),
        );
        out.push_str(&edit.with);
        last = edit.range.end;
    }
    out.push_str(&text[last..]);
    (out, parts)
}

/// The change that gives an attribute of a tag a value; `None` if it has the value. `tag`: the bytes of the tag.
pub(crate) fn attribute(text: &str, tag: Range<usize>, name: &str, value: &str) -> Option<Edit> {
    let raw = &text[tag.clone()];
    match crate::markup::attribute(raw, name) {
        Some(old) if old == value => None,
        Some(old) => {
            let start = tag.start + (old.as_ptr() as usize - raw.as_ptr() as usize);
            Some(Edit::new(start..start + old.len(), value))
        }
        None => {
            let end = tag.end - if raw.ends_with("/>") { 2 } else { 1 };
            let end = end - (text[..end].len() - text[tag.start..end].trim_end().len() - tag.start);
            Some(Edit::new(end..end, format!(" {name}=\"{value}\"")))
        }
    }
}

/// Whether two codes name one language, as `de` and `de-AT` do.
pub(crate) fn same_language(one: &str, other: &str) -> bool {
    let primary = |code: &str| code.split(['-', '_', '@', '.']).next().unwrap_or_default().to_lowercase();
    primary(one) == primary(other)
}
