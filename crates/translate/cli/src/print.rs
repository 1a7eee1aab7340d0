//! Translations as text: plain lines and n-best lists as Marian prints them, or JSON.

use crate::alignment::append_alignment;
use crate::io::append;
use crate::json_output::{CheckResult, JsonAlignment, JsonNumber, KEYS, OutputObject};
use crate::request::Fields;
use crate::stream::Ticket;
use metaphrase::{AlignmentKind, Hypothesis, Met, Translation};
use metaphrase_base::SixDigits;
use std::sync::LazyLock;

/// Prints translations.
pub struct Printer {
    /// The form of the output.
    pub form: Form,
    /// The kind of word alignment to print, if any.
    pub alignment: Option<AlignmentKind>,
    /// Whether to print the log-probabilities of target pieces.
    pub word_scores: bool,
}

/// A form of output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The best translation on a line.
    Plain,
    /// Each translation on a line, with its number and scores.
    NBest,
    /// All translations in a JSON object on a line.
    Json {
        /// Whether the object has lists of all translations.
        n_best: bool,
    },
}

/// The JSON keys of an input line, which is empty for plain text; or the fault of the line.
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

    /// `number ||| translation[ ||| alignment][ ||| WordScores= …][ ||| Terms= …] ||| F0= log-probability ||| score`
    /// for each hypothesis. A line without a translation has one empty hypothesis, so that each number occurs.
    fn n_best(&self, text: &mut String, number: usize, translation: &Translation) {
        let nothing = [Hypothesis::default()];
        let hypotheses = if translation.hypotheses.is_empty() { &nothing[..] } else { &translation.hypotheses };
        for hypothesis in hypotheses {
            append(text, format_args!("{number} ||| "));
            self.head(text, hypothesis);
            let log_prob = SixDigits(hypothesis.log_prob.into());
            let score = SixDigits(hypothesis.score.into());
            append(text, format_args!(" ||| F0= {log_prob} ||| {score}\n"));
        }
    }

    /// The part that plain lines and n-best lines have in common.
    fn head(&self, text: &mut String, hypothesis: &Hypothesis) {
        // With --allow-special the model can generate a line break.
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
        let input = ticket.extra.as_ref().ok();
        let others = input.into_iter().flatten().filter(|(key, _)| !KEYS.contains(&key.as_str()));
        let object = OutputObject {
            sentence_id: ticket.number,
            notes: ticket.encoding_note.iter().chain(&ticket.notes).chain(&translation.notes).collect(),
            input: others.map(|(key, value)| (&**key, &**value)).collect(),
            ..match &ticket.extra {
                Ok(_) => self.object(translation, n_best),
                Err(error) => OutputObject { error: Some(error), ..OutputObject::default() },
            }
        };
        // Keys are strings, and numbers are finite or null, so that JSON can express the whole object.
        text.push_str(&serde_json::to_string(&object).unwrap_or_default());
        text.push('\n');
    }

    /// The output object of a translation, without the facts about its line.
    fn object<'t>(&self, translation: &'t Translation, n_best: bool) -> OutputObject<'t> {
        static NOTHING: LazyLock<Hypothesis> = LazyLock::new(Hypothesis::default);
        let all = &translation.hypotheses;
        let best = all.first().unwrap_or(&NOTHING);
        let number = |number: f32| if translation.error.is_some() { JsonNumber(None) } else { number.into() };
        let has_terms = !best.met.is_empty() || !translation.missing.is_empty();
        let missing_numbers: Vec<&str> = translation.missing_numbers.iter().map(|missing| &*missing.text).collect();
        let numbers = |number: fn(&Hypothesis) -> f32| all.iter().map(number).map(JsonNumber::from).collect();
        OutputObject {
            translation: &best.text,
            error: translation.error.as_deref(),
            score: Some(number(best.score)),
            log_prob: Some(number(best.log_prob)),
            constraints_met: has_terms
                .then(|| best.met.iter().map(|Met { term, first, pieces }| [*term, *first, *pieces]).collect()),
            constraints_missing: has_terms.then_some(&translation.missing),
            avoid_present: &translation.present,
            check: (!missing_numbers.is_empty()).then_some(CheckResult { numbers: missing_numbers }),
            translations: n_best.then(|| all.iter().map(|hypothesis| &*hypothesis.text).collect()),
            scores: n_best.then(|| numbers(|hypothesis| hypothesis.score)),
            log_probs: n_best.then(|| numbers(|hypothesis| hypothesis.log_prob)),
            alignment: self.alignment.map(|kind| JsonAlignment::new(best, kind)),
            alignments: self
                .alignment
                .filter(|_| n_best)
                .map(|kind| all.iter().map(|hypothesis| JsonAlignment::new(hypothesis, kind)).collect()),
            word_scores: self.word_scores.then(|| best.piece_log_probs.iter().copied().map(JsonNumber::from).collect()),
            pieces: Some(&best.pieces),
            source_pieces: Some(&translation.source_pieces),
            ..OutputObject::default()
        }
    }
}

/// Appends the log-probabilities of pieces, as Marian prints them.
pub fn append_word_scores(text: &mut String, hypothesis: &Hypothesis) {
    text.push_str(" ||| WordScores=");
    for score in &hypothesis.piece_log_probs {
        append(text, format_args!(" {score:.5}"));
    }
}
