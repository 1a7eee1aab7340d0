//! The operations: each asserts the shapes and ids that its kernel relies on, then launches the kernel.

mod additive_attention;
mod attention;
mod cells;
mod dropout;
mod elementwise;
mod losses;
mod normalisation;
mod products;
mod rows;
mod scans;
mod updates;

pub use losses::UnreadLosses;

use crate::Matrix;
use metaphrase_device::{Shape, Spans};
use std::ops::Range;

/// Rows and columns.
pub(crate) fn shape(matrix: &Matrix) -> (usize, usize) {
    (matrix.rows(), matrix.cols())
}

/// Asserts that matrices have one shape, and returns how many numbers each has.
pub(crate) fn same<const N: usize>(matrices: [&Matrix; N]) -> usize {
    assert!(matrices.iter().all(|m| shape(m) == shape(matrices[0])), "matrices of one shape");
    matrices[0].len()
}

/// Asserts that a matrix is of this shape.
pub(crate) fn is_shaped(matrix: &Matrix, rows: usize, cols: usize) {
    assert_eq!(shape(matrix), (rows, cols), "shape of a matrix");
}

/// Spans within this number of rows, as pairs: the first row, and the row after the last.
fn pairs(spans: &Spans, rows: usize) -> Vec<u32> {
    let pair = |span: &Range<usize>| {
        assert!(span.end <= rows, "a span beyond the last row");
        [span.start as u32, span.end as u32]
    };
    spans.iter().flat_map(pair).collect()
}

/// The address of an optional matrix: null for `None`.
pub(crate) fn optional(matrix: Option<&Matrix>) -> *const f32 {
    matrix.map_or(std::ptr::null(), Matrix::read)
}
