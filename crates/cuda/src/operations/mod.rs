//! The operations: what their kernels rely on is asserted here, then they are launched.

mod additive_attention;
mod attention;
mod cells;
mod dropout;
mod elementwise;
mod losses;
mod normalisation;
pub(crate) mod optimizer;
mod products;
mod rows;
mod scans;

use crate::Matrix;
use metaphrase_device::{Shape, Spans};
use std::ops::Range;

/// Rows and columns.
fn shape(matrix: &Matrix) -> (usize, usize) {
    (matrix.rows(), matrix.cols())
}

/// Asserts that matrices have one shape, and returns how many numbers each has.
fn same<const N: usize>(matrices: [&Matrix; N]) -> usize {
    assert!(matrices.iter().all(|m| shape(m) == shape(matrices[0])), "matrices of one shape");
    matrices[0].len()
}

/// Asserts that a matrix is of this shape.
fn is_shaped(matrix: &Matrix, rows: usize, cols: usize) {
    assert_eq!(shape(matrix), (rows, cols), "shape of a matrix");
}

/// Spans within so many rows, as pairs: first row, and the row after the last.
fn pairs(spans: &Spans, rows: usize) -> Vec<u32> {
    let pair = |span: &Range<usize>| {
        assert!(span.end <= rows, "a span beyond the last row");
        [span.start as u32, span.end as u32]
    };
    spans.iter().flat_map(pair).collect()
}

/// The numbers of a matrix that may be left out.
fn optional(matrix: Option<&Matrix>) -> *const f32 {
    matrix.map_or(std::ptr::null(), Matrix::read)
}
