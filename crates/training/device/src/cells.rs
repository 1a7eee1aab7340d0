//! The element-wise part of recurrent cells.

use crate::storage::{Host, Storage};
use metaphrase_kernels::{Matrix, mul_assign, sigmoid_in_place, tanh_in_place, vectorised};

/// The inputs of a gated recurrent unit: gates have `2d` columns (reset, update), the others `d`.
#[derive(Debug)]
pub struct GruForward<'a, M> {
    /// From the input: gates and candidate.
    pub input: [&'a M; 2],
    /// The first row of these that is read.
    pub from: usize,
    /// From the state: gates and candidate.
    pub state: [&'a M; 2],
    /// The state, `rows × d`.
    pub previous: &'a M,
}

/// The same for the backward pass.
#[derive(Debug)]
pub struct GruBackward<'a, M> {
    /// The values r, z and h of the way forward, `rows × 3d`.
    pub gates: &'a M,
    /// The candidate from the state.
    pub candidate: &'a M,
    /// The state before.
    pub previous: &'a M,
}

/// The inputs of a long short-term memory. The columns of a and u are forget, input, candidate, output.
#[derive(Debug)]
pub struct Lstm<'a, M> {
    /// From the input, `4d` columns.
    pub a: &'a M,
    /// The first row of a that is read.
    pub from: usize,
    /// From the state, `rows × 4d`.
    pub u: &'a M,
    /// The memory, `rows × d`: before, or for the output the new one.
    pub memory: &'a M,
}

