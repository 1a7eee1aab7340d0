//! Files of any format: sentences are found, translated, and written in place.

use crate::errors;
use crate::result::Translation;
use crate::text::options;
use crate::translator::Loaded;
use metaphrase::{FileFormat, PreparedFile};
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

    /// Messages about sentences, which begin with their numbers.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn __repr__(&self) -> String {
        format!("<metaphrase.FileTranslation of {} sentences>", self.translations.len())
    }
}

/// Translates a file; keywords that are not about the text are options of the call.
pub fn translate(
    py: Python<'_>,
    loaded: &Loaded,
    content: Vec<u8>,
    format: &str,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<FileTranslation> {
    let kind = FileFormat::from_extension(format).ok_or_else(|| {
        let known: Vec<&str> = FileFormat::ALL.iter().map(|(format, _)| format.name()).collect();
        errors::options(format!("format is {format:?}; expected {}", known.join(", ")))
    })?;
    let (form, mut options) = options("FileOptions", loaded, keywords)?;
    let prepared = py.detach(|| PreparedFile::new(content, kind, &form)).map_err(errors::raise)?;
    if prepared.needs_alignment() {
        options.translate = loaded.translator.with_alignment(&options.translate);
    }
    let found = loaded.answers(py, &options, prepared.requests())?;
    let finished = py.detach(|| prepared.finish(found)).map_err(errors::raise)?;
    let translation = |found| Py::new(py, Translation::new(found));
    let translations = finished.translations.into_iter().map(translation).collect::<PyResult<_>>()?;
    Ok(FileTranslation { content: finished.bytes, translations, notes: finished.notes })
}
