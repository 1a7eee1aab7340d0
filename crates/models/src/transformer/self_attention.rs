//! Attention of words over words of the same side: all of them in the encoder, those so far in the decoder.

use super::attention::{Attention, KeysValues};
use super::history::History;
use super::operations::AroundWork;
use super::relative;
use core::ops::Range;
use metaphrase_base::{Row, Unit};
use metaphrase_kernels::{Matrix, Rows};

/// Work space of self-attention.
#[derive(Debug, Default)]
pub(super) struct Work {
    input: Matrix,
    queries: Matrix,
    words: KeysValues,
    raw: KeysValues,
    attended: Matrix,
    weights: Vec<f32>,
    relative: relative::Work,
}

/// What the keys and values of a decoder's words are made of.
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
    /// What the operations before the block make of the inputs, as in training.
    Normalised,
}

impl Attention {
    /// The encoder's: `x` holds the words of sentences one after the other, `sentences` says which rows are whose.
    pub(super) fn encode(
        &self,
        x: &mut Matrix,
        sentences: &[Range<usize>],
        work: &mut Work,
        around_work: &mut AroundWork,
    ) {
        self.project(x, work, around_work);
        let Work { queries, words, attended, weights, relative, .. } = work;
        for sentence in sentences {
            let seen = Rows::Range(sentence.clone());
            for (position, word) in sentence.clone().enumerate() {
                let query = (queries.row(word), position);
                self.attend(query, words, &seen, weights, relative, attended.row_mut(word));
            }
        }
        self.around.end(self.projection.as_ref(), attended, x, around_work);
    }

    /// The decoder's: each row of `x`, which are the last rows of the step, over its entries in `history`; its
    /// own entry is new. `arena` holds the keys and values of all entries. `source(r)` says what keys and values of row
    /// `r`'s sentence are made of.
    pub(super) fn step(
        &self,
        x: &mut Matrix,
        history: &History,
        arena: &mut KeysValues,
        source: impl Fn(usize) -> KeySource,
        work: &mut Work,
        around_work: &mut AroundWork,
    ) {
        self.project(x, work, around_work);
        let Work { queries, words, raw, attended, weights, relative, .. } = work;
        let first = history.rows() - x.rows();
        let any_raw = !self.around.begins_plain() && (0..x.rows()).any(|r| source(r) == KeySource::Raw);
        if any_raw {
            let x = self.keys.rows(x, around_work.rows());
            self.keys.apply_to(x, &mut raw.keys);
            self.values.apply_to(x, &mut raw.values);
        }
        let unit = Unit::Attention.timed();
        arena.resize(history.len(), x.cols());
        for r in 0..x.rows() {
            let entries = history.entries(Row::new(first + r));
            let own = history.own_entry(Row::new(first + r));
            let from_raw = any_raw && source(r) == KeySource::Raw;
            arena.set(own, if from_raw { raw } else { words }, r);
            if from_raw && entries.len() == 1 {
                // The first step: all weight is on the row's own value, which is normalised.
                attended.row_mut(r).copy_from_slice(words.values.row(r));
            } else {
                let query = (queries.row(r), entries.len() - 1);
                self.attend(query, arena, &Rows::List(entries), weights, relative, attended.row_mut(r));
            }
        }
        drop(unit);
        self.around.end(self.projection.as_ref(), attended, x, around_work);
    }

    /// Attention of a query at its position over the words `seen`, which are at positions from 0 on.
    fn attend(
        &self,
        query: (&[f32], usize),
        words: &KeysValues,
        seen: &Rows<'_>,
        weights: &mut Vec<f32>,
        work: &mut relative::Work,
        out: &mut [f32],
    ) {
        match &self.relative {
            None => self.heads.attend(query.0, words, seen, weights, out),
            Some(relative) => relative.attend(query, words, seen, weights, work, out),
        }
    }

    /// Queries, keys and values of `x`, and room for the result.
    fn project(&self, x: &Matrix, work: &mut Work, around_work: &mut AroundWork) {
        let Work { input, queries, words, attended, .. } = work;
        let input = self.around.begin(x, input, around_work);
        let input = self.queries.rows(input, around_work.rows());
        self.queries.apply_to(input, queries);
        self.keys.apply_to(input, &mut words.keys);
        self.values.apply_to(input, &mut words.values);
        attended.resize(x.rows(), x.cols());
    }
}
