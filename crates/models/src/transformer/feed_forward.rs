//! The position-wise feed-forward block.

use super::dense::Dense;
use super::operations::{Around, End};
use crate::config::{FeedForward as Size, TransformerConfig};
use crate::{ModelError, Weights};
use metaphrase_kernels::Matrix;

/// Linear maps with activations between them.
pub(super) struct FeedForward {
    around: Around,
    inner: Vec<Dense>,
    last: Dense,
}

/// Work space of a [`FeedForward`].
#[derive(Debug, Default)]
pub(super) struct Work {
    input: Matrix,
    hidden: Matrix,
    next: Matrix,
}

impl FeedForward {
    /// Reads `{prefix}_W1`, `{prefix}_b1`, … up to the block's depth, which is at least 1.
    ///
    /// # Errors
    /// If a tensor is missing or of another shape.
    pub(super) fn load(
        weights: &Weights,
        prefix: &str,
        size: Size,
        config: &TransformerConfig,
    ) -> Result<Self, ModelError> {
        let dim = config.dim_emb;
        let mut inner = Vec::new();
        let mut inputs = dim;
        for i in 1..size.depth {
            let map = Dense::load(weights, prefix, &i.to_string(), inputs, size.dim)?;
            inner.push(map.with_activation(config.activation));
            inputs = size.dim;
        }
        let last = Dense::load(weights, prefix, &size.depth.to_string(), inputs, dim)?;
        let around = Around::load(weights, config, &format!("{prefix}_ffn"))?;
        Ok(Self { around, inner, last })
    }

    /// x ← the block's output; `x` is `rows × d`.
    pub(super) fn apply(&self, x: &mut Matrix, work: &mut Work, end: &mut End) {
        let Work { input, hidden, next } = work;
        let input = self.around.begin(x, input, end);
        let Some((first, others)) = self.inner.split_first() else {
            // A block of one map reads its input, which `begin` may have left in `x` itself.
            self.last.apply(input, hidden);
            return self.around.end(None, hidden, x, end);
        };
        first.apply(input, hidden);
        for map in others {
            map.apply(hidden, next);
            std::mem::swap(hidden, next);
        }
        self.around.end(Some(&self.last), hidden, x, end);
    }

    /// Memory that the weights take.
    pub(super) fn bytes(&self) -> usize {
        self.inner.iter().chain([&self.last]).map(Dense::bytes).sum()
    }
}
