//! Tables of word vectors.

use crate::weights::CheckedTensor;
use metaphrase_base::WordId;
use std::sync::Arc;

/// A table of word vectors, `words × dim`, row-major.
///
/// An output layer that is tied to it has its own copy in the order that products read; looking words up in that one
/// would touch a cache line per number. The price is 8 MB for 8,000 words of 256 numbers.
#[derive(Debug, Clone)]
pub(crate) struct Embedding {
    table: Arc<Vec<f32>>,
    dim: usize,
}

impl Embedding {
    /// The tables of source and target words, which are one if their tensors are.
    pub(crate) fn pair(source: CheckedTensor<'_>, target: CheckedTensor<'_>) -> (Self, Self) {
        let tied = source.name() == target.name();
        let target = Self::new(target);
        (if tied { target.clone() } else { Self::new(source) }, target)
    }

    fn new(tensor: CheckedTensor<'_>) -> Self {
        let dim = tensor.cols();
        Self { table: Arc::new(tensor.into_numbers()), dim }
    }

    /// The vector of a word.
    ///
    /// # Panics
    /// If the table does not have the word.
    pub(crate) fn word(&self, word: WordId) -> &[f32] {
        &self.table[word.index() * self.dim..][..self.dim]
    }

    /// The whole table.
    pub(crate) fn numbers(&self) -> &[f32] {
        &self.table
    }
}
