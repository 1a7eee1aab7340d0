//! Multi-head attention (Vaswani et al. 2017).

use crate::dropout::Mask;
use crate::storage::{Host, Storage};
use metaphrase_kernels::{
    Matrix, Rows, add_assign, dot, heads_dot, heads_weighted_sum, scale, softmax_in_place, vectorised,
};
use std::ops::Range;
use std::rc::Rc;

/// The rows of each sentence, in the order of the sentences.
pub type Spans = Rc<[Range<usize>]>;

/// The heads of an attention, and the rows that it connects.
#[derive(Debug, Clone)]
pub struct HeadsAttention {
    /// Number of heads; a head is `columns / heads` adjacent columns.
    pub heads: usize,
    /// The queries of each sentence.
    pub queries: Spans,
    /// The keys and values of each sentence.
    pub keys: Spans,
    /// Whether a query sees only the keys up to its own place.
    pub causal: bool,
    /// The factor of products of queries and keys; `None`: 1/√d_h, for heads of d_h columns.
    pub scale: Option<f32>,
    /// The probability with which a weight is dropped.
    pub dropout: f32,
}

impl HeadsAttention {
    /// The number of keys that query `i` of a sentence sees.
    #[must_use]
    pub fn seen(&self, i: usize, keys: usize) -> usize {
        if self.causal { (i + 1).min(keys) } else { keys }
    }

    /// The factor of products of queries and keys, for heads of this number of columns.
    #[must_use]
    pub fn factor(&self, cols: usize) -> f32 {
        self.scale.unwrap_or_else(|| 1.0 / ((cols / self.heads) as f32).sqrt())
    }

    /// Number of all weights: `heads × seen` for each query, one after the other.
    #[must_use]
    pub fn weights(&self) -> usize {
        let sentence = |(queries, keys): (&Range<usize>, &Range<usize>)| {
            (0..queries.len()).map(|i| self.seen(i, keys.len())).sum::<usize>()
        };
        self.heads * self.queries.iter().zip(self.keys.iter()).map(sentence).sum::<usize>()
    }
}

/// The inputs of an attention.
#[derive(Debug)]
pub struct AttentionInputs<'a, M> {
    /// Queries, keys and values.
    pub inputs: [&'a M; 3],
    /// The heads and the rows of each sentence. At most one sentence sees a row of keys.
    pub settings: &'a HeadsAttention,
    /// The weights that are dropped.
    pub mask: Option<Mask>,
}

/// For each head h of each query: softmax(scale · q_h · Kᵀ_h) · V_h over the keys that the query sees.
pub trait Attention: Storage {
    /// Computes the weights before dropout, in the order of [`HeadsAttention::weights`], and y.
    fn attend(&mut self, inputs: AttentionInputs<'_, Self::Matrix>, weights: &mut Self::Matrix, y: &mut Self::Matrix);

    /// Computes the derivatives by queries, keys and values, which are zero before. `guide`: further derivatives by the
    /// weights.
    fn attend_backward(
        &mut self,
        inputs: AttentionInputs<'_, Self::Matrix>,
        weights: &Self::Matrix,
        guide: Option<&Self::Matrix>,
        grad: &Self::Matrix,
        by_inputs: &mut [Self::Matrix; 3],
    );
}

impl Attention for Host {
    fn attend(&mut self, inputs: AttentionInputs<'_, Matrix>, weights: &mut Matrix, y: &mut Matrix) {
        let AttentionInputs { inputs: [q, k, v], settings, mask } = inputs;
        let factor = settings.factor(q.cols());
        let mut start = 0;
        for (queries, keys) in settings.queries.iter().zip(settings.keys.iter()) {
            for (i, query) in queries.clone().enumerate() {
                let seen = settings.seen(i, keys.len());
                let words = Rows::Range(keys.start..keys.start + seen);
                let own = &mut weights.as_mut_slice()[start..start + settings.heads * seen];
                heads_dot(q.row(query), k, words, settings.heads, factor, own);
                own.chunks_exact_mut(seen).for_each(softmax_in_place);
                start += own.len();
            }
        }
        let dropped = mask.map(|mask| {
            let mut dropped = self.take(1, weights.cols());
            mask.apply(weights.as_slice(), dropped.as_mut_slice());
            dropped
        });
        let used = dropped.as_ref().unwrap_or(weights).as_slice();
        let mut start = 0;
        for (queries, keys) in settings.queries.iter().zip(settings.keys.iter()) {
            for (i, query) in queries.clone().enumerate() {
                let seen = settings.seen(i, keys.len());
                let words = Rows::Range(keys.start..keys.start + seen);
                let own = &used[start..start + settings.heads * seen];
                heads_weighted_sum(own, v, words, settings.heads, y.row_mut(query));
                start += own.len();
            }
        }
        dropped.into_iter().for_each(|matrix| self.give(matrix));
    }

