//! Products with parameters, in the requested precision of training.

use crate::parameter::{Parameter, TrainingPrecision};
use crate::storage::{Host, Storage};
use metaphrase_kernels::{self as kernels, Activation, Epilogue, Matrix, PackedMatrix};

/// A parameter W as the map x · W or x · Wᵀ.
#[derive(Debug)]
pub struct Weight<'a, P> {
    /// W.
    pub parameter: &'a P,
    /// Whether the map is x · Wᵀ.
    pub transposed: bool,
}

/// Products of matrices; x · W is short for the map of a [`Weight`].
pub trait Products: Storage {
    /// Sets the precision of all products from now on.
    fn set_precision(&mut self, precision: TrainingPrecision);

    /// y ← f(x · W + b), b `1 × outputs`: the products of a forward pass.
    fn linear(
        &mut self,
        x: &Self::Matrix,
        w: Weight<'_, Self::Parameter>,
        b: Option<&Self::Matrix>,
        f: Activation,
        y: &mut Self::Matrix,
    );

    /// sum ← sum + x · W, or x · W if `sum` is fresh: the products of gradients.
    fn product_add(&mut self, x: &Self::Matrix, w: Weight<'_, Self::Parameter>, sum: &mut Self::Matrix, fresh: bool);

    /// sum ← sum + xᵀ · y.
    fn transposed_product_add(&mut self, x: &Self::Matrix, y: &Self::Matrix, sum: &mut Self::Matrix);
}

impl<'a> Weight<'a, Parameter> {
    fn packed(&self, precision: TrainingPrecision) -> &'a PackedMatrix {
        self.parameter.packed(precision, self.transposed)
    }
}

impl Host {
    fn product(&mut self, x: &Matrix, w: &PackedMatrix, epilogue: Epilogue<'_>, y: &mut Matrix) {
        kernels::rounded_product(x, w, epilogue, y, &mut self.products);
    }
}

impl Products for Host {
    fn set_precision(&mut self, precision: TrainingPrecision) {
        self.precision = precision;
    }

    fn linear(&mut self, x: &Matrix, w: Weight<'_, Parameter>, b: Option<&Matrix>, f: Activation, y: &mut Matrix) {
        let epilogue = Epilogue { bias: b.map(Matrix::as_slice), add: None, activation: f };
        self.product(x, w.packed(self.precision), epilogue, y);
    }

    fn product_add(&mut self, x: &Matrix, w: Weight<'_, Parameter>, sum: &mut Matrix, fresh: bool) {
        let w = w.packed(self.precision.gradient_precision());
        if fresh {
            return self.product(x, w, Epilogue::default(), sum);
        }
        kernels::rounded_product_add(x, w, sum, &mut self.products);
    }

    fn transposed_product_add(&mut self, x: &Matrix, y: &Matrix, sum: &mut Matrix) {
        let precision = self.precision.gradient_precision().product_precision();
        kernels::transposed_product_add(precision, x, y, sum, &mut self.products);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(rows: usize, cols: usize) -> Matrix {
        Matrix::from_vec(rows, cols, (0..rows * cols).map(|i| (i as f32 * 0.7).sin()).collect())
    }

    /// x · W, and x · W added to ones.
    fn products(precision: TrainingPrecision, x: &Matrix, w: &Parameter) -> [Matrix; 2] {
        let mut host = Host::default();
        host.set_precision(precision);
        let (mut y, mut sum) = (Matrix::zeros(3, 40), Matrix::from_vec(3, 40, vec![1.0; 120]));
        host.linear(x, Weight { parameter: w, transposed: false }, None, Activation::None, &mut y);
        host.product_add(x, Weight { parameter: w, transposed: false }, &mut sum, false);
        [y, sum]
    }

    #[test]
    fn int8_rounds_forward_products_alone() {
        let (x, w) = (wave(3, 20), Parameter::new(wave(20, 40)));
        let [y, sum] = products(TrainingPrecision::Int8, &x, &w);
        let order = kernels::WeightOrder::InputsByOutputs;
        let int8 = PackedMatrix::pack(kernels::Precision::Int8, w.value().as_slice(), 20, 40, order);
        let mut expected = Matrix::zeros(3, 40);
        let mut storage = kernels::ProductStorage::default();
        kernels::rounded_product(&x, &int8, Epilogue::default(), &mut expected, &mut storage);
        assert_eq!(y.as_slice(), expected.as_slice());
        let [bf16, by_gradients] = products(TrainingPrecision::Bf16, &x, &w);
        assert_ne!(y.as_slice(), bf16.as_slice());
        assert_eq!(sum.as_slice(), by_gradients.as_slice());
    }
}
