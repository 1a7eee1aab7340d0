//! Products by weights, merged at load, and their finish: bias and normalisation of ranges of columns.

use crate::parts::recurrent::{GruMaps, Map, Norm as NormParts};
use crate::weights::CheckedTensor;
use core::ops::Range;
use metaphrase_kernels::{PackedMatrix, Precision, WeightOrder};

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

/// A packed matrix, with the finish of the product.
///
/// Matrices that are multiplied by the same rows are set [`beside`](Self::beside) each other and become one product.
pub(super) struct Columns {
    pub(super) weights: PackedMatrix,
    pub(super) finish: Finish,
}

impl Columns {
    /// The product of a map, and its finish.
    pub(super) fn from_map(map: Map<CheckedTensor<'_>>) -> Self {
        let mut columns = match map.w {
            Some(w) => Self::new(w.pack()),
            None => Self::new(pack(Precision::F32, &[], [0, map.outputs])), // zeros, to which a bias may be added
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
    pub(super) fn from_gru(GruMaps { mut gates, mut candidate, joint }: GruMaps<CheckedTensor<'_>>) -> Self {
        let biases = [(0, gates.outside.take()), (gates.outputs, candidate.outside.take())];
        let mut columns = Self::from_map(gates).beside(Self::from_map(candidate));
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
    pub(super) fn from_matrix(matrix: CheckedTensor<'_>) -> Self {
        Self::new(matrix.pack())
    }

    /// The identity: the product copies its input.
    pub(super) fn identity(size: usize, precision: Precision) -> Self {
        let mut weights = vec![0.0; size * size];
        weights.iter_mut().step_by(size + 1).for_each(|w| *w = 1.0);
        Self::new(pack(precision, &weights, [size, size]))
    }

    fn new(weights: PackedMatrix) -> Self {
        let finish = Finish { bias: vec![0.0; weights.outputs()], norms: Vec::new() };
        Self { weights, finish }
    }

    /// The number of outputs.
    pub(super) fn outputs(&self) -> usize {
        self.weights.outputs()
    }

    /// `[self | right]`.
    pub(super) fn beside(self, right: Self) -> Self {
        let outputs = self.outputs();
        let columns = (0..outputs).map(|i| Some((0, i))).chain((0..right.outputs()).map(|i| Some((1, i))));
        let weights = PackedMatrix::gather(&[&self.weights, &right.weights], &columns.collect::<Vec<_>>());
        let mut finish = self.finish;
        finish.bias.extend_from_slice(&right.finish.bias);
        finish.norms.extend(right.finish.norms.into_iter().map(|norm| {
            let columns = norm.columns.start + outputs..norm.columns.end + outputs;
            Norm { columns, ..norm }
        }));
        Self { weights, finish }
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
        scale.truncate(self.outputs()); // that of a tanh cell is longer
        let shift = norm.shift.map_or_else(|| vec![0.0; self.outputs()], CheckedTensor::into_numbers);
        self.finish.norms = vec![Norm { columns: 0..self.outputs(), scale, shift, epsilon: norm.epsilon }];
        self
    }
}

fn pack(precision: Precision, weights: &[f32], [inputs, outputs]: [usize; 2]) -> PackedMatrix {
    PackedMatrix::pack(precision, weights, inputs, outputs, WeightOrder::InputsByOutputs)
}
