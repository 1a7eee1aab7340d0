//! Recurrent cells, one on top of the other.

use super::columns::{Columns, Projection};
use crate::pack::{Packer, Tensor};
use metaphrase_cuda::decoding::{CellKind, CellStep, Kept, PickedRows, RowIds, StateRows};
use metaphrase_cuda::{Cuda, Matrix};
use metaphrase_device::{Shape, Storage};
use metaphrase_models::parts::recurrent::{Cell as Parts, CellForm};

/// A cell without its products by input and state.
pub(super) struct Cell {
    kind: CellKind,
    dim: usize,
    /// Multiplicative cells only: maps the product of the two factors, one at the end of `a` and one in `u`, to `u`.
    modulated: Option<Projection>,
}

/// A cell before its matrices are on the device: the owner may merge them with others.
pub(super) struct CellColumns {
    /// The element-wise rest.
    pub(super) cell: Cell,
    /// From the input to `a`. The biases of a cell without input are its constant `a`.
    pub(super) input: Columns,
    /// From the state to `u`; `None` for kinds that see their state only number by number.
    pub(super) state: Option<Columns>,
}

/// The state of a layer: a row per hypothesis or sentence.
pub(super) struct LayerState {
    /// The output of the layer.
    pub(super) output: Matrix,
    /// Its memory, if its kind of cell has one.
    pub(super) memory: Option<Matrix>,
}

/// A cell with its product by the state.
struct StackedCell {
    cell: Cell,
    state: Option<Projection>,
}

/// A cell without input, and its `a`.
struct Transition {
    cell: StackedCell,
    constant: Matrix,
}

/// Cells without input, one after the other.
pub(super) struct Transitions(Vec<Transition>);

/// A cell that reads the input, then transitions.
pub(super) struct Stack {
    /// The product by the input of the first cell.
    pub(super) input: Projection,
    first: StackedCell,
    transitions: Transitions,
}

impl LayerState {
    /// States without numbers of their own.
    pub(super) fn take(cuda: &mut Cuda, rows: usize, dim: usize, has_memory: bool) -> Self {
        Self { output: cuda.take(rows, dim), memory: has_memory.then(|| cuda.take(rows, dim)) }
    }

    pub(super) fn give(self, cuda: &mut Cuda) {
        cuda.give(self.output);
        self.memory.into_iter().for_each(|memory| cuda.give(memory));
    }

    /// The rows that these numbers name.
    pub(super) fn of_rows<'a>(&'a self, ids: &'a RowIds) -> StateRows<'a> {
        let named = |matrix| PickedRows::named(matrix, ids);
        StateRows { output: Some(named(&self.output)), memory: self.memory.as_ref().map(named) }
    }
}

impl CellColumns {
    /// The cell of these tensors, of any kind and with any normalisation.
    pub(super) fn new(Parts { form, dim, modulated }: Parts<Tensor>, packer: &mut Packer) -> Self {
        let from_map = Columns::from_map;
        let (kind, input, state) = match form {
            CellForm::Gru { input, state } => (CellKind::Gru, Columns::from_gru(input), Some(Columns::from_gru(state))),
            CellForm::Lstm { input, state } => (CellKind::Lstm, from_map(input), Some(from_map(state))),
            CellForm::Tanh { input, state } => (CellKind::Tanh, from_map(input), Some(from_map(state))),
            CellForm::Relu { input, state } => (CellKind::Relu, from_map(input), Some(from_map(state))),
            CellForm::Sru { candidate, forget, reset } => {
                // The input itself passes through.
                let gates = from_map(candidate).beside(from_map(forget)).beside(from_map(reset));
                (CellKind::Sru, gates.beside(Columns::identity(dim)), None)
            }
            CellForm::Ssru { candidate, forget } => {
                (CellKind::Ssru, from_map(candidate).beside(from_map(forget)), None)
            }
        };
        let Some([by_input, by_state]) = modulated else {
            return Self { cell: Cell { kind, dim, modulated: None }, input, state };
        };
        let cell = Cell { kind, dim, modulated: state.map(|state| state.pack(packer)) };
        Self { cell, input: input.beside(from_map(by_input)), state: Some(from_map(by_state)) }
    }
}

impl Cell {
    /// Size of the state.
    pub(super) const fn dim(&self) -> usize {
        self.dim
    }

    pub(super) const fn has_memory(&self) -> bool {
        self.kind.has_memory()
    }

