//! The operations on the values of a product before they are stored.

use crate::elementwise::{
    clipped_relu_in_place, gelu_in_place, gelu_tanh_in_place, relu_in_place, sigmoid_in_place, swish_in_place,
    tanh_in_place,
};
use crate::matrix::Matrix;

/// The function that is applied to each value at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activation {
    /// No function.
    #[default]
    None,
    /// See [`crate::relu_in_place`].
    Relu,
    /// See [`crate::clipped_relu_in_place`].
    ClippedRelu,
    /// See [`crate::swish_in_place`].
    Swish,
    /// See [`crate::gelu_in_place`].
    Gelu,
    /// See [`crate::tanh_in_place`].
    Tanh,
    /// See [`crate::sigmoid_in_place`].
    Sigmoid,
    /// See [`crate::gelu_tanh_in_place`].
    GeluTanh,
}

impl Activation {
    /// Applies the function to each value.
    pub fn apply(self, values: &mut [f32]) {
        match self {
            Self::None => {}
            Self::Relu => relu_in_place(values),
            Self::ClippedRelu => clipped_relu_in_place(values),
            Self::Swish => swish_in_place(values),
            Self::Gelu => gelu_in_place(values),
            Self::GeluTanh => gelu_tanh_in_place(values),
            Self::Tanh => tanh_in_place(values),
            Self::Sigmoid => sigmoid_in_place(values),
        }
    }
}

/// The operations on the values of a product before they are stored: activation(x·w + bias + add). By default none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Epilogue<'a> {
    /// One value for each output.
    pub bias: Option<&'a [f32]>,
    /// A matrix of the result's shape.
    pub add: Option<&'a Matrix>,
    /// The function applied last.
    pub activation: Activation,
}

impl Epilogue<'_> {
    /// # Panics
    /// If bias or addend do not fit a result of this shape.
    pub(crate) fn check(&self, rows: usize, outputs: usize) {
        if let Some(bias) = self.bias {
            assert_eq!(bias.len(), outputs, "length of the bias");
        }
        if let Some(add) = self.add {
            assert_eq!((add.rows(), add.cols()), (rows, outputs), "shape of what is added");
        }
    }
}
