//! Translations as Python objects. They are views of the results of the crate `metaphrase`.

use crate::lattice::Lattice;
use crate::pickle::ReduceResult;
use crate::pickle::{self, HypothesisState, TermState, TranslationState};
use metaphrase::{AlignmentKind, RequiredTerm};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// The translations of a line.
#[pyclass(frozen, module = "metaphrase")]
pub struct Translation {
    found: Arc<metaphrase::Translation>,
}

impl Translation {
    pub fn new(found: metaphrase::Translation) -> Self {
        Self { found: Arc::new(found) }
    }

    fn best(&self) -> Option<&metaphrase::Hypothesis> {
        self.found.hypotheses.first()
    }
}

/// The score of a line without a translation.
const NO_SCORE: f32 = f32::NAN;

#[pymethods]
impl Translation {
    /// The text of the best translation; empty if there is none.
    #[getter]
    fn text(&self) -> &str {
        self.found.text()
    }

    /// The score of the best translation; NaN if there is none.
    #[getter]
    fn score(&self) -> f32 {
        self.best().map_or(NO_SCORE, |best| best.score)
    }

    /// The log-probability of the best translation, natural logarithm.
    #[getter]
    fn log_prob(&self) -> f32 {
        self.best().map_or(NO_SCORE, |best| best.log_prob)
    }

    /// The pieces of the best translation, without the end of sentence.
    #[getter]
    fn pieces(&self) -> Vec<&str> {
        self.best().map(|best| best.pieces.iter().map(String::as_str).collect()).unwrap_or_default()
    }

    /// The log-probability of each piece, and of the end of sentence.
    #[getter]
    fn piece_log_probs(&self) -> Vec<f32> {
        self.best().map(|best| best.piece_log_probs.clone()).unwrap_or_default()
    }

    /// The required terms that the best translation contains.
    #[getter]
    fn met(&self) -> Vec<Met> {
        self.best().map(|best| met(best, &self.found.terms)).unwrap_or_default()
    }

    /// The attention of the best translation: a row of source weights for each piece. `None` without the option
    /// `attention`.
    #[getter]
    fn attention(&self) -> Option<Vec<Vec<f32>>> {
        rows(self.best()?)
    }

    /// The word alignment of the best translation: pairs of a source piece and a target piece, counted from 0.
    #[pyo3(signature = (kind="hard"))]
    fn alignment(&self, kind: &str) -> PyResult<Vec<(usize, usize)>> {
        let kind = alignment_kind(kind)?;
        Ok(self.best().map(|best| best.alignment(kind)).unwrap_or_default())
    }

    /// All translations, the best one first.
    #[getter]
    fn hypotheses(&self) -> Vec<Hypothesis> {
        let hypothesis = |place| Hypothesis { translation: Arc::clone(&self.found), place };
        (0..self.found.hypotheses.len()).map(hypothesis).collect()
    }

    /// The pieces of the source, without the end of sentence.
    #[getter]
    fn source_pieces(&self) -> Vec<&str> {
        self.found.source_pieces.iter().map(String::as_str).collect()
    }

    /// The required terms of the line and then those of the glossary, each with its alternatives.
    #[getter]
    fn terms(&self) -> Vec<Vec<String>> {
        self.found.terms.iter().map(|term| term.targets.clone()).collect()
    }

    /// Numbers of the required terms that a translation lacks.
    #[getter]
    fn missing(&self) -> Vec<usize> {
        self.found.missing.clone()
    }

    /// Numbers of the phrases to avoid that a translation contains nevertheless.
    #[getter]
    fn present(&self) -> Vec<usize> {
        self.found.present.clone()
    }

    /// The numbers of the source that the best translation lacks in every notation, with the option `check_numbers`.
    #[getter]
    fn missing_numbers(&self) -> Vec<&str> {
        self.found.missing_numbers.iter().map(|missing| &*missing.text).collect()
    }

    /// Messages about the line, each in one sentence.
    #[getter]
    fn notes(&self) -> Vec<&str> {
        self.found.notes.iter().map(String::as_str).collect()
    }

    /// The reason why the line has no translation; `None` if it has one.
    #[getter]
    fn error(&self) -> Option<&str> {
        self.found.error.as_deref()
    }

    /// The work of the search: steps, hypotheses, groups, rows.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = self.found.counts;
        let dict = PyDict::new(py);
        for (name, value) in [
            ("steps", counts.steps),
            ("hypotheses", counts.hypotheses),
            ("groups", counts.groups),
            ("rows", counts.rows),
        ] {
            dict.set_item(name, value)?;
        }
        Ok(dict)
    }

    /// The hypotheses that the search kept, with the option `search_graph`.
    #[getter]
    fn lattice(&self) -> Option<Lattice> {
        self.found.search_graph.as_ref().map(|graph| Lattice::new(graph.lattice()))
    }

    /// A picture of these hypotheses in SVG, which shows where the model hesitated and what the search discarded.
    fn search_svg(&self) -> Option<String> {
        self.found.search_graph.as_ref().map(|_| metaphrase_cli::search_svg(&self.found))
    }

    /// The translation from a pickle.
    #[staticmethod]
    fn _of(state: TranslationState) -> Self {
        Self::new(pickle::translation(state))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> ReduceResult<'py, (TranslationState,)> {
        Ok((slf.get_type().getattr("_of")?, (pickle::translation_state(&slf.get().found),)))
    }

    fn __str__(&self) -> &str {
        self.found.text()
    }

    fn __repr__(&self) -> String {
        match &self.found.error {
            None => format!("<metaphrase.Translation {:?}>", self.found.text()),
            Some(error) => format!("<metaphrase.Translation without a text: {error}>"),
        }
    }
}

