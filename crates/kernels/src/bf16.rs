//! Products of numbers rounded to bf16, with sums in f32: twice the products per cycle where the CPU has AVX512-BF16.
//!
//! bf16 is the upper half of an f32: 8 bits of precision, the same range. Neighbours along the inputs form pairs, since
//! one instruction adds the two products of a pair, the second first. Where a CPU lacks the instruction, the same sums are
//! computed in f32. Both give the same bits, except that the instruction takes subnormal numbers for zero. Training uses
//! bf16. Translation does not: the rounding of both factors would make its scores differ from those of other engines.

use crate::matrix::Matrix;
use crate::number::Bf16;
use crate::packed::{Panels, WeightOrder};
use crate::product::{Epilogue, product_add_of, product_of};
use crate::transposed::{ProductStorage, transposed_product_add_of};

/// The weights of a linear map rounded to bf16, packed for [`product_bf16`].
#[derive(Clone, Default)]
pub struct PackedBf16 {
    panels: Panels,
    inputs: usize,
}

impl PackedBf16 {
    /// Packs weights into the present storage: no allocation once the storage has been as large before.
    ///
    /// # Panics
    /// If there are not `inputs · outputs` weights.
    pub fn repack(&mut self, weights: &[f32], inputs: usize, outputs: usize, order: WeightOrder) {
        self.panels.fill::<Bf16>(weights, inputs, outputs, order);
        self.inputs = inputs;
    }

    /// Number of inputs.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.panels.outputs()
    }
}

impl std::fmt::Debug for PackedBf16 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PackedBf16({} × {})", self.inputs, self.outputs())
    }
}

/// [`crate::product`] of x and w rounded to bf16.
///
/// # Panics
/// If `x` does not have `w.inputs()` columns, or if `bias` or `add` does not have the shape of the result.
pub fn product_bf16(
    x: &Matrix,
    w: &PackedBf16,
    epilogue: Epilogue<'_>,
    out: &mut Matrix,
    storage: &mut ProductStorage,
) {
    assert_eq!(x.cols(), w.inputs, "columns of x");
    product_of::<Bf16>(x, &w.panels, epilogue, out, &mut storage.rows);
}

/// [`crate::product_add`] of x and w rounded to bf16.
///
/// # Panics
/// If `x` does not have `w.inputs()` columns, or if `out` is not `x.rows() × w.outputs()`.
pub fn product_add_bf16(x: &Matrix, w: &PackedBf16, out: &mut Matrix, storage: &mut ProductStorage) {
    assert_eq!(x.cols(), w.inputs, "columns of x");
    product_add_of::<Bf16>(x, &w.panels, out, &mut storage.rows);
}

/// [`crate::transposed_product_add`] of x and y rounded to bf16.
///
/// # Panics
/// If the shapes do not fit.
pub fn transposed_product_add_bf16(x: &Matrix, y: &Matrix, out: &mut Matrix, storage: &mut ProductStorage) {
    transposed_product_add_of::<Bf16>(x, y, out, storage);
}
