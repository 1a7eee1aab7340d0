//! A product ready to run: packed weights and the finish.

use super::columns::{Columns, Finish};
use metaphrase_base::count_product;
use metaphrase_kernels::{Epilogue, Matrix, PackedMatrix, WeightOrder, product};

/// `x·W`, then a bias and the normalisation of ranges of columns.
pub(super) struct Projection {
    weights: PackedMatrix,
    finish: Finish,
}

impl Columns {
    /// Packs the matrix for the CPU at hand.
    pub(super) fn pack(self) -> Projection {
        let weights = PackedMatrix::pack(&self.weights, self.inputs, self.outputs, WeightOrder::InputsByOutputs);
        Projection { weights, finish: self.finish }
    }
}

impl Projection {
    /// Number of columns of the result.
    pub(super) fn outputs(&self) -> usize {
        self.finish.bias.len()
    }

    /// The product with its finish: `out` becomes `x.rows() × outputs`.
    pub(super) fn apply(&self, x: &Matrix, out: &mut Matrix) {
        count_product(x.rows(), self.weights.inputs(), self.weights.outputs());
        product(x, &self.weights, Epilogue { bias: Some(&self.finish.bias), ..Epilogue::default() }, out);
        if !self.finish.norms.is_empty() {
            for r in 0..out.rows() {
                self.finish.normalise(out.row_mut(r));
            }
        }
    }

    /// The product alone. As it is linear, sums of its rows may be [`finish`](Self::finish)ed instead of them.
    pub(super) fn product(&self, x: &Matrix, out: &mut Matrix) {
        count_product(x.rows(), self.weights.inputs(), self.weights.outputs());
        product(x, &self.weights, Epilogue::default(), out);
    }

    /// Completes a row of products.
    pub(super) fn finish(&self, row: &mut [f32]) {
        metaphrase_kernels::add_assign(row, &self.finish.bias);
        self.finish.normalise(row);
    }
}

impl Finish {
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
