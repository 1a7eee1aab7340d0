//! Linear maps `y = f(x · W + b)`.

use crate::weights::CheckedTensor;
use crate::{config, parts};
use metaphrase_base::count_product;
use metaphrase_kernels::{Activation, Epilogue, Matrix, PackedMatrix, product};

/// A linear map with a bias and what follows it element by element.
pub(super) struct Dense {
    weights: PackedMatrix,
    bias: Vec<f32>,
    activation: Activation,
}

impl Dense {
    /// The map of these tensors; without a bias it adds zero.
    pub(super) fn pack(map: parts::transformer::Dense<CheckedTensor<'_>>) -> Self {
        let outputs = map.w.cols();
        let activation = match map.activation {
            None => Activation::None,
            Some(config::Activation::Relu) => Activation::Relu,
            Some(config::Activation::Swish) => Activation::Swish,
            Some(config::Activation::Gelu) => Activation::Gelu,
            Some(config::Activation::Sigmoid) => Activation::Sigmoid,
        };
        let bias = map.b.map_or_else(|| vec![0.0; outputs], CheckedTensor::into_numbers);
        Self { weights: map.w.pack(), bias, activation }
    }

    /// `out = f(x · W + b)`, `rows × outputs`.
    pub(super) fn apply(&self, x: &Matrix, out: &mut Matrix) {
        count_product(x.rows(), self.weights.inputs(), self.weights.outputs());
        let epilogue = Epilogue { bias: Some(&self.bias), activation: self.activation, add: None };
        product(x, &self.weights, epilogue, out);
    }

    /// `out = x · W + b + add`, for a map without activation.
    pub(super) fn apply_and_add(&self, x: &Matrix, add: &Matrix, out: &mut Matrix) {
        debug_assert_eq!(self.activation, Activation::None);
        count_product(x.rows(), self.weights.inputs(), self.weights.outputs());
        let epilogue = Epilogue { bias: Some(&self.bias), add: Some(add), ..Epilogue::default() };
        product(x, &self.weights, epilogue, out);
    }
}
