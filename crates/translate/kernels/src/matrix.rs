//! The matrix of floats that all functions work on.

use crate::aligned::AlignedVec;

/// A row-major matrix of floats, `rows × cols`, contiguous, beginning on a cache line.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    values: AlignedVec,
}

impl Matrix {
    /// A matrix without rows and columns; allocates nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `rows × cols` zeros.
    ///
    /// # Panics
    /// If `rows · cols` overflows.
    #[must_use]
    pub fn zeros(rows: usize, cols: usize) -> Self {
        let mut out = Self::new();
        out.resize(rows, cols); // fresh storage is zero
        out
    }

    /// `rows × cols` with these values, row after row.
    ///
    /// # Panics
    /// If there are not `rows · cols` values.
    #[must_use]
    pub fn from_vec(rows: usize, cols: usize, values: Vec<f32>) -> Self {
        assert_eq!(Some(values.len()), rows.checked_mul(cols), "values of a {rows} × {cols} matrix");
        Self { rows, cols, values: AlignedVec::from(&values[..]) }
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row `i`, `cols` long.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn row(&self, i: usize) -> &[f32] {
        assert!(i < self.rows, "row {i} of {}", self.rows);
        &self.values[i * self.cols..][..self.cols]
    }

    /// Row `i`, `cols` long.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row_mut(&mut self, i: usize) -> &mut [f32] {
        assert!(i < self.rows, "row {i} of {}", self.rows);
        &mut self.values[i * self.cols..][..self.cols]
    }

    /// All values, row after row.
    #[must_use]
    pub fn as_slice(&self) -> &[f32] {
        &self.values
    }

    /// All values, row after row.
    pub fn as_mut_slice(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// Makes the matrix `rows × cols`. Storage never shrinks, so nothing is allocated once the matrix has been as large
    /// before. If `cols` stays the same, the rows are kept; all other values are unspecified.
    ///
    /// # Panics
    /// If `rows · cols` overflows.
    pub fn resize(&mut self, rows: usize, cols: usize) {
        let Some(len) = rows.checked_mul(cols) else { panic!("a {rows} × {cols} matrix is too large") };
        self.values.resize(len);
        (self.rows, self.cols) = (rows, cols);
    }

    /// Appends the rows of `more`.
    ///
    /// # Panics
    /// If `more` has another number of columns.
    pub fn append(&mut self, more: &Self) {
        assert_eq!(self.cols, more.cols, "columns of rows that are appended");
        let end = self.values.len();
        self.resize(self.rows + more.rows, self.cols);
        self.values[end..].copy_from_slice(&more.values);
    }

    /// The number of values that fit without an allocation.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.values.capacity()
    }

    /// Removes all rows; columns and storage are kept.
    pub fn clear(&mut self) {
        self.resize(0, self.cols);
    }
}

/// Equal shapes and equal values (so NaN is unlike itself).
impl PartialEq for Matrix {
    fn eq(&self, other: &Self) -> bool {
        (self.rows, self.cols, self.as_slice()) == (other.rows, other.cols, other.as_slice())
    }
}
