//! Lines of input as requests: plain text, or a JSON object on each line.

use metaphrase::Request;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Keys and values of a JSON object, the values as they were written.
pub type Fields = BTreeMap<String, Box<RawValue>>;

/// Reads `{"text": "…", "target_prefix": "…"}`; other keys are for the output alone.
///
/// # Errors
/// One sentence about what is wrong with the line.
pub fn from_json(line: &str) -> Result<(Request, Fields), String> {
    let fields: Fields =
        serde_json::from_str(line).map_err(|error| format!("not a JSON object, the line is skipped: {error}"))?;
    let source = string(&fields, "text")?.ok_or("no key 'text' in the JSON object, the line is skipped")?;
    let prefix = string(&fields, "target_prefix")?.unwrap_or_default();
    Ok((Request { source, prefix, target: None }, fields))
}

/// The text of a key that has to be text.
fn string(fields: &Fields, key: &str) -> Result<Option<String>, String> {
    let Some(value) = fields.get(key) else { return Ok(None) };
    serde_json::from_str(value.get())
        .map(Some)
        .map_err(|_| format!("the value of '{key}' is not a string, the line is skipped"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_read_and_kept() {
        let (request, fields) =
            from_json(r#" {"text": "a \"b\" \u00e9", "n": 12345678901234567890123, "x": [1, {"y": null}]} "#).unwrap();
        assert_eq!(request, Request::translate("a \"b\" é"));
        assert_eq!(fields["n"].get(), "12345678901234567890123", "not even rounded");
        assert_eq!(fields["x"].get(), r#"[1, {"y": null}]"#);
        let (request, _) = from_json(r#"{"text": "a", "target_prefix": "b"}"#).unwrap();
        assert_eq!(request.prefix, "b");
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, expected) in [
            ("", "not a JSON object"),
            ("text", "not a JSON object"),
            ("[1]", "not a JSON object"),
            (r#"{"text": "a"} more"#, "not a JSON object"),
            (r#"{"source": "a"}"#, "no key 'text'"),
            (r#"{"text": 5}"#, "the value of 'text' is not a string"),
            (r#"{"text": "a", "target_prefix": ["b"]}"#, "the value of 'target_prefix' is not a string"),
        ] {
            let message = from_json(line).unwrap_err();
            assert!(message.starts_with(expected), "{line}: {message}");
        }
    }
}
