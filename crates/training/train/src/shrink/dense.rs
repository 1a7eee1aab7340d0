//! Small linear algebra in f64: products, least squares by Cholesky's factors, and the directions of most variance.

use crate::unfold::Table;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A matrix of f64, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dense {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) numbers: Vec<f64>,
}

impl Dense {
    pub(super) fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, numbers: vec![0.0; rows * columns] }
    }

    /// A table in f64.
    pub(super) fn from_table(table: &Table) -> Self {
        let numbers = table.numbers.iter().map(|&number| f64::from(number)).collect();
        Self { rows: table.rows, columns: table.columns, numbers }
    }

    /// Some columns of a table.
    pub(super) fn from_columns(table: &Table, columns: &[usize]) -> Self {
        let rows = table.numbers.chunks_exact(table.columns.max(1));
        let numbers = rows.flat_map(|row| columns.iter().map(|&column| f64::from(row[column]))).collect();
        Self { rows: table.rows, columns: columns.len(), numbers }
    }

    /// The matrix that picks these rows of a matrix of `size` rows.
    pub(super) fn picking(rows: &[usize], size: usize) -> Self {
        let mut picking = Self::zeros(rows.len(), size);
        for (row, &picked) in rows.iter().enumerate() {
            picking.row_mut(row)[picked] = 1.0;
        }
        picking
    }

    /// These rows and columns.
    pub(super) fn part(&self, rows: &[usize], columns: &[usize]) -> Self {
        let numbers = rows.iter().flat_map(|&row| columns.iter().map(move |&column| self.row(row)[column])).collect();
        Self { rows: rows.len(), columns: columns.len(), numbers }
    }

    /// The same numbers in f32.
    pub(super) fn table(&self) -> Table {
        let numbers = self.numbers.iter().map(|&number| number as f32).collect();
        Table { rows: self.rows, columns: self.columns, numbers }
    }

    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.numbers[row * self.columns..(row + 1) * self.columns]
    }

    pub(super) fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.numbers[row * self.columns..(row + 1) * self.columns]
    }

    pub(super) fn transposed(&self) -> Self {
        let mut transposed = Self::zeros(self.columns, self.rows);
        for row in 0..self.rows {
            for column in 0..self.columns {
                transposed.numbers[column * self.rows + row] = self.numbers[row * self.columns + column];
            }
        }
        transposed
    }

    /// `self · right`. Zeros on the left cost nothing, so a matrix that picks rows is cheap.
    pub(super) fn times(&self, right: &Self) -> Self {
        let mut product = Self::zeros(self.rows, right.columns);
        for row in 0..self.rows {
            for (inner, &factor) in self.row(row).iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
                add_scaled(product.row_mut(row), factor, right.row(inner));
            }
        }
        product
    }

    /// `self + factor · other`.
    pub(super) fn plus(mut self, factor: f64, other: &Self) -> Self {
        add_scaled(&mut self.numbers, factor, &other.numbers);
        self
    }

    pub(super) fn mean_of_diagonal(&self) -> f64 {
        (0..self.rows).map(|i| self.row(i)[i]).sum::<f64>() / self.rows.max(1) as f64
    }

    /// The lower triangle L of a symmetric matrix that is not negative, with L · Lᵀ the matrix. A row that the rows
    /// before it explain becomes zero.
    pub(super) fn cholesky(mut self) -> Self {
        let least = 1e-13 * self.mean_of_diagonal();
        for i in 0..self.rows {
            let (above, rest) = self.numbers.split_at_mut(i * self.columns);
            let row = &mut rest[..self.columns];
            for (j, other) in above.chunks_exact(self.columns).enumerate() {
                let pivot = other[j];
                row[j] = if pivot > 0.0 { (row[j] - dot(&row[..j], &other[..j])) / pivot } else { 0.0 };
            }
            let left = row[i] - dot(&row[..i], &row[..i]);
            row[i] = if left > least { left.sqrt() } else { 0.0 };
            row[i + 1..].fill(0.0);
        }
        self
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Several sums, so that the processor can compute them at a time.
    let (mut sums, (a_blocks, a_rest), (b_blocks, b_rest)) = ([0.0; 8], a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        (0..8).for_each(|i| sums[i] += a[i] * b[i]);
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

pub(super) fn add_scaled(to: &mut [f64], factor: f64, other: &[f64]) {
    to.iter_mut().zip(other).for_each(|(to, other)| *to += factor * other);
}

/// The coefficients C with which x · C is nearest to y, from `gram = xᵀ · x` and `cross = xᵀ · y`. What the text does
/// not determine is as in `before` (ridge regression towards it).
pub(super) fn least_squares(gram: Dense, cross: Dense, before: &Dense, ridge: f64) -> Dense {
    let mut right = cross.plus(-1.0, &gram.times(before));
    let added = ridge * gram.mean_of_diagonal() + f64::MIN_POSITIVE;
    let mut sum = gram;
    for i in 0..sum.rows {
        sum.row_mut(i)[i] += added;
    }
    let lower = sum.cholesky();
    let size = lower.rows;
    for i in 0..size {
        let (solved, rest) = right.numbers.split_at_mut(i * right.columns);
        let row = &mut rest[..right.columns];
        for (factor, other) in lower.row(i).iter().zip(solved.chunks_exact(right.columns)) {
            add_scaled(row, -factor, other);
        }
        divide(row, lower.row(i)[i]);
    }
    let upper = lower.transposed();
    for i in (0..size).rev() {
        let (rest, solved) = right.numbers.split_at_mut((i + 1) * right.columns);
        let row = &mut rest[i * right.columns..];
        for (factor, other) in upper.row(i)[i + 1..].iter().zip(solved.chunks_exact(right.columns)) {
            add_scaled(row, -factor, other);
        }
        divide(row, upper.row(i)[i]);
    }
    right.plus(1.0, before)
}

fn divide(row: &mut [f64], by: f64) {
    let factor = if by > 0.0 { 1.0 / by } else { 0.0 };
    row.iter_mut().for_each(|number| *number *= factor);
}

/// Orthonormal rows that span the `count` directions in which a symmetric matrix that is not negative is largest, by
/// subspace iteration. Directions at the border may be mixed with those beyond it; these are nearly as large.
pub(super) fn largest_directions(matrix: &Dense, count: usize) -> Dense {
    // A random start has a part in all directions, and is the same in each run.
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let numbers = (0..count * matrix.rows).map(|_| random.random::<f64>() - 0.5).collect();
    let mut rows = orthonormal(Dense { rows: count, columns: matrix.rows, numbers });
    for _ in 0..ITERATIONS {
        rows = orthonormal(rows.times(matrix));
    }
    rows
}

const ITERATIONS: usize = 30;

/// Gram and Schmidt, twice, which makes up for rounding. Rows that depend on those before become zero.
fn orthonormal(mut rows: Dense) -> Dense {
    for i in 0..rows.rows {
        let (done, rest) = rows.numbers.split_at_mut(i * rows.columns);
        let row = &mut rest[..rows.columns];
        let before = dot(row, row);
        for _ in 0..2 {
            for other in done.chunks_exact(rows.columns) {
                let share = dot(row, other);
                add_scaled(row, -share, other);
            }
        }
        let left = dot(row, row);
        divide(row, if left > 1e-20 * before { left.sqrt() } else { f64::INFINITY });
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense<const N: usize>(rows: &[[f64; N]]) -> Dense {
        Dense { rows: rows.len(), columns: N, numbers: rows.concat() }
    }

    #[test]
    fn a_third_neuron_is_explained_by_two() {
        // y = x₀ - 2 x₁
        let x = dense(&[[1.0, 0.0], [1.0, 1.0], [2.0, -1.0]]);
        let y = dense(&[[1.0], [-1.0], [4.0]]);
        let (gram, cross) = (x.transposed().times(&x), x.transposed().times(&y));
        let found = least_squares(gram, cross, &Dense::zeros(2, 1), 1e-12);
        assert!((found.numbers[0] - 1.0).abs() < 1e-9 && (found.numbers[1] + 2.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_text_that_tells_nothing_changes_nothing() {
        let before = dense(&[[0.5], [3.0]]);
        assert_eq!(least_squares(Dense::zeros(2, 2), Dense::zeros(2, 1), &before, 1e-6), before);
    }

    #[test]
    fn the_largest_directions_are_found() {
        // Eigenvalues 9, 4 and 1, the first along (0.6, 0.8, 0), the last along (0.8, -0.6, 0).
        let matrix =
            dense(&[[9.0 * 0.36 + 0.64, 8.0 * 0.48, 0.0], [8.0 * 0.48, 9.0 * 0.64 + 0.36, 0.0], [0.0, 0.0, 4.0]]);
        let found = largest_directions(&matrix, 2);
        assert!(found.numbers.iter().all(|number| number.is_finite()));
        let along = |direction: [f64; 3]| (0..2).map(|i| dot(found.row(i), &direction).powi(2)).sum::<f64>();
        assert!((along([0.6, 0.8, 0.0]) - 1.0).abs() < 1e-9);
        assert!((along([0.0, 0.0, 1.0]) - 1.0).abs() < 1e-9);
    }
}