/// One translation of a line.
#[pyclass(frozen, module = "metaphrase")]
pub struct Hypothesis {
    translation: Arc<metaphrase::Translation>,
    place: usize,
}

impl Hypothesis {
    fn found(&self) -> &metaphrase::Hypothesis {
        &self.translation.hypotheses[self.place]
    }
}

#[pymethods]
impl Hypothesis {
    /// The text.
    #[getter]
    fn text(&self) -> &str {
        &self.found().text
    }

    /// The score that orders the list.
    #[getter]
    fn score(&self) -> f32 {
        self.found().score
    }

    /// The log-probability, natural logarithm, end of sentence included.
    #[getter]
    fn log_prob(&self) -> f32 {
        self.found().log_prob
    }

    /// The pieces, without the end of sentence.
    #[getter]
    fn pieces(&self) -> Vec<&str> {
        self.found().pieces.iter().map(String::as_str).collect()
    }

    /// The log-probability of each piece, and of the end of sentence.
    #[getter]
    fn piece_log_probs(&self) -> Vec<f32> {
        self.found().piece_log_probs.clone()
    }

    /// Whether it ended with an end of sentence and was not cut off at the length limit.
    #[getter]
    fn complete(&self) -> bool {
        self.found().complete
    }

    /// The required terms that it contains.
    #[getter]
    fn met(&self) -> Vec<Met> {
        met(self.found(), &self.translation.terms)
    }

    /// A row of source weights for each piece; `None` without the option `attention`.
    #[getter]
    fn attention(&self) -> Option<Vec<Vec<f32>>> {
        rows(self.found())
    }

    /// Pairs of a source piece and a target piece, counted from 0.
    #[pyo3(signature = (kind="hard"))]
    fn alignment(&self, kind: &str) -> PyResult<Vec<(usize, usize)>> {
        Ok(self.found().alignment(alignment_kind(kind)?))
    }

    /// The hypothesis from a pickle.
    #[staticmethod]
    fn _of(state: HypothesisState, terms: Vec<TermState>) -> Self {
        let terms = terms.into_iter().map(|(place, targets)| pickle::term(place, targets)).collect();
        let hypotheses = vec![pickle::hypothesis(state)];
        let translation = metaphrase::Translation { hypotheses, terms, ..Default::default() };
        Self { translation: Arc::new(translation), place: 0 }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> ReduceResult<'py, (HypothesisState, Vec<TermState>)> {
        let this = slf.get();
        let terms = pickle::term_states(&this.translation.terms);
        Ok((slf.get_type().getattr("_of")?, (pickle::hypothesis_state(this.found()), terms)))
    }

    fn __str__(&self) -> &str {
        &self.found().text
    }

    fn __repr__(&self) -> String {
        format!("<metaphrase.Hypothesis {:.4} {:?}>", self.found().score, self.found().text)
    }
}

/// A required term in a translation, and its place.
#[pyclass(frozen, get_all, module = "metaphrase")]
#[derive(Clone)]
pub struct Met {
    /// The number of the term among the required terms, from 0.
    term: usize,
    /// The first piece of the term.
    first: usize,
    /// The number of pieces of the term.
    pieces: usize,
    /// The alternatives of the term.
    alternatives: Vec<String>,
}

#[pymethods]
impl Met {
    /// The place from a pickle.
    #[staticmethod]
    fn _of(term: usize, first: usize, pieces: usize, alternatives: Vec<String>) -> Self {
        Self { term, first, pieces, alternatives }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> ReduceResult<'py, (usize, usize, usize, Vec<String>)> {
        let Self { term, first, pieces, alternatives } = slf.get().clone();
        Ok((slf.get_type().getattr("_of")?, (term, first, pieces, alternatives)))
    }

    fn __repr__(&self) -> String {
        let Self { term, first, pieces, alternatives } = self;
        format!("Met(term={term}, first={first}, pieces={pieces}, alternatives={alternatives:?})")
    }
}

fn met(found: &metaphrase::Hypothesis, terms: &[RequiredTerm]) -> Vec<Met> {
    let alternatives = |term: usize| terms.get(term).map(|term| term.targets.clone()).unwrap_or_default();
    let with_alternatives = |met: &metaphrase::Met| Met {
        term: met.term,
        first: met.first,
        pieces: met.pieces,
        alternatives: alternatives(met.term),
    };
    found.met.iter().map(with_alternatives).collect()
}

fn rows(found: &metaphrase::Hypothesis) -> Option<Vec<Vec<f32>>> {
    let attention = found.attention.as_ref()?;
    Some(attention.weights.chunks_exact(attention.source_len).map(<[f32]>::to_vec).collect())
}

fn alignment_kind(name: &str) -> PyResult<AlignmentKind> {
    name.parse().map_err(|error| crate::errors::options(format!("alignment {name:?}: {error}")))
}
