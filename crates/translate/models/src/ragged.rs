//! Rows of different lengths.

/// Rows of different lengths, one after the other in one buffer.
#[derive(Debug)]
pub(crate) struct RaggedArray<T> {
    values: Vec<T>,
    /// Where each row begins.
    starts: Vec<usize>,
}

impl<T> Default for RaggedArray<T> {
    fn default() -> Self {
        Self { values: Vec::new(), starts: Vec::new() }
    }
}

impl<T: Copy> RaggedArray<T> {
    /// No rows any more; storage is kept.
    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.starts.clear();
    }

    /// One more row, empty so far.
    pub(crate) fn begin_row(&mut self) {
        self.starts.push(self.values.len());
    }

    /// Adds to the end of the last row.
    pub(crate) fn extend(&mut self, values: impl IntoIterator<Item = T>) {
        debug_assert!(!self.starts.is_empty());
        self.values.extend(values);
    }

    /// Row `row`, if there are as many.
    pub(crate) fn get(&self, row: usize) -> Option<&[T]> {
        let start = *self.starts.get(row)?;
        let end = self.starts.get(row + 1).copied().unwrap_or(self.values.len());
        Some(&self.values[start..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_lengths() {
        let mut ragged = RaggedArray::default();
        ragged.begin_row();
        ragged.extend([1, 2]);
        ragged.begin_row();
        ragged.begin_row();
        ragged.extend([3]);
        assert_eq!(ragged.get(0), Some(&[1, 2][..]));
        assert_eq!(ragged.get(1), Some(&[][..]));
        assert_eq!(ragged.get(2), Some(&[3][..]));
        assert_eq!(ragged.get(3), None);
        ragged.clear();
        assert_eq!(ragged.get(0), None);
    }
}
