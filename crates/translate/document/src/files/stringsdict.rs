//! Plural rules of Apple's programs: a property list whose strings are forms of messages, but for those that name
//! types.

use super::elements::Elements;
use super::message::{Message, Messages, pattern, to_xml};
use super::reading::Reading;
use crate::Error;
use regex::Regex;
use std::sync::LazyLock;

/// Keys of strings that are read by programs.
const TYPES: &[&str] = &["NSStringFormatSpecTypeKey", "NSStringFormatValueTypeKey"];

/// Names of variables inside a message: `%#@files@`.
static KEPT: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"%(?:\d+\$)?#@\w+@"));

/// The strings of a file.
pub(crate) fn messages(text: &str, _: &Reading<'_>) -> Result<Messages, Error> {
    let elements = Elements::new(text)?;
    let mut messages = Vec::new();
    let mut key = "";
    for element in elements.all() {
        match element.name {
            "key" => key = &text[element.inner.clone()],
            "string" if !TYPES.contains(&key.trim()) => {
                let decoded = elements.text(&element);
                messages.extend(decoded.map(|decoded| Message::new(element.inner, decoded, to_xml)));
            }
            _ => {}
        }
    }
    Ok(Messages { messages, kept: KEPT.as_ref(), ..Messages::default() })
}
