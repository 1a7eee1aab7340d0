//! Results as plain values: what pickles hold.

use metaphrase::{Attention, Counts, Hypothesis, Met, MissingNumber, RequiredTerm, Translation};
use pyo3::prelude::*;

/// What `__reduce__` gives: a function, and the arguments that make the same object.
pub(crate) type Pickled<'py, Arguments> = PyResult<(Bound<'py, PyAny>, Arguments)>;

/// The fields of a hypothesis in their order.
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

/// The fields of a translation in their order, but for the search graph; the required terms come last.
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

/// Where a required term stands in the source, and its alternatives.
pub type TermState = (Option<(usize, usize)>, Vec<String>);

pub fn of_translation(found: &Translation) -> TranslationState {
    let Counts { steps, hypotheses, groups, rows } = found.counts;
    (
        found.hypotheses.iter().map(of_hypothesis).collect(),
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
        of_terms(&found.terms),
    )
}

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

pub fn of_terms(terms: &[RequiredTerm]) -> Vec<TermState> {
    terms
        .iter()
        .map(|term| (term.source.as_ref().map(|place| (place.start, place.end)), term.targets.clone()))
        .collect()
}

pub fn term(place: Option<(usize, usize)>, targets: Vec<String>) -> RequiredTerm {
    RequiredTerm { source: place.map(|(start, end)| start..end), targets }
}

pub fn of_hypothesis(found: &Hypothesis) -> HypothesisState {
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
