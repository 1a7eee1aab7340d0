//! Translations as text: plain lines and n-best lists as Marian prints them, or JSON.

use crate::alignment::append_alignment;
use crate::request::Fields;
use crate::stream::Ticket;
use indexmap::IndexMap;
use metaphrase::{AlignmentKind, Hypothesis, Met, Translation};
use metaphrase_base::SixDigits;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Prints translations.
pub struct Printer {
    /// Lines or objects.
    pub form: Form,
    /// The kind of word alignment, if it is printed.
    pub alignment: Option<AlignmentKind>,
    /// Whether log-probabilities of target pieces are printed.
    pub word_scores: bool,
}

/// How translations are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The best translation on a line.
    Plain,
    /// Each translation on a line, with its number and scores.
    NBest,
    /// All translations in a JSON object on a line.
    Json {
        /// Whether a list was asked for.
        n_best: bool,
    },
}

/// The keys of an output object, in their order. They are ours alone: an input line's values of these keys are not copied.
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

/// The JSON keys of an input line, or what is wrong with the line; plain text has no keys.
pub type Keys = Result<Fields, String>;

impl Printer {
    /// Appends the output of a line.
    pub fn print(&self, text: &mut String, ticket: Ticket<Keys>, translation: &Translation) {
        match self.form {
            Form::Plain => self.plain(text, translation),
            Form::NBest => self.n_best(text, ticket.number, translation),
            Form::Json { n_best } => self.json(text, ticket, translation, n_best),
        }
    }

    /// `translation[ ||| alignment][ ||| WordScores= …]`.
    fn plain(&self, text: &mut String, translation: &Translation) {
        let nothing = Hypothesis::default();
        self.head(text, translation.hypotheses.first().unwrap_or(&nothing));
        text.push('\n');
    }

    /// `number ||| translation[ ||| alignment][ ||| WordScores= …][ ||| Terms= …] ||| F0= log-probability ||| score` for each
    /// hypothesis. A line without a translation has one empty hypothesis, so that no number is missing.
    fn n_best(&self, text: &mut String, number: usize, translation: &Translation) {
        let nothing = [Hypothesis::default()];
        let hypotheses = if translation.hypotheses.is_empty() { &nothing[..] } else { &translation.hypotheses };
        for hypothesis in hypotheses {
            append(text, format_args!("{number} ||| "));
            self.head(text, hypothesis);
            let (log_prob, score) = (SixDigits(hypothesis.log_prob.into()), SixDigits(hypothesis.score.into()));
            append(text, format_args!(" ||| F0= {log_prob} ||| {score}\n"));
        }
    }

    /// What plain lines and n-best lines have in common.
    fn head(&self, text: &mut String, hypothesis: &Hypothesis) {
        // With --allow-special a line break may come out of the model.
        text.extend(hypothesis.text.chars().map(|c| if c == '\n' { ' ' } else { c }));
        if let Some(kind) = self.alignment {
            text.push_str(" ||| ");
            append_alignment(text, hypothesis.attention.as_ref(), kind);
        }
        if self.word_scores {
            append_word_scores(text, hypothesis);
        }
        if self.form == Form::NBest && !hypothesis.met.is_empty() {
            text.push_str(" ||| Terms=");
            for Met { term, first, pieces } in &hypothesis.met {
                append(text, format_args!(" {term}:{first}-{}", first + pieces - 1));
            }
        }
    }

