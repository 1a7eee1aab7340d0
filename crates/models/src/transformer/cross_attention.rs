//! The decoder's attention over the source.

use super::attention::{Heads, KeysValues};
use super::dense::Dense;
use super::operations::{Around, End};
use crate::config::TransformerConfig;
use crate::{ModelError, Weights};
use metaphrase_base::StepRow;
use metaphrase_kernels::{Matrix, Rows};

/// Attention of target rows over the encoder's output.
pub(super) struct CrossAttention {
    around: Around,
    heads: Heads,
    queries: Dense,
    keys: Dense,
    values: Dense,
    projection: Option<Dense>,
}

/// Work space of a [`CrossAttention`].
#[derive(Debug, Default)]
pub(super) struct Work {
    input: Matrix,
    queries: Matrix,
    attended: Matrix,
    weights: Vec<f32>,
}

impl CrossAttention {
    /// Reads the tensors whose names begin with `prefix`.
    ///
    /// # Errors
    /// If a tensor is missing or of another shape.
    pub(super) fn load(
        weights: &Weights,
        prefix: &str,
        config: &TransformerConfig,
        around: Around,
    ) -> Result<Self, ModelError> {
        let dim = config.dim_emb;
        let map = |suffix| Dense::load(weights, prefix, suffix, dim, dim);
        Ok(Self {
            around,
            heads: Heads::new(config.heads, dim),
            queries: map("q")?,
            keys: map("k")?,
            values: map("v")?,
            projection: config.attention_projection.then(|| map("o")).transpose()?,
        })
    }

    /// Keys and values of the encoder's output (`words × d`): once per sentence.
    pub(super) fn prepare(&self, encoded: &Matrix, out: &mut KeysValues) {
        self.keys.apply(encoded, &mut out.keys);
        self.values.apply(encoded, &mut out.values);
    }

    /// x ← the block's output. `source(row)` are the prepared keys and values of the row's sentence. `on_weights` is called
    /// for each row with the weights of the first head.
    pub(super) fn apply<'s>(
        &self,
        x: &mut Matrix,
        rows: &[StepRow],
        source: impl Fn(&StepRow) -> &'s KeysValues,
        mut on_weights: impl FnMut(&StepRow, &[f32]),
        work: &mut Work,
        end: &mut End,
    ) {
        let Work { input, queries, attended, weights } = work;
        self.queries.apply(self.around.begin(x, input, end), queries);
        attended.resize(x.rows(), x.cols());
        for (r, row) in rows.iter().enumerate() {
            let source = source(row);
            let words = source.keys.rows();
            self.heads.attend(queries.row(r), source, &Rows::Range(0..words), weights, attended.row_mut(r));
            on_weights(row, &weights[..words]);
        }
        self.around.end(self.projection.as_ref(), attended, x, end);
    }

    /// Memory that the weights take.
    pub(super) fn bytes(&self) -> usize {
        let maps = [&self.queries, &self.keys, &self.values].into_iter().chain(&self.projection);
        maps.map(Dense::bytes).sum()
    }
}
