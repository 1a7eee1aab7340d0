//! Products with parameters, in the precision that training was asked for.

use crate::storage::{Host, Storage};
use metaphrase_kernels::{self as kernels, Activation, Epilogue, Matrix, PackedMatrix, WeightOrder};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// The precision to which the factors of products are rounded. Sums, parameters and all other numbers are `f32`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// No rounding.
    #[default]
    F32,
    /// bf16, the upper half of an `f32`. Products are twice as fast on CPUs with AVX512-BF16 (Zen 4, Cooper Lake and later),
    /// and half as fast on other CPUs, with the same sums.
    Bf16,
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
    fn set_precision(&mut self, precision: Precision);

    /// y ← f(x · W + b), b `1 × outputs`.
    fn linear(
        &mut self,
        x: &Self::Matrix,
        w: Weight<'_, Self::Parameter>,
        b: Option<&Self::Matrix>,
        f: Activation,
        y: &mut Self::Matrix,
    );

    /// sum ← sum + x · W, or x · W if `sum` is fresh.
    fn product_add(&mut self, x: &Self::Matrix, w: Weight<'_, Self::Parameter>, sum: &mut Self::Matrix, fresh: bool);

    /// sum ← sum + xᵀ · y.
    fn transposed_product_add(&mut self, x: &Self::Matrix, y: &Self::Matrix, sum: &mut Self::Matrix);
}

/// A matrix, with the packed copies that products read on the CPU.
#[derive(Debug, Default)]
pub struct Parameter {
    value: Matrix,
    /// Packed copies for each precision: for x · W, and for x · Wᵀ. The first product makes its copy.
    packed: [[OnceLock<PackedMatrix>; 2]; 2],
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

impl Precision {
    /// The name of the kernels for it.
    const fn of_products(self) -> kernels::Precision {
        match self {
            Self::F32 => kernels::Precision::F32,
            Self::Bf16 => kernels::Precision::Bf16,
        }
    }
}

impl<'a> Weight<'a, Parameter> {
    fn packed(&self, precision: Precision) -> &'a PackedMatrix {
        let which = usize::from(self.transposed);
        let Parameter { value, packed } = self.parameter;
        packed[precision as usize][which].get_or_init(|| {
            let mut packed = PackedMatrix::empty(precision.of_products());
            renew(&mut packed, value, ORDERS[which]);
            packed
        })
    }
}

impl Host {
    fn product(&mut self, x: &Matrix, w: &Weight<'_, Parameter>, epilogue: Epilogue<'_>, y: &mut Matrix) {
        kernels::rounded_product(x, w.packed(self.precision), epilogue, y, &mut self.products);
    }
}

impl Products for Host {
    fn set_precision(&mut self, precision: Precision) {
        self.precision = precision;
    }

    fn linear(&mut self, x: &Matrix, w: Weight<'_, Parameter>, b: Option<&Matrix>, f: Activation, y: &mut Matrix) {
        self.product(x, &w, Epilogue { bias: b.map(Matrix::as_slice), add: None, activation: f }, y);
    }

    fn product_add(&mut self, x: &Matrix, w: Weight<'_, Parameter>, sum: &mut Matrix, fresh: bool) {
        if fresh {
            return self.product(x, &w, Epilogue::default(), sum);
        }
        kernels::rounded_product_add(x, w.packed(self.precision), sum, &mut self.products);
    }

    fn transposed_product_add(&mut self, x: &Matrix, y: &Matrix, sum: &mut Matrix) {
        kernels::transposed_product_add(self.precision.of_products(), x, y, sum, &mut self.products);
    }
}
