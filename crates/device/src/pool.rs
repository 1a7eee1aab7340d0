//! Matrices that are used again.

use metaphrase_kernels::Matrix;
use std::collections::BTreeMap;

/// What a pool holds.
pub trait Pooled {
    /// Numbers that it can hold.
    fn capacity(&self) -> usize;
}

impl Pooled for Matrix {
    fn capacity(&self) -> usize {
        Self::capacity(self)
    }
}

/// Matrices without use, by how much they can hold.
#[derive(Debug)]
pub struct Pool<M> {
    free: BTreeMap<usize, Vec<M>>,
}

impl<M> Default for Pool<M> {
    fn default() -> Self {
        Self { free: BTreeMap::new() }
    }
}

impl<M: Pooled> Pool<M> {
    /// A matrix that can hold so many numbers.
    ///
    /// # Errors
    /// If there is none: with the capacity that a new one should have.
    pub fn take(&mut self, needed: usize) -> Result<M, usize> {
        let class = class(needed);
        // One that is far too large is left for what needs it.
        let found = self.free.range_mut(needed..=class.saturating_mul(2)).find(|(_, free)| !free.is_empty());
        found.and_then(|(_, free)| free.pop()).ok_or(class)
    }

    /// Takes a matrix back.
    pub fn give(&mut self, matrix: M) {
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
