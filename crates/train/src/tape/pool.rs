//! Matrices that are used again.

use metaphrase_kernels::Matrix;
use std::collections::BTreeMap;

/// Matrices without use, by how much they can hold.
#[derive(Debug, Default)]
pub struct Pool {
    free: BTreeMap<usize, Vec<Matrix>>,
}

impl Pool {
    /// A matrix of this shape with unspecified numbers.
    pub fn take(&mut self, rows: usize, cols: usize) -> Matrix {
        let needed = rows * cols;
        // One that is far too large is left for what needs it.
        let found = self.free.range_mut(needed..=class(needed).saturating_mul(2)).find(|(_, free)| !free.is_empty());
        let mut matrix = match found.and_then(|(_, free)| free.pop()) {
            Some(matrix) => matrix,
            None => Matrix::zeros(1, class(needed)),
        };
        matrix.resize(rows, cols);
        matrix
    }

    /// A matrix of zeros.
    pub fn zeros(&mut self, rows: usize, cols: usize) -> Matrix {
        let mut matrix = self.take(rows, cols);
        matrix.as_mut_slice().fill(0.0);
        matrix
    }

    /// Takes a matrix back.
    pub fn give(&mut self, matrix: Matrix) {
        self.free.entry(matrix.capacity()).or_default().push(matrix);
    }

    /// Numbers that free matrices can hold.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.free.iter().map(|(capacity, free)| capacity * free.len()).sum()
    }
}

/// Sizes are rounded up to one of four per power of two, so that similar batches share matrices.
fn class(needed: usize) -> usize {
    let step = (needed.next_power_of_two() / 8).max(16);
    needed.div_ceil(step).max(1) * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_sizes_share_a_matrix() {
        let mut pool = Pool::default();
        let matrix = pool.take(10, 100);
        let address = matrix.as_slice().as_ptr();
        assert!((1000..=1250).contains(&matrix.capacity()));
        pool.give(matrix);
        assert_ne!(pool.take(3, 3).as_slice().as_ptr(), address, "far too large");
        assert_eq!(pool.zeros(9, 100).as_slice().as_ptr(), address);
    }
}
