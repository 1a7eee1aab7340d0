//! The element-wise part of recurrent cells.

use super::columns::Columns;
use super::projection::Projection;
use super::rows::Rows;
use crate::parts::recurrent::{Cell as Parts, CellForm};
use crate::weights::CheckedTensor;
use metaphrase_kernels as kernels;
use metaphrase_kernels::{Matrix, ProductStorage};

/// How a cell makes its new state of `a` (from the input), `u` (from the state) and the state; σ is the logistic
/// function, ⊙ the product element by element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gates {
    /// Cho et al. 2014: `r = σ(a_r + u_r)`, `z = σ(a_z + u_z)`, `h = tanh(a_h + r ⊙ u_h)`,
    /// `s' = (1 - z) ⊙ h + z ⊙ s`.
    Gru,
    /// Hochreiter and Schmidhuber 1997, with the gates in Marian's order f, i, c, o:
    /// `c' = σ(f) ⊙ c + σ(i) ⊙ tanh(c)`, `s' = σ(o) ⊙ tanh(c')`.
    Lstm,
    /// `s' = tanh(a + u)`.
    Tanh,
    /// `s' = max(0, a + u)`.
    Relu,
    /// `c' = f ⊙ c + (1 - f) ⊙ a_x`, `s' = r ⊙ tanh(c') + (1 - r) ⊙ x`, with gates `f = σ(a_f)`, `r = σ(a_r)`.
    Sru,
    /// `c' = f ⊙ c + (1 - f) ⊙ a_x`, `s' = max(0, c')`, with the gate `f = σ(a_f)`.
    Ssru,
}

impl Gates {
    /// The width of `a` in states.
    pub(super) fn width(self) -> usize {
        match self {
            Self::Gru => 3,
            Self::Lstm | Self::Sru => 4,
            Self::Tanh | Self::Relu => 1,
            Self::Ssru => 2,
        }
    }

    /// Whether there is a memory cell `c` in addition to the output.
    pub(super) fn has_memory(self) -> bool {
        matches!(self, Self::Lstm | Self::Sru | Self::Ssru)
    }
}

/// The state of a layer: one row per hypothesis or sentence.
#[derive(Debug, Default)]
pub(super) struct LayerState {
    /// The output of the layer, `rows × dim_rnn`.
    pub(super) output: Matrix,
    /// Its memory cell, `rows × dim_rnn`; empty if its kind of cell has none.
    pub(super) memory: Matrix,
}

impl LayerState {
    /// Makes room for `rows` rows.
    pub(super) fn resize(&mut self, rows: usize, cell: &Cell) {
        self.output.resize(rows, cell.dim);
        self.memory.resize(if cell.gates.has_memory() { rows } else { 0 }, cell.dim);
    }

    /// Resizes to `rows` rows; new rows are zero.
    pub(super) fn grow_zeroed(&mut self, rows: usize, cell: &Cell) {
        let before = self.output.rows() * cell.dim;
        self.resize(rows, cell);
        let zero = |m: &mut Matrix| m.as_mut_slice().iter_mut().skip(before).for_each(|x| *x = 0.0);
        zero(&mut self.output);
        zero(&mut self.memory);
    }

    /// Its rows, to be read by a cell.
    pub(super) fn rows(&self) -> PreviousState<'_> {
        PreviousState { output: Rows::new(&self.output), memory: Rows::new(&self.memory) }
    }
}

/// The state that a cell reads, row by row.
#[derive(Clone, Copy)]
pub(super) struct PreviousState<'a> {
    output: Rows<'a>,
    memory: Rows<'a>,
}

impl<'a> PreviousState<'a> {
    /// Row `r` becomes what row `index[r]` was.
    pub(super) fn by(self, index: &'a [u32]) -> Self {
        Self { output: self.output.by(index), memory: self.memory.by(index) }
    }
}