    fn attend_backward(
        &mut self,
        inputs: AttentionInputs<'_, Matrix>,
        weights: &Matrix,
        guide: Option<&Matrix>,
        grad: &Matrix,
        [q_grad, k_grad, v_grad]: &mut [Matrix; 3],
    ) {
        let AttentionInputs { inputs: [q, k, _], settings, .. } = inputs;
        let heads = settings.heads;
        let factor = settings.factor(q.cols());
        let (weights, guide) = (weights.as_slice(), guide.map(Matrix::as_slice));
        let mut work = Sentence::default();
        let (mut used_by_key, mut derivatives_by_key) = (Vec::new(), Vec::new());
        let mut start = 0;
        for (queries, keys) in settings.queries.iter().zip(settings.keys.iter()) {
            let place = SentencePlace { queries, keys, start };
            let end = start + work.derive(&inputs, weights, guide, grad, place);
            let mut at = 0;
            for (i, query) in queries.clone().enumerate() {
                let seen = settings.seen(i, keys.len());
                let words = Rows::Range(keys.start..keys.start + seen);
                let own = &work.derivatives[at..at + heads * seen];
                heads_weighted_sum(own, k, words, heads, q_grad.row_mut(query));
                scale(factor, q_grad.row_mut(query));
                at += own.len();
            }
            settings.by_key(&work.used, queries.len(), keys.len(), &mut used_by_key);
            settings.by_key(&work.derivatives, queries.len(), keys.len(), &mut derivatives_by_key);
            let size = heads * queries.len();
            for (j, key) in keys.clone().enumerate() {
                let rows = Rows::Range(queries.clone());
                let key_part = j * size..(j + 1) * size;
                heads_weighted_sum(&used_by_key[key_part.clone()], grad, rows.clone(), heads, v_grad.row_mut(key));
                heads_weighted_sum(&derivatives_by_key[key_part], q, rows, heads, k_grad.row_mut(key));
                scale(factor, k_grad.row_mut(key));
            }
            start = end;
        }
    }
}

/// The place of a sentence in a batch.
#[derive(Clone, Copy)]
struct SentencePlace<'a> {
    /// Its rows of the queries.
    queries: &'a Range<usize>,
    /// Its rows of the keys and values.
    keys: &'a Range<usize>,
    /// Its first weight.
    start: usize,
}

/// Matrices of one sentence, with `heads × seen` numbers per query.
#[derive(Default)]
struct Sentence {
    /// The weights after dropout.
    used: Vec<f32>,
    /// The derivatives by the inputs of the softmax.
    derivatives: Vec<f32>,
}

impl Sentence {
    /// Fills in the sentence at this place. Returns the number of its weights.
    fn derive(
        &mut self,
        inputs: &AttentionInputs<'_, Matrix>,
        weights: &[f32],
        guide: Option<&[f32]>,
        grad: &Matrix,
        SentencePlace { queries, keys, start }: SentencePlace<'_>,
    ) -> usize {
        let AttentionInputs { inputs: [_, _, v], settings, mask } = inputs;
        let Self { used, derivatives } = self;
        let heads = settings.heads;
        let count = (0..queries.len()).map(|i| heads * settings.seen(i, keys.len())).sum::<usize>();
        let weights = &weights[start..start + count];
        used.clear();
        used.extend_from_slice(weights);
        derivatives.clear();
        derivatives.resize(count, 0.0);
        let mut at = 0;
        for (i, query) in queries.clone().enumerate() {
            let seen = settings.seen(i, keys.len());
            let words = Rows::Range(keys.start..keys.start + seen);
            heads_dot(grad.row(query), v, words, heads, 1.0, &mut derivatives[at..at + heads * seen]);
            at += heads * seen;
        }
        if let Some(mask) = mask {
            mask.apply_from(start, used);
            mask.apply_from(start, derivatives);
        }
        if let Some(guide) = guide {
            add_assign(derivatives, &guide[start..start + count]);
        }
        let mut at = 0;
        for i in 0..queries.len() {
            for _ in 0..heads {
                let own = at..at + settings.seen(i, keys.len());
                let (weights, derivatives) = (&weights[own.clone()], &mut derivatives[own.clone()]);
                // dsoftmax: w · (d - Σ w d)
                let mean = dot(weights, derivatives);
                let pairs = derivatives.iter_mut().zip(weights);
                vectorised(|| pairs.for_each(|(d, &w)| *d = w * (*d - mean)));
                at = own.end;
            }
        }
        count
    }
}

impl HeadsAttention {
    /// From `heads × seen` per query to `heads × queries` per key; zero where a query does not see the key.
    fn by_key(&self, by_query: &[f32], queries: usize, keys: usize, out: &mut Vec<f32>) {
        out.clear();
        out.resize(keys * self.heads * queries, 0.0);
        let mut at = 0;
        for i in 0..queries {
            let seen = self.seen(i, keys);
            for head in 0..self.heads {
                for (j, &value) in by_query[at..at + seen].iter().enumerate() {
                    out[(j * self.heads + head) * queries + i] = value;
                }
                at += seen;
            }
        }
    }
}
