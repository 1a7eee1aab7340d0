//! A product ready to run: packed weights and the finish.

use super::columns::{Columns, Finish, Norm};
use crate::linear::Linear;
use metaphrase_kernels::{Matrix, Operand, ProductStorage};

/// `x·W`, then a bias and the normalisation of ranges of columns.
pub(super) struct Projection {
    map: Linear,
    norms: Vec<Norm>,
}

impl Columns {
    /// The product, ready to run.
    pub(super) fn pack(self) -> Projection {
        let Self { weights, finish: Finish { bias, norms } } = self;
        Projection { map: Linear::new(weights, Some(bias)), norms }
    }
}

impl Projection {
    /// Number of columns of the result.
    pub(super) fn outputs(&self) -> usize {
        self.map.outputs()
    }

    /// The product with its finish: `out` becomes `x.rows() × outputs`.
    pub(super) fn apply(&self, x: &Matrix, out: &mut Matrix, storage: &mut ProductStorage) {
        self.apply_to(self.rows(x, storage), out);
    }

    /// The rows of `x` as this product reads them, and all others of the same model.
    pub(super) fn rows<'a>(&self, x: &'a Matrix, storage: &'a mut ProductStorage) -> Operand<'a> {
        self.map.rows(x, storage)
    }

    /// [`apply`](Self::apply) to rows that were made by [`rows`](Self::rows).
    pub(super) fn apply_to(&self, x: Operand<'_>, out: &mut Matrix) {
        self.map.apply_to(x, out);
        if !self.norms.is_empty() {
            for r in 0..out.rows() {
                self.normalise(out.row_mut(r));
            }
        }
    }

    /// The product alone. As it is linear, sums of its rows may be [`finish`](Self::finish)ed instead of them.
    pub(super) fn product(&self, x: Operand<'_>, out: &mut Matrix) {
        self.map.product(x, out);
    }

    /// Completes a row of products.
    pub(super) fn finish(&self, row: &mut [f32]) {
        if let Some(bias) = self.map.bias() {
            metaphrase_kernels::add_assign(row, bias);
        }
        self.normalise(row);
    }

    fn normalise(&self, row: &mut [f32]) {
        for norm in &self.norms {
            metaphrase_kernels::layer_norm(
                &mut row[norm.columns.clone()],
                &norm.scale,
                Some(&norm.shift),
                norm.epsilon,
            );
        }
    }
}