/// Recurrent cells, row by row; σ is the logistic function.
pub trait Cells: Storage {
    /// r, z = σ(a_rz + u_rz), h = tanh(a_h + r · u_h), y = (1 - z) · h + z · s (Cho et al. 2014). r, z and h of each
    /// row are left in `gates`.
    fn gru(&mut self, inputs: GruForward<'_, Self::Matrix>, gates: &mut Self::Matrix, y: &mut Self::Matrix);

    /// Computes the derivatives by the sums under σ (`rows × 2d`) and tanh, and by u_h.
    fn gru_backward(
        &mut self,
        inputs: GruBackward<'_, Self::Matrix>,
        grad: &Self::Matrix,
        by_gates: &mut Self::Matrix,
        by_candidate: &mut Self::Matrix,
        by_state: &mut Self::Matrix,
    );

    /// Adds the derivative by the state s that does not go through the gates: sum ← sum + grad · z.
    fn add_kept(&mut self, grad: &Self::Matrix, gates: &Self::Matrix, sum: &mut Self::Matrix);

    /// The new memory: y = σ(a_f + u_f) · c + σ(a_i + u_i) · tanh(a_c + u_c).
    fn lstm_memory(&mut self, inputs: Lstm<'_, Self::Matrix>, y: &mut Self::Matrix);

    /// Computes the derivatives by the sums (`rows × 4d`) and by the memory before.
    fn lstm_memory_backward(
        &mut self,
        inputs: Lstm<'_, Self::Matrix>,
        grad: &Self::Matrix,
        by_sums: &mut Self::Matrix,
        by_memory: &mut Self::Matrix,
    );

    /// The output: y = σ(a_o + u_o) · tanh(c), c being the new memory.
    fn lstm_output(&mut self, inputs: Lstm<'_, Self::Matrix>, y: &mut Self::Matrix);

    /// Computes the derivatives by the sums and by the new memory.
    fn lstm_output_backward(
        &mut self,
        inputs: Lstm<'_, Self::Matrix>,
        y: &Self::Matrix,
        grad: &Self::Matrix,
        by_sums: &mut Self::Matrix,
        by_memory: &mut Self::Matrix,
    );
}

impl Cells for Host {
    fn gru(&mut self, inputs: GruForward<'_, Matrix>, gates: &mut Matrix, y: &mut Matrix) {
        let GruForward { input: [a_gates, a_candidate], from, state: [u_gates, u_candidate], previous } = inputs;
        let (rows, d) = (previous.rows(), previous.cols());
        for row in 0..rows {
            let (rz, h) = gates.row_mut(row).split_at_mut(2 * d);
            let sums = rz.iter_mut().zip(a_gates.row(from + row)).zip(u_gates.row(row));
            vectorised(|| sums.for_each(|((out, &a), &u)| *out = a + u));
            sigmoid_in_place(rz);
            let (r, z) = rz.split_at(d);
            let all = h.iter_mut().zip(a_candidate.row(from + row)).zip(u_candidate.row(row)).zip(r);
            vectorised(|| all.for_each(|(((h, &a), &u), &r)| *h = a + r * u));
            tanh_in_place(h);
            let all = y.row_mut(row).iter_mut().zip(&*h).zip(z).zip(previous.row(row));
            vectorised(|| all.for_each(|(((y, &h), &z), &s)| *y = (1.0 - z) * h + z * s));
        }
    }

    fn gru_backward(
        &mut self,
        inputs: GruBackward<'_, Matrix>,
        grad: &Matrix,
        by_gates: &mut Matrix,
        by_candidate: &mut Matrix,
        by_state: &mut Matrix,
    ) {
        let GruBackward { gates, candidate, previous } = inputs;
        let d = grad.cols();
        for row in 0..grad.rows() {
            let (r, rest) = gates.row(row).split_at(d);
            let (z, h) = rest.split_at(d);
            let (by_r, by_z) = by_gates.row_mut(row).split_at_mut(d);
            let gates = r.iter().zip(z).zip(h);
            let given = grad.row(row).iter().zip(previous.row(row)).zip(candidate.row(row));
            let out = by_r.iter_mut().zip(by_z).zip(by_candidate.row_mut(row)).zip(by_state.row_mut(row));
            vectorised(|| {
                for ((((&r, &z), &h), ((&grad, &s), &u)), (((by_r, by_z), by_h), by_u)) in gates.zip(given).zip(out) {
                    *by_z = grad * (s - h) * z * (1.0 - z);
                    *by_h = grad * (1.0 - z) * (1.0 - h * h);
                    *by_r = *by_h * u * r * (1.0 - r);
                    *by_u = *by_h * r;
                }
            });
        }
    }

    fn add_kept(&mut self, grad: &Matrix, gates: &Matrix, sum: &mut Matrix) {
        let d = grad.cols();
        for row in 0..grad.rows() {
            let all = sum.row_mut(row).iter_mut().zip(grad.row(row)).zip(&gates.row(row)[d..2 * d]);
            vectorised(|| all.for_each(|((sum, &grad), &z)| *sum += grad * z));
        }
    }

    fn lstm_memory(&mut self, inputs: Lstm<'_, Matrix>, y: &mut Matrix) {
        let d = y.cols();
        let mut gates = vec![0.0; 3 * d];
        for row in 0..y.rows() {
            inputs.gates(row, 0, &mut gates);
            let (f, rest) = gates.split_at(d);
            let (i, candidate) = rest.split_at(d);
            let all = y.row_mut(row).iter_mut().zip(f).zip(inputs.memory.row(row)).zip(i).zip(candidate);
            vectorised(|| all.for_each(|((((c, &f), &before), &i), &new)| *c = f * before + i * new));
        }
    }

    fn lstm_memory_backward(
        &mut self,
        inputs: Lstm<'_, Matrix>,
        grad: &Matrix,
        by_sums: &mut Matrix,
        by_memory: &mut Matrix,
    ) {
        let (rows, d) = (grad.rows(), grad.cols());
        by_sums.as_mut_slice().fill(0.0);
        let mut gates = vec![0.0; 3 * d];
        for row in 0..rows {
            inputs.gates(row, 0, &mut gates);
            let (before, sums) = (inputs.memory.row(row), by_sums.row_mut(row));
            for k in 0..d {
                let (f, i, c, grad) = (gates[k], gates[d + k], gates[2 * d + k], grad.row(row)[k]);
                sums[k] = grad * before[k] * f * (1.0 - f);
                sums[d + k] = grad * c * i * (1.0 - i);
                sums[2 * d + k] = grad * i * (1.0 - c * c);
                by_memory.row_mut(row)[k] = grad * f;
            }
        }
    }

    fn lstm_output(&mut self, inputs: Lstm<'_, Matrix>, y: &mut Matrix) {
        let mut gate = vec![0.0; y.cols()];
        y.as_mut_slice().copy_from_slice(inputs.memory.as_slice());
        tanh_in_place(y.as_mut_slice());
        for row in 0..y.rows() {
            inputs.gates(row, 3, &mut gate);
            mul_assign(y.row_mut(row), &gate);
        }
    }

    fn lstm_output_backward(
        &mut self,
        inputs: Lstm<'_, Matrix>,
        y: &Matrix,
        grad: &Matrix,
        by_sums: &mut Matrix,
        by_memory: &mut Matrix,
    ) {
        let (rows, d) = (grad.rows(), grad.cols());
        by_sums.as_mut_slice().fill(0.0);
        let (mut gate, mut tanh) = (vec![0.0; d], vec![0.0; d]);
        for row in 0..rows {
            inputs.gates(row, 3, &mut gate);
            tanh.copy_from_slice(inputs.memory.row(row));
            tanh_in_place(&mut tanh);
            for k in 0..d {
                let (o, grad) = (gate[k], grad.row(row)[k]);
                // d σ(x) = σ(1 - σ), and y = σ · tanh.
                by_sums.row_mut(row)[3 * d + k] = grad * y.row(row)[k] * (1.0 - o);
                by_memory.row_mut(row)[k] = grad * o * (1.0 - tanh[k] * tanh[k]);
            }
        }
    }
}

impl Lstm<'_, Matrix> {
    /// The gates from number `first` on, as many as `out` has room for; gate 2 is the candidate.
    fn gates(&self, row: usize, first: usize, out: &mut [f32]) {
        let d = self.a.cols() / 4;
        let columns = first * d..first * d + out.len();
        let sums = out.iter_mut().zip(&self.a.row(self.from + row)[columns.clone()]).zip(&self.u.row(row)[columns]);
        vectorised(|| sums.for_each(|((out, &a), &u)| *out = a + u));
        for (gate, out) in (first..).zip(out.chunks_exact_mut(d)) {
            if gate == 2 { tanh_in_place(out) } else { sigmoid_in_place(out) }
        }
    }
}
