//! The JSON objects of `metaphrase translate`.

use indexmap::IndexMap;
use metaphrase::{AlignmentKind, Hypothesis};
use serde::Serialize;
use serde_json::value::RawValue;

/// The keys of an output object, in their order. A value of the input line for one of these keys is not copied.
pub const KEYS: [&str; 18] = [
    "translation",
    "error",
    "notes",
    "sentence_id",
    "score",
    "log_prob",
    "constraints_met",
    "constraints_missing",
    "avoid_present",
    "check",
    "translations",
    "scores",
    "log_probs",
    "alignment",
    "alignments",
    "word_scores",
    "pieces",
    "source_pieces",
];

/// An output object: the fields, in this order, are [`KEYS`].
#[derive(Default, Serialize)]
pub struct OutputObject<'a> {
    pub translation: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<&'a String>,
    pub sentence_id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<JsonNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_prob: Option<JsonNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraints_met: Option<Vec<[usize; 3]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraints_missing: Option<&'a [usize]>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub avoid_present: &'a [usize],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckResult<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<Vec<JsonNumber>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_probs: Option<Vec<JsonNumber>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alignment: Option<JsonAlignment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alignments: Option<Vec<JsonAlignment>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word_scores: Option<Vec<JsonNumber>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pieces: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_pieces: Option<&'a [String]>,
    /// The other keys of the input line, with their values as they were written.
    #[serde(flatten)]
    pub input: IndexMap<&'a str, &'a RawValue>,
}

/// A number in JSON: an `f32` with the digits of its `f64`, or null for a number that JSON cannot express or that is
/// unknown.
#[derive(Clone, Copy, Serialize)]
#[serde(transparent)]
pub struct JsonNumber(pub Option<f64>);

impl From<f32> for JsonNumber {
    fn from(number: f32) -> Self {
        Self(Some(number.into()))
    }
}

/// The result of `--check`.
#[derive(Serialize)]
pub struct CheckResult<'a> {
    /// The numbers of the source that the translation lacks.
    pub numbers: Vec<&'a str>,
}

/// A word alignment in JSON.
#[derive(Serialize)]
#[serde(untagged)]
pub enum JsonAlignment {
    /// `[source, target]`.
    Pairs(Vec<(usize, usize)>),
    /// Target words × source words.
    Weights(Vec<Vec<JsonNumber>>),
}

impl JsonAlignment {
    /// The alignment of a hypothesis.
    pub fn new(hypothesis: &Hypothesis, kind: AlignmentKind) -> Self {
        let numbers = |row: &[f32]| row.iter().copied().map(JsonNumber::from).collect();
        match (&hypothesis.attention, kind) {
            (None, _) => Self::Pairs(Vec::new()),
            (Some(attention), AlignmentKind::Soft) => {
                Self::Weights(attention.weights.chunks_exact(attention.source_len).map(numbers).collect())
            }
            (Some(attention), _) => Self::Pairs(attention.pairs(kind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_an_object_are_the_keys() {
        let note = String::new();
        let object = OutputObject {
            error: Some(""),
            notes: vec![&note],
            score: Some(JsonNumber(None)),
            log_prob: Some((-0.1).into()),
            constraints_met: Some(Vec::new()),
            constraints_missing: Some(&[]),
            avoid_present: &[1],
            check: Some(CheckResult { numbers: Vec::new() }),
            translations: Some(Vec::new()),
            scores: Some(vec![f32::NEG_INFINITY.into()]),
            log_probs: Some(Vec::new()),
            alignment: Some(JsonAlignment::Pairs(vec![(1, 2)])),
            alignments: Some(Vec::new()),
            word_scores: Some(Vec::new()),
            pieces: Some(&[]),
            source_pieces: Some(&[]),
            input: IndexMap::from([
                ("z", serde_json::from_str("1.50").unwrap()),
                ("a", serde_json::from_str("{}").unwrap()),
            ]),
            ..OutputObject::default()
        };
        let text = serde_json::to_string(&object).unwrap();
        let keys: Vec<String> =
            serde_json::from_str::<IndexMap<String, serde_json::Value>>(&text).unwrap().into_keys().collect();
        assert_eq!(keys, [&KEYS[..], &["z", "a"]].concat());
        assert!(text.ends_with(r#""z":1.50,"a":{}}"#), "{text}");
        assert!(text.contains(r#""score":null,"log_prob":-0.10000000149011612,"#), "{text}");
        assert!(text.contains(r#""scores":[null]"#), "{text}");
    }
}
