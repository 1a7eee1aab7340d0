//! Attention of words over words of the same side: all of them in the encoder, those so far in the decoder.

use super::attention::Form;
use super::history::History;
use super::operations::{AroundWork, BlockProcesses};
use super::relative::{self, BucketBiases, RelativeVectors};
use crate::linear::Linear;
use crate::parts::transformer as parts;
use crate::weights::CheckedTensor;
use core::ops::Range;
use metaphrase_base::{Row, Unit};
use metaphrase_kernels::{AttentionWeights, KeysValues, Matrix, Rows, attend, attend_with_biases};

/// A self-attention layer.
pub(super) struct SelfAttention {
    around: BlockProcesses,
    form: Form,
    /// Queries, then keys and values if not apart.
    queries: Linear,
    /// Keys and values, where they may be made of other inputs than queries.
    words: Option<Linear>,
    projection: Option<Linear>,
    relative: Option<RelativeVectors>,
    biases: Option<BucketBiases>,
}

/// Work space of self-attention.
#[derive(Debug, Default)]
pub(super) struct Work {
    input: Matrix,
    /// The output of the map of queries.
    queries: Matrix,
    /// Keys and values of rows, if not with the queries.
    normalised: Matrix,
    raw: Matrix,
    /// Keys and values of the encoder's words.
    words: Option<KeysValues>,
    attended: Matrix,
    weights: AttentionWeights,
    relative: relative::Work,
}

/// The input of the keys and values of a decoder's words.
///
/// Marian trains and scores pre-norm Transformers with normalised ones. When it translates, a step's input is no
/// longer the tensor that the keys are made of, and so all keys and values come from raw inputs (`LayerAttention` in
/// `transformer.h`; measured with version 1.12.42). Only the first step, which sees nothing but itself, normalises.
/// What Marian finds with a pre-norm model is thus not what that model would score highest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum KeySource {
    /// The inputs as they are, as when Marian translates.
    #[default]
    Raw,
    /// The inputs after the operations before the block, as in training.
    Normalised,
}

/// A query and its word's place in the sentence.
#[derive(Clone, Copy)]
struct Query<'a> {
    vector: &'a [f32],
    position: usize,
}

