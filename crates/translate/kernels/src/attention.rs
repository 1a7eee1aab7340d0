//! Attention of a query over keys and values, by heads, in one pass over each.
//!
//! Keys are *interleaved*: of each sixteen columns of a head, columns i of several heads are adjacent. So
//! sixteen lanes hold several heads, and products, maximum, exponentials and sums of all these heads need no sum across
//! lanes but the last few. A map that makes queries or keys gives this order without cost if its outputs are ordered so
//! ([`Heads::interleaved`]).
//!
//! The bits are those of [`heads_dot`](crate::heads_dot), [`softmax_in_place`](crate::softmax_in_place) for each head
//! and [`heads_weighted_sum`](crate::heads_weighted_sum).

mod kernel;
mod words;

use std::marker::PhantomData;

use crate::heads::Rows;
use crate::isa::dispatch;
use kernel::Attend;
use words::{Bf16, F32};
pub use words::{KeysValues, StoredAs};

/// How vectors are cut into heads: `count` heads of `width` adjacent columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    count: usize,
    width: usize,
    /// The number of adjacent heads: 1, 2, 4, 8 or 16.
    together: usize,
    groups: usize,
    /// Vectors of sixteen columns in a head.
    chunks: usize,
}

impl Heads {
    /// # Panics
    /// If there is no head, or no column.
    #[must_use]
    pub fn new(count: usize, width: usize) -> Self {
        assert!(count > 0 && width > 0, "{count} heads of {width} columns");
        let together = count.next_power_of_two().min(16);
        Self { count, width, together, groups: count.div_ceil(together), chunks: width.div_ceil(16) }
    }

    /// Number of heads.
    #[must_use]
    pub fn count(self) -> usize {
        self.count
    }

    /// Columns of all heads.
    #[must_use]
    pub fn columns(self) -> usize {
        self.count * self.width
    }

    /// The column that each number of an interleaved vector comes from; `None` where the number is zero. Without gaps
    /// if the number of heads is 1, 2, 4, 8 or a multiple of 16, and their width a multiple of 16.
    pub fn interleaved(self) -> impl Iterator<Item = Option<usize>> {
        let (together, block) = (self.together, 16 * self.together);
        (0..self.interleaved_len()).map(move |place| {
            let (group, place) = (place / (self.chunks * block), place % (self.chunks * block));
            let (chunk, place) = (place / block, place % block);
            let (head, column) = (group * together + place % together, chunk * 16 + place / together);
            (head < self.count && column < self.width).then(|| head * self.width + column)
        })
    }

    /// Length of an interleaved vector.
    #[must_use]
    pub fn interleaved_len(self) -> usize {
        self.groups * self.together * self.chunks * 16
    }

    /// The factor of products of a query and a key: 1/√width.
    fn scale(self) -> f32 {
        1.0 / (self.width as f32).sqrt()
    }

    /// Whether heads are whole vectors, so that the vectors of all heads are adjacent.
    fn without_gaps(self) -> bool {
        self.width == 16 * self.chunks
    }

    /// The head of each vector of values from `first` on, without a division for each.
    #[inline(always)]
    fn vector_heads(self, first: usize) -> impl Iterator<Item = usize> {
        let (mut head, mut chunk) = (first / self.chunks, first % self.chunks);
        std::iter::repeat_with(move || {
            let current = head;
            chunk += 1;
            if chunk == self.chunks {
                (head, chunk) = (head + 1, 0);
            }
            current
        })
    }
}

/// The weights of a query's words, by heads.
#[derive(Clone, Debug, Default)]
pub struct AttentionWeights {
    /// Per group of heads that lie together, per word (up to a multiple of sixteen): a weight for each head.
    weights: Vec<[f32; 16]>,
    together: usize,
    words: usize,
}

impl AttentionWeights {
    /// The weights of a head, one for each word.
    pub fn head(&self, head: usize) -> impl Iterator<Item = f32> {
        let first = self.first(head);
        (0..self.words).map(move |word| self.weights.as_flattened()[first + word * self.together])
    }

    fn resize(&mut self, heads: Heads, words: usize) {
        (self.together, self.words) = (heads.together, words);
        // All that is read is written before.
        let vectors = heads.groups * words.div_ceil(16) * self.together;
        self.weights.resize(vectors.max(self.weights.len()), [0.0; 16]);
    }

    /// The place of the first weight of a head.
    #[inline(always)]
    fn first(&self, head: usize) -> usize {
        let before = head & !(self.together - 1); // in groups of a power of two
        before * self.words.next_multiple_of(16) + (head - before)
    }
}

