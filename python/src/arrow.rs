//! Columns of Arrow: read where they lie, and given on without a copy.

use crate::errors;
use crate::options::CallOptions;
use crate::translator::Loaded;
use arrow_array::builder::{Float32Builder, Int32Builder, ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeStringArray, StringArray, StringViewArray, StructArray};
use arrow_schema::{DataType, Field, FieldRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::ffi::{ArrayIterator, to_array_pycapsules, to_stream_pycapsule};
use pyo3_arrow::input::AnyArray;
use std::sync::Arc;

/// A column of translations. It speaks Arrow's C interface: `pyarrow.array(column)`, `polars.Series(column)`.
#[pyclass(frozen, module = "metaphrase")]
pub struct Column {
    array: ArrayRef,
    field: FieldRef,
}

impl Column {
    /// Translates a column. Of a table `name` is the column; it may be left out if there is one column.
    pub fn translate(
        py: Python<'_>,
        loaded: &Loaded,
        options: &CallOptions,
        source: AnyArray,
        name: Option<&str>,
        details: bool,
    ) -> PyResult<Self> {
        let chunks = source.into_reader()?.collect::<Result<Vec<_>, _>>().map_err(errors::input)?;
        let chunks = chunks.iter().map(|chunk| of_table(chunk, name)).collect::<PyResult<Vec<ArrayRef>>>()?;
        let mut lines: Vec<Option<&str>> = Vec::new();
        for chunk in &chunks {
            strings(chunk, &mut lines)?;
        }
        let requests = lines.iter().map(|line| metaphrase::Request::translate(line.unwrap_or_default())).collect();
        let found = loaded.answers(py, options, requests)?;
        let found: Vec<Option<&metaphrase::Translation>> =
            found.iter().zip(&lines).map(|(found, line)| line.and(Some(found))).collect();
        let array = if details { with_details(&found)? } else { texts(&found, chunks.first().map(|c| c.data_type())) };
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

/// The column `name` of a chunk that is a table, or its only column; a chunk that is a column itself.
fn of_table(chunk: &ArrayRef, name: Option<&str>) -> PyResult<ArrayRef> {
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

/// The texts, in the type of the source; where this type does not hold the texts, in a larger one.
fn texts(found: &[Option<&metaphrase::Translation>], like: Option<&DataType>) -> ArrayRef {
    let texts = || found.iter().map(|found| found.map(metaphrase::Translation::text));
    let bytes: usize = texts().flatten().map(str::len).sum();
    match like {
        Some(DataType::Utf8View) => Arc::new(texts().collect::<StringViewArray>()),
        Some(DataType::LargeUtf8) => Arc::new(texts().collect::<LargeStringArray>()),
        _ if i32::try_from(bytes).is_err() => Arc::new(texts().collect::<LargeStringArray>()),
        _ => Arc::new(texts().collect::<StringArray>()),
    }
}

/// Text, score, error, numbers of the missing terms, and notes.
fn with_details(found: &[Option<&metaphrase::Translation>]) -> PyResult<ArrayRef> {
    let (mut scores, mut missing) = (Float32Builder::new(), ListBuilder::new(Int32Builder::new()));
    let mut notes = ListBuilder::new(StringBuilder::new());
    for found in found {
        let best = found.and_then(|found| found.hypotheses.first());
        scores.append_option(best.map(|best| best.score));
        for &term in found.map_or(&[][..], |found| &found.missing) {
            missing.values().append_value(i32::try_from(term).unwrap_or(i32::MAX));
        }
        missing.append(found.is_some());
        for note in found.map_or(&[][..], |found| &found.notes) {
            notes.values().append_value(note);
        }
        notes.append(found.is_some());
    }
    let errors: StringArray = found.iter().map(|found| found.and_then(|found| found.error.as_deref())).collect();
    let columns: [(&str, ArrayRef); 5] = [
        ("text", texts(found, None)),
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
