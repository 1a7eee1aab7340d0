//! The forward passes of maps and cells: the equations are those of `metaphrase_models::recurrent`.

use crate::parameters::ParameterId;
use crate::tape::{Activation, GruInputs, Tape, Var};
use metaphrase_device::Device;
use metaphrase_models::parts::recurrent::{self as parts, CellForm};

pub(super) type Map = parts::Map<ParameterId>;
pub(super) type Cell = parts::Cell<ParameterId>;
type GruMaps = parts::GruMaps<ParameterId>;

/// The result of a map of `x`.
pub(super) fn map<D: Device>(tape: &mut Tape<'_, D>, map: &Map, x: Var) -> Var {
    activated(tape, map, x, Activation::None)
}

/// The result of a map of `x` and a function.
pub(super) fn activated<D: Device>(tape: &mut Tape<'_, D>, map: &Map, x: Var, activation: Activation) -> Var {
    let Some(w) = map.w else {
        let rows = tape.shape(x).0;
        let y = match map.outside.or(map.inside) {
            Some(bias) => tape.repeat(bias, rows),
            None => tape.zeros(rows, map.outputs),
        };
        return if activation == Activation::None { y } else { tape.activate(y, activation) };
    };
    let Some(norm) = map.norm else { return tape.linear(x, w, map.outside.or(map.inside), activation) };
    let mut y = tape.linear(x, w, map.inside, Activation::None);
    y = tape.layer_norm(y, norm.scale, norm.shift.or(map.outside), norm.epsilon);
    if let (Some(_), Some(outside)) = (norm.shift, map.outside) {
        y = tape.add_row(y, outside);
    }
    if activation == Activation::None { y } else { tape.activate(y, activation) }
}

/// Gates and candidate of a GRU, from one side.
fn gru_maps<D: Device>(tape: &mut Tape<'_, D>, maps: &GruMaps, x: Var) -> [Var; 2] {
    let GruMaps { gates, candidate, joint } = maps;
    let Some(norm) = joint else { return [map(tape, gates, x), map(tape, candidate, x)] };
    let parts = [gates, candidate].map(|part| map(tape, &Map { outside: None, ..*part }, x));
    let joined = tape.join(&parts);
    let y = tape.layer_norm(joined, norm.scale, norm.shift, norm.epsilon);
    let width = gates.outputs;
    let mut parts = [tape.columns(y, 0..width), tape.columns(y, width..width + candidate.outputs)];
    for (part, map) in parts.iter_mut().zip([gates, candidate]) {
        if let Some(bias) = map.outside {
            *part = tape.add_row(*part, bias);
        }
    }
    parts
}

/// The products of a cell's input, for all positions at once.
pub(super) struct Inputs {
    parts: Vec<Var>,
    /// The factor of a multiplicative cell.
    factor: Option<Var>,
}

/// The state of a cell.
#[derive(Clone, Copy)]
pub(super) struct State {
    pub(super) output: Var,
    pub(super) memory: Option<Var>,
}

impl State {
    /// Its first rows.
    pub(super) fn first<D: Device>(self, tape: &mut Tape<'_, D>, rows: usize) -> Self {
        let mut first = |x: Var| tape.slice(x, 0..rows);
        Self { output: first(self.output), memory: self.memory.map(first) }
    }

    /// With more rows, of zeros.
    pub(super) fn grown<D: Device>(self, tape: &mut Tape<'_, D>, rows: usize) -> Self {
        let mut grown = |x: Var| {
            let (old, dim) = tape.shape(x);
            if old == rows {
                return x;
            }
            let zeros = tape.zeros(rows - old, dim);
            if old == 0 { zeros } else { tape.stack(&[x, zeros]) }
        };
        Self { output: grown(self.output), memory: self.memory.map(grown) }
    }
}

impl Inputs {
    /// The inputs of a GRU: gates and candidate.
    pub(super) fn pair(&self) -> (Var, Var) {
        (self.parts[0], self.parts[1])
    }
}

