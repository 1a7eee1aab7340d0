//! Lattices: evidence for a search, or the hypotheses that a search kept.

use crate::errors;
use crate::pickle::ReduceResult;
use metaphrase_cli::lattice_svg;
use pyo3::prelude::*;
use std::sync::Arc;

/// A graph of many translations of a line.
#[pyclass(frozen, module = "metaphrase")]
pub struct Lattice(pub Arc<metaphrase::Lattice>);

/// An arc: its first state, its last state, its word or `None`, and its score.
type ArcFields = (usize, usize, Option<String>, f32);

impl Lattice {
    pub fn new(lattice: metaphrase::Lattice) -> Self {
        Self(Arc::new(lattice))
    }
}

#[pymethods]
impl Lattice {
    /// Reads the text format of OpenFst: lines `from to word word cost`.
    #[staticmethod]
    fn from_openfst(text: &str) -> PyResult<Self> {
        metaphrase::Lattice::from_openfst(text).map(Self::new).map_err(errors::input)
    }

    /// Reads a line of our compact format.
    #[staticmethod]
    fn from_compact(line: &str) -> PyResult<Self> {
        metaphrase::Lattice::from_compact(line).map(Self::new).map_err(errors::input)
    }

    /// Reads the lines of a sentence in a search graph of Moses.
    #[staticmethod]
    fn from_moses_graph(text: &str) -> PyResult<Self> {
        metaphrase::Lattice::from_moses_graph(text.lines()).map(Self::new).map_err(errors::input)
    }

    /// The lattice of translations: pairs of a text, whose words are separated by spaces, and a score.
    #[staticmethod]
    fn of_translations(translations: Vec<(String, f32)>) -> Self {
        let paths = translations.iter().map(|(text, score)| (text.split_whitespace(), *score));
        Self::new(metaphrase::Lattice::from_paths(paths))
    }

    /// The text format of OpenFst.
    fn to_openfst(&self) -> String {
        self.0.to_openfst()
    }

    /// A line in our compact format.
    fn to_compact(&self) -> String {
        self.0.to_compact()
    }

    /// The number of states. The first one is 0, and the last one ends a translation.
    #[getter]
    fn states(&self) -> usize {
        self.0.states()
    }

    /// The arcs: a state, a later state, the word or `None`, and the score (natural logarithm, higher is better).
    #[getter]
    fn arcs(&self) -> Vec<ArcFields> {
        let word = |id| self.0.word(id).to_owned();
        let arcs = self.0.arcs().iter();
        arcs.map(|arc| (arc.from.index(), arc.to.index(), arc.word.map(word), arc.score)).collect()
    }

    /// The posterior of each arc: the probability that a translation takes it.
    #[pyo3(signature = (scale=1.0))]
    fn posteriors(&self, scale: f64) -> PyResult<Vec<f64>> {
        self.0.posteriors(positive(scale)?).ok_or_else(no_translation)
    }

    /// The lattice without arcs whose posterior is below `least`.
    #[pyo3(signature = (least, scale=1.0))]
    fn pruned(&self, least: f64, scale: f64) -> PyResult<Self> {
        self.0.pruned(positive(scale)?, share(least)?).map(Self::new).ok_or_else(no_translation)
    }

    /// The best translations, each with its score.
    fn n_best(&self, count: usize) -> Vec<(String, f64)> {
        let text =
            |words: Vec<metaphrase::WordId>| words.iter().map(|&id| self.0.word(id)).collect::<Vec<_>>().join(" ");
        self.0.n_best(count).into_iter().map(|(words, score)| (text(words), score)).collect()
    }

    /// A picture in SVG, without arcs whose posterior is below `least`.
    #[pyo3(signature = (scale=1.0, least=0.05))]
    fn svg(&self, scale: f64, least: f64) -> PyResult<String> {
        lattice_svg(&self.0, positive(scale)?, share(least)?).ok_or_else(no_translation)
    }

    fn _repr_svg_(&self) -> Option<String> {
        lattice_svg(&self.0, 1.0, 0.05)
    }

    fn __repr__(&self) -> String {
        format!("<metaphrase.Lattice of {} states, {} arcs>", self.0.states(), self.0.arcs().len())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> ReduceResult<'py, (String,)> {
        Ok((slf.get_type().getattr("from_compact")?, (slf.get().to_compact(),)))
    }
}

fn positive(scale: f64) -> PyResult<f64> {
    let is_fine = scale.is_finite() && scale > 0.0;
    is_fine.then_some(scale).ok_or_else(|| errors::options(format!("scale is {scale}; expected a number above 0")))
}

fn share(least: f64) -> PyResult<f64> {
    let is_fine = (0.0..1.0).contains(&least);
    is_fine
        .then_some(least)
        .ok_or_else(|| errors::options(format!("least is {least}; expected a number from 0 on and below 1")))
}

fn no_translation() -> PyErr {
    errors::input("the lattice has no translation with a finite score")
}
