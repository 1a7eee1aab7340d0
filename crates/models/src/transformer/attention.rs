//! Multi-head attention: one query at a time over the rows that it may see, so that nothing is padded or masked.

use super::operations::Around;
use super::relative::Relative;
use crate::linear::Linear;
use crate::parts::transformer as parts;
use crate::weights::CheckedTensor;
use metaphrase_kernels::{Matrix, Rows, heads_dot, heads_weighted_sum, softmax_in_place};

/// An attention layer, of words over the words of the same side or of target words over source words.
pub(super) struct Attention {
    pub(super) around: Around,
    pub(super) heads: Heads,
    pub(super) queries: Linear,
    pub(super) keys: Linear,
    pub(super) values: Linear,
    pub(super) projection: Option<Linear>,
    pub(super) relative: Option<Relative>,
}

impl Attention {
    /// The layer of these tensors with `heads` heads.
    pub(super) fn pack<'a>(
        block: parts::Block<CheckedTensor<'a>, parts::Attention<CheckedTensor<'a>>>,
        heads: usize,
    ) -> Self {
        let (around, parts::Attention { queries, keys, values, projection, relative }) = Around::pack(block);
        let heads = Heads::new(heads, queries.w.cols());
        Self {
            around,
            heads,
            queries: Linear::pack(queries),
            keys: Linear::pack(keys),
            values: Linear::pack(values),
            projection: projection.map(Linear::pack),
            relative: relative.map(|relative| Relative::pack(&relative, heads)),
        }
    }
}

/// The heads of an attention layer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heads {
    pub(super) count: usize,
    /// 1/√(d / heads)
    pub(super) scale: f32,
}

/// Keys and values of the same words, `words × d` each.
#[derive(Debug, Default)]
pub(super) struct KeysValues {
    pub(super) keys: Matrix,
    pub(super) values: Matrix,
}

impl KeysValues {
    /// Makes room for `rows` words; those that were there stay.
    pub(super) fn resize(&mut self, rows: usize, dim: usize) {
        self.keys.resize(rows, dim);
        self.values.resize(rows, dim);
    }

    /// Sets word `to` to word `from` of `other`.
    pub(super) fn set(&mut self, to: usize, other: &Self, from: usize) {
        self.keys.row_mut(to).copy_from_slice(other.keys.row(from));
        self.values.row_mut(to).copy_from_slice(other.values.row(from));
    }
}

impl Heads {
    /// `count` heads over rows of `dim` numbers.
    pub(super) fn new(count: usize, dim: usize) -> Self {
        Self { count, scale: 1.0 / ((dim / count) as f32).sqrt() }
    }

    /// For each head h over the words `seen`: `out_h = softmax(q_h · Kᵀ_h / √d_h) · V_h`. `weights` is left with the
    /// weights, `heads × seen`.
    pub(super) fn attend(
        self,
        query: &[f32],
        words: &KeysValues,
        seen: &Rows<'_>,
        weights: &mut Vec<f32>,
        out: &mut [f32],
    ) {
        weights.resize(self.count * seen.len(), 0.0);
        heads_dot(query, &words.keys, seen.clone(), self.count, self.scale, weights);
        for of_head in weights.chunks_exact_mut(seen.len()) {
            softmax_in_place(of_head);
        }
        heads_weighted_sum(weights, &words.values, seen.clone(), self.count, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_is_the_softmax_of_scaled_products() {
        // Two heads of one number: 1/√1 = 1. The second word's keys are ln 3 more than the first's.
        let keys = Matrix::from_vec(3, 2, vec![0.0, 1.0, 3_f32.ln(), 1.0, 9.0, 9.0]);
        let values = Matrix::from_vec(3, 2, vec![4.0, 2.0, 8.0, 6.0, 9.0, 9.0]);
        let words = KeysValues { keys, values };
        let (mut weights, mut out) = (Vec::new(), [0.0; 2]);
        Heads::new(2, 2).attend(&[1.0, 1.0], &words, &Rows::List(&[1, 0]), &mut weights, &mut out);
        let expected = [0.75, 0.25, 0.5, 0.5];
        assert!(weights.iter().zip(expected).all(|(w, e)| (w - e).abs() < 1e-6), "{weights:?}");
        // 0.75 · 8 + 0.25 · 4 = 7; (6 + 2) / 2 = 4
        assert!((out[0] - 7.0).abs() < 1e-5 && (out[1] - 4.0).abs() < 1e-5, "{out:?}");
    }
}
