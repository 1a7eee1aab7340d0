//! Sums, products and functions of single numbers.

use crate::storage::{Host, Storage};
use metaphrase_kernels::{self as kernels, Activation, Matrix, vectorised};

/// Operations element by element, on matrices of one shape; "rows" (`1 × n`) meet each row.
pub trait Elementwise: Storage {
    /// y ← x.
    fn copy(&mut self, x: &Self::Matrix, y: &mut Self::Matrix);
    /// y ← y + x.
    fn add(&mut self, y: &mut Self::Matrix, x: &Self::Matrix);
    /// y ← a + b.
    fn sum_of(&mut self, a: &Self::Matrix, b: &Self::Matrix, y: &mut Self::Matrix) {
        self.copy(a, y);
        self.add(y, b);
    }
    /// y ← a · y + b · x.
    fn weighted_sum(&mut self, y: &mut Self::Matrix, x: &Self::Matrix, factors: [f32; 2]);
    /// y ← y · x.
    fn mul(&mut self, y: &mut Self::Matrix, x: &Self::Matrix);
    /// y ← y + row.
    fn add_row(&mut self, y: &mut Self::Matrix, row: &Self::Matrix);
    /// y ← f(y).
    fn activate(&mut self, f: Activation, y: &mut Self::Matrix);
    /// `grad` ← `grad` · f'(x), where `y = f(x)`. Only Swish and GELU read x: the others' value determines the
    /// derivative.
    fn derive(&mut self, f: Activation, x: &Self::Matrix, y: &Self::Matrix, grad: &mut Self::Matrix);
    /// y ← gate · a + (1 - gate) · b.
    fn mix(&mut self, gate: &Self::Matrix, a: &Self::Matrix, b: &Self::Matrix, y: &mut Self::Matrix);
    /// sum ← sum + a · b, or a · b if `sum` is fresh.
    fn add_product(&mut self, a: &Self::Matrix, b: &Self::Matrix, sum: &mut Self::Matrix, fresh: bool);
    /// sum ← sum + a · (1 - gate).
    fn add_rest(&mut self, a: &Self::Matrix, gate: &Self::Matrix, sum: &mut Self::Matrix);
    /// sum ← sum + x · (a - b).
    fn add_difference(&mut self, x: &Self::Matrix, a: &Self::Matrix, b: &Self::Matrix, sum: &mut Self::Matrix);
    /// The row `sum` ← sum + Σ_r x_r.
    fn add_all_rows(&mut self, x: &Self::Matrix, sum: &mut Self::Matrix);
}

/// Elements per block where a function needs a copy of its input.
const BLOCK: usize = 512;

impl Elementwise for Host {
    fn copy(&mut self, x: &Matrix, y: &mut Matrix) {
        y.as_mut_slice().copy_from_slice(x.as_slice());
    }

    fn add(&mut self, y: &mut Matrix, x: &Matrix) {
        kernels::add_assign(y.as_mut_slice(), x.as_slice());
    }

    fn weighted_sum(&mut self, y: &mut Matrix, x: &Matrix, [a, b]: [f32; 2]) {
        let all = y.as_mut_slice().iter_mut().zip(x.as_slice());
        vectorised(|| all.for_each(|(y, &x)| *y = a * *y + b * x));
    }

    fn mul(&mut self, y: &mut Matrix, x: &Matrix) {
        kernels::mul_assign(y.as_mut_slice(), x.as_slice());
    }

    fn add_row(&mut self, y: &mut Matrix, row: &Matrix) {
        (0..y.rows()).for_each(|r| kernels::add_assign(y.row_mut(r), row.as_slice()));
    }

    fn activate(&mut self, f: Activation, y: &mut Matrix) {
        f.apply(y.as_mut_slice());
    }

    fn derive(&mut self, f: Activation, x: &Matrix, y: &Matrix, grad: &mut Matrix) {
        let grad = grad.as_mut_slice();
        let pairs = grad.iter_mut().zip(y.as_slice());
        match f {
            Activation::None => {}
            Activation::Relu => vectorised(|| pairs.for_each(|(grad, &y)| *grad = if y > 0.0 { *grad } else { 0.0 })),
            Activation::ClippedRelu => vectorised(|| {
                pairs.for_each(|(grad, &y)| *grad = if y > 0.0 && y < kernels::RELU_LIMIT { *grad } else { 0.0 });
            }),
            Activation::Tanh => vectorised(|| pairs.for_each(|(grad, &y)| *grad *= 1.0 - y * y)),
            Activation::Sigmoid => vectorised(|| pairs.for_each(|(grad, &y)| *grad *= y * (1.0 - y))),
            Activation::Swish => derive_swish(x.as_slice(), grad),
            Activation::Gelu => derive_gelu(x.as_slice(), y.as_slice(), grad),
            Activation::GeluTanh => derive_gelu_tanh(x.as_slice(), grad),
        }
    }