/// The products of a GRU's state: gates and candidate.
pub(super) fn gru_state<D: Device>(tape: &mut Tape<'_, D>, cell: &Cell, state: Var) -> [Var; 2] {
    match &cell.form {
        CellForm::Gru { state: maps, .. } => gru_maps(tape, maps, state),
        _ => unreachable!("a decoder that begins with attention has cells of kind gru"),
    }
}

/// The products of a cell's inputs `x`; of a transition only the number of rows counts.
pub(super) fn inputs<D: Device>(tape: &mut Tape<'_, D>, cell: &Cell, x: Var) -> Inputs {
    let parts = match &cell.form {
        CellForm::Gru { input, .. } => gru_maps(tape, input, x).to_vec(),
        CellForm::Lstm { input, .. } | CellForm::Tanh { input, .. } | CellForm::Relu { input, .. } => {
            vec![map(tape, input, x)]
        }
        CellForm::Sru { candidate, forget, reset } => {
            let candidate = map(tape, candidate, x);
            let [forget, reset] = [forget, reset].map(|gate| activated(tape, gate, x, Activation::Sigmoid));
            vec![candidate, forget, reset, x]
        }
        CellForm::Ssru { candidate, forget } => {
            vec![map(tape, candidate, x), activated(tape, forget, x, Activation::Sigmoid)]
        }
    };
    Inputs { parts, factor: cell.modulated.map(|[by_input, _]| map(tape, &by_input, x)) }
}

/// The next state, from the rows of `inputs` from `from` on, as many as the state has. Products read the state's
/// output with some of it dropped, `read`; the numbers that a gate keeps are kept whole.
pub(super) fn advance<D: Device>(
    tape: &mut Tape<'_, D>,
    cell: &Cell,
    inputs: &Inputs,
    from: usize,
    mut state: State,
    mut read: Var,
) -> State {
    let rows = tape.shape(state.output).0;
    if let (Some([_, by_state]), Some(factor)) = (&cell.modulated, inputs.factor) {
        let factor = tape.slice(factor, from..from + rows);
        let state_map = map(tape, by_state, read);
        read = tape.mul(factor, state_map);
        state.output = read;
    }
    let part = |tape: &mut Tape<'_, D>, i: usize| tape.slice(inputs.parts[i], from..from + rows);
    match (&cell.form, state.memory) {
        (CellForm::Gru { state: maps, .. }, _) => {
            let u = gru_maps(tape, maps, read);
            let input = [inputs.parts[0], inputs.parts[1]];
            State { output: tape.gru(GruInputs { input, from, state: u, previous: state.output }), memory: None }
        }
        (CellForm::Tanh { state: state_map, .. } | CellForm::Relu { state: state_map, .. }, _) => {
            let (a, u) = (part(tape, 0), map(tape, state_map, read));
            let sum = tape.add(a, u);
            let tanh = matches!(cell.form, CellForm::Tanh { .. });
            State { output: tape.activate(sum, if tanh { Activation::Tanh } else { Activation::Relu }), memory: None }
        }
        (CellForm::Lstm { state: state_map, .. }, Some(memory)) => {
            let u = map(tape, state_map, read);
            let (output, memory) = tape.lstm(inputs.parts[0], from, u, memory);
            State { output, memory: Some(memory) }
        }
        (CellForm::Sru { .. }, Some(memory)) => {
            let (candidate, forget) = (part(tape, 0), part(tape, 1));
            let memory = tape.mix(forget, memory, candidate);
            let (reset, x) = (part(tape, 2), part(tape, 3));
            let tanh = tape.activate(memory, Activation::Tanh);
            State { output: tape.mix(reset, tanh, x), memory: Some(memory) }
        }
        (CellForm::Ssru { .. }, Some(memory)) => {
            let (candidate, forget) = (part(tape, 0), part(tape, 1));
            let memory = tape.mix(forget, memory, candidate);
            State { output: tape.activate(memory, Activation::Relu), memory: Some(memory) }
        }
        (CellForm::Lstm { .. } | CellForm::Sru { .. } | CellForm::Ssru { .. }, None) => {
            unreachable!("a cell with memory has been given one")
        }
    }
}