/// A cell without its products by input and state.
pub(super) struct Cell {
    gates: Gates,
    dim: usize,
    /// Multiplicative cells only: maps the product of the two factors, one at the end of `a` and one in `u`, to `u`.
    modulated: Option<Projection>,
}

/// Space for the intermediate values of [`Cell::update`].
#[derive(Debug, Default)]
pub(super) struct CellWork {
    gates: Vec<f32>,
    modulated: Matrix,
    products: Matrix,
    /// For the rows that products read, those of the cell's owner, too.
    pub(super) rows: ProductStorage,
}

/// A cell before its matrices are packed: the owner may merge them with others.
pub(super) struct CellColumns {
    /// The element-wise rest.
    pub(super) cell: Cell,
    /// From the input to `a`. The biases of a cell without input are its constant `a`.
    pub(super) input: Columns,
    /// From the state to `u`; `None` for kinds that see their state only element by element.
    pub(super) state: Option<Columns>,
}

impl CellColumns {
    /// The cell of these tensors, of any kind and with any normalisation.
    pub(super) fn new(Parts { form, dim, modulated }: Parts<CheckedTensor<'_>>) -> Self {
        let (gates, input, state) = match form {
            CellForm::Gru { input, state } => (Gates::Gru, Columns::from_gru(input), Some(Columns::from_gru(state))),
            CellForm::Lstm { input, state } => (Gates::Lstm, Columns::from_map(input), Some(Columns::from_map(state))),
            CellForm::Tanh { input, state } => (Gates::Tanh, Columns::from_map(input), Some(Columns::from_map(state))),
            CellForm::Relu { input, state } => (Gates::Relu, Columns::from_map(input), Some(Columns::from_map(state))),
            CellForm::Sru { candidate, forget, reset } => {
                // The input itself passes through.
                let gates =
                    Columns::from_map(candidate).beside(Columns::from_map(forget)).beside(Columns::from_map(reset));
                let identity = Columns::identity(dim, gates.weights.precision());
                (Gates::Sru, gates.beside(identity), None)
            }
            CellForm::Ssru { candidate, forget } => {
                (Gates::Ssru, Columns::from_map(candidate).beside(Columns::from_map(forget)), None)
            }
        };
        let Some([by_input, by_state]) = modulated else {
            return Self { cell: Cell { gates, dim, modulated: None }, input, state };
        };
        let cell = Cell { gates, dim, modulated: state.map(Columns::pack) };
        Self { cell, input: input.beside(Columns::from_map(by_input)), state: Some(Columns::from_map(by_state)) }
    }
}

impl Cell {
    /// Size of the state.
    pub(super) fn dim(&self) -> usize {
        self.dim
    }

    /// The new state of `rows` rows, from `a`, `u` and the previous state. `u` is not read by kinds that have no
    /// product by the state.
    pub(super) fn update(
        &self,
        rows: usize,
        a: Rows<'_>,
        u: Rows<'_>,
        previous: PreviousState<'_>,
        next: &mut LayerState,
        work: &mut CellWork,
    ) {
        next.resize(rows, self);
        let CellWork { gates, modulated, products, rows: storage } = work;
        let Some(projection) = &self.modulated else {
            return self.combine(rows, a, u, previous, next, gates);
        };
        let gates_width = self.gates.width() * self.dim;
        let factor = a.columns(gates_width..gates_width + self.dim);
        modulated.resize(rows, self.dim);
        for r in 0..rows {
            for ((m, x), s) in modulated.row_mut(r).iter_mut().zip(factor.row(r)).zip(u.row(r)) {
                *m = x * s;
            }
        }
        projection.apply(modulated, products, storage);
        let a = a.columns(0..gates_width);
        let (output, u) = (Rows::new(modulated), Rows::new(products));
        self.combine(rows, a, u, PreviousState { output, ..previous }, next, gates);
    }

