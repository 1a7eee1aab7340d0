//! Texts of any format: finds their sentences, translates them and puts the text together again.

use crate::errors;
use crate::loaded::LoadedTranslator;
use crate::options::{CallOptions, Names, get};
use crate::pickle::ReduceResult;
use crate::result::Translation;
use metaphrase::{Document, Entries, Split, TextFormat, TextOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::Range;

/// A translated text.
#[pyclass(frozen, module = "metaphrase")]
pub struct TextTranslation {
    /// The text, with the white space, the markup and the untranslated parts of the input.
    #[pyo3(get)]
    text: String,
    /// The sentences that were translated, in order.
    #[pyo3(get)]
    sentences: Vec<Py<TextSentence>>,
    /// Messages about sentences.
    #[pyo3(get)]
    notes: Vec<String>,
}

#[pymethods]
impl TextTranslation {
    /// The text from a pickle.
    #[staticmethod]
    fn _of(text: String, sentences: Vec<Py<TextSentence>>, notes: Vec<String>) -> Self {
        Self { text, sentences, notes }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> ReduceResult<'py, (String, Vec<Py<TextSentence>>, Vec<String>)> {
        let Self { text, sentences, notes } = slf.get();
        let sentences = sentences.iter().map(|sentence| sentence.clone_ref(slf.py())).collect();
        Ok((slf.get_type().getattr("_of")?, (text.clone(), sentences, notes.clone())))
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<metaphrase.TextTranslation of {} sentences>", self.sentences.len())
    }
}

/// A sentence of a translated text.
#[pyclass(frozen, get_all, module = "metaphrase")]
pub struct TextSentence {
    /// The place in the input: the first character and the one after the last.
    source: (usize, usize),
    /// The place in the translated text: the first character and the one after the last.
    target: (usize, usize),
    /// The translation of the sentence.
    translation: Py<Translation>,
}

#[pymethods]
impl TextSentence {
    /// The sentence from a pickle.
    #[staticmethod]
    fn _of(source: (usize, usize), target: (usize, usize), translation: Py<Translation>) -> Self {
        Self { source, target, translation }
    }

    #[expect(clippy::type_complexity, reason = "the arguments of `_of`")]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> ReduceResult<'py, ((usize, usize), (usize, usize), Py<Translation>)> {
        let Self { source, target, translation } = slf.get();
        Ok((slf.get_type().getattr("_of")?, (*source, *target, translation.clone_ref(slf.py()))))
    }
}

/// Reads the keywords: the options of the text and those of the call. `kind` is their type in `metaphrase.options`. The
/// text names the language of the translation as its own, if that is known.
pub fn options(
    kind: &'static str,
    loaded: &LoadedTranslator,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<(TextOptions, CallOptions)> {
    let target = loaded.translator.languages().map(|[_, target]| target.clone());
    let mut form = TextOptions { target: target.unwrap_or_default(), ..TextOptions::default() };
    let Some(keywords) = keywords else { return Ok((form, loaded.defaults.clone())) };
    if let Some(chosen) = keywords.get_item("target_language")?.filter(|chosen| !chosen.is_none()) {
        form.target = get("target_language", &chosen)?;
    }
    let others = PyDict::new(keywords.py());
    for (key, value) in keywords {
        if !set(&mut form, &key.extract::<String>()?, &value)? {
            others.set_item(key, value)?;
        }
    }
    Ok((form, loaded.defaults.with(&Names { kind, own: &[] }, &loaded.translator, Some(&others))?))
}

/// Translates a text. The keywords are options of the text and of the call.
pub fn translate(
    py: Python<'_>,
    loaded: &LoadedTranslator,
    input: &str,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<TextTranslation> {
    let (form, mut options) = options("TextOptions", loaded, keywords)?;
    let document = Document::text(input, &options.translate.for_sentences(&form)).map_err(errors::raise)?;
    if document.needs_alignment() {
        options.translate = loaded.translator.with_alignment(&options.translate);
    }
    let answers = loaded.answers(py, &options, document.requests())?;
    let finished = py.detach(|| document.finish(answers)).map_err(errors::raise)?;
    let mut source = CharacterCounter::new(input);
    let mut target = CharacterCounter::new(finished.text());
    let sentence = |sentence: metaphrase::DocumentSentence| {
        let source = source.place(&sentence.source);
        let target = target.place(&sentence.target);
        let translation = Py::new(py, Translation::new(sentence.translation))?;
        Py::new(py, TextSentence { source, target, translation })
    };
    let sentences = finished.sentences.iter().cloned().map(sentence).collect::<PyResult<_>>()?;
    Ok(TextTranslation { text: finished.text().to_owned(), sentences, notes: finished.notes })
}

/// Sets an option of the text; returns whether `key` is one.
fn set(form: &mut TextOptions, key: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    match key {
        "format" => {
            form.format = match &*get::<String>(key, value)? {
                "lines" => TextFormat::Lines,
                "text" => TextFormat::Text,
                "html" => TextFormat::Html,
                "xml" => TextFormat::Xml,
                other => {
                    return Err(errors::options(format!("format is {other:?}; expected lines, text, html or xml")));
                }
            }
        }
        "split" => {
            form.split = match &*get::<String>(key, value)? {
                "sentences" => Split::Sentences,
                "wrapped" => Split::Wrapped,
                "lines" => Split::Lines,
                other => {
                    return Err(errors::options(format!("split is {other:?}; expected sentences, wrapped or lines")));
                }
            }
        }
        "language" => form.language = get(key, value)?,
        "keep_placeholders" => form.keep.placeholders = get(key, value)?,
        "keep_addresses" => form.keep.addresses = get(key, value)?,
        "keep_numbers" => form.keep.numbers = get(key, value)?,
        "keep_elements" => form.copied = get(key, value)?,
        "longest" => form.longest = get(key, value)?,
        "entries" => {
            form.files.entries = match &*get::<String>(key, value)? {
                "untranslated" => Entries::Untranslated,
                "all" => Entries::All,
                other => return Err(errors::options(format!("entries is {other:?}; expected untranslated or all"))),
            }
        }
        "columns" => form.files.columns = get(key, value)?,
        "sheet_names" => form.files.sheet_names = get(key, value)?,
        "document_language" => form.target = get(key, value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Converts places in bytes to places in characters, which Python uses. Places in ascending order take one pass.
struct CharacterCounter<'a> {
    text: &'a str,
    byte: usize,
    character: usize,
}

impl<'a> CharacterCounter<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, byte: 0, character: 0 }
    }

    fn place(&mut self, bytes: &Range<usize>) -> (usize, usize) {
        (self.character(bytes.start), self.character(bytes.end))
    }

    fn character(&mut self, byte: usize) -> usize {
        if byte < self.byte {
            self.byte = 0;
            self.character = 0;
        }
        let byte = byte.min(self.text.len());
        self.character += self.text.get(self.byte..byte).map_or(0, |text| text.chars().count());
        self.byte = byte;
        self.character
    }
}
