//! Linear maps `y = f(x · W + b)`.

use crate::{ModelError, Weights, config};
use metaphrase_kernels::{Activation, Epilogue, Matrix, PackedMatrix, WeightOrder, product};

/// A linear map with a bias and what follows it element by element.
pub(super) struct Dense {
    weights: PackedMatrix,
    bias: Vec<f32>,
    activation: Activation,
}

impl Dense {
    /// Reads `{prefix}_W{suffix}` (`inputs × outputs`) and `{prefix}_b{suffix}`.
    ///
    /// # Errors
    /// If a tensor is missing or of another shape.
    pub(super) fn load(
        weights: &Weights,
        prefix: &str,
        suffix: &str,
        inputs: usize,
        outputs: usize,
    ) -> Result<Self, ModelError> {
        let bias = weights.tensor(&format!("{prefix}_b{suffix}"))?.expect(&[1, outputs])?;
        let without = Self::load_without_bias(weights, prefix, suffix, inputs, outputs)?;
        Ok(Self { bias: bias.data.into_owned(), ..without })
    }

    /// Reads `{prefix}_W{suffix}` (`inputs × outputs`); the bias is zero.
    ///
    /// # Errors
    /// If the tensor is missing or of another shape.
    pub(super) fn load_without_bias(
        weights: &Weights,
        prefix: &str,
        suffix: &str,
        inputs: usize,
        outputs: usize,
    ) -> Result<Self, ModelError> {
        let matrix = weights.tensor(&format!("{prefix}_W{suffix}"))?.expect(&[inputs, outputs])?;
        let weights = PackedMatrix::pack(&matrix.data, inputs, outputs, WeightOrder::InputsByOutputs);
        Ok(Self { weights, bias: vec![0.0; outputs], activation: Activation::None })
    }

    /// The same map, followed by `activation`.
    pub(super) fn with_activation(self, activation: config::Activation) -> Self {
        let activation = match activation {
            config::Activation::Relu => Activation::Relu,
            config::Activation::Swish => Activation::Swish,
            config::Activation::Gelu => Activation::Gelu,
            config::Activation::Sigmoid => Activation::Sigmoid,
        };
        Self { activation, ..self }
    }

    /// `out = f(x · W + b)`, `rows × outputs`.
    pub(super) fn apply(&self, x: &Matrix, out: &mut Matrix) {
        let epilogue = Epilogue { bias: Some(&self.bias), activation: self.activation, add: None };
        product(x, &self.weights, epilogue, out);
    }

    /// `out = x · W + b + add`, for a map without activation.
    pub(super) fn apply_and_add(&self, x: &Matrix, add: &Matrix, out: &mut Matrix) {
        debug_assert_eq!(self.activation, Activation::None);
        let epilogue = Epilogue { bias: Some(&self.bias), add: Some(add), ..Epilogue::default() };
        product(x, &self.weights, epilogue, out);
    }

    /// Memory that the weights take.
    pub(super) fn bytes(&self) -> usize {
        self.weights.bytes() + size_of_val(&self.bias[..])
    }
}
