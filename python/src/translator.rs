//! The translator.

use crate::arrow::Column;
use crate::errors;
use crate::file::FileTranslation;
use crate::options::{CallOptions, Names};
use crate::request::{Given, Lines, Request};
use crate::result::Translation;
use crate::setup::Setup;
use crate::stream::TranslationStream;
use crate::text::TextTranslation;
use metaphrase::Cancel;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::ops::ControlFlow;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// A loaded translator and the options of its calls.
pub struct Loaded {
    pub translator: metaphrase::Translator,
    pub defaults: CallOptions,
}

/// Translates text; `metaphrase.Translator` says how.
#[pyclass(frozen, subclass, module = "metaphrase")]
pub struct Translator(RwLock<Option<Arc<Loaded>>>);

/// The longest time after which Ctrl-C is noticed, as long as lines get done.
const PATIENCE: Duration = Duration::from_millis(100);

impl Translator {
    /// The translator, unless it was closed.
    fn loaded(&self) -> PyResult<Arc<Loaded>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone().ok_or_else(errors::closed)
    }
}

impl Loaded {
    /// Answers requests without the interpreter's lock.
    pub fn run(&self, py: Python<'_>, options: &CallOptions, requests: Vec<Request>) -> PyResult<Vec<Translation>> {
        let facade = requests.into_iter().map(|request| request.into_facade(&self.translator, options));
        let found = self.answers(py, options, facade.collect::<PyResult<_>>()?)?;
        Ok(found.into_iter().map(Translation::new).collect())
    }

    /// The façade's answers.
    pub fn answers(
        &self,
        py: Python<'_>,
        options: &CallOptions,
        requests: Vec<metaphrase::Request>,
    ) -> PyResult<Vec<metaphrase::Translation>> {
        let requests = match <[metaphrase::Request; 1]>::try_from(requests) {
            Ok([only]) => return Ok(vec![self.answer(py, options, only)?]),
            Err(requests) => requests,
        };
        let mut found = Vec::with_capacity(requests.len());
        let (mut interrupted, mut checked) = (None, Instant::now());
        let sink = |translation| {
            found.push(translation);
            if checked.elapsed() > PATIENCE {
                checked = Instant::now();
                interrupted = Python::attach(|py| py.check_signals()).err();
            }
            if interrupted.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let ended = py.detach(|| self.translator.stream(&options.translate, [requests], sink));
        match interrupted {
            Some(interrupt) => Err(interrupt),
            None => ended.map(|()| found).map_err(errors::raise),
        }
    }

    /// The answer to one request. No thread is started for it, which would be most of the time of such a call.
    fn answer(
        &self,
        py: Python<'_>,
        options: &CallOptions,
        request: metaphrase::Request,
    ) -> PyResult<metaphrase::Translation> {
        py.detach(|| {
            let (sender, answer) = sync_channel(1);
            let (cancel, send) = (Cancel::new(), move |answer| _ = sender.send(answer));
            self.translator.submit(&options.translate, request, &cancel, send).map_err(errors::raise)?;
            loop {
                match answer.recv_timeout(PATIENCE) {
                    Ok(answer) => return answer.map_err(errors::raise),
                    Err(RecvTimeoutError::Timeout) => {
                        Python::attach(|py| py.check_signals()).inspect_err(|_| cancel.cancel())?;
                    }
                    Err(RecvTimeoutError::Disconnected) => return Err(errors::raise(metaphrase::Error::WorkerFailed)),
                }
            }
        })
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
        let (setup, of_calls) = Setup::read(model, options)?;
        // What keywords are checked against is the translator itself.
        let translator = py.detach(|| setup.build())?;
        let names = Names { kind: "TranslatorOptions", own: &["model"] };
        let defaults = CallOptions { translate: translator.options() };
        let defaults = defaults.with(&names, &translator, of_calls.as_ref())?;
        Ok(Self(RwLock::new(Some(Arc::new(Loaded { translator, defaults })))))
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
            &Names::of_call(&["prefix", "constraints", "avoid", "evidence"]),
            &loaded.translator,
            options,
        )?;
        let lines = Lines::read(source, &Given { prefix, constraints, avoid, evidence, target: None })?;
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
        let options = plain.with(&Names::of_call(&["target"]), &loaded.translator, options)?;
        let lines = Lines::read(source, &Given { target: Some(target), ..Given::default() })?;
        answer(py, &loaded, &options, lines)
    }

    /// Translates an iterable; `ahead` lines are read at most before the first of them is given back.
    #[pyo3(signature = (source, *, ahead=4096, **options))]
    fn stream<'py>(
        &self,
        source: &Bound<'py, PyAny>,
        ahead: usize,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<TranslationStream> {
        let loaded = self.loaded()?;
        let options = loaded.defaults.with(&Names::of_call(&["ahead"]), &loaded.translator, options)?;
        TranslationStream::new(loaded, options, source.try_iter()?.into_any().unbind(), ahead)
    }

    /// Translates a column of text: any object that speaks Arrow's C interface.
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
        let options = loaded.defaults.with(&Names::of_call(&["column", "details"]), &loaded.translator, options)?;
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

    /// Translates the bytes of a file; `format` is the end of its name.
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
        let options = loaded.defaults.with(&Names::of_call(&["expected"]), &loaded.translator, options)?;
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

    /// Forgets the model and ends the threads; calls that are on the way end first.
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

/// One translation for one text, a list for a list.
fn answer<'py>(py: Python<'py>, loaded: &Loaded, options: &CallOptions, lines: Lines) -> PyResult<Bound<'py, PyAny>> {
    let mut found = loaded.run(py, options, lines.requests)?;
    if lines.single
        && let Some(only) = found.pop()
    {
        return Ok(Bound::new(py, only)?.into_any());
    }
    Ok(PyList::new(py, found)?.into_any())
}
