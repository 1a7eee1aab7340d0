//! Multi-head attention: one query at a time over the words that it may see, so that nothing is padded or masked.

use crate::linear::Linear;
use crate::parts::transformer::Dense;
use crate::weights::CheckedTensor;
use metaphrase_kernels::{Heads, KeysValues, Precision, StoredAs};

/// Heads of a layer, and the numbers that its keys and values are stored as.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) heads: Heads,
    stored: StoredAs,
}

impl Form {
    /// The form of a layer of `heads` heads whose queries this map makes. Keys and values are as exact as the model's
    /// weights need: f32, or bf16 where the weights are less than f32.
    pub(super) fn new(heads: usize, queries: &Dense<CheckedTensor<'_>>) -> Self {
        let stored = match queries.w.precision() {
            Precision::F32 | Precision::Int16 => StoredAs::F32,
            _ => StoredAs::Bf16,
        };
        Self { heads: Heads::new(heads, queries.w.cols() / heads), stored }
    }

    /// Keys and values of no words.
    pub(super) fn no_words(self) -> KeysValues {
        KeysValues::new(self.heads, self.stored)
    }

    /// Numbers of the interleaved keys of a word, then those of its values.
    pub(super) fn word_len(self) -> usize {
        self.heads.interleaved_len() + self.heads.columns()
    }

    /// Keys and values of a word, from one row that holds them.
    pub(super) fn split(self, word: &[f32]) -> (&[f32], &[f32]) {
        word.split_at(self.heads.interleaved_len())
    }

    /// The outputs of map `map`, which makes queries or keys, as attention reads them.
    pub(super) fn interleaved(self, map: usize) -> impl Iterator<Item = Option<(usize, usize)>> {
        self.heads.interleaved().map(move |column| Some((map, column?)))
    }

    /// The outputs of map `map`, which makes values.
    pub(super) fn in_order(self, map: usize) -> impl Iterator<Item = Option<(usize, usize)>> {
        (0..self.heads.columns()).map(move |column| Some((map, column)))
    }

    /// The map that makes queries.
    pub(super) fn queries(self, map: Dense<CheckedTensor<'_>>) -> Linear {
        Linear::gather(&[Linear::pack(map)], &self.interleaved(0).collect::<Vec<_>>())
    }
}
