//! Tables of word vectors.

use crate::weights::CheckedTensor;
use metaphrase_base::WordId;
use metaphrase_kernels::{PackedMatrix, Precision};
use std::sync::Arc;

/// A table of word vectors, `words × dim`.
#[derive(Debug, Clone)]
pub(crate) enum Embedding {
    /// A table of f32, row-major. An output layer that is tied to it has its own copy in the order that products read;
    /// looking words up in that one would touch a cache line per number. The price is 8 MB for 8,000 words of 256
    /// numbers.
    Floats { table: Arc<Vec<f32>>, dim: usize },
    /// Other numbers: the map from `dim` numbers to words, which is the tied output layer itself, so that the table
    /// is in memory once. A word's numbers are spread over `4 · dim` bytes of the table in int8.
    Packed(Arc<PackedMatrix>),
}

impl Embedding {
    /// The tables of source and target words, which are one if their tensors are.
    pub(crate) fn pair(source: &CheckedTensor<'_>, target: &CheckedTensor<'_>) -> (Self, Self) {
        let tied = source.name() == target.name();
        let target = Self::new(target);
        (if tied { target.clone() } else { Self::new(source) }, target)
    }

    fn new(tensor: &CheckedTensor<'_>) -> Self {
        match tensor.precision() {
            Precision::F32 => Self::Floats { table: Arc::new(tensor.numbers().into_owned()), dim: tensor.cols() },
            _ => Self::Packed(Arc::new(tensor.pack_table())),
        }
    }

    /// `out` becomes the vector of a word.
    ///
    /// # Panics
    /// If the table does not have the word, or if `out` has not as many numbers as its vectors.
    pub(crate) fn read(&self, word: WordId, out: &mut [f32]) {
        match self {
            Self::Floats { table, dim } => out.copy_from_slice(&table[word.index() * dim..][..*dim]),
            Self::Packed(table) => table.read_column(word.index(), out),
        }
    }
}
