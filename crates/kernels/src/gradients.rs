//! What training needs beside the products of translation.

use crate::elementwise::{add_assign, axpy};
use crate::isa::{Kernel, Simd, dispatch};
use crate::matrix::Matrix;
use crate::packed::{Layout, PackedMatrix};
use crate::product::{Epilogue, product};

impl PackedMatrix {
    /// Packs other weights into the same storage.
    ///
    /// # Panics
    /// If there are not `inputs · outputs` weights.
    pub fn repack(&mut self, weights: &[f32], inputs: usize, outputs: usize, layout: Layout) {
        *self = Self::pack(weights, inputs, outputs, layout);
    }
}

/// out ← out + x·w.
///
/// # Panics
/// If the shapes do not fit.
pub fn product_add(x: &Matrix, w: &PackedMatrix, out: &mut Matrix) {
    let mut result = Matrix::new();
    product(x, w, Epilogue::default(), &mut result);
    add_assign(out.as_mut_slice(), result.as_slice());
}

/// out ← out + xᵀ·y, for x `n × a`, y `n × b`, out `a × b`. `work` is storage.
///
/// # Panics
/// If the shapes do not fit.
pub fn transposed_product_add(x: &Matrix, y: &Matrix, out: &mut Matrix, work: &mut PackedMatrix) {
    let _ = work;
    for r in 0..x.rows() {
        for (i, &factor) in x.row(r).iter().enumerate() {
            axpy(factor, y.row(r), out.row_mut(i));
        }
    }
}

/// Runs `body` compiled for the widest instruction set of this CPU, so that plain loops over slices use it.
#[inline(always)]
pub fn vectorised<R>(body: impl FnOnce() -> R) -> R {
    struct Body<F>(F);
    impl<R, F: FnOnce() -> R> Kernel for Body<F> {
        type Output = R;
        #[inline(always)]
        fn run<S: Simd>(self, _: S) -> R {
            (self.0)()
        }
    }
    dispatch(Body(body))
}
