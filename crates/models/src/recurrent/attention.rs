//! Additive attention (Bahdanau et al. 2015): `e_j = v · tanh(key_j + query)`, `α = softmax(e)`.

use super::columns::{Columns, NEMATUS_EPSILON, vector};
use super::projection::Projection;
use crate::config::LayerNorm;
use crate::{ModelError, Weights};
use metaphrase_kernels::{Matrix, softmax_in_place, tanh_dot};

/// What attention knows of a sentence.
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
    v: Vec<f32>,
}

impl Attention {
    /// Reads attention over annotations of width `dim`; the second result makes queries of the decoder's states.
    pub(super) fn read(
        weights: &Weights,
        norm: LayerNorm,
        dim: usize,
        dim_rnn: usize,
    ) -> Result<(Self, Columns), ModelError> {
        let vector = |name: &str| vector(weights, &format!("decoder_{name}"), dim);
        let keys = Columns::read(weights, "decoder_Wc_att", dim, dim)?;
        let query = Columns::read(weights, "decoder_W_comb_att", dim_rnn, dim)?;
        let bias = vector("b_att")?;
        let (keys, query) = match norm {
            LayerNorm::None => (keys.plus(&bias), query),
            LayerNorm::Marian => (keys.scaled(vector("att_gamma1")?).plus(&bias), query.scaled(vector("att_gamma2")?)),
            LayerNorm::Nematus => {
                let (scale, shift) = (vector("Wc_att_lns")?, vector("Wc_att_lnb")?);
                let keys = keys.plus(&bias).normalised(scale, shift, NEMATUS_EPSILON);
                let (scale, shift) = (vector("W_comb_att_lns")?, vector("W_comb_att_lnb")?);
                (keys, query.normalised(scale, shift, NEMATUS_EPSILON))
            }
        };
        let v = weights.tensor("decoder_U_att")?.expect(&[dim, 1])?.data.into_owned();
        Ok((Self { keys: keys.pack(), v }, query))
    }

    /// Width of keys and queries.
    pub(super) fn dim(&self) -> usize {
        self.v.len()
    }

    /// The attention of `query` over the source words: `weights` becomes their weights, which sum to one.
    pub(super) fn weigh(&self, query: &[f32], source: &Source, weights: &mut Vec<f32>) {
        weights.clear();
        weights.extend((0..source.keys.rows()).map(|j| tanh_dot(source.keys.row(j), query, &self.v)));
        softmax_in_place(weights);
    }
}
