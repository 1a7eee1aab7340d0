//! Requests: lines from Python and the arguments for them.

use crate::errors;
use crate::glossary::kind;
use crate::lattice::Lattice;
use crate::options::CallOptions;
use crate::pickle::ReduceResult;
use metaphrase::{Evidence, EvidenceCounter, NgramNumber, Translator};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use std::sync::Arc;

/// One line to translate, with its own terms.
#[pyclass(frozen, module = "metaphrase")]
#[derive(Clone, Default)]
pub struct Request {
    source: String,
    prefix: String,
    required: Vec<RequiredWords>,
    avoided: Vec<String>,
    target: Option<String>,
    evidence: Option<LineEvidence>,
    languages: Languages,
}

/// The source and the target language of a line, where they are not those of the call.
type Languages = (Option<String>, Option<String>);

/// The words of the source that a term translates, if they are given, and its alternatives.
type RequiredWords = (Option<String>, Vec<String>);

/// Evidence from another system for a line.
#[derive(Clone)]
enum LineEvidence {
    /// Texts with their scores.
    NBest(Vec<(String, f64)>),
    /// The lines of a file of posteriors.
    Posteriors(Vec<String>),
    /// A lattice of translations.
    Lattice(Arc<metaphrase::Lattice>),
}

/// The state of a request in a pickle: its fields, and its evidence as a list, as posteriors or as a lattice in the
/// compact format.
type RequestState = (
    (String, String, Vec<RequiredWords>, Vec<String>, Option<String>),
    (Option<Vec<(String, f64)>>, Option<Vec<String>>, Option<String>),
    Languages,
);

#[pymethods]
impl Request {
    #[new]
    #[pyo3(signature = (
        source, *, prefix=None, constraints=None, avoid=None, target=None, evidence=None, source_language=None,
        target_language=None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "the keywords of a class in Python")]
    fn with_languages(
        source: &Bound<'_, PyAny>,
        prefix: Option<&Bound<'_, PyAny>>,
        constraints: Option<&Bound<'_, PyAny>>,
        avoid: Option<&Bound<'_, PyAny>>,
        target: Option<&Bound<'_, PyAny>>,
        evidence: Option<&Bound<'_, PyAny>>,
        source_language: Option<&Bound<'_, PyAny>>,
        target_language: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let source_language = given(source_language).map(|code| text(code, "source_language")).transpose()?;
        let target_language = given(target_language).map(|code| text(code, "target_language")).transpose()?;
        let request = Self::new(source, prefix, constraints, avoid, target, evidence)?;
        Ok(Self { languages: (source_language, target_language), ..request })
    }

    /// The text.
    #[getter]
    fn source(&self) -> &str {
        &self.source
    }

    fn __repr__(&self) -> String {
        format!("<metaphrase.Request {:?}>", self.source)
    }

    /// The request from a pickle.
    #[staticmethod]
    fn _of(state: RequestState) -> PyResult<Self> {
        let ((source, prefix, required, avoided, target), evidence, languages) = state;
        let evidence = match evidence {
            (Some(list), ..) => Some(LineEvidence::NBest(list)),
            (_, Some(lines), _) => Some(LineEvidence::Posteriors(lines)),
            (.., Some(line)) => {
                let lattice = metaphrase::Lattice::from_compact(&line).map_err(errors::input)?;
                Some(LineEvidence::Lattice(lattice.into()))
            }
            (None, None, None) => None,
        };
        Ok(Self { source, prefix, required, avoided, target, evidence, languages })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> ReduceResult<'py, (RequestState,)> {
        let Self { source, prefix, required, avoided, target, evidence, languages } = slf.get().clone();
        let evidence = match evidence {
            None => (None, None, None),
            Some(LineEvidence::NBest(list)) => (Some(list), None, None),
            Some(LineEvidence::Posteriors(lines)) => (None, Some(lines), None),
            Some(LineEvidence::Lattice(lattice)) => (None, None, Some(lattice.to_compact())),
        };
        let state = ((source, prefix, required, avoided, target), evidence, languages);
        Ok((slf.get_type().getattr("_of")?, (state,)))
    }
}

impl Request {
    /// A request with terms from arguments, in the languages of the call.
    fn new(
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
            evidence: given(evidence).map(line_evidence).transpose()?,
            languages: Languages::default(),
        })
    }

    /// A request from an argument: a request itself, or a line without terms.
    pub fn from_argument(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        match value.cast::<Self>() {
            Ok(request) => Ok(request.get().clone()),
            Err(_) => Ok(Self { source: text(value, "source")?, ..Self::default() }),
        }
    }

    /// The size of the texts in bytes.
    pub fn size(&self) -> usize {
        self.source.len() + self.target.as_ref().map_or(0, String::len)
    }

    /// The request of the crate `metaphrase`.
    pub fn into_library(self, translator: &Translator, options: &CallOptions) -> PyResult<metaphrase::Request> {
        let terms = metaphrase::Terms { avoided: self.avoided, ..Default::default() };
        let request = metaphrase::Request { terms, ..metaphrase::Request::translate(self.source) };
        let request = self.required.into_iter().fold(request, |request, (source, targets)| match source {
            Some(source) => request.require_for(&source, targets),
            None => request.require(targets),
        });
        let evidence = self.evidence.map(|evidence| evidence.into_library(translator, options)).transpose()?;
        let (prefix, target, evidence) = (self.prefix, self.target, evidence.map(Into::into));
        let (source_language, target_language) = self.languages;
        Ok(metaphrase::Request { prefix, target, evidence, source_language, target_language, ..request })
    }
}