    fn mix(&mut self, gate: &Matrix, a: &Matrix, b: &Matrix, y: &mut Matrix) {
        kernels::lerp(gate.as_slice(), b.as_slice(), a.as_slice(), y.as_mut_slice());
    }

    fn add_product(&mut self, a: &Matrix, b: &Matrix, sum: &mut Matrix, fresh: bool) {
        let all = sum.as_mut_slice().iter_mut().zip(a.as_slice()).zip(b.as_slice());
        vectorised(|| {
            if fresh {
                all.for_each(|((sum, &a), &b)| *sum = a * b);
            } else {
                all.for_each(|((sum, &a), &b)| *sum += a * b);
            }
        });
    }

    fn add_rest(&mut self, a: &Matrix, gate: &Matrix, sum: &mut Matrix) {
        let all = sum.as_mut_slice().iter_mut().zip(a.as_slice()).zip(gate.as_slice());
        vectorised(|| all.for_each(|((sum, &a), &gate)| *sum += a * (1.0 - gate)));
    }

    fn add_difference(&mut self, x: &Matrix, a: &Matrix, b: &Matrix, sum: &mut Matrix) {
        let all = sum.as_mut_slice().iter_mut().zip(x.as_slice()).zip(a.as_slice()).zip(b.as_slice());
        vectorised(|| all.for_each(|(((sum, &x), &a), &b)| *sum += x * (a - b)));
    }

    fn add_all_rows(&mut self, x: &Matrix, sum: &mut Matrix) {
        (0..x.rows()).for_each(|r| kernels::add_assign(sum.as_mut_slice(), x.row(r)));
    }
}

fn derive_swish(x: &[f32], grad: &mut [f32]) {
    for (grad, x) in grad.chunks_mut(BLOCK).zip(x.chunks(BLOCK)) {
        let mut sigmoid = [0.0; BLOCK];
        let sigmoid = &mut sigmoid[..x.len()];
        sigmoid.copy_from_slice(x);
        kernels::sigmoid_in_place(sigmoid);
        let all = grad.iter_mut().zip(x).zip(&*sigmoid);
        // σ + xσ(1 - σ)
        vectorised(|| all.for_each(|((grad, &x), &s)| *grad *= s * (1.0 + x * (1.0 - s))));
    }
}

fn derive_gelu(x: &[f32], y: &[f32], grad: &mut [f32]) {
    for (grad, (x, y)) in grad.chunks_mut(BLOCK).zip(x.chunks(BLOCK).zip(y.chunks(BLOCK))) {
        let mut density = [0.0; BLOCK];
        let density = &mut density[..x.len()];
        density.iter_mut().zip(x).for_each(|(d, &x)| *d = -0.5 * x * x);
        kernels::exp_in_place(density);
        const FACTOR: f32 = 0.398_942_3; // 1/√(2π)
        // Φ(x) + xφ(x), with Φ(x) = y/x.
        for (((grad, &x), &y), &d) in grad.iter_mut().zip(x).zip(y).zip(&*density) {
            let phi = if x == 0.0 { 0.5 } else { y / x };
            *grad *= phi + x * FACTOR * d;
        }
    }
}

/// The derivative of x · σ(u), u = 2√(2/π) · (x + 0.044715 x³), is σ(u) + x · σ(u) · (1 - σ(u)) · u'.
fn derive_gelu_tanh(x: &[f32], grad: &mut [f32]) {
    const TWICE: f32 = 1.595_769;
    const CUBE: f32 = 0.044_715;
    for (grad, &x) in grad.iter_mut().zip(x) {
        let mut sigmoid = [TWICE * (x + CUBE * x * x * x)];
        kernels::sigmoid_in_place(&mut sigmoid);
        let [s] = sigmoid;
        *grad *= s + x * s * (1.0 - s) * TWICE * (1.0 + 3.0 * CUBE * x * x);
    }
}
