//! Lines of input as requests: plain text, text with terms after tabs, or a JSON object on each line.

use crate::json_output::KEYS;
use indexmap::IndexMap;
use metaphrase::{Request, Terms, alternatives};
use serde_json::value::RawValue;

/// The keys and values of a JSON object in their order; values are kept as they were written.
pub type Fields = IndexMap<String, Box<RawValue>>;

/// The optional keys of an input object.
const OPTIONAL: [&str; 5] = ["target_prefix", "constraints", "avoid", "source_language", "target_language"];

/// Reads `{"text": "…", "target_prefix": "…", "constraints": ["…", ["…", "…"], {"source": "…", "target": "…"}],
/// "avoid": ["…"], "source_language": "…", "target_language": "…"}`. Other keys are copied to the output. A
/// constraint that is a list has alternatives; one with a source translates these words of the text.
///
/// # Errors
/// The fault of the line, in one sentence.
pub fn from_json(line: &str) -> Result<(Request, Fields), String> {
    let fields: Fields =
        serde_json::from_str(line).map_err(|error| format!("not a JSON object, the line is skipped: {error}"))?;
    let source = string(&fields, "text")?.ok_or("no key 'text' in the JSON object, the line is skipped")?;
    let prefix = string(&fields, "target_prefix")?.unwrap_or_default();
    let expected = "strings, lists of alternatives, or objects with a source and a target";
    let constraints = list::<Constraint>(&fields, "constraints", expected)?;
    let avoided = list(&fields, "avoid", "strings")?;
    let terms = Terms { avoided, ..Terms::default() };
    let target_language = string(&fields, "target_language")?;
    let source_language = string(&fields, "source_language")?;
    let request = Request { prefix, terms, source_language, target_language, ..Request::translate(source) };
    Ok((constraints.into_iter().fold(request, |request, constraint| constraint.add_to(request)), fields))
}

/// Reads `text <tab> constraint <tab> constraint …`, the format of fairseq; a constraint may name the words of the text
/// that it translates, as in `door ||| Pforte`.
///
/// # Errors
/// The fault of the line, in one sentence.
pub fn from_tsv(line: &str) -> Result<Request, String> {
    let mut fields = line.split('\t');
    let source = fields.next().unwrap_or_default();
    let add = |request: Request, constraint: &str| match constraint.split_once(" ||| ") {
        Some((source, target)) => request.require_for(source.trim(), alternatives(target.trim())),
        None => request.require(alternatives(constraint)),
    };
    let request = fields.fold(Request::translate(source), add);
    if source.trim().is_empty() && !request.terms.required.is_empty() {
        return Err("no text before the first tab, the line is skipped".into());
    }
    Ok(request)
}

/// Names that people give to our keys, and that other interfaces have.
const OTHER_NAMES: [(&str, &str); 5] = [
    ("terms", "constraints"),
    ("required", "constraints"),
    ("glossary", "constraints"),
    ("source_lang", "source_language"),
    ("target_lang", "target_language"),
];

/// One sentence for each key that is probably a misspelling or another name of one of our keys. Such a key is copied to
/// the output like any other.
pub fn misspelt(fields: &Fields) -> Vec<String> {
    let ours = |key: &str| {
        let spelled = key.trim().to_lowercase().replace(['-', ' '], "_");
        let other = OTHER_NAMES.iter().find(|(other, _)| *other == spelled).map(|(_, ours)| *ours);
        other.or_else(|| OPTIONAL.into_iter().find(|ours| strsim::normalized_damerau_levenshtein(&spelled, ours) > 0.7))
    };
    let known = |key: &str| OPTIONAL.contains(&key) || KEYS.contains(&key);
    let unknown = fields.keys().filter(|key| !known(key));
    let resembling = unknown.filter_map(|key| Some((key, ours(key)?)));
    resembling.map(|(key, ours)| format!("the key '{key}' has no meaning here; did you mean '{ours}'?")).collect()
}

/// A required term, with or without the words of the text that it translates.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Constraint {
    Targets(Alternatives),
    WithSource(TermFields),
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct TermFields {
    source: String,
    target: Alternatives,
}

/// A word or phrase, or several alternatives.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Alternatives {
    One(String),
    Any(Vec<String>),
}

impl Constraint {
    /// A request with this term, too.
    fn add_to(self, request: Request) -> Request {
        match self {
            Self::Targets(targets) => request.require(targets.list()),
            Self::WithSource(TermFields { source, target }) => request.require_for(&source, target.list()),
        }
    }
}

impl Alternatives {
    fn list(self) -> Vec<String> {
        match self {
            Self::One(only) => vec![only],
            Self::Any(all) => all,
        }
    }
}

