//! The numbers that models compute with.

use metaphrase_base::{Choice, Named};
use metaphrase_kernels as kernels;
use serde::{Deserialize, Serialize};

/// The numbers of the products of a model: of its maps, its output layer and its embeddings. All other numbers are
/// `f32`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// 32-bit floats.
    #[default]
    F32,
    /// The upper half of a 32-bit float. Faster than `F32` only on AMD's CPUs with AVX512-BF16 (Zen 4 and later).
    Bf16,
    /// Integers of 16 bits with a factor for each output, and for each row that is multiplied (Devlin 2017, §4.1).
    Int16,
    /// Integers of 8 bits with a factor for each output, and for each row that is multiplied.
    Int8,
}

impl Choice for Precision {
    const ALL: &'static [Named<Self>] = &[
        Named::new(Self::F32, "f32", "32-bit floats"),
        Named::new(Self::Bf16, "bf16", "16-bit floats, half the memory; fast on AMD's CPUs with AVX512-BF16"),
        Named::new(Self::Int16, "int16", "16-bit integers, half the memory; scores nearest to those of f32"),
        Named::new(Self::Int8, "int8", "8-bit integers, a quarter of the memory; two to three times as fast"),
    ];
}

impl From<Precision> for kernels::Precision {
    fn from(precision: Precision) -> Self {
        match precision {
            Precision::F32 => Self::F32,
            Precision::Bf16 => Self::Bf16,
            Precision::Int16 => Self::Int16,
            Precision::Int8 => Self::Int8,
        }
    }
}
