//! Products by weights, merged when a model is loaded, and their finish: a bias and the normalisation of ranges of
//! columns.

use crate::pack::{Packer, Tensor};
use core::ops::Range;
use metaphrase_cuda::decoding::DeviceMap;
use metaphrase_cuda::{Cuda, Matrix};
use metaphrase_device::{Elementwise, Shape, Storage};
use metaphrase_kernels::{Activation, Matrix as HostMatrix};
use metaphrase_models::parts::recurrent::{GruMaps, Map, Norm as NormParts};

/// A product by weights that are not yet on the device.
///
/// Maps of the same rows are set [`beside`](Self::beside) each other and become one product.
#[derive(Clone)]
pub(super) struct Columns {
    inputs: usize,
    /// `outputs × inputs`.
    weights: Vec<f32>,
    /// Added to a row of the product.
    pub(super) bias: Vec<f32>,
    norms: Vec<HostNorm>,
}

/// The normalisation of a range of columns.
#[derive(Clone)]
struct HostNorm {
    columns: Range<usize>,
    scale: Vec<f32>,
    shift: Vec<f32>,
    epsilon: f32,
}

/// A product with its finish, on the device.
pub(super) struct Projection {
    map: DeviceMap,
    norms: Vec<Norm>,
}

/// `(x - mean) / √(variance + ε) ⊙ scale + shift` of a range of columns.
struct Norm {
    first: usize,
    scale: Matrix,
    shift: Matrix,
    epsilon: f32,
}

impl Columns {
    /// The product of a map, and its finish.
    pub(super) fn from_map(map: Map<Tensor>) -> Self {
        let mut columns = match map.w {
            Some(w) => Self::from_matrix(w),
            None => Self { inputs: 0, weights: Vec::new(), bias: vec![0.0; map.outputs], norms: Vec::new() },
        };
        if let Some(bias) = map.inside {
            columns = columns.plus(0, &bias.numbers);
        }
        if let Some(norm) = map.norm {
            columns = columns.normalised(norm);
        }
        match map.outside {
            Some(bias) => columns.plus(0, &bias.numbers),
            None => columns,
        }
    }

    /// The product of the maps of a GRU: `[gates | candidate]`.
    pub(super) fn from_gru(GruMaps { mut gates, mut candidate, joint }: GruMaps<Tensor>) -> Self {
        let biases = [(0, gates.outside.take()), (gates.outputs, candidate.outside.take())];
        let mut columns = Self::from_map(gates).beside(Self::from_map(candidate));
        if let Some(norm) = joint {
            columns = columns.normalised(norm);
        }
        for (start, bias) in biases {
            if let Some(bias) = bias {
                columns = columns.plus(start, &bias.numbers);
            }
        }
        columns
    }

    /// The product by a matrix alone, which is `inputs × outputs`.
    pub(super) fn from_matrix(Tensor { rows, cols, numbers, .. }: Tensor) -> Self {
        let output = |output| numbers.iter().skip(output).step_by(cols).copied();
        let weights = (0..cols).flat_map(output).collect();
        Self { inputs: rows, weights, bias: vec![0.0; cols], norms: Vec::new() }
    }

    /// The identity: the product copies its input.
    pub(super) fn identity(size: usize) -> Self {
        let mut weights = vec![0.0; size * size];
        weights.iter_mut().step_by(size + 1).for_each(|w| *w = 1.0);
        Self { inputs: size, weights, bias: vec![0.0; size], norms: Vec::new() }
    }

    /// The number of outputs.
    pub(super) fn outputs(&self) -> usize {
        self.bias.len()
    }

    pub(super) const fn inputs(&self) -> usize {
        self.inputs
    }

    /// `[self | right]`.
    pub(super) fn beside(mut self, right: Self) -> Self {
        debug_assert_eq!(self.inputs, right.inputs);
        let outputs = self.outputs();
        self.weights.extend(right.weights);
        self.bias.extend(right.bias);
        self.norms.extend(right.norms.into_iter().map(|norm| {
            let columns = norm.columns.start + outputs..norm.columns.end + outputs;
            HostNorm { columns, ..norm }
        }));
        self
    }

    /// The weights of the inputs that `is_read` names; all others are zero.
    pub(super) fn of_inputs(mut self, is_read: impl Fn(usize) -> bool) -> Self {
        for row in self.weights.chunks_exact_mut(self.inputs) {
            row.iter_mut().enumerate().filter(|(input, _)| !is_read(*input)).for_each(|(_, w)| *w = 0.0);
        }
        self
    }

