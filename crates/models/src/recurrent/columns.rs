//! Products by weights, merged at load, and what follows a product: bias and normalisation of its parts.

use crate::{ModelError, Weights};
use core::ops::Range;

/// Adds to Nematus' variances.
pub(super) const NEMATUS_EPSILON: f32 = 1e-5;
/// Adds to Marian's variances.
pub(super) const MARIAN_EPSILON: f32 = 1e-9;

/// What follows a product: a bias, then the normalisation of some ranges of columns.
#[derive(Clone, Default)]
pub(super) struct Finish {
    /// Added to a row of the product; as wide as the product.
    pub(super) bias: Vec<f32>,
    pub(super) norms: Vec<Norm>,
}

/// Normalisation of a range of columns: `(x - mean) / sqrt(variance + epsilon) * scale + shift`.
#[derive(Clone)]
pub(super) struct Norm {
    pub(super) columns: Range<usize>,
    pub(super) scale: Vec<f32>,
    pub(super) shift: Vec<f32>,
    pub(super) epsilon: f32,
}

/// A matrix on its way to be packed, `inputs × outputs`, with what follows the product by it.
///
/// Matrices that are multiplied by the same rows are set [`beside`](Self::beside) each other and become one product.
#[derive(Clone)]
pub(super) struct Columns {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) weights: Vec<f32>,
    pub(super) finish: Finish,
}

impl Columns {
    /// The tensor `name`, which must be `inputs × outputs`.
    pub(super) fn read(weights: &Weights, name: &str, inputs: usize, outputs: usize) -> Result<Self, ModelError> {
        let tensor = weights.tensor(name)?.expect(&[inputs, outputs])?;
        Ok(Self::new(inputs, outputs, tensor.data.into_owned()))
    }

    /// The columns of a product by nothing: zeros, to which a bias may be added.
    pub(super) fn nothing(outputs: usize) -> Self {
        Self::new(0, outputs, Vec::new())
    }

    /// The identity: the product copies its input.
    pub(super) fn identity(size: usize) -> Self {
        let mut weights = vec![0.0; size * size];
        weights.iter_mut().step_by(size + 1).for_each(|w| *w = 1.0);
        Self::new(size, size, weights)
    }

    fn new(inputs: usize, outputs: usize, weights: Vec<f32>) -> Self {
        let finish = Finish { bias: vec![0.0; outputs], norms: Vec::new() };
        Self { inputs, outputs, weights, finish }
    }

    /// `[self | right]`.
    pub(super) fn beside(self, right: Self) -> Self {
        debug_assert_eq!(self.inputs, right.inputs);
        let outputs = self.outputs + right.outputs;
        let mut weights = Vec::with_capacity(self.inputs * outputs);
        let left_rows = self.weights.chunks_exact(self.outputs);
        for (left, right) in left_rows.zip(right.weights.chunks_exact(right.outputs)) {
            weights.extend_from_slice(left);
            weights.extend_from_slice(right);
        }
        let mut finish = self.finish;
        finish.bias.extend_from_slice(&right.finish.bias);
        finish.norms.extend(right.finish.norms.into_iter().map(|norm| {
            let columns = norm.columns.start + self.outputs..norm.columns.end + self.outputs;
            Norm { columns, ..norm }
        }));
        Self { inputs: self.inputs, outputs, weights, finish }
    }

    /// Adds `bias` to the columns from `start` on: after the normalisation where there is one.
    pub(super) fn plus_from(mut self, start: usize, bias: &[f32]) -> Self {
        for (column, b) in (start..).zip(bias) {
            match self.finish.norms.iter_mut().find(|n| n.columns.contains(&column)) {
                Some(norm) => norm.shift[column - norm.columns.start] += b,
                None => self.finish.bias[column] += b,
            }
        }
        self
    }

    /// Adds `bias` to all columns: after the normalisation where there is one.
    pub(super) fn plus(self, bias: &[f32]) -> Self {
        debug_assert_eq!(bias.len(), self.outputs);
        self.plus_from(0, bias)
    }

    /// Normalises over all columns together. A bias that was added before is inside.
    pub(super) fn normalised(mut self, scale: Vec<f32>, shift: Vec<f32>, epsilon: f32) -> Self {
        debug_assert!(self.finish.norms.is_empty());
        debug_assert!(scale.len() == self.outputs && shift.len() == self.outputs);
        self.finish.norms = vec![Norm { columns: 0..self.outputs, scale, shift, epsilon }];
        self
    }

    /// Normalises Marian's way: a scale and no shift.
    pub(super) fn scaled(self, scale: Vec<f32>) -> Self {
        let shift = vec![0.0; self.outputs];
        self.normalised(scale, shift, MARIAN_EPSILON)
    }
}

/// The vector `name`, which must be `1 × size`.
pub(super) fn vector(weights: &Weights, name: &str, size: usize) -> Result<Vec<f32>, ModelError> {
    Ok(weights.tensor(name)?.expect(&[1, size])?.data.into_owned())
}
