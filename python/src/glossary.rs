//! Glossaries and dictionaries from a file, a text or a Python dictionary.

use crate::errors;
use crate::pickle::ReduceResult;
use metaphrase::{Case, GlossaryFile, GlossaryFormat};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;

/// Terms of the source language and their translations. If a line contains a term, its translation is required.
#[pyclass(frozen, module = "metaphrase")]
pub struct Glossary {
    pub(crate) glossary: Arc<metaphrase::Glossary>,
    content: Content,
    respect_case: bool,
}

/// The content from which a glossary was made, for pickling.
#[derive(Clone)]
enum Content {
    /// The text of a file.
    Text(String),
    /// The entries of a dictionary.
    Entries(Entries),
}

/// Source terms, each with its target terms.
type Entries = Vec<(String, Vec<String>)>;

#[pymethods]
impl Glossary {
    #[new]
    #[pyo3(signature = (entries, *, respect_case=false, languages=None))]
    fn new(entries: &Bound<'_, PyAny>, respect_case: bool, languages: Option<(String, String)>) -> PyResult<Self> {
        let Ok(dictionary) = entries.cast::<PyDict>() else {
            return Self::from_file(&bytes(entries, "the glossary")?, languages, respect_case);
        };
        let targets = |value: &Bound<'_, PyAny>| {
            let is_list = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
            if is_list { value.try_iter()?.map(|target| term(&target?)).collect() } else { Ok(vec![term(value)?]) }
        };
        let entry = |(source, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| Ok((term(&source)?, targets(&value)?));
        let entries: Entries = dictionary.iter().map(entry).collect::<PyResult<_>>()?;
        Self::from_entries(entries, respect_case)
    }

    /// Reads the text of a glossary file.
    #[staticmethod]
    #[pyo3(signature = (text, *, respect_case=false))]
    pub(crate) fn parse(text: String, respect_case: bool) -> PyResult<Self> {
        let glossary = metaphrase::Glossary::parse(&text, Case::sensitive(respect_case)).map_err(errors::input)?;
        Ok(Self { glossary: Arc::new(glossary), content: Content::Text(text), respect_case })
    }

    /// One sentence for each line with the same source term as an earlier line.
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

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> ReduceResult<'py, (Option<String>, Option<Entries>, bool)> {
        let rebuild = slf.py().import("metaphrase._errors")?.getattr("rebuild_glossary")?;
        let (text, entries) = match slf.get().content.clone() {
            Content::Text(text) => (Some(text), None),
            Content::Entries(entries) => (None, Some(entries)),
        };
        Ok((rebuild, (text, entries, slf.get().respect_case)))
    }
}

impl Glossary {
    fn from_entries(entries: Entries, respect_case: bool) -> PyResult<Self> {
        let glossary =
            metaphrase::Glossary::from_entries(entries.clone(), Case::sensitive(respect_case)).map_err(|error| {
                let source = &entries[error.line - 1].0;
                errors::input(format!("the entry {source:?} of the glossary {}", error.problem))
            })?;
        Ok(Self { glossary: Arc::new(glossary), content: Content::Entries(entries), respect_case })
    }

    fn from_file(bytes: &[u8], languages: Option<(String, String)>, respect_case: bool) -> PyResult<Self> {
        let languages = languages.as_ref().map(|(source, target)| [&**source, &**target]);
        let file = GlossaryFile::read(bytes, languages).map_err(errors::input)?;
        match file.format {
            GlossaryFormat::Tabs => Self::parse(file.text, respect_case),
            _ => Self::from_entries(file.entries, respect_case),
        }
    }
}

/// A term of a dictionary; a lone surrogate becomes U+FFFD.
fn term(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = value.cast::<PyString>();
    let text = text.map_err(|_| errors::input(format!("the glossary has a {}; expected str", kind(value))))?;
    Ok(text.to_string_lossy().into_owned())
}

/// A glossary from an argument: an object, a file, or a dictionary.
pub fn glossary(value: &Bound<'_, PyAny>) -> PyResult<Arc<metaphrase::Glossary>> {
    match value.cast::<Glossary>() {
        Ok(glossary) => Ok(Arc::clone(&glossary.get().glossary)),
        Err(_) => Ok(Glossary::new(value, false, None)?.glossary),
    }
}

/// The bytes of the file at a path.
fn bytes(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<u8>> {
    let path: PathBuf = value
        .extract()
        .map_err(|_| errors::input(format!("{what} is a {}; expected a path or a dictionary", kind(value))))?;
    std::fs::read(&path).map_err(|error| errors::input(format!("cannot read {}: {error}", path.display())))
}

/// The text of a glossary file (a source term, a tab and target terms on each line), read from a path, or written from
/// a dictionary whose values are target terms or lists of alternatives. `what` is its name in messages.
pub fn table(value: &Bound<'_, PyAny>, what: &str) -> PyResult<String> {
    let Ok(entries) = value.cast::<PyDict>() else {
        let text = String::from_utf8(bytes(value, what)?);
        return text.map_err(|error| errors::input(format!("{what}: the file is not UTF-8: {error}")));
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
