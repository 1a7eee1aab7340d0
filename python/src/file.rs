//! Files of any format: finds their sentences, translates them and writes them in their places.

use crate::errors;
use crate::loaded::LoadedTranslator;
use crate::result::Translation;
use crate::text::options;
use metaphrase::{Document, FileFormat};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// A translated file.
#[pyclass(frozen, module = "metaphrase")]
pub struct FileTranslation {
    content: Vec<u8>,
    translations: Vec<Py<Translation>>,
    notes: Vec<String>,
}

#[pymethods]
impl FileTranslation {
    /// The bytes of the file.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.content)
    }

    /// The translations of the sentences, in order.
    #[getter]
    fn translations(&self, py: Python<'_>) -> Vec<Py<Translation>> {
        self.translations.iter().map(|translation| translation.clone_ref(py)).collect()
    }

    /// Messages about sentences; each begins with the number of its sentence.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn __repr__(&self) -> String {
        format!("<metaphrase.FileTranslation of {} sentences>", self.translations.len())
    }
}

/// Translates a file. The keywords are options of the text and of the call.
pub fn translate(
    py: Python<'_>,
    loaded: &LoadedTranslator,
    content: Vec<u8>,
    format: &str,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<FileTranslation> {
    let kind = FileFormat::from_extension(format).ok_or_else(|| {
        let known: Vec<&str> = FileFormat::ALL.iter().map(|format| format.name()).collect();
        errors::options(format!("format is {format:?}; expected {}", known.join(", ")))
    })?;
    let (form, mut options) = options("FileOptions", loaded, keywords)?;
    let form = options.translate.for_sentences(&form);
    let document = py.detach(|| Document::file(content, kind, &form)).map_err(errors::raise)?;
    if document.needs_alignment() {
        options.translate = loaded.translator.with_alignment(&options.translate);
    }
    let answers = loaded.answers(py, &options, document.requests())?;
    let finished = py.detach(|| document.finish(answers)).map_err(errors::raise)?;
    let translation = |sentence: metaphrase::DocumentSentence| Py::new(py, Translation::new(sentence.translation));
    let translations = finished.sentences.into_iter().map(translation).collect::<PyResult<_>>()?;
    Ok(FileTranslation { content: finished.bytes, translations, notes: finished.notes })
}