impl LineEvidence {
    fn into_library(self, translator: &Translator, options: &CallOptions) -> PyResult<Evidence> {
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

/// The n-gram posteriors of evidence, as the text of a file.
pub fn posteriors(
    translator: &Translator,
    options: &CallOptions,
    evidence: &Bound<'_, PyAny>,
    expected: bool,
) -> PyResult<String> {
    let evidence = line_evidence(evidence)?.into_library(translator, options)?;
    let counter = counter(translator)?;
    let posteriors = counter.posteriors(&evidence, &options.translate.evidence).map_err(errors::input)?;
    let number = if expected { NgramNumber::ExpectedCount } else { NgramNumber::Posterior };
    Ok(counter.to_text(&posteriors, number))
}

/// The lines of a call.
pub struct Lines {
    pub requests: Vec<Request>,
    /// Whether the call has one text instead of a list.
    pub single: bool,
}

/// The arguments of a call in addition to its lines: for a list of lines, lists with an entry for each line.
#[derive(Default)]
pub struct LineArguments<'a, 'py> {
    pub prefix: Option<&'a Bound<'py, PyAny>>,
    pub constraints: Option<&'a Bound<'py, PyAny>>,
    pub avoid: Option<&'a Bound<'py, PyAny>>,
    pub target: Option<&'a Bound<'py, PyAny>>,
    pub evidence: Option<&'a Bound<'py, PyAny>>,
}

impl Lines {
    /// Reads the arguments of a call.
    pub fn read<'py>(source: &Bound<'py, PyAny>, arguments: &LineArguments<'_, 'py>) -> PyResult<Self> {
        let LineArguments { prefix, constraints, avoid, target, evidence } = *arguments;
        if source.is_instance_of::<Request>() {
            return Ok(Self { requests: vec![Request::from_argument(source)?], single: true });
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
        let prefix = prefix?;
        let constraints = constraints?;
        let avoid = avoid?;
        let target = target?;
        let evidence = evidence?;
        let request = |(number, line): (usize, &Bound<'py, PyAny>)| {
            let at = |column: &Option<Vec<Bound<'py, PyAny>>>| column.as_ref().map(|values| values[number].clone());
            let request = if line.is_instance_of::<Request>() {
                Request::from_argument(line)
            } else {
                let prefix = at(&prefix);
                let constraints = at(&constraints);
                let avoid = at(&avoid);
                let target = at(&target);
                let evidence = at(&evidence);
                Request::new(
                    line,
                    prefix.as_ref(),
                    constraints.as_ref(),
                    avoid.as_ref(),
                    target.as_ref(),
                    evidence.as_ref(),
                )
            };
            request.map_err(|error| errors::input(format!("line {}: {}", number + 1, error.value(line.py()))))
        };
        let requests = lines.iter().enumerate().map(request).collect::<PyResult<_>>()?;
        Ok(Self { requests, single: false })
    }
}

/// The entries of a list with one entry for each line.
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

/// The argument, unless it is absent or `None`.
fn given<'a, 'py>(value: Option<&'a Bound<'py, PyAny>>) -> Option<&'a Bound<'py, PyAny>> {
    value.filter(|value| !value.is_none())
}

/// A string; a lone surrogate becomes U+FFFD, like invalid UTF-8 on the command line.
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

/// Required terms; each is a string or a list of alternatives.
fn terms(value: &Bound<'_, PyAny>) -> PyResult<Vec<RequiredWords>> {
    let what = "constraints";
    if value.is_instance_of::<PyString>() {
        return Err(errors::input(
            "constraints is a str; expected a list of terms, each a str, a list of alternatives, or a dict with source and target",
        ));
    }
    let targets = |entry: &Bound<'_, PyAny>| {
        if entry.is_instance_of::<PyString>() { Ok(vec![text(entry, what)?]) } else { texts(entry, what) }
    };
    let term = |entry: Bound<'_, PyAny>| match entry.cast::<PyDict>() {
        Ok(term) => {
            let (source, target) = (term.get_item("source")?, term.get_item("target")?);
            let (Some(source), Some(target), 2) = (source, target, term.len()) else {
                return Err(errors::input(
                    "a term of constraints that is a dict has the keys source and target, and no others",
                ));
            };
            Ok((Some(text(&source, what)?), targets(&target)?))
        }
        Err(_) => Ok((None, targets(&entry)?)),
    };
    value.try_iter()?.map(|entry| term(entry?)).collect()
}

/// The evidence for a line from an argument.
fn line_evidence(value: &Bound<'_, PyAny>) -> PyResult<LineEvidence> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(LineEvidence::Posteriors(text.to_string_lossy().lines().map(str::to_owned).collect()));
    }
    if let Ok(lattice) = value.cast::<Lattice>() {
        return Ok(LineEvidence::Lattice(Arc::clone(&lattice.get().0)));
    }
    let expected =
        "evidence must be a list of pairs of a text and its score, a Lattice, or the text of a file of posteriors";
    value.extract().map(LineEvidence::NBest).map_err(|_| errors::input(expected))
}