    fn combine(
        &self,
        rows: usize,
        a: Rows<'_>,
        u: Rows<'_>,
        previous: PreviousState<'_>,
        next: &mut LayerState,
        gates: &mut Vec<f32>,
    ) {
        gates.resize(self.gates.width() * self.dim, 0.0);
        for r in 0..rows {
            let output = next.output.row_mut(r);
            let a = a.row(r);
            match self.gates {
                Gates::Gru => gru(a, u.row(r), previous.output.row(r), gates, output),
                Gates::Lstm => {
                    let memory = next.memory.row_mut(r);
                    lstm(a, u.row(r), previous.memory.row(r), gates, memory, output);
                }
                Gates::Tanh => {
                    sum(a, u.row(r), output);
                    kernels::tanh_in_place(output);
                }
                Gates::Relu => {
                    sum(a, u.row(r), output);
                    output.iter_mut().for_each(|x| *x = x.max(0.0));
                }
                Gates::Sru => {
                    let memory = next.memory.row_mut(r);
                    sru(a, previous.memory.row(r), gates, memory, output);
                }
                Gates::Ssru => {
                    let memory = next.memory.row_mut(r);
                    ssru(a, previous.memory.row(r), gates, memory, output);
                }
            }
        }
    }
}

/// `out = a + b`.
fn sum(a: &[f32], b: &[f32], out: &mut [f32]) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = a + b;
    }
}

fn gru(a: &[f32], u: &[f32], state: &[f32], gates: &mut [f32], output: &mut [f32]) {
    let d = state.len();
    let (gates, candidate) = gates.split_at_mut(2 * d);
    sum(&a[..2 * d], &u[..2 * d], gates);
    kernels::sigmoid_in_place(gates);
    let (reset, update) = gates.split_at(d);
    for (((h, a), u), r) in candidate.iter_mut().zip(&a[2 * d..]).zip(&u[2 * d..]).zip(reset) {
        *h = a + r * u;
    }
    kernels::tanh_in_place(candidate);
    kernels::lerp(update, candidate, state, output);
}

fn lstm(a: &[f32], u: &[f32], previous: &[f32], gates: &mut [f32], memory: &mut [f32], output: &mut [f32]) {
    let d = previous.len();
    sum(a, u, gates);
    kernels::sigmoid_in_place(&mut gates[..2 * d]);
    kernels::tanh_in_place(&mut gates[2 * d..3 * d]);
    kernels::sigmoid_in_place(&mut gates[3 * d..]);
    for (i, c) in memory.iter_mut().enumerate() {
        *c = gates[i] * previous[i] + gates[d + i] * gates[2 * d + i];
    }
    output.copy_from_slice(memory);
    kernels::tanh_in_place(output);
    for (s, o) in output.iter_mut().zip(&gates[3 * d..]) {
        *s *= o;
    }
}

fn sru(a: &[f32], previous: &[f32], gates: &mut [f32], memory: &mut [f32], output: &mut [f32]) {
    let d = previous.len();
    let (candidate, input) = (&a[..d], &a[3 * d..]);
    let gates = &mut gates[..2 * d];
    gates.copy_from_slice(&a[d..3 * d]);
    kernels::sigmoid_in_place(gates);
    let (forget, reset) = gates.split_at(d);
    kernels::lerp(forget, candidate, previous, memory);
    output.copy_from_slice(memory);
    kernels::tanh_in_place(output);
    for ((s, r), x) in output.iter_mut().zip(reset).zip(input) {
        *s = r * *s + (1.0 - r) * x;
    }
}

fn ssru(a: &[f32], previous: &[f32], gates: &mut [f32], memory: &mut [f32], output: &mut [f32]) {
    let d = previous.len();
    let forget = &mut gates[..d];
    forget.copy_from_slice(&a[d..]);
    kernels::sigmoid_in_place(forget);
    kernels::lerp(forget, &a[..d], previous, memory);
    for (s, c) in output.iter_mut().zip(&*memory) {
        *s = c.max(0.0);
    }
}
