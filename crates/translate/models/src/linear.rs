//! Linear maps `y = f(x · W + b)`, with weights of any precision.

use crate::weights::CheckedTensor;
use crate::{config, parts};
use metaphrase_base::count_product;
use metaphrase_kernels::{
    Activation, Epilogue, Matrix, Operand, PackedMatrix, ProductStorage, Summary, product, product_of_one,
};
use std::sync::Arc;

/// A linear map with a bias and what follows it element by element.
///
/// Weights that are integers read rows of integers. Rows that several maps read are rounded once: [`rows`](Self::rows),
/// then [`apply_to`](Self::apply_to) of each map.
#[derive(Debug, Default)]
pub(crate) struct Linear {
    /// Shared with the word embeddings where these are tied to the output layer.
    weights: Arc<PackedMatrix>,
    bias: Option<Vec<f32>>,
    activation: Activation,
}

impl Linear {
    /// The map of these weights, without activation.
    pub(crate) fn new(weights: impl Into<Arc<PackedMatrix>>, bias: Option<Vec<f32>>) -> Self {
        Self { weights: weights.into(), bias, activation: Activation::None }
    }

    /// The map of these tensors; without a bias it adds zero.
    pub(crate) fn pack(map: parts::transformer::Dense<CheckedTensor<'_>>) -> Self {
        let outputs = map.w.cols();
        let activation = match map.activation {
            None => Activation::None,
            Some(config::Activation::Relu) => Activation::Relu,
            Some(config::Activation::Swish) => Activation::Swish,
            Some(config::Activation::Gelu) => Activation::Gelu,
            Some(config::Activation::GeluTanh) => Activation::GeluTanh,
            Some(config::Activation::Sigmoid) => Activation::Sigmoid,
        };
        let bias = map.b.map_or_else(|| vec![0.0; outputs], CheckedTensor::into_numbers);
        Self { activation, ..Self::new(map.w.pack(), Some(bias)) }
    }

    /// One map of several without activations: output j is output `outputs[j].1` of map `outputs[j].0`, or always zero.
    pub(crate) fn gather(maps: &[Self], outputs: &[Option<(usize, usize)>]) -> Self {
        debug_assert!(maps.iter().all(|map| map.activation == Activation::None));
        let weights: Vec<&PackedMatrix> = maps.iter().map(|map| &*map.weights).collect();
        let bias = |&of: &Option<(usize, usize)>| of.and_then(|(map, output)| Some(maps[map].bias()?[output]));
        let bias = outputs.iter().map(|of| bias(of).unwrap_or(0.0)).collect();
        Self::new(PackedMatrix::gather(&weights, outputs), Some(bias))
    }

    /// The number of outputs.
    pub(crate) fn outputs(&self) -> usize {
        self.weights.outputs()
    }

    /// The weights, see [`PackedMatrix::by_output`].
    pub(crate) fn by_output(&self) -> Vec<f32> {
        self.weights.by_output()
    }

    /// Makes `selected` the map to these outputs only, in this order, in its present storage; `weights` are
    /// [`by_output`](Self::by_output).
    pub(crate) fn select(&self, weights: &[f32], outputs: &[u32], selected: &mut Self, gathered: &mut Vec<f32>) {
        if let Some(packed) = Arc::get_mut(&mut selected.weights) {
            self.weights.select_from(weights, outputs, packed, gathered);
        }
        let mut bias = selected.bias.take().unwrap_or_default();
        bias.clear();
        selected.bias = self.bias().map(|all| {
            bias.extend(outputs.iter().map(|&output| all[output as usize]));
            bias
        });
        selected.activation = self.activation;
    }

    /// The bias, if there is one.
    pub(crate) fn bias(&self) -> Option<&[f32]> {
        self.bias.as_deref()
    }

    /// The rows of `x` (`rows × inputs`) as this map reads them, and all others of the same precision.
    pub(crate) fn rows<'a>(&self, x: &'a Matrix, storage: &'a mut ProductStorage) -> Operand<'a> {
        storage.operand(x, self.weights.precision())
    }

    /// `out = f(x · W + b)`, `rows × outputs`.
    pub(crate) fn apply(&self, x: &Matrix, out: &mut Matrix, storage: &mut ProductStorage) {
        self.apply_to(self.rows(x, storage), out);
    }

    /// [`apply`](Self::apply) to rows that were made by [`rows`](Self::rows).
    pub(crate) fn apply_to(&self, x: Operand<'_>, out: &mut Matrix) {
        let epilogue = Epilogue { bias: self.bias(), activation: self.activation, add: None };
        self.finish(x, epilogue, out);
    }

    /// `out = x · W + b + add`, for a map without activation.
    pub(crate) fn apply_and_add(&self, x: &Matrix, add: &Matrix, out: &mut Matrix, storage: &mut ProductStorage) {
        debug_assert_eq!(self.activation, Activation::None);
        let epilogue = Epilogue { bias: self.bias(), add: Some(add), ..Epilogue::default() };
        self.finish(self.rows(x, storage), epilogue, out);
    }

    /// `out = x · W`. The map is linear, so the epilogue may be applied to sums of rows.
    pub(crate) fn product(&self, x: Operand<'_>, out: &mut Matrix) {
        self.finish(x, Epilogue::default(), out);
    }

    /// The summaries of the rows of `x · W + b`, for a map without activation.
    pub(crate) fn summarise(&self, x: Operand<'_>, most: usize, out: &mut Summary) {
        debug_assert_eq!(self.activation, Activation::None);
        count_product(x.rows(), self.weights.inputs(), self.weights.outputs());
        out.set_to_product(x, &self.weights, self.bias(), most);
    }

    /// One output of one row, for a map without activation.
    pub(crate) fn output(&self, row: Operand<'_>, output: usize) -> f32 {
        debug_assert_eq!(self.activation, Activation::None);
        count_product(1, self.weights.inputs(), 16);
        product_of_one(row, &self.weights, self.bias(), output)
    }

    fn finish(&self, x: Operand<'_>, epilogue: Epilogue<'_>, out: &mut Matrix) {
        count_product(x.rows(), self.weights.inputs(), self.weights.outputs());
        product(x, &self.weights, epilogue, out);
    }
}
