//! The element-wise part of recurrent cells.

use super::{Backward, Op, Tape, Var};
use metaphrase_kernels::{Matrix, sigmoid_in_place, tanh_in_place, vectorised};

/// A recurrent cell, row by row; σ is the logistic function. What comes from the input (`a`) may belong to more rows
/// than there are: those from row `from` on are read.
pub(super) enum Cell {
    Gru(Box<Gru>),
    /// c' = σ(a_f + u_f) · c + σ(a_i + u_i) · tanh(a_c + u_c), the columns of a and u being f, i, c, o.
    LstmMemory(Lstm),
    /// s' = σ(a_o + u_o) · tanh(c').
    LstmOutput(Lstm),
}

/// r, z = σ(a_rz + u_rz), h = tanh(a_h + r · u_h), s' = (1 - z) · h + z · s (Cho et al. 2014).
pub(super) struct Gru {
    inputs: GruInputs,
    /// r, z and h of each row.
    gates: Matrix,
}

/// What a GRU reads.
#[derive(Debug, Clone, Copy)]
pub struct GruInputs {
    /// From the input: gates (`2d` columns, reset and update) and candidate (`d` columns).
    pub input: [Var; 2],
    /// The first row of these that is read.
    pub from: usize,
    /// From the state: gates and candidate.
    pub state: [Var; 2],
    /// The state, `rows × d`.
    pub previous: Var,
}

/// The inputs of an LSTM: a, its first row that is read, u, and c or c'.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lstm {
    a: Var,
    from: usize,
    u: Var,
    memory: Var,
}

impl Cell {
    /// What goes back into the pool.
    pub(super) fn into_kept(self) -> Option<Matrix> {
        match self {
            Self::Gru(gru) => Some(gru.gates),
            _ => None,
        }
    }

    pub(super) fn backward(&self, own: Var, grad: &Matrix, to: &mut Backward<'_>) {
        match self {
            Self::Gru(gru) => gru.backward(grad, to),
            Self::LstmMemory(lstm) => lstm.memory_backward(grad, to),
            Self::LstmOutput(lstm) => lstm.output_backward(own, grad, to),
        }
    }
}

impl Tape<'_> {
    /// The new state of a gated recurrent unit, `rows × d`.
    pub fn gru(&mut self, inputs: GruInputs) -> Var {
        let (rows, d) = self.shape(inputs.previous);
        let mut gates = self.take(rows, 3 * d);
        let mut y = self.take(rows, d);
        let [a_gates, a_candidate] = inputs.input.map(|x| self.value(x));
        let [u_gates, u_candidate] = inputs.state.map(|x| self.value(x));
        let previous = self.value(inputs.previous);
        for row in 0..rows {
            let (rz, h) = gates.row_mut(row).split_at_mut(2 * d);
            let sums = rz.iter_mut().zip(a_gates.row(inputs.from + row)).zip(u_gates.row(row));
            vectorised(|| sums.for_each(|((out, &a), &u)| *out = a + u));
            sigmoid_in_place(rz);
            let (r, z) = rz.split_at(d);
            let all = h.iter_mut().zip(a_candidate.row(inputs.from + row)).zip(u_candidate.row(row)).zip(r);
            vectorised(|| all.for_each(|(((h, &a), &u), &r)| *h = a + r * u));
            tanh_in_place(h);
            let all = y.row_mut(row).iter_mut().zip(&*h).zip(z).zip(previous.row(row));
            vectorised(|| all.for_each(|(((y, &h), &z), &s)| *y = (1.0 - z) * h + z * s));
        }
        self.push(y, Op::Cell(Cell::Gru(Box::new(Gru { inputs, gates }))))
    }

    /// Output and memory of a long short-term memory, `rows × d` each, from `a` (rows from `from` on), `u` and the
    /// memory before. The columns of a and u are the gates forget, input, candidate, output.
    pub fn lstm(&mut self, a: Var, from: usize, u: Var, memory: Var) -> (Var, Var) {
        let (rows, d) = self.shape(memory);
        let mut c = self.take(rows, d);
        let op = Lstm { a, from, u, memory };
        let mut gates = vec![0.0; 3 * d];
        for row in 0..rows {
            op.gates(self.value(a), self.value(u), row, 0, &mut gates);
            let (f, rest) = gates.split_at(d);
            let (i, candidate) = rest.split_at(d);
            let all = c.row_mut(row).iter_mut().zip(f).zip(self.value(memory).row(row)).zip(i).zip(candidate);
            vectorised(|| all.for_each(|((((c, &f), &before), &i), &new)| *c = f * before + i * new));
        }
        let memory = self.push(c, Op::Cell(Cell::LstmMemory(op)));
        let op = Lstm { memory, ..op };
        let mut y = self.copy(memory);
        tanh_in_place(y.as_mut_slice());
        for row in 0..rows {
            op.gates(self.value(a), self.value(u), row, 3, &mut gates[..d]);
            metaphrase_kernels::mul_assign(y.row_mut(row), &gates[..d]);
        }
        (self.push(y, Op::Cell(Cell::LstmOutput(op))), memory)
    }
}

