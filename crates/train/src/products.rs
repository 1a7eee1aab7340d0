//! Products in the precision that training was asked for.

use metaphrase_kernels::{self as kernels, Epilogue, Layout, Matrix, PackedBf16, PackedMatrix, ProductStorage};
use serde::{Deserialize, Serialize};

/// What the factors of products are rounded to. Sums, parameters and everything else are `f32`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// Nothing.
    #[default]
    F32,
    /// bf16, the upper half of an `f32`. Twice as fast on CPUs with AVX512-BF16 (Zen 4, Cooper Lake and later), half as
    /// fast on others, with the same sums.
    Bf16,
}

/// A parameter as products read it.
#[derive(Debug, Clone)]
pub(crate) enum Packed {
    F32(PackedMatrix),
    Bf16(PackedBf16),
}

impl Packed {
    pub(crate) fn new(precision: Precision, value: &Matrix, layout: Layout) -> Self {
        let mut packed = match precision {
            Precision::F32 => Self::F32(PackedMatrix::default()),
            Precision::Bf16 => Self::Bf16(PackedBf16::default()),
        };
        packed.renew(value, layout);
        packed
    }

    /// Packs other numbers.
    pub(crate) fn renew(&mut self, value: &Matrix, layout: Layout) {
        let (inputs, outputs) = match layout {
            Layout::InputsByOutputs => (value.rows(), value.cols()),
            Layout::OutputsByInputs => (value.cols(), value.rows()),
        };
        match self {
            Self::F32(packed) => packed.repack(value.as_slice(), inputs, outputs, layout),
            Self::Bf16(packed) => packed.repack(value.as_slice(), inputs, outputs, layout),
        }
    }

    pub(crate) fn outputs(&self) -> usize {
        match self {
            Self::F32(packed) => packed.outputs(),
            Self::Bf16(packed) => packed.outputs(),
        }
    }
}

/// Products, and storage for them.
#[derive(Debug, Default)]
pub(crate) struct ProductWork(ProductStorage);

impl ProductWork {
    /// out ← f(x·w + b).
    pub(crate) fn product(&mut self, x: &Matrix, w: &Packed, epilogue: Epilogue<'_>, out: &mut Matrix) {
        match w {
            Packed::F32(w) => kernels::product(x, w, epilogue, out),
            Packed::Bf16(w) => kernels::product_bf16(x, w, epilogue, out, &mut self.0),
        }
    }

    /// out ← out + x·w.
    pub(crate) fn product_add(&mut self, x: &Matrix, w: &Packed, out: &mut Matrix) {
        match w {
            Packed::F32(w) => kernels::product_add(x, w, out),
            Packed::Bf16(w) => kernels::product_add_bf16(x, w, out, &mut self.0),
        }
    }

    /// out ← out + xᵀ·y.
    pub(crate) fn transposed_product_add(&mut self, precision: Precision, x: &Matrix, y: &Matrix, out: &mut Matrix) {
        match precision {
            Precision::F32 => kernels::transposed_product_add(x, y, out, &mut self.0),
            Precision::Bf16 => kernels::transposed_product_add_bf16(x, y, out, &mut self.0),
        }
    }
}