/// The list of a key, whose members are described by `members`; empty without the key.
fn list<T: serde::de::DeserializeOwned>(fields: &Fields, key: &str, members: &str) -> Result<Vec<T>, String> {
    let Some(value) = fields.get(key) else { return Ok(Vec::new()) };
    serde_json::from_str(value.get())
        .map_err(|_| format!("the value of '{key}' is not a list of {members}, the line is skipped"))
}

/// The string of a key; `None` without the key.
fn string(fields: &Fields, key: &str) -> Result<Option<String>, String> {
    let Some(value) = fields.get(key) else { return Ok(None) };
    serde_json::from_str(value.get())
        .map(Some)
        .map_err(|_| format!("the value of '{key}' is not a string, the line is skipped"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use metaphrase::RequiredTerm;

    #[test]
    fn objects_are_read_and_kept() {
        let (request, fields) =
            from_json(r#" {"text": "a \"b\" \u00e9", "n": 12345678901234567890123, "x": [1, {"y": null}]} "#).unwrap();
        assert_eq!(request, Request::translate("a \"b\" é"));
        assert_eq!(fields["n"].get(), "12345678901234567890123", "not even rounded");
        assert_eq!(fields["x"].get(), r#"[1, {"y": null}]"#);
        let (request, _) = from_json(r#"{"text": "a", "target_prefix": "b"}"#).unwrap();
        assert_eq!(request.prefix, "b");
        let (request, _) = from_json(r#"{"text": "a", "constraints": ["b c", ["d", "e"]], "avoid": ["f"]}"#).unwrap();
        assert_eq!(request.terms.required, [RequiredTerm::new(["b c"]), RequiredTerm::new(["d", "e"])]);
        assert_eq!(request.terms.avoided, ["f"]);
        let (request, _) = from_json(
            r#"{"text": "a b a", "constraints": [{"source": "a", "target": "x"}, {"source": "a", "target": ["y", "z"]}, {"source": "c", "target": "w"}]}"#,
        )
        .unwrap();
        let places: Vec<_> = request.terms.required.iter().map(|term| term.source.clone()).collect();
        assert_eq!(places, [Some(0..1), Some(4..5), None]);
        assert_eq!(request.terms.required[1].targets, ["y", "z"]);
    }

    #[test]
    fn misspellings_of_our_keys_are_reported() {
        let notes = |line: &str| misspelt(&from_json(line).unwrap().1);
        for key in [
            "constraint",
            "Constraints",
            "constrains",
            "avoids",
            "avoided",
            "target-prefix",
            "avoid ",
            "terms",
            "Glossary",
        ] {
            assert_eq!(notes(&format!(r#"{{"text": "a", "{key}": []}}"#)).len(), 1, "{key}");
        }
        let message = "the key 'constraint' has no meaning here; did you mean 'constraints'?";
        assert_eq!(notes(r#"{"text": "a", "constraint": ["b"]}"#), [message]);
        for key in ["id", "target", "prefix", "translation", "avoid", "constraints_met", "text2"] {
            assert_eq!(notes(&format!(r#"{{"text": "a", "{key}": []}}"#)), [""; 0], "{key}");
        }
    }

    #[test]
    fn constraints_follow_tabs() {
        assert_eq!(from_tsv("a b").unwrap(), Request::translate("a b"));
        let request = from_tsv("a b\tc d\te").unwrap();
        assert_eq!(request.source, "a b");
        assert_eq!(request.terms.required, [RequiredTerm::new(["c d"]), RequiredTerm::new(["e"])]);
        let request = from_tsv("a b\tb ||| c d").unwrap();
        assert_eq!(
            (request.terms.required[0].source.clone(), &request.terms.required[0].targets[0][..]),
            (Some(2..3), "c d")
        );
        let request = from_tsv("a b\tb ||| c|d\te\\|f").unwrap();
        let targets: Vec<_> = request.terms.required.iter().map(|term| term.targets.join(" or ")).collect();
        assert_eq!(targets, ["c or d", "e|f"]);
        assert!(from_tsv("\tc").is_err());
        assert_eq!(from_tsv("").unwrap(), Request::default());
    }

    #[test]
    fn faults_are_named() {
        for (line, expected) in [
            ("", "not a JSON object"),
            ("text", "not a JSON object"),
            ("[1]", "not a JSON object"),
            (r#"{"text": "a"} more"#, "not a JSON object"),
            (r#"{"source": "a"}"#, "no key 'text'"),
            (r#"{"text": 5}"#, "the value of 'text' is not a string"),
            (r#"{"text": "a", "target_prefix": ["b"]}"#, "the value of 'target_prefix' is not a string"),
            (r#"{"text": "a", "constraints": "b"}"#, "the value of 'constraints' is not a list of strings, lists"),
            (r#"{"text": "a", "avoid": [["b"]]}"#, "the value of 'avoid' is not a list of strings"),
        ] {
            let message = from_json(line).unwrap_err();
            assert!(message.starts_with(expected), "{line}: {message}");
        }
    }
}
