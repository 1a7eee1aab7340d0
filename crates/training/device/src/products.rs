//! Products with parameters, in the requested precision of training.

use crate::storage::{Host, Storage};
use metaphrase_kernels::{self as kernels, Activation, Epilogue, Matrix, PackedMatrix, WeightOrder};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// The precision to which the factors of products are rounded. Sums, parameters and all other numbers are `f32`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainingPrecision {
    /// No rounding.
    #[default]
    F32,
    /// bf16, the upper half of an `f32`. Products are twice as fast on AMD's CPUs with AVX512-BF16 (Zen 4 and later),
    /// several times as fast on Intel's CPUs with AMX (with other last bits), and slower on other CPUs (0.5 to 0.9
    /// times as fast), with the same sums.
    Bf16,
    /// Forward products are those of a model that translates with `--precision int8`: rows and weights are rounded to 8
    /// bits, so that the network learns to do without the rest. Products of gradients are those of bf16, as if nothing
    /// had been rounded ("straight-through", Bengio et al. 2013). For the CPU alone: a GPU takes bf16.
    Int8,
}

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

/// A matrix, with the packed copies that products read on the CPU.
#[derive(Debug, Default)]
pub struct Parameter {
    value: Matrix,
    /// Packed copies for each precision: for x · W, and for x · Wᵀ. The first product makes its copy.
    packed: [[OnceLock<PackedMatrix>; 2]; 3],
}

/// The order of a parameter's numbers for x · W, and for x · Wᵀ.
const ORDERS: [WeightOrder; 2] = [WeightOrder::InputsByOutputs, WeightOrder::OutputsByInputs];

impl Parameter {
    /// A parameter of this value.
    #[must_use]
    pub fn new(value: Matrix) -> Self {
        Self { value, packed: Default::default() }
    }

    /// Its numbers.
    #[must_use]
    pub const fn value(&self) -> &Matrix {
        &self.value
    }

    /// Its numbers, to be changed: afterwards all functions of [`stale`](Self::stale) have to be called.
    pub const fn value_mut(&mut self) -> &mut Matrix {
        &mut self.value
    }

    /// Functions that renew the packed copies after the numbers have changed; threads may share them.
    pub fn stale(&mut self) -> impl Iterator<Item = impl FnOnce() + Send> {
        let value = &self.value;
        let parts = self.packed.iter_mut().flat_map(|packed| packed.iter_mut().zip(ORDERS));
        parts.filter_map(move |(packed, order)| packed.get_mut().map(|packed| move || renew(packed, value, order)))
    }
}

/// Packs other numbers.
fn renew(packed: &mut PackedMatrix, value: &Matrix, order: WeightOrder) {
    let (inputs, outputs) = match order {
        WeightOrder::InputsByOutputs => (value.rows(), value.cols()),
        WeightOrder::OutputsByInputs => (value.cols(), value.rows()),
    };
    packed.repack(value.as_slice(), inputs, outputs, order);
}

impl TrainingPrecision {
    /// The name of the kernels for it.
    const fn product_precision(self) -> kernels::Precision {
        match self {
            Self::F32 => kernels::Precision::F32,
            Self::Bf16 => kernels::Precision::Bf16,
            Self::Int8 => kernels::Precision::Int8,
        }
    }

    /// The precision of products that make gradients.
    const fn gradient_precision(self) -> Self {
        match self {
            Self::F32 => Self::F32,
            Self::Bf16 | Self::Int8 => Self::Bf16,
        }
    }
}

impl<'a> Weight<'a, Parameter> {
    fn packed(&self, precision: TrainingPrecision) -> &'a PackedMatrix {
        let which = usize::from(self.transposed);
        let Parameter { value, packed } = self.parameter;
        packed[precision as usize][which].get_or_init(|| {
            let mut packed = PackedMatrix::empty(precision.product_precision());
            renew(&mut packed, value, ORDERS[which]);
            packed
        })
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
        let int8 = PackedMatrix::pack(kernels::Precision::Int8, w.value().as_slice(), 20, 40, ORDERS[0]);
        let mut expected = Matrix::zeros(3, 40);
        let mut storage = kernels::ProductStorage::default();
        kernels::rounded_product(&x, &int8, Epilogue::default(), &mut expected, &mut storage);
        assert_eq!(y.as_slice(), expected.as_slice());
        let [bf16, by_gradients] = products(TrainingPrecision::Bf16, &x, &w);
        assert_ne!(y.as_slice(), bf16.as_slice());
        assert_eq!(sum.as_slice(), by_gradients.as_slice());
    }
}
