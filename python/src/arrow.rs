//! Columns of Arrow: input and output without copies.

use crate::errors;
use crate::loaded::LoadedTranslator;
use crate::options::CallOptions;
use arrow_array::builder::{Float32Builder, Int32Builder, ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeStringArray, StringArray, StringViewArray, StructArray};
use arrow_schema::{DataType, Field, FieldRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::ffi::{ArrayIterator, to_array_pycapsules, to_stream_pycapsule};
use pyo3_arrow::input::AnyArray;
use std::sync::Arc;

/// A column of translations with Arrow's C data interface: `pyarrow.array(column)`, `polars.Series(column)`.
#[pyclass(frozen, module = "metaphrase")]
pub struct Column {
    array: ArrayRef,
    field: FieldRef,
}

impl Column {
    /// Translates a column, or the column `name` of a table. A table with one column needs no name.
    pub fn translate(
        py: Python<'_>,
        loaded: &LoadedTranslator,
        options: &CallOptions,
        source: AnyArray,
        name: Option<&str>,
        details: bool,
    ) -> PyResult<Self> {
        let chunks = source.into_reader()?.collect::<Result<Vec<_>, _>>().map_err(errors::input)?;
        let chunks = chunks.iter().map(|chunk| text_column(chunk, name)).collect::<PyResult<Vec<ArrayRef>>>()?;
        let mut lines: Vec<Option<&str>> = Vec::new();
        for chunk in &chunks {
            strings(chunk, &mut lines)?;
        }
        let requests = lines.iter().map(|line| metaphrase::Request::translate(line.unwrap_or_default())).collect();
        let translations = loaded.answers(py, options, requests)?;
        let translations: Vec<Option<&metaphrase::Translation>> =
            translations.iter().zip(&lines).map(|(translation, line)| line.and(Some(translation))).collect();
        let array = if details {
            with_details(&translations)?
        } else {
            texts(&translations, chunks.first().map(|chunk| chunk.data_type()))
        };
        let field = Arc::new(Field::new("translation", array.data_type().clone(), true));
        Ok(Self { array, field })
    }
}

#[pymethods]
impl Column {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        Ok(to_array_pycapsules(py, Arc::clone(&self.field), &self.array, requested_schema)?)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let chunks = ArrayIterator::new([Ok(Arc::clone(&self.array))], Arc::clone(&self.field));
        Ok(to_stream_pycapsule(py, Box::new(chunks), requested_schema)?)
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }

    fn __repr__(&self) -> String {
        format!("<metaphrase.Column of {} translations>", self.array.len())
    }
}

/// The column of text: the chunk itself if it is a column; if it is a table, its column `name` or its only column.
fn text_column(chunk: &ArrayRef, name: Option<&str>) -> PyResult<ArrayRef> {
    let Some(table) = chunk.as_struct_opt() else { return Ok(Arc::clone(chunk)) };
    match (name, table.columns()) {
        (Some(name), _) => table.column_by_name(name).cloned().ok_or_else(|| {
            errors::input(format!("there is no column {name:?}; the columns are {:?}", table.column_names()))
        }),
        (None, [only]) => Ok(Arc::clone(only)),
        (None, _) => Err(errors::input(format!("name one of the columns {:?} with column=…", table.column_names()))),
    }
}

/// Appends the strings of a column.
fn strings<'a>(chunk: &'a ArrayRef, out: &mut Vec<Option<&'a str>>) -> PyResult<()> {
    match chunk.data_type() {
        DataType::Utf8 => out.extend(chunk.as_string::<i32>()),
        DataType::LargeUtf8 => out.extend(chunk.as_string::<i64>()),
        DataType::Utf8View => out.extend(chunk.as_string_view()),
        DataType::Null => out.extend((0..chunk.len()).map(|_| None)),
        other => {
            let advice = "cast it to a string type first";
            return Err(errors::input(format!("the column has the type {other}; expected strings: {advice}")));
        }
    }
    Ok(())
}

/// The texts, in the type of the source; if the texts exceed this type, in a larger one.
fn texts(translations: &[Option<&metaphrase::Translation>], source: Option<&DataType>) -> ArrayRef {
    let texts = || translations.iter().map(|translation| translation.map(metaphrase::Translation::text));
    let bytes: usize = texts().flatten().map(str::len).sum();
    match source {
        Some(DataType::Utf8View) => Arc::new(texts().collect::<StringViewArray>()),
        Some(DataType::LargeUtf8) => Arc::new(texts().collect::<LargeStringArray>()),
        _ if i32::try_from(bytes).is_err() => Arc::new(texts().collect::<LargeStringArray>()),
        _ => Arc::new(texts().collect::<StringArray>()),
    }
}

/// Structs of text, score, error, numbers of the missing terms, and notes.
fn with_details(translations: &[Option<&metaphrase::Translation>]) -> PyResult<ArrayRef> {
    let mut scores = Float32Builder::new();
    let mut missing = ListBuilder::new(Int32Builder::new());
    let mut notes = ListBuilder::new(StringBuilder::new());
    for translation in translations {
        let best = translation.and_then(|translation| translation.hypotheses.first());
        scores.append_option(best.map(|best| best.score));
        for &term in translation.map_or(&[][..], |translation| &translation.missing) {
            missing.values().append_value(i32::try_from(term).unwrap_or(i32::MAX));
        }
        missing.append(translation.is_some());
        for note in translation.map_or(&[][..], |translation| &translation.notes) {
            notes.values().append_value(note);
        }
        notes.append(translation.is_some());
    }
    let error = |translation: &Option<&'_ metaphrase::Translation>| translation.and_then(|found| found.error.clone());
    let errors: StringArray = translations.iter().map(error).collect();
    let columns: [(&str, ArrayRef); 5] = [
        ("text", texts(translations, None)),
        ("score", Arc::new(scores.finish())),
        ("error", Arc::new(errors)),
        ("missing", Arc::new(missing.finish())),
        ("notes", Arc::new(notes.finish())),
    ];
    let fields = columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), true)).collect();
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    let table = StructArray::try_new(fields, columns, None).map_err(errors::input)?;
    Ok(Arc::new(table))
}
