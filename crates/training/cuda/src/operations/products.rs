//! Products, by cuBLAS. cuBLAS reads matrices column by column, so a `rows × cols` matrix here is `cols × rows` there.

#![allow(unsafe_code)] // launches products

use super::{is_shaped, shape};
use crate::launch::Gemm;
use crate::{Cuda, Matrix};
use metaphrase_device::{Activation, Products, Shape, TrainingPrecision, Weight};

impl Cuda {
    /// y ← x · W + β · y, that is yᵀ ← Wᵀ · xᵀ + β · yᵀ.
    fn product(&mut self, x: &Matrix, w: &Weight<'_, Matrix>, beta: f32, y: &mut Matrix) {
        let (rows, inputs) = shape(x);
        let (w_rows, outputs) = shape(w.parameter);
        let (w_rows, outputs) = if w.transposed { (outputs, w_rows) } else { (w_rows, outputs) };
        assert_eq!(inputs, w_rows, "inputs of a product");
        is_shaped(y, rows, outputs);
        let gemm = Gemm {
            transposed: [w.transposed, false],
            m: outputs,
            n: rows,
            k: inputs,
            a: w.parameter.read(),
            lda: w.parameter.cols(),
            b: x.read(),
            ldb: inputs,
            beta,
            c: y.write(),
            ldc: outputs,
            bf16: false,
        };
        self.gemm([w.parameter, x], gemm);
    }

    /// A product of these two factors, which are rounded to bf16 where the precision is less than f32. So the
    /// same is rounded in each product; cuBLAS' own rounding (`CUBLAS_COMPUTE_32F_FAST_16BF`) depends on the shape.
    fn gemm(&mut self, [a, b]: [&Matrix; 2], gemm: Gemm) {
        let changes_nothing = gemm.m == 0 || gemm.n == 0 || (gemm.k == 0 && gemm.beta == 1.0);
        if changes_nothing {
            return;
        }
        self.multiply_adds += (gemm.m * gemm.n * gemm.k) as u64;
        if self.precision == TrainingPrecision::F32 {
            // SAFETY: the two callers have compared the shapes.
            return self.run(|backend| unsafe { backend.gemm(gemm) });
        }
        let [a, b] = [a, b].map(|factor| self.in_bf16(factor));
        let gemm = Gemm { a, b, bf16: true, ..gemm };
        // SAFETY: as above; the rounded factors have the same shapes.
        self.run(|backend| unsafe { backend.gemm(gemm) });
    }
}

impl Products for Cuda {
    fn set_precision(&mut self, precision: TrainingPrecision) {
        self.precision = precision;
    }

    fn linear(&mut self, x: &Matrix, w: Weight<'_, Matrix>, b: Option<&Matrix>, f: Activation, y: &mut Matrix) {
        self.product(x, &w, 0.0, y);
        if b.is_some() || f != Activation::None {
            self.finish(y, b, f);
        }
    }

    fn product_add(&mut self, x: &Matrix, w: Weight<'_, Matrix>, sum: &mut Matrix, fresh: bool) {
        self.product(x, &w, if fresh { 0.0 } else { 1.0 }, sum);
    }

    /// sumᵀ ← sumᵀ + yᵀ · x.
    fn transposed_product_add(&mut self, x: &Matrix, y: &Matrix, sum: &mut Matrix) {
        let ((rows, inputs), outputs) = (shape(x), y.cols());
        is_shaped(y, rows, outputs);
        is_shaped(sum, inputs, outputs);
        let gemm = Gemm {
            transposed: [false, true],
            m: outputs,
            n: inputs,
            k: rows,
            a: y.read(),
            lda: outputs,
            b: x.read(),
            ldb: inputs,
            beta: 1.0,
            c: sum.write(),
            ldc: outputs,
            bf16: false,
        };
        self.gemm([y, x], gemm);
    }
}
