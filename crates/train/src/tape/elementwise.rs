//! Sums, products and functions of single numbers.

use super::{Activation, Backward, Op, Tape, Var};
use crate::parameters::ParameterId;
use metaphrase_kernels::{self as kernels, Matrix, vectorised};

/// An operation element by element.
pub(super) enum Elementwise {
    /// a + b
    Add(Var, Var),
    /// a · b
    Mul(Var, Var),
    /// factor · x
    Scale(Var, f32),
    /// x + b in each row, b `1 × n`.
    AddRow(Var, ParameterId),
    /// x · s in each row, s `1 × n`.
    MulRow(Var, ParameterId),
    /// f(x), with a derivative that f(x) tells.
    Activate(Var, Activation),
    /// x · σ(x)
    Swish(Var),
    /// x · Φ(x)
    Gelu(Var),
    /// g · a + (1 - g) · b
    Mix { gate: Var, a: Var, b: Var },
}

impl Tape<'_> {
    /// a + b.
    pub fn add(&mut self, a: Var, b: Var) -> Var {
        let mut y = self.copy(a);
        kernels::add_assign(y.as_mut_slice(), self.value(b).as_slice());
        self.push(y, Op::Elementwise(Elementwise::Add(a, b)))
    }

    /// a · b, element by element.
    pub fn mul(&mut self, a: Var, b: Var) -> Var {
        let mut y = self.copy(a);
        kernels::mul_assign(y.as_mut_slice(), self.value(b).as_slice());
        self.push(y, Op::Elementwise(Elementwise::Mul(a, b)))
    }

    /// factor · x.
    pub fn scale(&mut self, x: Var, factor: f32) -> Var {
        let mut y = self.copy(x);
        kernels::scale(factor, y.as_mut_slice());
        self.push(y, Op::Elementwise(Elementwise::Scale(x, factor)))
    }

    /// x + b in each row.
    pub fn add_row(&mut self, x: Var, b: ParameterId) -> Var {
        let mut y = self.copy(x);
        let b_value = self.parameters.value(b);
        (0..y.rows()).for_each(|r| kernels::add_assign(y.row_mut(r), b_value.as_slice()));
        self.push(y, Op::Elementwise(Elementwise::AddRow(x, b)))
    }

    /// x · s in each row, element by element.
    pub fn mul_row(&mut self, x: Var, s: ParameterId) -> Var {
        let mut y = self.copy(x);
        let s_value = self.parameters.value(s);
        (0..y.rows()).for_each(|r| kernels::mul_assign(y.row_mut(r), s_value.as_slice()));
        self.push(y, Op::Elementwise(Elementwise::MulRow(x, s)))
    }

    /// f(x).
    pub fn activate(&mut self, x: Var, f: Activation) -> Var {
        let mut y = self.copy(x);
        match f {
            Activation::None => {}
            Activation::Relu => kernels::relu_in_place(y.as_mut_slice()),
            Activation::Tanh => kernels::tanh_in_place(y.as_mut_slice()),
            Activation::Sigmoid => kernels::sigmoid_in_place(y.as_mut_slice()),
        }
        self.push(y, Op::Elementwise(Elementwise::Activate(x, f)))
    }

    /// x · σ(x).
    pub fn swish(&mut self, x: Var) -> Var {
        let mut y = self.copy(x);
        kernels::swish_in_place(y.as_mut_slice());
        self.push(y, Op::Elementwise(Elementwise::Swish(x)))
    }

    /// x · Φ(x), Φ the standard normal distribution function.
    pub fn gelu(&mut self, x: Var) -> Var {
        let mut y = self.copy(x);
        kernels::gelu_in_place(y.as_mut_slice());
        self.push(y, Op::Elementwise(Elementwise::Gelu(x)))
    }

    /// gate · a + (1 - gate) · b.
    pub fn mix(&mut self, gate: Var, a: Var, b: Var) -> Var {
        let (rows, cols) = self.shape(gate);
        let mut y = self.take(rows, cols);
        let [gate_value, a_value, b_value] = [gate, a, b].map(|x| self.value(x).as_slice());
        kernels::lerp(gate_value, b_value, a_value, y.as_mut_slice());
        self.push(y, Op::Elementwise(Elementwise::Mix { gate, a, b }))
    }

    pub(super) fn copy(&mut self, x: Var) -> Matrix {
        let (rows, cols) = self.shape(x);
        let mut copy = self.take(rows, cols);
        copy.as_mut_slice().copy_from_slice(self.value(x).as_slice());
        copy
    }
}

