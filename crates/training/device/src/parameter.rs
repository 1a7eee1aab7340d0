//! Parameters, and the precision in which products read them.

use metaphrase_kernels::{self as kernels, Matrix, PackedMatrix, WeightOrder};
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

    /// The packed copy for x · W, or for x · Wᵀ if `transposed`.
    pub(crate) fn packed(&self, precision: TrainingPrecision, transposed: bool) -> &PackedMatrix {
        let which = usize::from(transposed);
        self.packed[precision as usize][which].get_or_init(|| {
            let mut packed = PackedMatrix::empty(precision.product_precision());
            renew(&mut packed, &self.value, ORDERS[which]);
            packed
        })
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
    pub(crate) const fn product_precision(self) -> kernels::Precision {
        match self {
            Self::F32 => kernels::Precision::F32,
            Self::Bf16 => kernels::Precision::Bf16,
            Self::Int8 => kernels::Precision::Int8,
        }
    }

    /// The precision of products that make gradients.
    pub(crate) const fn gradient_precision(self) -> Self {
        match self {
            Self::F32 => Self::F32,
            Self::Bf16 | Self::Int8 => Self::Bf16,
        }
    }
}
