//! The element-wise part of recurrent cells.

use super::{Backward, Op, Tape, Var};
use metaphrase_device::{Block, Device, GruBackward, GruForward, Lstm, Shape};

/// A recurrent cell, row by row. What comes from the input (`a`) may belong to more rows than there are: those from row
/// `from` on are read.
pub(super) enum Cell<M> {
    Gru(Box<Gru<M>>),
    LstmMemory(LstmInputs),
    LstmOutput(LstmInputs),
}

pub(super) struct Gru<M> {
    inputs: GruInputs,
    /// r, z and h of each row.
    pub(super) gates: M,
}

/// The inputs of a GRU.
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

/// The inputs of an LSTM: a, its first row that is read, u, and the memory before or the new one.
#[derive(Debug, Clone, Copy)]
pub(super) struct LstmInputs {
    a: Var,
    from: usize,
    u: Var,
    memory: Var,
}

impl LstmInputs {
    fn with_values<M>(self, values: &[M]) -> Lstm<'_, M> {
        let [a, u, memory] = [self.a, self.u, self.memory].map(|x| &values[x.index()]);
        Lstm { a, from: self.from, u, memory }
    }
}

impl<M: Shape> Cell<M> {
    pub(super) fn backward<D: Device<Matrix = M>>(&self, own: Var, grad: &M, to: &mut Backward<'_, D>) {
        match self {
            Self::Gru(gru) => gru.backward(grad, to),
            Self::LstmMemory(lstm) => lstm.backward(grad, to, |device, lstm, sums, memory| {
                device.lstm_memory_backward(lstm, grad, sums, memory);
            }),
            Self::LstmOutput(lstm) => {
                let y = &to.values[own.index()];
                lstm.backward(grad, to, |device, lstm, sums, memory| {
                    device.lstm_output_backward(lstm, y, grad, sums, memory);
                });
            }
        }
    }
}

impl<D: Device> Tape<'_, D> {
    /// The new state of a gated recurrent unit, `rows × d`.
    pub fn gru(&mut self, inputs: GruInputs) -> Var {
        let (rows, d) = self.shape(inputs.previous);
        let mut gates = self.device.take(rows, 3 * d);
        let mut y = self.device.take(rows, d);
        let forward = GruForward {
            input: inputs.input.map(|x| &self.values[x.index()]),
            from: inputs.from,
            state: inputs.state.map(|x| &self.values[x.index()]),
            previous: &self.values[inputs.previous.index()],
        };
        self.device.gru(forward, &mut gates, &mut y);
        self.push(y, Op::Cell(Cell::Gru(Box::new(Gru { inputs, gates }))))
    }

    /// Output and memory of a long short-term memory, `rows × d` each, from `a` (rows from `from` on), `u` and the
    /// memory before. The columns of a and u are the gates forget, input, candidate, output.
    pub fn lstm(&mut self, a: Var, from: usize, u: Var, memory: Var) -> (Var, Var) {
        let (rows, d) = self.shape(memory);
        let mut c = self.device.take(rows, d);
        let inputs = LstmInputs { a, from, u, memory };
        self.device.lstm_memory(inputs.with_values(&self.values), &mut c);
        let memory = self.push(c, Op::Cell(Cell::LstmMemory(inputs)));
        let inputs = LstmInputs { memory, ..inputs };
        let mut y = self.device.take(rows, d);
        self.device.lstm_output(inputs.with_values(&self.values), &mut y);
        (self.push(y, Op::Cell(Cell::LstmOutput(inputs))), memory)
    }
}

impl<M: Shape> Gru<M> {
    fn backward<D: Device<Matrix = M>>(&self, grad: &M, to: &mut Backward<'_, D>) {
        let GruInputs { input, from, state, previous } = self.inputs;
        let (rows, d) = (grad.rows(), grad.cols());
        // Derivatives by the sums under σ and tanh, and by u_h.
        let [mut by_gates, mut by_candidate, mut by_state] = [2 * d, d, d].map(|cols| to.device.take(rows, cols));
        let [candidate, before] = [state[1], previous].map(|x| &to.values[x.index()]);
        let inputs = GruBackward { gates: &self.gates, candidate, previous: before };
        to.device.gru_backward(inputs, grad, &mut by_gates, &mut by_candidate, &mut by_state);
        to.add_rows(input[0], from, &by_gates);
        to.add_rows(input[1], from, &by_candidate);
        to.add_matrix(state[0], &by_gates);
        to.add_matrix(state[1], &by_state);
        to.add_to_part(previous, |sum, to| to.device.add_kept(grad, &self.gates, sum));
        [by_gates, by_candidate, by_state].into_iter().for_each(|matrix| to.device.give(matrix));
    }
}

impl LstmInputs {
    /// `derive` computes the derivatives by the sums under the gates and by the memory.
    fn backward<D: Device>(
        self,
        grad: &D::Matrix,
        to: &mut Backward<'_, D>,
        derive: impl FnOnce(&mut D, Lstm<'_, D::Matrix>, &mut D::Matrix, &mut D::Matrix),
    ) {
        let (rows, d) = (grad.rows(), grad.cols());
        let [mut by_sums, mut by_memory] = [4 * d, d].map(|cols| to.device.take(rows, cols));
        derive(to.device, self.with_values(to.values), &mut by_sums, &mut by_memory);
        to.add_rows(self.a, self.from, &by_sums);
        to.add_matrix(self.u, &by_sums);
        to.add_matrix(self.memory, &by_memory);
        [by_sums, by_memory].into_iter().for_each(|matrix| to.device.give(matrix));
    }
}

impl<D: Device> Backward<'_, D> {
    /// Adds to the rows of the derivative by `x` from row `from` on.
    fn add_rows(&mut self, x: Var, from: usize, rows: &D::Matrix) {
        let block = Block { rows: rows.rows(), cols: rows.cols(), from: (0, 0), to: (from, 0) };
        self.add_block(x, rows, block);
    }
}