/// Vectors that attention adds to keys and values: for each word of the query's, a word of a table.
#[derive(Clone, Copy, Debug)]
pub struct KeyValueAdditions<'a> {
    /// Keys and values with the heads and numbers of the words.
    pub table: &'a KeysValues,
    /// A word of the table for each word that is attended to.
    pub rows: &'a [u32],
}

/// Numbers that attention adds to the products of a query and keys, for each head: for each word of the query's, a
/// row of a table.
#[derive(Clone, Copy, Debug)]
pub struct ProductBiases<'a> {
    /// The rows.
    pub table: &'a BiasTable,
    /// A row of the table for each word that is attended to.
    pub rows: &'a [u32],
}

/// Rows of a number for each head.
#[derive(Clone, Debug)]
pub struct BiasTable {
    heads: Heads,
    /// By row: the numbers of all heads, up to whole groups of heads.
    numbers: Vec<f32>,
}

impl BiasTable {
    /// The table of `rows × heads` numbers.
    ///
    /// # Panics
    /// If the numbers are no rows of that length.
    #[must_use]
    pub fn new(heads: Heads, numbers: &[f32]) -> Self {
        assert!(numbers.len().is_multiple_of(heads.count), "rows of {} numbers", heads.count);
        let mut padded = Vec::with_capacity(numbers.len() / heads.count * heads.groups * heads.together);
        for row in numbers.chunks_exact(heads.count) {
            padded.extend_from_slice(row);
            padded.resize(padded.len() + heads.groups * heads.together - heads.count, 0.0);
        }
        Self { heads, numbers: padded }
    }

    /// The numbers of a group of `G` heads in a row.
    #[inline(always)]
    fn group<const G: usize>(&self, row: u32, group: usize) -> &[f32] {
        let first = row as usize * self.heads.groups * G + group * G;
        &self.numbers[first..first + G]
    }
}

/// What is added to keys and values, or to their products.
#[derive(Clone, Copy, Debug)]
enum Added<'a> {
    Vectors(KeyValueAdditions<'a>),
    Biases(ProductBiases<'a>),
}

/// For each head h over the words `rows`: `out_h = softmax(q_h · Kᵀ_h / √width) · V_h`; with `added`, `K + A` and
/// `V + B` take the places of K and V. The query is interleaved. `weights` is left with the softmax.
///
/// # Panics
/// If a length does not fit the heads, if there are no words, or if a word does not exist.
pub fn attend(
    query: &[f32],
    words: &KeysValues,
    rows: &Rows<'_>,
    added: Option<KeyValueAdditions<'_>>,
    weights: &mut AttentionWeights,
    out: &mut [f32],
) {
    if let Some(KeyValueAdditions { table, rows: table_rows }) = added {
        assert_eq!((table.heads, table.stored), (words.heads, words.stored), "heads and numbers of what is added");
        assert_eq!(table_rows.len(), rows.len(), "words of what is added");
    }
    attend_with(query, words, rows, added.map(Added::Vectors), weights, out);
}

/// As [`attend`], with `q_h · Kᵀ_h / √width + bias_h` in place of the products.
///
/// # Panics
/// As [`attend`].
pub fn attend_with_biases(
    query: &[f32],
    words: &KeysValues,
    rows: &Rows<'_>,
    biases: ProductBiases<'_>,
    weights: &mut AttentionWeights,
    out: &mut [f32],
) {
    assert_eq!(biases.table.heads, words.heads, "heads of the biases");
    assert_eq!(biases.rows.len(), rows.len(), "words of the biases");
    attend_with(query, words, rows, Some(Added::Biases(biases)), weights, out);
}

fn attend_with(
    query: &[f32],
    words: &KeysValues,
    rows: &Rows<'_>,
    added: Option<Added<'_>>,
    weights: &mut AttentionWeights,
    out: &mut [f32],
) {
    let heads = words.heads;
    assert_eq!(query.len(), heads.interleaved_len(), "length of the query");
    assert_eq!(out.len(), heads.columns(), "length of the output");
    assert!(!rows.is_empty(), "attention over no words");
    weights.resize(heads, rows.len());
    let query = query.as_chunks().0;
    match words.stored {
        StoredAs::F32 => dispatch(Attend::<F32> { query, words, rows, added, weights, out, number: PhantomData }),
        StoredAs::Bf16 => dispatch(Attend::<Bf16> { query, words, rows, added, weights, out, number: PhantomData }),
    }
}
