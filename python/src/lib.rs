//! The part of the Python package `metaphrase` that is written in Rust: a thin shell over the crate `metaphrase`.
//!
//! `translator` has the translator, `options` reads its keywords, `request` its lines, and `result` has its answers.
//! `text`, `file`, `stream` and `arrow` are for texts, files, endless iterables and columns. The stubs and the Python
//! files of the package have its documentation.

mod arrow;
mod errors;
mod evaluate;
mod file;
mod glossary;
mod lattice;
mod loaded;
mod options;
mod pickle;
mod request;
mod result;
mod setup;
mod stream;
mod text;
mod translator;

use pyo3::prelude::*;

/// The compiled part of the package.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{
        arrow::Column,
        command_line, convert,
        evaluate::{Score, evaluate},
        file::FileTranslation,
        glossary::Glossary,
        inspect,
        lattice::Lattice,
        request::Request,
        result::{Hypothesis, Met, Translation},
        stream::TranslationStream,
        text::{TextSentence, TextTranslation},
        translator::Translator,
    };

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

/// Runs the program `metaphrase` with these arguments, the first of which is its name; returns the exit status.
#[pyfunction]
fn command_line(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| metaphrase_cli::run(arguments))
}

/// Describes the model at a path and checks that its parts fit together. Returns a text for people and a list of
/// problems.
#[pyfunction]
fn inspect(py: Python<'_>, path: std::path::PathBuf) -> PyResult<(String, Vec<String>)> {
    let report = py.detach(|| metaphrase::inspect(path)).map_err(errors::raise)?;
    Ok((report.to_string(), report.problems))
}

/// Converts a model of any known format to a directory, which must be absent or empty: in our own format, or in that of
/// another program. Returns the parts of the model that the format has no place for.
#[pyfunction]
#[pyo3(signature = (model, directory, precision="f32", *, format=None))]
fn convert(
    py: Python<'_>,
    model: std::path::PathBuf,
    directory: std::path::PathBuf,
    precision: &str,
    format: Option<&str>,
) -> PyResult<Vec<&'static str>> {
    let precision = options::choice::<metaphrase::StoredPrecision>("precision", precision)?;
    let format = format.map(|format| options::choice::<metaphrase::ForeignFormat>("format", format)).transpose()?;
    py.detach(|| match format {
        Some(format) => metaphrase::export(model, directory, format, precision),
        None => metaphrase::convert(model, directory, precision).map(|()| Vec::new()),
    })
    .map_err(errors::raise)
}
