//! Additive attention (Bahdanau et al. 2015): `e_j = v · tanh(key_j + query)`, `α = softmax(e)`.

use super::projection::Projection;
use metaphrase_kernels::{Matrix, softmax_in_place, tanh_dot};

/// Attention's view of a sentence.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// `words × dim`: depend on the annotations alone, so they are computed once per sentence (Devlin 2017, §4.3).
    pub(super) keys: Matrix,
    /// `words × anything`: what is averaged.
    pub(super) values: Matrix,
    /// Whether steps keep its attention.
    pub(super) attention: bool,
}

/// The parameters of attention but for the query's, which belong to a merged product.
pub(super) struct Attention {
    /// From annotations to keys.
    pub(super) keys: Projection,
    /// As wide as keys and queries.
    pub(super) v: Vec<f32>,
    /// Number of attentions: keys, queries and `v` have a part for each.
    pub(super) heads: usize,
}

impl Attention {
    /// Width of keys and queries.
    pub(super) fn dim(&self) -> usize {
        self.v.len()
    }

    /// The attention of `query` over the source words: `weights` becomes their weights, `heads × words`; those of a
    /// head sum to one.
    pub(super) fn weigh(&self, query: &[f32], source: &Source, weights: &mut Vec<f32>) {
        weights.clear();
        let (words, part) = (source.keys.rows(), self.dim() / self.heads);
        for head in 0..self.heads {
            let of = head * part..(head + 1) * part;
            let dot = |j| tanh_dot(&source.keys.row(j)[of.clone()], &query[of.clone()], &self.v[of.clone()]);
            weights.extend((0..words).map(dot));
            softmax_in_place(&mut weights[head * words..]);
        }
    }
}
