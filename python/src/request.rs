//! Lines of Python as requests of the façade.

use crate::errors;
use crate::glossary::kind;
use crate::lattice::Lattice;
use crate::options::CallOptions;
use crate::pickle::Pickled;
use metaphrase::{Evidence, EvidenceCounter, Translator};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::sync::Arc;

/// One line to translate, with its own terms.
#[pyclass(frozen, module = "metaphrase")]
#[derive(Clone, Default)]
pub struct Request {
    source: String,
    prefix: String,
    required: Vec<Vec<String>>,
    avoided: Vec<String>,
    target: Option<String>,
    evidence: Option<Beside>,
}

/// What another system says about a line.
#[derive(Clone)]
enum Beside {
    /// Texts with their scores.
    NBest(Vec<(String, f64)>),
    /// The lines of a file of posteriors.
    Posteriors(Vec<String>),
    Lattice(Arc<metaphrase::Lattice>),
}

/// What a pickle holds of a request: its fields, and its evidence as a list, as posteriors or as a lattice in its compact form.
type State = (
    (String, String, Vec<Vec<String>>, Vec<String>, Option<String>),
    (Option<Vec<(String, f64)>>, Option<Vec<String>>, Option<String>),
);

#[pymethods]
impl Request {
    #[new]
    #[pyo3(signature = (source, *, prefix=None, constraints=None, avoid=None, target=None, evidence=None))]
    pub(crate) fn new(
        source: &Bound<'_, PyAny>,
        prefix: Option<&Bound<'_, PyAny>>,
        constraints: Option<&Bound<'_, PyAny>>,
        avoid: Option<&Bound<'_, PyAny>>,
        target: Option<&Bound<'_, PyAny>>,
        evidence: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self {
            source: text(source, "source")?,
            prefix: given(prefix).map(|prefix| text(prefix, "prefix")).transpose()?.unwrap_or_default(),
            required: given(constraints).map(terms).transpose()?.unwrap_or_default(),
            avoided: given(avoid).map(|avoid| texts(avoid, "avoid")).transpose()?.unwrap_or_default(),
            target: given(target).map(|target| text(target, "target")).transpose()?,
            evidence: given(evidence).map(beside).transpose()?,
        })
    }

    /// The text.
    #[getter]
    fn source(&self) -> &str {
        &self.source
    }

    fn __repr__(&self) -> String {
        format!("<metaphrase.Request {:?}>", self.source)
    }

    /// The request of a pickle.
    #[staticmethod]
    fn _of(state: State) -> PyResult<Self> {
        let ((source, prefix, required, avoided, target), beside) = state;
        let evidence = match beside {
            (Some(list), ..) => Some(Beside::NBest(list)),
            (_, Some(lines), _) => Some(Beside::Posteriors(lines)),
            (.., Some(line)) => {
                Some(Beside::Lattice(metaphrase::Lattice::from_compact(&line).map_err(errors::input)?.into()))
            }
            (None, None, None) => None,
        };
        Ok(Self { source, prefix, required, avoided, target, evidence })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Pickled<'py, (State,)> {
        let Self { source, prefix, required, avoided, target, evidence } = slf.get().clone();
        let beside = match evidence {
            None => (None, None, None),
            Some(Beside::NBest(list)) => (Some(list), None, None),
            Some(Beside::Posteriors(lines)) => (None, Some(lines), None),
            Some(Beside::Lattice(lattice)) => (None, None, Some(lattice.to_compact())),
        };
        let state = ((source, prefix, required, avoided, target), beside);
        Ok((slf.get_type().getattr("_of")?, (state,)))
    }
}

impl Request {
    /// A line without terms, or a request as it is.
    pub fn of(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        match value.cast::<Self>() {
            Ok(request) => Ok(request.get().clone()),
            Err(_) => Ok(Self { source: text(value, "source")?, ..Self::default() }),
        }
    }

    /// The bytes of its text.
    pub fn size(&self) -> usize {
        self.source.len() + self.target.as_ref().map_or(0, String::len)
    }

    /// The façade's request.
    pub fn into_facade(self, translator: &Translator, options: &CallOptions) -> PyResult<metaphrase::Request> {
        let required = self.required.into_iter().map(metaphrase::RequiredTerm::new).collect();
        let terms = metaphrase::Terms { required, avoided: self.avoided };
        let evidence = self.evidence.map(|beside| beside.into_facade(translator, options)).transpose()?;
        Ok(metaphrase::Request {
            source: self.source,
            prefix: self.prefix,
            terms,
            target: self.target,
            evidence: evidence.map(Into::into),
            attached: 0,
        })
    }
}

impl Beside {
    fn into_facade(self, translator: &Translator, options: &CallOptions) -> PyResult<Evidence> {
        Ok(match self {
            Self::NBest(list) => Evidence::NBest(list),
            Self::Posteriors(lines) => {
                let lines = lines.iter().map(String::as_str);
                let posteriors = counter(translator)?.from_text(lines, &options.translate.evidence);
                Evidence::Posteriors(posteriors.map_err(errors::input)?)
            }
            Self::Lattice(lattice) => Evidence::Lattice(Arc::unwrap_or_clone(lattice)),
        })
    }
}

fn counter(translator: &Translator) -> PyResult<&EvidenceCounter> {
    translator.evidence_counter().ok_or_else(|| errors::options("a phrase-based model takes no evidence"))
}

/// The n-gram posteriors of some evidence, as the text of a file.
pub fn posteriors(
    translator: &Translator,
    options: &CallOptions,
    evidence: &Bound<'_, PyAny>,
    expected: bool,
) -> PyResult<String> {
    let evidence = beside(evidence)?.into_facade(translator, options)?;
    let counter = counter(translator)?;
    let found = counter.posteriors(&evidence, &options.translate.evidence).map_err(errors::input)?;
    Ok(counter.to_text(&found, expected))
}