    /// The first `rows` rows of `next`, from `a`, `u` and the state before, which is `next` itself without
    /// [`StateRows::output`].
    pub(super) fn step(
        &self,
        cuda: &mut Cuda,
        rows: usize,
        [a, u]: [Option<PickedRows<'_>>; 2],
        before: StateRows<'_>,
        next: &mut LayerState,
        kept: Option<Kept<'_>>,
    ) {
        let a = a.expect("a cell has an input or a constant");
        let LayerState { output, memory } = next;
        let Some(projection) = &self.modulated else {
            let step = CellStep { kind: self.kind, a, u, before };
            return cuda.cell_step(&step, rows, output, memory.as_mut(), kept);
        };
        let mut product = cuda.take(rows, self.dim);
        let factor = a.from_column(self.kind.parts() * self.dim);
        let factors = CellStep { kind: CellKind::Product, a: factor, u, before: StateRows::default() };
        cuda.cell_step(&factors, rows, &mut product, None, None);
        let u = projection.apply(cuda, &product);
        let before = StateRows { output: Some(PickedRows::each(&product)), ..before };
        let step = CellStep { kind: self.kind, a, u: Some(PickedRows::each(&u)), before };
        cuda.cell_step(&step, rows, output, memory.as_mut(), kept);
        [product, u].into_iter().for_each(|matrix| cuda.give(matrix));
    }
}

impl StackedCell {
    /// Replaces the first `rows` rows of the state by the next ones.
    fn advance(&self, cuda: &mut Cuda, rows: usize, a: PickedRows<'_>, state: &mut LayerState, kept: Option<Kept<'_>>) {
        let u = self.state.as_ref().map(|projection| projection.apply_to_first(cuda, &state.output, rows));
        let from_state = u.as_ref().map(PickedRows::each);
        self.cell.step(cuda, rows, [Some(a), from_state], StateRows::default(), state, kept);
        u.into_iter().for_each(|u| cuda.give(u));
    }
}

impl Transitions {
    /// A stack of cells without inputs.
    pub(super) fn pack(cells: impl Iterator<Item = Parts<Tensor>>, packer: &mut Packer) -> Self {
        let transition = |cell| {
            let CellColumns { cell, input, state } = CellColumns::new(cell, packer);
            let state = state.map(|state| state.pack(packer));
            Transition { cell: StackedCell { cell, state }, constant: packer.row(input.bias) }
        };
        Self(cells.map(transition).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Replaces the state by the one after all of them; the output of the last one is kept.
    pub(super) fn advance(&self, cuda: &mut Cuda, rows: usize, state: &mut LayerState, mut kept: Option<Kept<'_>>) {
        for (i, Transition { cell, constant }) in self.0.iter().enumerate() {
            let kept = if i + 1 == self.0.len() { kept.take() } else { None };
            cell.advance(cuda, rows, PickedRows::first(constant), state, kept);
        }
    }
}

impl Stack {
    /// The stack of these cells, of which the first reads an input.
    ///
    /// # Panics
    /// If there is no cell.
    pub(super) fn pack(cells: Vec<Parts<Tensor>>, packer: &mut Packer) -> Self {
        let mut cells = cells.into_iter();
        let first = cells.next().expect("a layer has a cell");
        let CellColumns { cell, input, state } = CellColumns::new(first, packer);
        let first = StackedCell { cell, state: state.map(|state| state.pack(packer)) };
        Self { input: input.pack(packer), first, transitions: Transitions::pack(cells, packer) }
    }

    /// Size of the state.
    pub(super) const fn dim(&self) -> usize {
        self.first.cell.dim()
    }

    pub(super) const fn has_memory(&self) -> bool {
        self.first.cell.has_memory()
    }

    /// Replaces the first `rows` rows of the state by the next ones, from the first cell's `a`.
    pub(super) fn advance(
        &self,
        cuda: &mut Cuda,
        rows: usize,
        a: PickedRows<'_>,
        state: &mut LayerState,
        kept: Kept<'_>,
    ) {
        let (of_first, of_last) = if self.transitions.is_empty() { (Some(kept), None) } else { (None, Some(kept)) };
        self.first.advance(cuda, rows, a, state, of_first);
        self.transitions.advance(cuda, rows, state, of_last);
    }

    /// The state after `x`, where `parent_of` names the row of `parents` that each row of `x` follows.
    pub(super) fn follow(&self, cuda: &mut Cuda, x: &Matrix, parents: &LayerState, parent_of: &RowIds) -> LayerState {
        let rows = x.rows();
        let inputs = self.input.apply(cuda, x);
        let u = self.first.state.as_ref().map(|projection| projection.apply(cuda, &parents.output));
        let mut next = LayerState::take(cuda, rows, self.dim(), self.has_memory());
        let factors = [Some(PickedRows::each(&inputs)), u.as_ref().map(|u| PickedRows::named(u, parent_of))];
        self.first.cell.step(cuda, rows, factors, parents.of_rows(parent_of), &mut next, None);
        self.transitions.advance(cuda, rows, &mut next, None);
        u.into_iter().chain([inputs]).for_each(|matrix| cuda.give(matrix));
        next
    }
}
