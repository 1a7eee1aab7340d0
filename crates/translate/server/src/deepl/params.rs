//! The parameters of DeepL that this server does not have: a request whose result would differ is refused, others are
//! reported as ignored.

use crate::error::Failure;
use crate::params::Params;

/// The most glossaries of a request.
const GLOSSARIES: usize = 5;

/// Parameters of texts that are obeyed.
const TEXT: &[&str] =
    &["text", "split_sentences", "preserve_formatting", "tag_handling", "ignore_tags", "show_billed_characters"];
/// Parameters of documents that are obeyed.
const DOCUMENT: &[&str] = &["file", "filename", "output_format"];
/// Parameters of both.
const BOTH: &[&str] = &[
    "auth_key",
    "source_lang",
    "target_lang",
    "glossary_id",
    "glossary_ids",
    "formality",
    "model_type",
    "enable_beta_languages",
];

/// Parameters that would change the translation in a way that this server does not have.
const REFUSED: &[(&str, &str)] = &[
    ("style_id", "style rules"),
    ("custom_instructions", "instructions"),
    ("translation_memory_id", "translation memories"),
];

/// What is translated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Texts.
    Text,
    /// A document.
    Document,
}

/// The glossaries that a request names, in their order.
///
/// # Errors
/// [`Failure::Bad`] for both parameters, and for a list that is empty or too long.
pub fn glossaries(params: &Params) -> Result<Vec<String>, Failure> {
    let one = params.text("glossary_id").filter(|id| !id.is_empty());
    let Some(list) = params.value("glossary_ids") else { return Ok(one.into_iter().collect()) };
    let texts = params.texts("glossary_ids")?;
    let ids: Vec<String> = texts
        .iter()
        .flat_map(|ids| ids.split(','))
        .map(|id| id.trim().to_owned())
        .filter(|id| !id.is_empty())
        .collect();
    // An empty field of a form is one that was not filled in.
    if ids.is_empty() && list.is_string() {
        return Ok(one.into_iter().collect());
    }
    if one.is_some() {
        return Err(Failure::Bad("give `glossary_id` or `glossary_ids`, not both".into()));
    }
    if !(1..=GLOSSARIES).contains(&ids.len()) {
        let found = ids.len();
        return Err(Failure::Bad(format!("`glossary_ids` has {found} glossaries; it takes 1 to {GLOSSARIES}")));
    }
    Ok(ids)
}

/// The names of the parameters that have no effect here, in alphabetical order.
///
/// # Errors
/// [`Failure::Bad`] for a parameter that asks for another translation than this server gives.
pub fn ignored(params: &Params, kind: Kind) -> Result<Vec<String>, Failure> {
    let is_set = |name: &str| {
        let empty = |value: &serde_json::Value| match value {
            serde_json::Value::String(text) => text.is_empty(),
            serde_json::Value::Array(list) => list.is_empty(),
            _ => false,
        };
        params.value(name).is_some_and(|value| !empty(value))
    };
    for (name, what) in REFUSED {
        if is_set(name) {
            return Err(Failure::Bad(format!("the parameter `{name}` is not supported: this server has no {what}")));
        }
    }
    let mut ignored = Vec::new();
    match params.text("formality").as_deref() {
        None | Some("" | "default") => {}
        Some("prefer_more" | "prefer_less") => ignored.push("formality".to_owned()),
        Some("more" | "less") => {
            let advice = "this server's models have one form of address; prefer_more and prefer_less are taken";
            return Err(Failure::Bad(format!("'formality' is not supported for given 'target_lang': {advice}")));
        }
        Some(_) => {
            let values = "default, more, less, prefer_more, prefer_less";
            return Err(Failure::Bad(format!("the parameter `formality` is none of {values}")));
        }
    }
    one_of(params, "model_type", &["quality_optimized", "prefer_quality_optimized", "latency_optimized"])?;
    one_of(params, "tag_handling_version", &["v1", "v2"])?;
    let own = if kind == Kind::Text { TEXT } else { DOCUMENT };
    let others = params.names().filter(|name| !own.contains(name) && !BOTH.contains(name) && is_set(name));
    ignored.extend(others.map(str::to_owned));
    ignored.sort();
    Ok(ignored)
}

/// Refuses a parameter with another value than these.
fn one_of(params: &Params, name: &'static str, values: &[&str]) -> Result<(), Failure> {
    match params.text(name) {
        Some(value) if !value.is_empty() && !values.contains(&&*value) => {
            Err(Failure::Bad(format!("the parameter `{name}` is none of {}", values.join(", "))))
        }
        _ => Ok(()),
    }
}

/// Refuses to write a document in another format than its own.
///
/// # Errors
/// [`Failure::Bad`].
pub fn check_output(params: &Params, name: &str) -> Result<(), Failure> {
    let own = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match params.text("output_format").filter(|format| !format.is_empty()) {
        Some(format) if !format.trim_start_matches('.').eq_ignore_ascii_case(own) => Err(Failure::Bad(format!(
            "the document is a .{own} file and cannot be written as .{format}; leave `output_format` out"
        ))),
        _ => Ok(()),
    }
}