impl Gru {
    fn backward(&self, grad: &Matrix, to: &mut Backward<'_>) {
        let GruInputs { input, from, state, previous } = self.inputs;
        let (rows, d) = (grad.rows(), grad.cols());
        let values = to.values;
        let (before, u) = (&values[previous.index()], &values[state[1].index()]);
        // Derivatives by the sums under σ and tanh, and by u_h.
        let mut by_gates = to.workspace.pool.take(rows, 2 * d);
        let mut by_candidate = to.workspace.pool.take(rows, d);
        let mut by_state = to.workspace.pool.take(rows, d);
        for row in 0..rows {
            let (r, rest) = self.gates.row(row).split_at(d);
            let (z, h) = rest.split_at(d);
            let (by_r, by_z) = by_gates.row_mut(row).split_at_mut(d);
            let gates = r.iter().zip(z).zip(h);
            let given = grad.row(row).iter().zip(before.row(row)).zip(u.row(row));
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
        to.add_rows(input[0], from, &by_gates);
        to.add_rows(input[1], from, &by_candidate);
        to.add_slice(state[0], by_gates.as_slice());
        to.add_slice(state[1], by_state.as_slice());
        to.add_to_part(previous, |sum, _| {
            for row in 0..rows {
                let all = sum.row_mut(row).iter_mut().zip(grad.row(row)).zip(&self.gates.row(row)[d..2 * d]);
                vectorised(|| all.for_each(|((sum, &grad), &z)| *sum += grad * z));
            }
        });
        [by_gates, by_candidate, by_state].into_iter().for_each(|matrix| to.workspace.pool.give(matrix));
    }
}

impl Lstm {
    /// The gates from number `first` on, as many as `out` has room for; gate 2 is the candidate.
    fn gates(&self, a: &Matrix, u: &Matrix, row: usize, first: usize, out: &mut [f32]) {
        let d = a.cols() / 4;
        let columns = first * d..first * d + out.len();
        let sums = out.iter_mut().zip(&a.row(self.from + row)[columns.clone()]).zip(&u.row(row)[columns]);
        vectorised(|| sums.for_each(|((out, &a), &u)| *out = a + u));
        for (gate, out) in (first..).zip(out.chunks_exact_mut(d)) {
            if gate == 2 { tanh_in_place(out) } else { sigmoid_in_place(out) }
        }
    }

    fn memory_backward(&self, grad: &Matrix, to: &mut Backward<'_>) {
        let (rows, d) = (grad.rows(), grad.cols());
        let values = to.values;
        let [a, u, before] = [self.a, self.u, self.memory].map(|x| &values[x.index()]);
        let mut by_sums = to.workspace.pool.zeros(rows, 4 * d);
        let mut by_memory = to.workspace.pool.take(rows, d);
        let mut gates = vec![0.0; 3 * d];
        for row in 0..rows {
            self.gates(a, u, row, 0, &mut gates);
            let sums = by_sums.row_mut(row);
            for k in 0..d {
                let (f, i, c, grad) = (gates[k], gates[d + k], gates[2 * d + k], grad.row(row)[k]);
                sums[k] = grad * before.row(row)[k] * f * (1.0 - f);
                sums[d + k] = grad * c * i * (1.0 - i);
                sums[2 * d + k] = grad * i * (1.0 - c * c);
                by_memory.row_mut(row)[k] = grad * f;
            }
        }
        to.add_rows(self.a, self.from, &by_sums);
        to.add_slice(self.u, by_sums.as_slice());
        to.add_slice(self.memory, by_memory.as_slice());
        [by_sums, by_memory].into_iter().for_each(|matrix| to.workspace.pool.give(matrix));
    }

    fn output_backward(&self, own: Var, grad: &Matrix, to: &mut Backward<'_>) {
        let (rows, d) = (grad.rows(), grad.cols());
        let values = to.values;
        let [a, u, y] = [self.a, self.u, own].map(|x| &values[x.index()]);
        let mut by_sums = to.workspace.pool.zeros(rows, 4 * d);
        let mut by_memory = to.workspace.pool.take(rows, d);
        let mut gate = vec![0.0; d];
        for row in 0..rows {
            self.gates(a, u, row, 3, &mut gate);
            let tanh: Vec<f32> = {
                let mut tanh = values[self.memory.index()].row(row).to_vec();
                tanh_in_place(&mut tanh);
                tanh
            };
            for k in 0..d {
                let (o, grad) = (gate[k], grad.row(row)[k]);
                // d σ(x) = σ(1 - σ), and y = σ · tanh.
                by_sums.row_mut(row)[3 * d + k] = grad * y.row(row)[k] * (1.0 - o);
                by_memory.row_mut(row)[k] = grad * o * (1.0 - tanh[k] * tanh[k]);
            }
        }
        to.add_rows(self.a, self.from, &by_sums);
        to.add_slice(self.u, by_sums.as_slice());
        to.add_slice(self.memory, by_memory.as_slice());
        [by_sums, by_memory].into_iter().for_each(|matrix| to.workspace.pool.give(matrix));
    }
}
