//! Texts of any form: sentences are found, translated, and put together again.

use crate::errors;
use crate::options::{CallOptions, Names, get};
use crate::pickle::Pickled;
use crate::result::Translation;
use crate::translator::Loaded;
use metaphrase::{Document, Entries, Split, TextFormat, TextOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::Range;

/// A translated text.
#[pyclass(frozen, module = "metaphrase")]
pub struct TextTranslation {
    /// The text, with the white space, the markup and the things to copy of the input.
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
    /// The text of a pickle.
    #[staticmethod]
    fn _of(text: String, sentences: Vec<Py<TextSentence>>, notes: Vec<String>) -> Self {
        Self { text, sentences, notes }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Pickled<'py, (String, Vec<Py<TextSentence>>, Vec<String>)> {
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
    /// Where its characters begin and end in the input.
    source: (usize, usize),
    /// Where its characters begin and end in the translated text.
    target: (usize, usize),
    /// The translation of the sentence.
    translation: Py<Translation>,
}

#[pymethods]
impl TextSentence {
    /// The sentence of a pickle.
    #[staticmethod]
    fn _of(source: (usize, usize), target: (usize, usize), translation: Py<Translation>) -> Self {
        Self { source, target, translation }
    }

    #[expect(clippy::type_complexity, reason = "the arguments of `_of`")]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Pickled<'py, ((usize, usize), (usize, usize), Py<Translation>)> {
        let Self { source, target, translation } = slf.get();
        Ok((slf.get_type().getattr("_of")?, (*source, *target, translation.clone_ref(slf.py()))))
    }
}

/// Reads the keywords: options of the text, and options of the call; `kind` is their type in `metaphrase.options`.
pub fn options(
    kind: &'static str,
    loaded: &Loaded,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<(TextOptions, CallOptions)> {
    let mut form = TextOptions::default();
    let Some(keywords) = keywords else { return Ok((form, loaded.defaults.clone())) };
    let of_call = PyDict::new(keywords.py());
    for (key, value) in keywords {
        if !set(&mut form, &key.extract::<String>()?, &value)? {
            of_call.set_item(key, value)?;
        }
    }
    Ok((form, loaded.defaults.with(&Names { kind, own: &[] }, &loaded.translator, Some(&of_call))?))
}

/// Translates a text; keywords that are not about the text are options of the call.
pub fn translate(
    py: Python<'_>,
    loaded: &Loaded,
    input: &str,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<TextTranslation> {
    let (form, mut options) = options("TextOptions", loaded, keywords)?;
    let document = Document::text(input, &options.translate.for_sentences(&form)).map_err(errors::raise)?;
    if document.needs_alignment() {
        options.translate = loaded.translator.with_alignment(&options.translate);
    }
    let found = loaded.answers(py, &options, document.requests())?;
    let finished = py.detach(|| document.finish(found)).map_err(errors::raise)?;
    let (mut source, mut target) = (Characters::of(input), Characters::of(finished.text()));
    let sentence = |sentence: metaphrase::DocumentSentence| {
        let (source, target) = (source.place(&sentence.source), target.place(&sentence.target));
        let translation = Py::new(py, Translation::new(sentence.translation))?;
        Py::new(py, TextSentence { source, target, translation })
    };
    let sentences = finished.sentences.iter().cloned().map(sentence).collect::<PyResult<_>>()?;
    Ok(TextTranslation { text: finished.text().to_owned(), sentences, notes: finished.notes })
}

/// Sets an option of the text; gives whether it is one.
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
        "target_language" => form.files.target_language = get(key, value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Places in characters, as Python counts, of places in bytes. Places that come in order are found in one pass.
struct Characters<'a> {
    text: &'a str,
    byte: usize,
    character: usize,
}

impl<'a> Characters<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, byte: 0, character: 0 }
    }

    fn place(&mut self, bytes: &Range<usize>) -> (usize, usize) {
        (self.character(bytes.start), self.character(bytes.end))
    }

    fn character(&mut self, byte: usize) -> usize {
        if byte < self.byte {
            (self.byte, self.character) = (0, 0);
        }
        let byte = byte.min(self.text.len());
        self.character += self.text.get(self.byte..byte).map_or(0, |text| text.chars().count());
        self.byte = byte;
        self.character
    }
}