impl SelfAttention {
    /// The layer of these tensors with `heads` heads; keys and values may be made of `source`.
    pub(super) fn pack<'a>(
        block: parts::Block<CheckedTensor<'a>, parts::Attention<CheckedTensor<'a>>>,
        heads: usize,
        source: KeySource,
    ) -> Self {
        let (around, parts::Attention { queries, keys, values, projection, relative, biases }) =
            BlockProcesses::pack(block);
        let form = Form::new(heads, &queries);
        let maps = [queries, keys, values].map(Linear::pack);
        let outputs = form.interleaved(0).chain(form.interleaved(1)).chain(form.in_order(2)).collect::<Vec<_>>();
        let (query_outputs, word_outputs) = outputs.split_at(form.heads.interleaved_len());
        let apart = source == KeySource::Raw && !around.begins_plain();
        Self {
            around,
            form,
            queries: Linear::gather(&maps, if apart { query_outputs } else { &outputs }),
            words: apart.then(|| Linear::gather(&maps, word_outputs)),
            projection: projection.map(Linear::pack),
            relative: relative.map(|relative| RelativeVectors::pack(&relative, form)),
            biases: biases.map(|biases| BucketBiases::pack(biases, form)),
        }
    }

    /// Keys and values of no words.
    pub(super) fn no_words(&self) -> KeysValues {
        self.form.no_words()
    }

    /// The encoder's: `x` holds the words of sentences one after the other, `sentences` are the rows of each sentence.
    pub(super) fn encode(
        &self,
        x: &mut Matrix,
        sentences: &[Range<usize>],
        work: &mut Work,
        around_work: &mut AroundWork,
    ) {
        let Work { input, queries, words, attended, weights, relative, .. } = work;
        let input = self.around.begin(x, input, around_work);
        self.queries.apply(input, queries, around_work.rows());
        attended.resize(x.rows(), self.form.heads.columns());
        let words = words.get_or_insert_with(|| self.no_words());
        words.resize(x.rows());
        for r in 0..x.rows() {
            let (keys, values) = self.own_word(queries.row(r));
            words.set(r, keys, values);
        }
        for sentence in sentences {
            let seen = Rows::Range(sentence.clone());
            for (position, word) in sentence.clone().enumerate() {
                let query = Query { vector: queries.row(word), position };
                self.attend(query, words, &seen, weights, relative, attended.row_mut(word));
            }
        }
        self.around.end(self.projection.as_ref(), attended, x, around_work);
    }

    /// The decoder's: each row of `x`, which are the last rows of the step, over its entries in `history`; its
    /// own entry is new. `arena` holds the keys and values of all entries. `source(r)` is the input of
    /// the keys and values of row `r`'s sentence.
    pub(super) fn step(
        &self,
        x: &mut Matrix,
        history: &History,
        arena: &mut KeysValues,
        source: impl Fn(usize) -> KeySource,
        work: &mut Work,
        around_work: &mut AroundWork,
    ) {
        let first = history.rows() - x.rows();
        let begins = |r: usize| history.entries(Row::new(first + r)).len() == 1;
        let from_raw = |r: usize| self.words.is_some() && source(r) == KeySource::Raw;
        self.project(x, |r| !from_raw(r) || begins(r), from_raw, work, around_work);
        let Work { queries, normalised, raw, attended, weights, relative, .. } = work;
        let unit = Unit::Attention.timed();
        arena.resize(history.len());
        for r in 0..x.rows() {
            let own = history.own_entry(Row::new(first + r));
            let (keys, values) = match &self.words {
                None => self.own_word(queries.row(r)),
                Some(_) => self.form.split(if from_raw(r) { raw.row(r) } else { normalised.row(r) }),
            };
            arena.set(own, keys, values);
            if from_raw(r) && begins(r) {
                // The first step: all weight is on the row's own value, which is normalised.
                attended.row_mut(r).copy_from_slice(self.form.split(normalised.row(r)).1);
            } else {
                let entries = history.entries(Row::new(first + r));
                let query = Query { vector: queries.row(r), position: entries.len() - 1 };
                self.attend(query, arena, &Rows::List(entries), weights, relative, attended.row_mut(r));
            }
        }
        drop(unit);
        self.around.end(self.projection.as_ref(), attended, x, around_work);
    }

    /// Queries, keys and values of `x`, and room for the result. Keys and values apart from the queries are made only
    /// if some row needs them.
    fn project(
        &self,
        x: &Matrix,
        needs_normalised: impl Fn(usize) -> bool,
        needs_raw: impl Fn(usize) -> bool,
        work: &mut Work,
        around_work: &mut AroundWork,
    ) {
        let Work { input, queries, normalised, raw, attended, .. } = work;
        let input = self.around.begin(x, input, around_work);
        let rows = self.queries.rows(input, around_work.rows());
        self.queries.apply_to(rows, queries);
        if let Some(words) = &self.words {
            if (0..x.rows()).any(needs_normalised) {
                words.apply_to(rows, normalised);
            }
            if (0..x.rows()).any(needs_raw) {
                words.apply(x, raw, around_work.rows());
            }
        }
        attended.resize(x.rows(), self.form.heads.columns());
    }

    /// Keys and values in a row that the map of queries makes.
    fn own_word<'q>(&self, query: &'q [f32]) -> (&'q [f32], &'q [f32]) {
        self.form.split(&query[self.form.heads.interleaved_len()..])
    }

    /// Attention of a query at its position over the words `seen`, which are at positions from 0 on.
    fn attend(
        &self,
        query: Query<'_>,
        words: &KeysValues,
        seen: &Rows<'_>,
        weights: &mut AttentionWeights,
        work: &mut relative::Work,
        out: &mut [f32],
    ) {
        let vector = &query.vector[..self.form.heads.interleaved_len()];
        if let Some(biases) = &self.biases {
            let biases = biases.for_query(query.position, seen.len(), work);
            return attend_with_biases(vector, words, seen, biases, weights, out);
        }
        let added = self.relative.as_ref().map(|relative| relative.for_query(query.position, seen.len(), work));
        attend(vector, words, seen, added, weights, out);
    }
}
