//! The cells of a layer, one on top of the other within a position.

use super::cell::{Cell, CellColumns, CellWork, LayerState};
use super::columns::Columns;
use super::projection::Projection;
use super::rows::Rows;
use crate::parts::recurrent::Cell as Parts;
use crate::weights::CheckedTensor;
use metaphrase_kernels::{Matrix, ProductStorage};

/// A cell with its product by the state.
struct StackedCell {
    cell: Cell,
    /// `None` for kinds that see their state only element by element.
    state: Option<Projection>,
}

/// A cell without input.
struct Transition {
    cell: StackedCell,
    /// Its `a`.
    constant: Vec<f32>,
}

/// A cell that reads the input, then transitions.
pub(super) struct Stack {
    /// The product by the input of the first cell.
    pub(super) input: Projection,
    first: StackedCell,
    /// The rest of the cells.
    pub(super) transitions: Transitions,
}

/// Cells without input, one after the other.
#[derive(Default)]
pub(super) struct Transitions(Vec<Transition>);

/// Work space of stacks.
#[derive(Debug, Default)]
pub(super) struct StackWork {
    /// `u`.
    pub(super) states: Matrix,
    pub(super) next: LayerState,
    pub(super) cell: CellWork,
}

impl Stack {
    /// The stack of these cells, of which the first reads an input.
    ///
    /// # Panics
    /// If there is no cell.
    pub(super) fn pack(cells: Vec<Parts<CheckedTensor<'_>>>) -> Self {
        let mut cells = cells.into_iter();
        let CellColumns { cell, input, state } = CellColumns::new(cells.next().expect("a layer has a cell"));
        let first = StackedCell { cell, state: state.map(Columns::pack) };
        Self { input: input.pack(), first, transitions: Transitions::pack(cells) }
    }

    /// The cell that reads the input.
    pub(super) fn first(&self) -> &Cell {
        &self.first.cell
    }

    /// Replaces `state` by the next one, from the first cell's `a`.
    pub(super) fn advance(&self, a: Rows<'_>, state: &mut LayerState, work: &mut StackWork) {
        self.first.advance(a, state, work);
        self.transitions.advance(state, work);
    }

    /// `u` of the first cell for each row of the state.
    pub(super) fn first_states(&self, state: &LayerState, out: &mut Matrix, storage: &mut ProductStorage) {
        if let Some(projection) = &self.first.state {
            projection.apply(&state.output, out, storage);
        }
    }
}

impl Transitions {
    /// A stack of cells without inputs.
    pub(super) fn pack<'a>(cells: impl Iterator<Item = Parts<CheckedTensor<'a>>>) -> Self {
        let transition = |cell| {
            let CellColumns { cell, input, state } = CellColumns::new(cell);
            Transition { cell: StackedCell { cell, state: state.map(Columns::pack) }, constant: input.finish.bias }
        };
        Self(cells.map(transition).collect())
    }

    /// Replaces `state` by the state after all of them.
    pub(super) fn advance(&self, state: &mut LayerState, work: &mut StackWork) {
        for Transition { cell, constant } in &self.0 {
            cell.advance(Rows::shared(constant), state, work);
        }
    }
}

impl StackedCell {
    fn advance(&self, a: Rows<'_>, state: &mut LayerState, work: &mut StackWork) {
        let StackWork { states, next, cell } = work;
        if let Some(projection) = &self.state {
            projection.apply(&state.output, states, &mut cell.rows);
        }
        let rows = state.output.rows();
        self.cell.update(rows, a, Rows::new(states), state.rows(), next, cell);
        std::mem::swap(state, next);
    }
}
