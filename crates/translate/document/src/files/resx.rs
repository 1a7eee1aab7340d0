//! Resources of .NET: the values of `data` that are texts.

use super::accelerators::Markers;
use super::codes::is_code;
use super::elements::Elements;
use super::message::{Message, Messages, to_xml};
use super::reading::Reading;
use crate::Error;

/// The texts of a file.
pub(crate) fn messages(text: &str, _: &Reading<'_>) -> Result<Messages, Error> {
    let elements = Elements::new(text)?;
    let mut messages = Vec::new();
    for data in elements.of_root().filter(|element| element.name == "data") {
        // A name that begins so is one of a designer: of the class of a control, of its place.
        let of_designer =
            data.attribute("name").is_some_and(|name| name.starts_with("&gt;&gt;") || name.starts_with(">>"));
        if of_designer || data.attribute("type").is_some() || data.attribute("mimetype").is_some() {
            continue;
        }
        let Some(value) = elements.children(&data).find(|child| child.name == "value") else { continue };
        let Some(decoded) = elements.text(&value) else { continue };
        if !is_code(&decoded) {
            messages.push(Message::new(value.inner, decoded, to_xml));
        }
    }
    let markers = Markers::new(messages.iter().map(|message| &message.text), None);
    Ok(Messages { messages, markers, ..Messages::default() })
}
