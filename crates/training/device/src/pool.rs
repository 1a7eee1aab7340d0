//! Free matrices, kept for the next use.

use metaphrase_kernels::Matrix;
use std::collections::BTreeMap;

/// A thing that a pool holds.
pub trait PoolItem {
    /// The count of numbers that fit into it.
    fn capacity(&self) -> usize;
}

impl PoolItem for Matrix {
    fn capacity(&self) -> usize {
        Self::capacity(self)
    }
}

/// Free matrices, by their capacity.
#[derive(Debug)]
pub struct Pool<M> {
    free: BTreeMap<usize, Vec<M>>,
}

impl<M> Default for Pool<M> {
    fn default() -> Self {
        Self { free: BTreeMap::new() }
    }
}

impl<M: PoolItem> Pool<M> {
    /// A free matrix with room for this count of numbers.
    ///
    /// # Errors
    /// If no free matrix fits: the capacity that a new matrix should have.
    pub fn take(&mut self, needed: usize) -> Result<M, usize> {
        let class = class(needed);
        // A matrix that is far too large is left for a larger need.
        let found = self.free.range_mut(needed..=class.saturating_mul(2)).find(|(_, free)| !free.is_empty());
        found.and_then(|(_, free)| free.pop()).ok_or(class)
    }

    /// Takes a matrix back.
    pub fn give(&mut self, matrix: M) {
        self.free.entry(matrix.capacity()).or_default().push(matrix);
    }

    /// The count of numbers that fit into all free matrices.
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
    use crate::{Host, Storage};

    #[test]
    fn similar_sizes_share_a_matrix() {
        let mut host = Host::default();
        let matrix = host.take(10, 100);
        let address = matrix.as_slice().as_ptr();
        assert!((1000..=1250).contains(&matrix.capacity()));
        host.give(matrix);
        assert_ne!(host.take(3, 3).as_slice().as_ptr(), address, "far too large");
        assert_eq!(host.zeros(9, 100).as_slice().as_ptr(), address);
    }
}
