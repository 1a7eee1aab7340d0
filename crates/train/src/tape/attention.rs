//! Multi-head attention (Vaswani et al. 2017).

use super::dropout::Mask;
use super::{Backward, Op, Tape, Var};
use metaphrase_kernels::{Matrix, Rows, dot, heads_dot, heads_weighted_sum, scale, softmax_in_place, vectorised};
use std::ops::Range;
use std::rc::Rc;

/// The rows of each sentence, in the order of the sentences.
pub type Spans = Rc<[Range<usize>]>;

/// What attends to what.
#[derive(Debug, Clone)]
pub struct HeadsAttention {
    /// Number of heads; a head is `columns / heads` adjacent columns.
    pub heads: usize,
    /// The queries of each sentence.
    pub queries: Spans,
    /// The keys and values of each sentence.
    pub keys: Spans,
    /// A query sees only the keys up to its own place.
    pub causal: bool,
    /// What products of queries and keys are multiplied with; none: 1/√d_h, for heads of d_h columns.
    pub scale: Option<f32>,
    /// Probability that a weight is dropped.
    pub dropout: f32,
}

pub(super) struct Attention {
    q: Var,
    k: Var,
    v: Var,
    settings: HeadsAttention,
    mask: Option<Mask>,
    /// Per sentence and query `heads × seen` weights, before dropout, as one row.
    weights: Matrix,
    /// What a loss of the weights themselves adds to the derivatives by them.
    pub(super) guide: Option<Vec<f32>>,
}

impl HeadsAttention {
    /// How many keys query `i` of a sentence sees.
    fn seen(&self, i: usize, keys: usize) -> usize {
        if self.causal { (i + 1).min(keys) } else { keys }
    }

    /// What products of queries and keys of so many columns are multiplied with.
    fn factor(&self, cols: usize) -> f32 {
        self.scale.unwrap_or_else(|| 1.0 / ((cols / self.heads) as f32).sqrt())
    }

    /// Number of all weights.
    fn weights(&self) -> usize {
        let sentence = |(queries, keys): (&Range<usize>, &Range<usize>)| {
            (0..queries.len()).map(|i| self.seen(i, keys.len())).sum::<usize>()
        };
        self.heads * self.queries.iter().zip(self.keys.iter()).map(sentence).sum::<usize>()
    }
}

impl Tape<'_> {
    /// For each head h of each query: softmax(scale · q_h · Kᵀ_h) · V_h over the keys that it sees.
    pub fn attention(&mut self, q: Var, k: Var, v: Var, settings: &HeadsAttention) -> Var {
        let mask = self.mask(settings.dropout);
        let mut weights = self.take(1, settings.weights());
        let (rows, cols) = self.shape(q);
        let mut y = self.take(rows, self.value(v).cols());
        let factor = settings.factor(cols);
        let mut start = 0;
        for (queries, keys) in settings.queries.iter().zip(settings.keys.iter()) {
            for (i, query) in queries.clone().enumerate() {
                let seen = settings.seen(i, keys.len());
                let words = Rows::Range(keys.start..keys.start + seen);
                let own = &mut weights.as_mut_slice()[start..start + settings.heads * seen];
                heads_dot(self.value(q).row(query), self.value(k), words, settings.heads, factor, own);
                own.chunks_exact_mut(seen).for_each(softmax_in_place);
                start += own.len();
            }
        }
        let mut dropped = mask.map(|mask| {
            let mut dropped = self.take(1, weights.cols());
            mask.apply(weights.as_slice(), dropped.as_mut_slice());
            dropped
        });
        let used = dropped.as_ref().unwrap_or(&weights).as_slice();
        let mut start = 0;
        for (queries, keys) in settings.queries.iter().zip(settings.keys.iter()) {
            for (i, query) in queries.clone().enumerate() {
                let seen = settings.seen(i, keys.len());
                let words = Rows::Range(keys.start..keys.start + seen);
                let own = &used[start..start + settings.heads * seen];
                heads_weighted_sum(own, self.value(v), words, settings.heads, y.row_mut(query));
                start += own.len();
            }
        }
        dropped.take().into_iter().for_each(|matrix| self.workspace.pool.give(matrix));
        self.push(
            y,
            Op::Attention(Box::new(Attention { q, k, v, settings: settings.clone(), mask, weights, guide: None })),
        )
    }
}

impl Attention {
    /// What goes back into the pool.
    pub(super) fn into_kept(self) -> Matrix {
        self.weights
    }