/// The lines of a call: a text and what belongs to it, or lists with an entry for each line.
pub struct Lines {
    pub requests: Vec<Request>,
    /// Whether the call gave one text.
    pub single: bool,
}

/// What may be given beside the lines, for each line or for one.
#[derive(Default)]
pub struct Given<'a, 'py> {
    pub prefix: Option<&'a Bound<'py, PyAny>>,
    pub constraints: Option<&'a Bound<'py, PyAny>>,
    pub avoid: Option<&'a Bound<'py, PyAny>>,
    pub target: Option<&'a Bound<'py, PyAny>>,
    pub evidence: Option<&'a Bound<'py, PyAny>>,
}

impl Lines {
    /// Reads the arguments of a call.
    pub fn read<'py>(source: &Bound<'py, PyAny>, beside: &Given<'_, 'py>) -> PyResult<Self> {
        let Given { prefix, constraints, avoid, target, evidence } = *beside;
        if source.is_instance_of::<Request>() {
            return Ok(Self { requests: vec![Request::of(source)?], single: true });
        }
        if source.is_instance_of::<PyString>() {
            let request = Request::new(source, prefix, constraints, avoid, target, evidence)?;
            return Ok(Self { requests: vec![request], single: true });
        }
        if source.is_instance_of::<PyBytes>() {
            return Err(errors::input("source is a bytes object; expected str, or a list of str"));
        }
        let lines = source
            .try_iter()
            .map_err(|_| errors::input(format!("source is a {}; expected str, or a list of str", kind(source))))?;
        let lines: Vec<Bound<'py, PyAny>> = lines.collect::<PyResult<_>>()?;
        let columns = [
            ("prefix", prefix),
            ("constraints", constraints),
            ("avoid", avoid),
            ("target", target),
            ("evidence", evidence),
        ];
        let [prefix, constraints, avoid, target, evidence] =
            columns.map(|(name, value)| column(name, value, lines.len()));
        let (prefix, constraints, avoid, target, evidence) = (prefix?, constraints?, avoid?, target?, evidence?);
        let of_line = |(number, line): (usize, &Bound<'py, PyAny>)| {
            let at = |column: &Option<Vec<Bound<'py, PyAny>>>| column.as_ref().map(|values| values[number].clone());
            let request = if line.is_instance_of::<Request>() {
                Request::of(line)
            } else {
                let (prefix, constraints, avoid) = (at(&prefix), at(&constraints), at(&avoid));
                let (target, evidence) = (at(&target), at(&evidence));
                let terms = (constraints.as_ref(), avoid.as_ref());
                Request::new(line, prefix.as_ref(), terms.0, terms.1, target.as_ref(), evidence.as_ref())
            };
            request.map_err(|error| errors::input(format!("line {}: {}", number + 1, error.value(line.py()))))
        };
        let requests = lines.iter().enumerate().map(of_line).collect::<PyResult<_>>()?;
        Ok(Self { requests, single: false })
    }
}

/// The entries of a list that has one for each line.
fn column<'py>(
    name: &str,
    value: Option<&Bound<'py, PyAny>>,
    lines: usize,
) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    let Some(value) = given(value) else { return Ok(None) };
    if value.is_instance_of::<PyString>() {
        return Err(errors::input(format!(
            "{name} is a str, but there is a list of lines; give a list with an entry for each"
        )));
    }
    let values: Vec<_> = value.try_iter()?.collect::<PyResult<_>>()?;
    if values.len() != lines {
        let entries = values.len();
        return Err(errors::input(format!(
            "{name} has {entries} entries for {lines} lines; give one for each, or None"
        )));
    }
    Ok(Some(values))
}

fn given<'a, 'py>(value: Option<&'a Bound<'py, PyAny>>) -> Option<&'a Bound<'py, PyAny>> {
    value.filter(|value| !value.is_none())
}

/// A string; half of a surrogate pair becomes U+FFFD, as other text that is not Unicode does on the command line.
fn text(value: &Bound<'_, PyAny>, what: &str) -> PyResult<String> {
    match value.cast::<PyString>() {
        Ok(text) => Ok(text.to_string_lossy().into_owned()),
        Err(_) => Err(errors::input(format!("{what} is a {}; expected str", kind(value)))),
    }
}

fn texts(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<String>> {
    if value.is_instance_of::<PyString>() {
        return Err(errors::input(format!("{what} is a str; expected a list of str")));
    }
    value.try_iter()?.map(|entry| text(&entry?, what)).collect()
}

/// Required terms: each a string, or a list of alternatives.
fn terms(value: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<String>>> {
    let what = "constraints";
    if value.is_instance_of::<PyString>() {
        return Err(errors::input(
            "constraints is a str; expected a list of terms, each a str or a list of alternatives",
        ));
    }
    let term = |entry: Bound<'_, PyAny>| match entry.is_instance_of::<PyString>() {
        true => Ok(vec![text(&entry, what)?]),
        false => texts(&entry, what),
    };
    value.try_iter()?.map(|entry| term(entry?)).collect()
}

fn beside(value: &Bound<'_, PyAny>) -> PyResult<Beside> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Beside::Posteriors(text.to_string_lossy().lines().map(str::to_owned).collect()));
    }
    if let Ok(lattice) = value.cast::<Lattice>() {
        return Ok(Beside::Lattice(Arc::clone(&lattice.get().0)));
    }
    let expected =
        "evidence is a list of pairs of a text and its score, a Lattice, or the text of a file of posteriors";
    value.extract().map(Beside::NBest).map_err(|_| errors::input(expected))
}
