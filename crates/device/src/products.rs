//! Products with parameters, in the precision that training was asked for.

use crate::storage::{Host, Storage};
use metaphrase_kernels::{self as kernels, Activation, Epilogue, Matrix, PackedBf16, PackedMatrix, WeightOrder};
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
    packed: [[OnceLock<Packed>; 2]; 2],
}

/// The order of a parameter's numbers for x · W, and for x · Wᵀ.
const ORDERS: [WeightOrder; 2] = [WeightOrder::InputsByOutputs, WeightOrder::OutputsByInputs];

#[derive(Debug)]
enum Packed {
    F32(PackedMatrix),
    Bf16(PackedBf16),
}

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
        parts.filter_map(move |(packed, order)| packed.get_mut().map(|packed| move || packed.renew(value, order)))
    }
}

impl Packed {
    fn new(precision: Precision, value: &Matrix, order: WeightOrder) -> Self {
        let mut packed = match precision {
            Precision::F32 => Self::F32(PackedMatrix::default()),
            Precision::Bf16 => Self::Bf16(PackedBf16::default()),
        };
        packed.renew(value, order);
        packed
    }

    /// Packs other numbers.
    fn renew(&mut self, value: &Matrix, order: WeightOrder) {
        let (inputs, outputs) = match order {
            WeightOrder::InputsByOutputs => (value.rows(), value.cols()),
            WeightOrder::OutputsByInputs => (value.cols(), value.rows()),
        };
        match self {
            Self::F32(packed) => packed.repack(value.as_slice(), inputs, outputs, order),
            Self::Bf16(packed) => packed.repack(value.as_slice(), inputs, outputs, order),
        }
    }
}

impl<'a> Weight<'a, Parameter> {
    fn packed(&self, precision: Precision) -> &'a Packed {
        let which = usize::from(self.transposed);
        let Parameter { value, packed } = self.parameter;
        packed[precision as usize][which].get_or_init(|| Packed::new(precision, value, ORDERS[which]))
    }
}

impl Host {
    fn product(&mut self, x: &Matrix, w: &Weight<'_, Parameter>, epilogue: Epilogue<'_>, y: &mut Matrix) {
        match w.packed(self.precision) {
            Packed::F32(w) => kernels::product(x, w, epilogue, y),
            Packed::Bf16(w) => kernels::product_bf16(x, w, epilogue, y, &mut self.products),
        }
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
        match w.packed(self.precision) {
            Packed::F32(w) => kernels::product_add(x, w, sum),
            Packed::Bf16(w) => kernels::product_add_bf16(x, w, sum, &mut self.products),
        }
    }

    fn transposed_product_add(&mut self, x: &Matrix, y: &Matrix, sum: &mut Matrix) {
        match self.precision {
            Precision::F32 => kernels::transposed_product_add(x, y, sum, &mut self.products),
            Precision::Bf16 => kernels::transposed_product_add_bf16(x, y, sum, &mut self.products),
        }
    }
}
