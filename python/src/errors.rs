//! Errors of the libraries as Python exceptions with the same messages.

use metaphrase::Error;
use pyo3::prelude::*;
use std::fmt::Display;

mod classes {
    pyo3::import_exception!(metaphrase._errors, MetaphraseError);
    pyo3::import_exception!(metaphrase._errors, ModelError);
    pyo3::import_exception!(metaphrase._errors, OptionsError);
    pyo3::import_exception!(metaphrase._errors, InputError);
}

/// The exception for an error.
pub fn raise(error: Error) -> PyErr {
    let sentence = error.to_string();
    match error {
        Error::Threads(_) | Error::Forked(_) | Error::WorkerFailed => classes::MetaphraseError::new_err(sentence),
        Error::NoModel
        | Error::VocabularyCount(_)
        | Error::LanguageModelWeight(_)
        | Error::Option(_)
        | Error::Language(_)
        | Error::Options(_)
        | Error::PhraseBased { .. } => classes::OptionsError::new_err(sentence),
        Error::Document(_) | Error::Answers { .. } => classes::InputError::new_err(sentence),
        _ => classes::ModelError::new_err(sentence),
    }
}

/// The exception for an option that cannot be used.
pub fn options(sentence: impl Display) -> PyErr {
    classes::OptionsError::new_err(sentence.to_string())
}

/// The exception for an option that does not exist. Its message names the closest option and lists all of them: those
/// of the type `kind` of `metaphrase.options`, and the function's `own` keywords.
pub fn unknown_option(py: Python<'_>, name: &str, kind: &str, own: &[&str]) -> PyErr {
    let errors = py.import("metaphrase._errors");
    errors
        .and_then(|errors| errors.call_method1("unknown_option", (name, kind, own)))
        .map_or_else(|failure| failure, PyErr::from_value)
}

/// The exception for a glossary, a dictionary, lines or columns that cannot be read.
pub fn input(sentence: impl Display) -> PyErr {
    classes::InputError::new_err(sentence.to_string())
}

/// The exception for the use of a translator that was closed.
pub fn closed() -> PyErr {
    classes::MetaphraseError::new_err("the translator is closed; make another one")
}
