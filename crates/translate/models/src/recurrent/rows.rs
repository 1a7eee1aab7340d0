//! Views on rows of matrices: by index, shared, or a range of columns.

use core::ops::Range;
use metaphrase_kernels::Matrix;

/// Rows of a row-major matrix, or of some of its columns.
///
/// A row of a step finds what depends on its parent by an index and what depends on nothing in one shared row, so
/// that neither is ever copied.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    data: &'a [f32],
    stride: usize,
    start: usize,
    width: usize,
    index: Option<&'a [u32]>,
}

impl<'a> Rows<'a> {
    /// All columns of a matrix.
    pub(super) fn new(matrix: &'a Matrix) -> Self {
        let width = matrix.cols();
        Self { data: matrix.as_slice(), stride: width, start: 0, width, index: None }
    }

    /// The same row for all.
    pub(super) fn shared(row: &'a [f32]) -> Self {
        Self { data: row, stride: 0, start: 0, width: row.len(), index: None }
    }

    /// These columns of the rows.
    pub(super) fn columns(self, columns: Range<usize>) -> Self {
        debug_assert!(columns.end <= self.width);
        Self { start: self.start + columns.start, width: columns.len(), ..self }
    }

    /// The rows from `first` on.
    pub(super) fn from(self, first: usize) -> Self {
        debug_assert!(self.index.is_none());
        Self { start: self.start + first * self.stride, ..self }
    }

    /// Row `r` becomes what row `index[r]` was.
    pub(super) fn by(self, index: &'a [u32]) -> Self {
        debug_assert!(self.index.is_none());
        Self { index: Some(index), ..self }
    }

    /// Row `r`.
    pub(super) fn row(&self, r: usize) -> &'a [f32] {
        let r = self.index.map_or(r, |index| index[r] as usize);
        let start = r * self.stride + self.start;
        &self.data[start..start + self.width]
    }
}

/// Makes `to` a copy of `from`. Buffers are copied rather than exchanged where several would change places: then each
/// keeps the size that it needs.
pub(super) fn copy(from: &Matrix, to: &mut Matrix) {
    to.resize(from.rows(), from.cols());
    to.as_mut_slice().copy_from_slice(from.as_slice());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_index_and_column() {
        let data = Matrix::from_vec(2, 3, vec![0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
        let rows = Rows::new(&data);
        assert_eq!(rows.row(1), [10.0, 11.0, 12.0]);
        assert_eq!(rows.columns(1..3).row(0), [1.0, 2.0]);
        assert_eq!(rows.columns(1..3).columns(1..2).by(&[1, 1, 0]).row(1), [12.0]);
        assert_eq!(rows.from(1).columns(0..1).row(0), [10.0]);
        assert_eq!(Rows::shared(&[5.0]).row(7), [5.0]);
    }
}
