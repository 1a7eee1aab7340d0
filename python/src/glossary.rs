//! Glossaries, and other texts that users have as a file, as a text or as a dictionary of Python.

use crate::errors;
use crate::pickle::Pickled;
use metaphrase::Case;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;

/// Terms of the source language and their translations: where a term stands in a line, its translation is required.
#[pyclass(frozen, module = "metaphrase")]
pub struct Glossary {
    pub(crate) glossary: Arc<metaphrase::Glossary>,
    text: String,
    respect_case: bool,
}

#[pymethods]
impl Glossary {
    #[new]
    #[pyo3(signature = (entries, *, respect_case=false))]
    fn new(entries: &Bound<'_, PyAny>, respect_case: bool) -> PyResult<Self> {
        Self::parse(table(entries, "the glossary")?, respect_case)
    }

    /// Reads the text of a glossary file.
    #[staticmethod]
    #[pyo3(signature = (text, *, respect_case=false))]
    pub(crate) fn parse(text: String, respect_case: bool) -> PyResult<Self> {
        let case = if respect_case { Case::Respect } else { Case::Ignore };
        let glossary = metaphrase::Glossary::parse(&text, case).map_err(errors::input)?;
        Ok(Self { glossary: Arc::new(glossary), text, respect_case })
    }

    /// One sentence for each line whose source term an earlier line has.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.glossary.notes().to_vec()
    }

    /// The required terms of a line, from left to right, each with its alternatives.
    fn find(&self, line: &str) -> Vec<Vec<String>> {
        self.glossary.find(line)
    }

    fn __len__(&self) -> usize {
        self.glossary.len()
    }

    fn __repr__(&self) -> String {
        format!("<metaphrase.Glossary of {} terms>", self.glossary.len())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Pickled<'py, (String, bool)> {
        let rebuild = slf.py().import("metaphrase._errors")?.getattr("rebuild_glossary")?;
        Ok((rebuild, (slf.get().text.clone(), slf.get().respect_case)))
    }
}

/// A glossary as users give it: an object, a file, or a dictionary.
pub fn glossary(value: &Bound<'_, PyAny>) -> PyResult<Arc<metaphrase::Glossary>> {
    match value.cast::<Glossary>() {
        Ok(glossary) => Ok(Arc::clone(&glossary.get().glossary)),
        Err(_) => Ok(Glossary::new(value, false)?.glossary),
    }
}

/// The text of a file of a source term, a tab and target terms on each line: from its path, or written for a dictionary whose
/// values are a target term or a list of alternatives. `what` names it in messages.
pub fn table(value: &Bound<'_, PyAny>, what: &str) -> PyResult<String> {
    let Ok(entries) = value.cast::<PyDict>() else {
        let path: PathBuf = value
            .extract()
            .map_err(|_| errors::input(format!("{what} is a {}; expected a path or a dictionary", kind(value))))?;
        let text = std::fs::read_to_string(&path);
        return text.map_err(|error| errors::input(format!("cannot read {}: {error}", path.display())));
    };
    let mut text = String::new();
    for (source, targets) in entries {
        let mut fields = vec![field(&source, what)?];
        if targets.is_instance_of::<PyList>() || targets.is_instance_of::<PyTuple>() {
            for target in targets.try_iter()? {
                fields.push(field(&target?, what)?);
            }
        } else {
            fields.push(field(&targets, what)?);
        }
        text += &fields.join("\t");
        text.push('\n');
    }
    Ok(text)
}

fn field(value: &Bound<'_, PyAny>, what: &str) -> PyResult<String> {
    let text =
        value.cast::<PyString>().map_err(|_| errors::input(format!("{what} has a {}; expected str", kind(value))))?;
    let text = text.to_string_lossy();
    match text.trim() {
        term if term.contains(['\t', '\n', '\r']) || term.starts_with('#') => {
            let advice = "terms have no tabs or line breaks and do not begin with #";
            Err(errors::input(format!("{what} has the term {term:?}; {advice}")))
        }
        term => Ok(term.to_owned()),
    }
}

/// The name of the type of a value, for messages.
pub fn kind(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "value".into(), |name| name.to_string())
}