    /// The product without its finish, and the finish of a sum of such products.
    pub(super) fn split(self) -> (Self, Finish) {
        let bias = vec![0.0; self.outputs()];
        (Self { bias, norms: Vec::new(), ..self.clone() }, Finish(self))
    }

    /// Adds `bias` to the columns from `start` on: after the normalisation where there is one.
    fn plus(mut self, start: usize, bias: &[f32]) -> Self {
        for (column, b) in (start..).zip(bias) {
            match self.norms.iter_mut().find(|norm| norm.columns.contains(&column)) {
                Some(norm) => norm.shift[column - norm.columns.start] += b,
                None => self.bias[column] += b,
            }
        }
        self
    }

    /// Normalises over all columns together. A bias that was added before is inside.
    fn normalised(mut self, norm: NormParts<Tensor>) -> Self {
        debug_assert!(self.norms.is_empty());
        let outputs = self.outputs();
        let mut scale = norm.scale.numbers;
        scale.truncate(outputs); // that of a tanh cell is longer
        let shift = norm.shift.map_or_else(|| vec![0.0; outputs], |shift| shift.numbers);
        self.norms = vec![HostNorm { columns: 0..outputs, scale, shift, epsilon: norm.epsilon }];
        self
    }

    /// Brings the product to the device.
    pub(super) fn pack(self, packer: &mut Packer) -> Projection {
        self.pack_with(Activation::None, packer)
    }

    /// Brings the product to the device; a function follows, where nothing is normalised.
    pub(super) fn pack_with(self, activation: Activation, packer: &mut Packer) -> Projection {
        debug_assert!(activation == Activation::None || self.norms.is_empty());
        let w = HostMatrix::from_vec(self.outputs(), self.inputs, self.weights);
        let map = packer.cuda.device_map(&w, Some(&self.bias), activation, packer.numbers);
        Projection { map, norms: norms(self.norms, packer) }
    }
}

/// The finish of a sum of products, before it is on the device.
pub(super) struct Finish(Columns);

/// The finish of a sum of products.
pub(super) struct DeviceFinish {
    bias: Matrix,
    norms: Vec<Norm>,
}

fn norms(norms: Vec<HostNorm>, packer: &mut Packer) -> Vec<Norm> {
    let pack = |HostNorm { columns, scale, shift, epsilon }| {
        let [scale, shift] = [scale, shift].map(|numbers| packer.row(numbers));
        Norm { first: columns.start, scale, shift, epsilon }
    };
    norms.into_iter().map(pack).collect()
}

fn normalise(norms: &[Norm], cuda: &mut Cuda, y: &mut Matrix) {
    for Norm { first, scale, shift, epsilon } in norms {
        cuda.normalise_columns(y, *first, scale, shift, *epsilon);
    }
}

impl Finish {
    pub(super) fn pack(self, packer: &mut Packer) -> DeviceFinish {
        DeviceFinish { bias: packer.row(self.0.bias), norms: norms(self.0.norms, packer) }
    }
}

impl DeviceFinish {
    /// Completes sums of products.
    pub(super) fn run(&self, cuda: &mut Cuda, y: &mut Matrix) {
        cuda.add_row(y, &self.bias);
        normalise(&self.norms, cuda, y);
    }
}

impl Projection {
    /// Number of columns of the result.
    pub(super) const fn outputs(&self) -> usize {
        self.map.outputs()
    }

    /// The product with its finish, `rows of x × outputs`.
    pub(super) fn apply(&self, cuda: &mut Cuda, x: &Matrix) -> Matrix {
        self.apply_to_first(cuda, x, x.rows())
    }

    /// The product of the first `rows` rows of x.
    pub(super) fn apply_to_first(&self, cuda: &mut Cuda, x: &Matrix, rows: usize) -> Matrix {
        let mut y = cuda.take(rows, self.map.outputs());
        cuda.map_first_rows(&self.map, x, &mut y);
        normalise(&self.norms, cuda, &mut y);
        y
    }

    /// The product plus `add`, without normalisation.
    pub(super) fn apply_and_add(&self, cuda: &mut Cuda, x: &Matrix, add: &Matrix) -> Matrix {
        let mut y = cuda.take(x.rows(), self.map.outputs());
        cuda.map(&self.map, x, Some(add), &mut y);
        y
    }
}
