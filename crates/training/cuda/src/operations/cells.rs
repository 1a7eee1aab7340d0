//! The element-wise part of recurrent cells: `kernels/cells.cu`.

#![allow(unsafe_code)] // launches kernels

use super::{is_shaped, same};
use crate::backend::Backend;
use crate::launch::Grid;
use crate::{Cuda, CudaError, Matrix};
use metaphrase_device::{Cells, GruBackward, GruForward, Lstm, Shape};

/// The rows of an input from row `from` on; asserts that there are at least `rows`.
fn rows_from(input: &Matrix, from: usize, rows: usize, cols: usize) -> *const f32 {
    assert!(from + rows <= input.rows() && input.cols() == cols, "rows of a cell's input");
    input.read().wrapping_add(from * cols)
}

/// a and u of an LSTM whose state has this shape.
fn sums(inputs: &Lstm<'_, Matrix>, state: &Matrix) -> [*const f32; 2] {
    let (rows, width) = (state.rows(), 4 * state.cols());
    is_shaped(inputs.u, rows, width);
    [rows_from(inputs.a, inputs.from, rows, width), inputs.u.read()]
}

type Input = *const f32;
type Output = *mut f32;

/// A kernel of a long short-term memory: of a, u, the memory and y.
type Forward = unsafe fn(&Backend, Grid, Input, Input, Input, Output, u32, u64) -> Result<(), CudaError>;

/// The way back: of a, u, the memory, the derivative by y, and those by the sums and by the memory.
type Backward =
    unsafe fn(&Backend, Grid, Input, Input, Input, Input, Output, Output, u32, u64) -> Result<(), CudaError>;

impl Cuda {
    fn lstm(&mut self, kernel: Forward, inputs: &Lstm<'_, Matrix>, y: &mut Matrix) {
        let (n, d) = (same([inputs.memory, y]), y.cols() as u32);
        let [a, u] = sums(inputs, y);
        let memory = inputs.memory.read();
        // SAFETY: rows are of d numbers, those of a and u of 4d.
        self.run(|b| unsafe { kernel(b, Grid::each(n), a, u, memory, y.write(), d, n as u64) });
    }

    fn lstm_backward(
        &mut self,
        kernel: Backward,
        inputs: &Lstm<'_, Matrix>,
        grad: &Matrix,
        by_sums: &mut Matrix,
        by_memory: &mut Matrix,
    ) {
        let (n, d) = (same([inputs.memory, grad, by_memory]), grad.cols());
        let [a, u] = sums(inputs, grad);
        is_shaped(by_sums, grad.rows(), 4 * d);
        let [memory, grad] = [inputs.memory, grad].map(Matrix::read);
        let [by_sums, by_memory] = [by_sums, by_memory].map(Matrix::write);
        // SAFETY: rows are of d numbers, those of a, u and their derivatives of 4d.
        self.run(|b| unsafe { kernel(b, Grid::each(n), a, u, memory, grad, by_sums, by_memory, d as u32, n as u64) });
    }
}

impl Cells for Cuda {
    fn gru(&mut self, inputs: GruForward<'_, Matrix>, gates: &mut Matrix, y: &mut Matrix) {
        let GruForward { input, from, state, previous } = inputs;
        let (rows, d) = (previous.rows(), previous.cols());
        let n = same([previous, y, state[1]]);
        is_shaped(state[0], rows, 2 * d);
        is_shaped(gates, rows, 3 * d);
        let a = [rows_from(input[0], from, rows, 2 * d), rows_from(input[1], from, rows, d)];
        let u = state.map(Matrix::read);
        // SAFETY: rows are of d, 2d and 3d numbers, as the kernel has them.
        self.run(|b| unsafe {
            let grid = Grid::each(n);
            b.gru(grid, a[0], a[1], u[0], u[1], previous.read(), gates.write(), y.write(), d as u32, n as u64)
        });
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
        let (rows, d) = (grad.rows(), grad.cols());
        let n = same([grad, candidate, previous, by_candidate, by_state]);
        is_shaped(gates, rows, 3 * d);
        is_shaped(by_gates, rows, 2 * d);
        let [gates, candidate, previous, grad] = [gates, candidate, previous, grad].map(Matrix::read);
        let [by_gates, by_candidate, by_state] = [by_gates, by_candidate, by_state].map(Matrix::write);
        // SAFETY: rows are of d, 2d and 3d numbers, as the kernel has them.
        self.run(|b| unsafe {
            let (grid, d, n) = (Grid::each(n), d as u32, n as u64);
            b.gru_backward(grid, gates, candidate, previous, grad, by_gates, by_candidate, by_state, d, n)
        });
    }

    fn add_kept(&mut self, grad: &Matrix, gates: &Matrix, sum: &mut Matrix) {
        let (n, d) = (same([grad, sum]), grad.cols());
        is_shaped(gates, grad.rows(), 3 * d);
        // SAFETY: rows are of d and 3d numbers.
        self.run(|b| unsafe { b.add_kept(Grid::each(n), grad.read(), gates.read(), sum.write(), d as u32, n as u64) });
    }

    fn lstm_memory(&mut self, inputs: Lstm<'_, Matrix>, y: &mut Matrix) {
        self.lstm(Backend::lstm_memory, &inputs, y);
    }

    fn lstm_memory_backward(
        &mut self,
        inputs: Lstm<'_, Matrix>,
        grad: &Matrix,
        by_sums: &mut Matrix,
        by_memory: &mut Matrix,
    ) {
        self.lstm_backward(Backend::lstm_memory_backward, &inputs, grad, by_sums, by_memory);
    }

    fn lstm_output(&mut self, inputs: Lstm<'_, Matrix>, y: &mut Matrix) {
        self.lstm(Backend::lstm_output, &inputs, y);
    }

    fn lstm_output_backward(
        &mut self,
        inputs: Lstm<'_, Matrix>,
        _: &Matrix,
        grad: &Matrix,
        by_sums: &mut Matrix,
        by_memory: &mut Matrix,
    ) {
        self.lstm_backward(Backend::lstm_output_backward, &inputs, grad, by_sums, by_memory);
    }
}
