//! Caches of repeated work in recurrent models (Devlin 2017, §4.2, §4.3, §4.5).

use super::projection::Projection;
use crate::embedding::Embedding;
use metaphrase_base::{StepRow, WordId};
use metaphrase_kernels::{Matrix, ProductStorage};

/// Repeated work that a recurrent model caches (Devlin 2017, §4). The switches are for measurements: the default
/// caches everything that costs no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Optimizations {
    /// The number of the first target words, which are the most frequent ones of most vocabularies, whose products by
    /// the decoder's first map are computed when the model is loaded (§4.2). Scores are the same to the bit. A word
    /// takes four bytes for each output of that map, about 16 · `dim-rnn` in all, so the default is 0.
    pub frequent_words: usize,
    /// Whether the products of annotations by the context's map are computed once per sentence, and not those of their
    /// weighted sum in each step (§4.3). The two round differently. Decoders that do not begin with attention always do
    /// it.
    pub prepared_context: bool,
    /// Whether the products of a state are computed once for all rows that continue it (§4.5). Scores are the same to
    /// the bit.
    pub merged_states: bool,
}

impl Optimizations {
    /// Everything that costs no memory.
    pub const DEFAULT: Self = Self { frequent_words: 0, prepared_context: true, merged_states: true };
}

impl Default for Optimizations {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The products of the embeddings of the first words, `words × outputs`.
#[derive(Debug, Default)]
pub(super) struct FrequentWords(Matrix);

/// Work space of [`FrequentWords::apply`].
#[derive(Debug, Default)]
pub(super) struct RareWords {
    numbers: Vec<usize>,
    embeddings: Matrix,
    products: Matrix,
}

impl FrequentWords {
    /// The products of the first `count` words of a table of vectors of `dim` numbers.
    pub(super) fn new(map: &Projection, table: &Embedding, dim: usize, count: usize) -> Self {
        let (mut embeddings, mut products) = (Matrix::zeros(count, dim), Matrix::new());
        if count > 0 {
            (0..count).for_each(|word| table.read(WordId::new(word), embeddings.row_mut(word)));
            map.apply(&embeddings, &mut products, &mut ProductStorage::default());
        }
        Self(products)
    }

    /// `out` becomes the products of `embeddings` of the last words of `rows`; those of frequent words are looked up.
    pub(super) fn apply(
        &self,
        map: &Projection,
        rows: &[StepRow],
        embeddings: &Matrix,
        out: &mut Matrix,
        rare: &mut RareWords,
        storage: &mut ProductStorage,
    ) {
        if self.0.rows() == 0 {
            return map.apply(embeddings, out, storage);
        }
        out.resize(rows.len(), map.outputs());
        rare.numbers.clear();
        for (number, row) in rows.iter().enumerate() {
            match row.parent.map(|parent| parent.word.index()).filter(|&word| word < self.0.rows()) {
                Some(word) => out.row_mut(number).copy_from_slice(self.0.row(word)),
                None => rare.numbers.push(number),
            }
        }
        if rare.numbers.is_empty() {
            return;
        }
        rare.embeddings.resize(rare.numbers.len(), embeddings.cols());
        for (place, &number) in rare.numbers.iter().enumerate() {
            rare.embeddings.row_mut(place).copy_from_slice(embeddings.row(number));
        }
        map.apply(&rare.embeddings, &mut rare.products, storage);
        for (place, &number) in rare.numbers.iter().enumerate() {
            out.row_mut(number).copy_from_slice(rare.products.row(place));
        }
    }
}
