//! The translator, as Python sees it.

use crate::arrow::Column;
use crate::errors;
use crate::file::FileTranslation;
use crate::loaded::LoadedTranslator;
use crate::options::{CallOptions, Names};
use crate::request::{LineArguments, Lines};
use crate::setup::Setup;
use crate::stream::TranslationStream;
use crate::text::TextTranslation;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::{Arc, PoisonError, RwLock};

/// Translates text; `metaphrase.Translator` is documented in Python.
#[pyclass(frozen, subclass, module = "metaphrase")]
pub struct Translator(RwLock<Option<Arc<LoadedTranslator>>>);

impl Translator {
    /// The translator, unless it was closed.
    fn loaded(&self) -> PyResult<Arc<LoadedTranslator>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone().ok_or_else(errors::closed)
    }
}

#[pymethods]
impl Translator {
    #[new]
    #[pyo3(signature = (model=None, **options))]
    fn new<'py>(
        py: Python<'py>,
        model: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let (setup, call_options) = Setup::read(model, options)?;
        // The translator is built first, because the options of calls are checked against it.
        let translator = py.detach(|| setup.build())?;
        let names = Names { kind: "TranslatorOptions", own: &["model"] };
        let defaults = CallOptions { translate: translator.options() };
        let defaults = defaults.with(&names, &translator, call_options.as_ref())?;
        Ok(Self(RwLock::new(Some(Arc::new(LoadedTranslator { translator, defaults })))))
    }

    /// Translates a text, or a list of texts.
    #[pyo3(signature = (source, *, prefix=None, constraints=None, avoid=None, evidence=None, **options))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn translate<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'py, PyAny>,
        prefix: Option<&Bound<'py, PyAny>>,
        constraints: Option<&Bound<'py, PyAny>>,
        avoid: Option<&Bound<'py, PyAny>>,
        evidence: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let loaded = self.loaded()?;
        let options = loaded.defaults.with(
            &Names::call(&["prefix", "constraints", "avoid", "evidence"]),
            &loaded.translator,
            options,
        )?;
        let lines = Lines::read(source, &LineArguments { prefix, constraints, avoid, evidence, target: None })?;
        answer(py, &loaded, &options, lines)
    }

    /// Scores given translations.
    #[pyo3(signature = (source, target, **options))]
    fn score<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'py, PyAny>,
        target: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let loaded = self.loaded()?;
        let mut plain = loaded.defaults.clone();
        plain.translate.search.normalize = 0.0;
        plain.translate.search.word_penalty = 0.0;
        plain.translate.search.n_best = 1;
        plain.translate.search.sampling = None;
        let options = plain.with(&Names::call(&["target"]), &loaded.translator, options)?;
        let lines = Lines::read(source, &LineArguments { target: Some(target), ..LineArguments::default() })?;
        answer(py, &loaded, &options, lines)
    }

    /// Translates an iterable. Reads at most `ahead` lines before it returns the translation of the first of them.
    #[pyo3(signature = (source, *, ahead=4096, **options))]
    fn stream<'py>(
        &self,
        source: &Bound<'py, PyAny>,
        ahead: usize,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<TranslationStream> {
        let loaded = self.loaded()?;
        let options = loaded.defaults.with(&Names::call(&["ahead"]), &loaded.translator, options)?;
        TranslationStream::new(loaded, options, source.try_iter()?.into_any().unbind(), ahead)
    }

    /// Translates a column of text: any object with Arrow's C data interface.
    #[pyo3(signature = (source, *, column=None, details=false, **options))]
    fn translate_arrow<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'py, PyAny>,
        column: Option<&str>,
        details: bool,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Column> {
        let loaded = self.loaded()?;
        let options = loaded.defaults.with(&Names::call(&["column", "details"]), &loaded.translator, options)?;
        Column::translate(py, &loaded, &options, source.extract()?, column, details)
    }

    /// Translates a text of many sentences, a web page or XML.
    #[pyo3(signature = (input, **options))]
    fn translate_text<'py>(
        &self,
        py: Python<'py>,
        input: &str,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<TextTranslation> {
        crate::text::translate(py, &*self.loaded()?, input, options)
    }

    /// Translates the bytes of a file; `format` is the extension of its name.
    #[pyo3(signature = (content, format, **options))]
    fn translate_bytes<'py>(
        &self,
        py: Python<'py>,
        content: Vec<u8>,
        format: &str,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<FileTranslation> {
        crate::file::translate(py, &*self.loaded()?, content, format, options)
    }

    /// The n-gram posteriors of translations of another system, as the text of a file.
    #[pyo3(signature = (evidence, *, expected=false, **options))]
    fn posteriors<'py>(
        &self,
        evidence: &Bound<'py, PyAny>,
        expected: bool,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<String> {
        let loaded = self.loaded()?;
        let options = loaded.defaults.with(&Names::call(&["expected"]), &loaded.translator, options)?;
        crate::request::posteriors(&loaded.translator, &options, evidence, expected)
    }

    /// Whether translations can have word alignments.
    #[getter]
    fn has_alignment(&self) -> PyResult<bool> {
        Ok(self.loaded()?.translator.has_alignment())
    }

    /// The pieces of a source line.
    fn segment(&self, line: &str) -> PyResult<Vec<String>> {
        let vocabularies = self.loaded()?.translator.vocabularies();
        Ok(vocabularies.map(|[source, _]| source.pieces(line)).unwrap_or_default())
    }

    /// The pieces of a phrase of the target language.
    fn segment_target(&self, phrase: &str) -> PyResult<Vec<String>> {
        let vocabularies = self.loaded()?.translator.vocabularies();
        Ok(vocabularies.map(|[_, target]| target.pieces(phrase)).unwrap_or_default())
    }

    /// Unloads the model and ends the threads, after the calls in progress.
    fn close(&self, py: Python<'_>) {
        let loaded = self.0.write().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(loaded));
    }

    /// Whether the translator was closed.
    #[getter]
    fn closed(&self) -> bool {
        self.loaded().is_err()
    }
}

/// The translation of one text, or a list of translations for a list of texts.
fn answer<'py>(
    py: Python<'py>,
    loaded: &LoadedTranslator,
    options: &CallOptions,
    lines: Lines,
) -> PyResult<Bound<'py, PyAny>> {
    let mut translations = loaded.run(py, options, lines.requests)?;
    if lines.single
        && let Some(only) = translations.pop()
    {
        return Ok(Bound::new(py, only)?.into_any());
    }
    Ok(PyList::new(py, translations)?.into_any())
}
