//! Results as plain values, for pickling.

use metaphrase::{Attention, Counts, Hypothesis, Met, MissingNumber, RequiredTerm, Translation};
use pyo3::prelude::*;

/// The result of `__reduce__`: a function, and the arguments with which it makes an equal object.
pub(crate) type ReduceResult<'py, Arguments> = PyResult<(Bound<'py, PyAny>, Arguments)>;

/// The fields of a hypothesis, in their order.
pub type HypothesisState = (
    String,
    Vec<String>,
    f32,
    f32,
    Vec<f32>,
    bool,
    Vec<(usize, usize, usize)>,
    Option<(usize, Vec<f32>)>,
    Vec<(usize, usize)>,
);

/// The fields of a translation, in their order, without the search graph. The required terms come last.
pub type TranslationState = (
    Vec<HypothesisState>,
    Option<String>,
    Vec<usize>,
    Vec<usize>,
    [usize; 4],
    Vec<String>,
    Vec<String>,
    Vec<(usize, usize, String)>,
    Vec<TermState>,
);

/// The place of a required term in the source, and its alternatives.
pub type TermState = (Option<(usize, usize)>, Vec<String>);

/// The state of a translation.
pub fn translation_state(found: &Translation) -> TranslationState {
    let Counts { steps, hypotheses, groups, rows } = found.counts;
    (
        found.hypotheses.iter().map(hypothesis_state).collect(),
        found.error.clone(),
        found.missing.clone(),
        found.present.clone(),
        [steps, hypotheses, groups, rows],
        found.source_pieces.clone(),
        found.notes.clone(),
        found
            .missing_numbers
            .iter()
            .map(|missing| (missing.range.start, missing.range.end, missing.text.clone()))
            .collect(),
        term_states(&found.terms),
    )
}

/// The translation with this state.
pub fn translation(state: TranslationState) -> Translation {
    let (hypotheses, error, missing, present, counts, source_pieces, notes, numbers, terms) = state;
    let [steps, searched, groups, rows] = counts;
    Translation {
        hypotheses: hypotheses.into_iter().map(hypothesis).collect(),
        error,
        terms: terms.into_iter().map(|(place, targets)| term(place, targets)).collect(),
        missing,
        present,
        search_graph: None,
        counts: Counts { steps, hypotheses: searched, groups, rows },
        source_pieces,
        notes,
        missing_numbers: numbers
            .into_iter()
            .map(|(start, end, text)| MissingNumber { range: start..end, text })
            .collect(),
    }
}

/// The states of required terms.
pub fn term_states(terms: &[RequiredTerm]) -> Vec<TermState> {
    terms
        .iter()
        .map(|term| (term.source.as_ref().map(|place| (place.start, place.end)), term.targets.clone()))
        .collect()
}

/// The required term with this state.
pub fn term(place: Option<(usize, usize)>, targets: Vec<String>) -> RequiredTerm {
    RequiredTerm { source: place.map(|(start, end)| start..end), ..RequiredTerm::new(targets) }
}

/// The state of a hypothesis.
pub fn hypothesis_state(found: &Hypothesis) -> HypothesisState {
    (
        found.text.clone(),
        found.pieces.clone(),
        found.score,
        found.log_prob,
        found.piece_log_probs.clone(),
        found.complete,
        found.met.iter().map(|met| (met.term, met.first, met.pieces)).collect(),
        found.attention.as_ref().map(|attention| (attention.source_len, attention.weights.clone())),
        found.links.clone(),
    )
}

/// The hypothesis with this state.
pub fn hypothesis(state: HypothesisState) -> Hypothesis {
    let (text, pieces, score, log_prob, piece_log_probs, complete, met, attention, links) = state;
    Hypothesis {
        text,
        pieces,
        score,
        log_prob,
        piece_log_probs,
        complete,
        met: met.into_iter().map(|(term, first, pieces)| Met { term, first, pieces }).collect(),
        attention: attention.map(|(source_len, weights)| Attention { source_len, weights }),
        links,
    }
}
