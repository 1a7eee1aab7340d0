//! The numbers that models compute with.

use crate::Weights;
use metaphrase_base::{Choice, Named};
use metaphrase_kernels as kernels;

/// The numbers of the products of a model: of its maps, its output layer and its embeddings. All other numbers are `f32`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floats.
    #[default]
    F32,
    /// The upper half of a 32-bit float. Faster than `F32` only on CPUs with AVX512-BF16.
    Bf16,
    /// Integers of 16 bits with a factor for each output, and for each row that is multiplied (Devlin 2017, §4.1).
    Int16,
    /// Integers of 8 bits with a factor for each output, and for each row that is multiplied.
    Int8,
    /// `Int8` for weights that are integers of 8 bits in their file, otherwise `F32`.
    Auto,
}

impl Choice for Precision {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::F32, "f32", "32-bit floats"),
        Named::new(Self::Bf16, "bf16", "16-bit floats, half the memory; fast where the CPU has AVX512-BF16"),
        Named::new(Self::Int16, "int16", "16-bit integers, half the memory; scores nearest to those of f32"),
        Named::new(Self::Int8, "int8", "8-bit integers, a quarter of the memory; two to three times as fast"),
        Named::new(Self::Auto, "auto", "int8 for models stored in int8, otherwise f32"),
    ];
}

impl Precision {
    /// The numbers for these weights.
    pub(crate) fn of(self, weights: &Weights) -> kernels::Precision {
        match self {
            Self::Auto if weights.has_int8() => kernels::Precision::Int8,
            Self::F32 | Self::Auto => kernels::Precision::F32,
            Self::Bf16 => kernels::Precision::Bf16,
            Self::Int16 => kernels::Precision::Int16,
            Self::Int8 => kernels::Precision::Int8,
        }
    }
}