    fn json(&self, text: &mut String, ticket: Ticket<Keys>, translation: &Translation, n_best: bool) {
        let (input, mut output) = match ticket.extra {
            Ok(fields) => (fields, self.fields(translation, n_best)),
            Err(error) => (Fields::new(), BTreeMap::from([("error", json!(error)), ("translation", json!(""))])),
        };
        output.insert("sentence_id", json!(ticket.number));
        let notes: Vec<&String> = ticket.encoding_note.iter().chain(&ticket.notes).chain(&translation.notes).collect();
        if !notes.is_empty() {
            output.insert("notes", json!(notes));
        }
        let ours = KEYS.iter().filter_map(|key| Some((*key, Field::Output(output.remove(key)?))));
        let mut object: IndexMap<&str, Field> = ours.collect();
        debug_assert!(output.is_empty(), "keys without a place: {output:?}");
        let theirs = input.iter().filter(|(key, _)| !KEYS.contains(&key.as_str()));
        object.extend(theirs.map(|(key, value)| (&**key, Field::Input(value))));
        // Keys are strings, and numbers are finite or null: JSON can express all of it.
        text.push_str(&serde_json::to_string(&object).unwrap_or_default());
        text.push('\n');
    }

    fn fields(&self, translation: &Translation, n_best: bool) -> BTreeMap<&'static str, Value> {
        let nothing = Hypothesis::default();
        let best = translation.hypotheses.first().unwrap_or(&nothing);
        let score = |score: f32| if translation.error.is_some() { Value::Null } else { json!(score) };
        let mut fields = BTreeMap::from([
            ("translation", json!(best.text)),
            ("score", score(best.score)),
            ("log_prob", score(best.log_prob)),
            ("pieces", json!(best.pieces)),
            ("source_pieces", json!(translation.source_pieces)),
        ]);
        if let Some(error) = &translation.error {
            fields.insert("error", json!(error));
        }
        let list =
            |value: &dyn Fn(&Hypothesis) -> Value| -> Value { translation.hypotheses.iter().map(value).collect() };
        if n_best {
            fields.insert("translations", list(&|hypothesis| json!(hypothesis.text)));
            fields.insert("scores", list(&|hypothesis| json!(hypothesis.score)));
            fields.insert("log_probs", list(&|hypothesis| json!(hypothesis.log_prob)));
        }
        if let Some(kind) = self.alignment {
            fields.insert("alignment", json_alignment(best, kind));
            if n_best {
                fields.insert("alignments", list(&|hypothesis| json_alignment(hypothesis, kind)));
            }
        }
        if !best.met.is_empty() || !translation.missing.is_empty() {
            let place = |met: &Met| json!([met.term, met.first, met.pieces]);
            fields.insert("constraints_met", best.met.iter().map(place).collect());
            fields.insert("constraints_missing", json!(translation.missing));
        }
        if !translation.present.is_empty() {
            fields.insert("avoid_present", json!(translation.present));
        }
        if !translation.missing_numbers.is_empty() {
            let texts: Vec<&str> = translation.missing_numbers.iter().map(|missing| &*missing.text).collect();
            fields.insert("check", json!({"numbers": texts}));
        }
        if self.word_scores {
            fields.insert("word_scores", json!(best.piece_log_probs));
        }
        fields
    }
}

/// A value of the output object: copied from the input, or ours.
#[derive(Serialize)]
#[serde(untagged)]
enum Field<'a> {
    Input(&'a serde_json::value::RawValue),
    Output(Value),
}

/// Pairs `[source, target]`, or for soft alignments a row of source weights for each target word.
fn json_alignment(hypothesis: &Hypothesis, kind: AlignmentKind) -> Value {
    match (&hypothesis.attention, kind) {
        (None, _) => json!([]),
        (Some(attention), AlignmentKind::Soft) => {
            attention.weights.chunks_exact(attention.source_len).map(|row| json!(row)).collect()
        }
        (Some(attention), _) => json!(attention.pairs(kind)),
    }
}

/// Appends the log-probabilities of pieces, as Marian prints them.
pub fn append_word_scores(text: &mut String, hypothesis: &Hypothesis) {
    text.push_str(" ||| WordScores=");
    for score in &hypothesis.piece_log_probs {
        append(text, format_args!(" {score:.5}"));
    }
}

/// Appends formatted text, which cannot fail.
pub fn append(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(arguments);
}
