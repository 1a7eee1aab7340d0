//! Products by weights, merged at load, and their finish: bias and normalisation of ranges of columns.

use crate::parts::recurrent::{GruMaps, Map, Norm as NormParts};
use crate::weights::CheckedTensor;
use core::ops::Range;
use metaphrase_kernels::Precision;

/// The finish of a product: a bias, then the normalisation of some ranges of columns.
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

/// A matrix on its way to be packed, `inputs × outputs`, with the finish of the product.
///
/// Matrices that are multiplied by the same rows are set [`beside`](Self::beside) each other and become one product.
#[derive(Clone)]
pub(super) struct Columns {
    /// What the matrix becomes.
    pub(super) precision: Precision,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) weights: Vec<f32>,
    pub(super) finish: Finish,
}

impl Columns {
    /// The product of a map, and its finish.
    pub(super) fn of(map: Map<CheckedTensor<'_>>) -> Self {
        let mut columns = match map.w {
            Some(w) => Self::new(w.precision(), [w.rows(), map.outputs], w.into_numbers()),
            None => Self::new(Precision::F32, [0, map.outputs], Vec::new()), // zeros, to which a bias may be added
        };
        if let Some(bias) = map.inside {
            columns = columns.plus(0, bias);
        }
        if let Some(norm) = map.norm {
            columns = columns.normalised(norm);
        }
        match map.outside {
            Some(bias) => columns.plus(0, bias),
            None => columns,
        }
    }

    /// The product of the maps of a GRU: `[gates | candidate]`.
    pub(super) fn of_gru(GruMaps { mut gates, mut candidate, joint }: GruMaps<CheckedTensor<'_>>) -> Self {
        let biases = [(0, gates.outside.take()), (gates.outputs, candidate.outside.take())];
        let mut columns = Self::of(gates).beside(Self::of(candidate));
        if let Some(norm) = joint {
            columns = columns.normalised(norm);
        }
        for (start, bias) in biases {
            if let Some(bias) = bias {
                columns = columns.plus(start, bias);
            }
        }
        columns
    }

    /// The product by a matrix alone.
    pub(super) fn of_matrix(matrix: CheckedTensor<'_>) -> Self {
        Self::new(matrix.precision(), [matrix.rows(), matrix.cols()], matrix.into_numbers())
    }

    /// The identity: the product copies its input. It takes the precision of the matrix that it is set beside.
    pub(super) fn identity(size: usize) -> Self {
        let mut weights = vec![0.0; size * size];
        weights.iter_mut().step_by(size + 1).for_each(|w| *w = 1.0);
        Self::new(Precision::F32, [size, size], weights)
    }

    fn new(precision: Precision, [inputs, outputs]: [usize; 2], weights: Vec<f32>) -> Self {
        let finish = Finish { bias: vec![0.0; outputs], norms: Vec::new() };
        Self { precision, inputs, outputs, weights, finish }
    }

    /// `[self | right]`, in the precision of `self`.
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
        Self { precision: self.precision, inputs: self.inputs, outputs, weights, finish }
    }

    /// Adds `bias` to the columns from `start` on: after the normalisation where there is one.
    fn plus(mut self, start: usize, bias: CheckedTensor<'_>) -> Self {
        for (column, b) in (start..).zip(bias.into_numbers()) {
            match self.finish.norms.iter_mut().find(|n| n.columns.contains(&column)) {
                Some(norm) => norm.shift[column - norm.columns.start] += b,
                None => self.finish.bias[column] += b,
            }
        }
        self
    }

    /// Normalises over all columns together. A bias that was added before is inside.
    fn normalised(mut self, norm: NormParts<CheckedTensor<'_>>) -> Self {
        debug_assert!(self.finish.norms.is_empty());
        let mut scale = norm.scale.into_numbers();
        scale.truncate(self.outputs); // that of a tanh cell is longer
        let shift = norm.shift.map_or_else(|| vec![0.0; self.outputs], CheckedTensor::into_numbers);
        self.finish.norms = vec![Norm { columns: 0..self.outputs, scale, shift, epsilon: norm.epsilon }];
        self
    }
}