    pub(super) fn weights(&self) -> &[f32] {
        self.weights.as_slice()
    }

    pub(super) fn backward(&self, grad: &Matrix, to: &mut Backward<'_>) {
        let values = to.values;
        let [q, k, v] = [self.q, self.k, self.v].map(|x| &values[x.index()]);
        let HeadsAttention { heads, .. } = self.settings;
        let factor = self.settings.factor(q.cols());
        // Of a sentence: weights as they were used and derivatives, per query `heads × seen`, then per key
        // `heads × queries`.
        let (mut used, mut derivatives) = (Vec::new(), Vec::new());
        let (mut used_by_key, mut derivatives_by_key) = (Vec::new(), Vec::new());
        let mut grads: [Matrix; 3] = [q, k, v].map(|x| to.workspace.pool.zeros(x.rows(), x.cols()));
        let [q_grad, k_grad, v_grad] = &mut grads;
        let mut start = 0;
        for (queries, keys) in self.settings.queries.iter().zip(self.settings.keys.iter()) {
            let end = start + self.sentence(grad, v, (queries, keys), start, &mut used, &mut derivatives);
            let mut at = 0;
            for (i, query) in queries.clone().enumerate() {
                let seen = self.settings.seen(i, keys.len());
                let words = Rows::Range(keys.start..keys.start + seen);
                let own = &derivatives[at..at + heads * seen];
                heads_weighted_sum(own, k, words, heads, q_grad.row_mut(query));
                scale(factor, q_grad.row_mut(query));
                at += own.len();
            }
            self.by_key(&used, queries.len(), keys.len(), &mut used_by_key);
            self.by_key(&derivatives, queries.len(), keys.len(), &mut derivatives_by_key);
            let size = heads * queries.len();
            for (j, key) in keys.clone().enumerate() {
                let rows = Rows::Range(queries.clone());
                let of_key = j * size..(j + 1) * size;
                heads_weighted_sum(&used_by_key[of_key.clone()], grad, rows.clone(), heads, v_grad.row_mut(key));
                heads_weighted_sum(&derivatives_by_key[of_key], q, rows, heads, k_grad.row_mut(key));
                scale(factor, k_grad.row_mut(key));
            }
            start = end;
        }
        for (x, grad) in [self.q, self.k, self.v].into_iter().zip(grads) {
            to.add_slice(x, grad.as_slice());
            to.workspace.pool.give(grad);
        }
    }

    /// The weights of one sentence as they were used, and the derivatives by what the softmax saw. Returns how many.
    fn sentence(
        &self,
        grad: &Matrix,
        v: &Matrix,
        (queries, keys): (&Range<usize>, &Range<usize>),
        start: usize,
        used: &mut Vec<f32>,
        derivatives: &mut Vec<f32>,
    ) -> usize {
        let heads = self.settings.heads;
        let count = (0..queries.len()).map(|i| heads * self.settings.seen(i, keys.len())).sum::<usize>();
        let weights = &self.weights.as_slice()[start..start + count];
        used.clear();
        used.extend_from_slice(weights);
        derivatives.clear();
        derivatives.resize(count, 0.0);
        let mut at = 0;
        for (i, query) in queries.clone().enumerate() {
            let seen = self.settings.seen(i, keys.len());
            let words = Rows::Range(keys.start..keys.start + seen);
            heads_dot(grad.row(query), v, words, heads, 1.0, &mut derivatives[at..at + heads * seen]);
            at += heads * seen;
        }
        if let Some(mask) = self.mask {
            mask.apply_from(start, used);
            mask.apply_from(start, derivatives);
        }
        if let Some(guide) = &self.guide {
            metaphrase_kernels::add_assign(derivatives, &guide[start..start + count]);
        }
        let mut at = 0;
        for i in 0..queries.len() {
            for _ in 0..heads {
                let own = at..at + self.settings.seen(i, keys.len());
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

    /// From `heads × seen` per query to `heads × queries` per key; zero where a query does not see the key.
    fn by_key(&self, by_query: &[f32], queries: usize, keys: usize, out: &mut Vec<f32>) {
        let heads = self.settings.heads;
        out.clear();
        out.resize(keys * heads * queries, 0.0);
        let mut at = 0;
        for i in 0..queries {
            let seen = self.settings.seen(i, keys);
            for head in 0..heads {
                for (j, &value) in by_query[at..at + seen].iter().enumerate() {
                    out[(j * heads + head) * queries + i] = value;
                }
                at += seen;
            }
        }
    }
}