impl Elementwise {
    /// May change `grad`, which nobody reads afterwards.
    pub(super) fn backward(&self, own: Var, grad: &mut Matrix, to: &mut Backward<'_>) {
        match *self {
            Self::Add(a, b) => {
                to.add_slice(a, grad.as_slice());
                to.add_slice(b, grad.as_slice());
            }
            Self::Mul(a, b) => {
                let values = to.values;
                add_product(to, a, grad.as_slice(), values[b.index()].as_slice());
                add_product(to, b, grad.as_slice(), values[a.index()].as_slice());
            }
            Self::Scale(x, factor) => {
                kernels::scale(factor, grad.as_mut_slice());
                to.add_slice(x, grad.as_slice());
            }
            Self::AddRow(x, b) => {
                to.add_rows_to_parameter(b, grad);
                to.add_slice(x, grad.as_slice());
            }
            Self::MulRow(x, s) => {
                let value = &to.values[x.index()];
                let sum = to.gradients.get_mut(s).as_mut_slice();
                for r in 0..grad.rows() {
                    let row = sum.iter_mut().zip(grad.row(r)).zip(value.row(r));
                    vectorised(|| row.for_each(|((sum, &grad), &x)| *sum += grad * x));
                }
                let scale = to.parameters.value(s).as_slice();
                (0..grad.rows()).for_each(|r| kernels::mul_assign(grad.row_mut(r), scale));
                to.add_slice(x, grad.as_slice());
            }
            Self::Activate(x, f) => {
                f.derive(to.values[own.index()].as_slice(), grad.as_mut_slice());
                to.add_slice(x, grad.as_slice());
            }
            Self::Swish(x) => {
                let value = to.values[x.index()].as_slice();
                for (grad, x) in grad.as_mut_slice().chunks_mut(BLOCK).zip(value.chunks(BLOCK)) {
                    let mut sigmoid = [0.0; BLOCK];
                    let sigmoid = &mut sigmoid[..x.len()];
                    sigmoid.copy_from_slice(x);
                    kernels::sigmoid_in_place(sigmoid);
                    let all = grad.iter_mut().zip(x).zip(&*sigmoid);
                    // σ + xσ(1 - σ)
                    vectorised(|| all.for_each(|((grad, &x), &s)| *grad *= s * (1.0 + x * (1.0 - s))));
                }
                to.add_slice(x, grad.as_slice());
            }
            Self::Gelu(x) => {
                let (value, y) = (to.values[x.index()].as_slice(), to.values[own.index()].as_slice());
                for ((grad, x), y) in
                    grad.as_mut_slice().chunks_mut(BLOCK).zip(value.chunks(BLOCK)).zip(y.chunks(BLOCK))
                {
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
                to.add_slice(x, grad.as_slice());
            }
            Self::Mix { gate, a, b } => {
                let values = to.values;
                let [g, a_value, b_value] = [gate, a, b].map(|x| values[x.index()].as_slice());
                add_product(to, a, grad.as_slice(), g);
                to.add_to_part(b, |sum, _| {
                    let all = sum.as_mut_slice().iter_mut().zip(grad.as_slice()).zip(g);
                    vectorised(|| all.for_each(|((sum, &grad), &g)| *sum += grad * (1.0 - g)));
                });
                to.add_to_part(gate, |sum, _| {
                    let all = sum.as_mut_slice().iter_mut().zip(grad.as_slice()).zip(a_value).zip(b_value);
                    vectorised(|| all.for_each(|(((sum, &grad), &a), &b)| *sum += grad * (a - b)));
                });
            }
        }
    }
}

/// Elements that are worked on together where a function needs a copy.
const BLOCK: usize = 512;

/// Adds a · b to the derivative by `x`.
fn add_product(to: &mut Backward<'_>, x: Var, a: &[f32], b: &[f32]) {
    to.add_to(x, |sum, fresh, _| {
        let all = sum.as_mut_slice().iter_mut().zip(a).zip(b);
        vectorised(|| {
            if fresh {
                all.for_each(|((sum, &a), &b)| *sum = a * b);
            } else {
                all.for_each(|((sum, &a), &b)| *sum += a * b);
            }
        });
    });
}
