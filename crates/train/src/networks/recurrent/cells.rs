//! Cells with their parameters, as `metaphrase_models::recurrent` names and combines them.

use crate::networks::NetworkError;
use crate::parameters::{Init, ParameterId, Parameters};
use crate::tape::{Activation, GruInputs, Tape, Var};
use metaphrase_device::Device;
use metaphrase_models::config::{Cell as Kind, LayerNorm};

/// Added to Nematus' variances, and to Marian's.
const NEMATUS_EPSILON: f32 = 1e-5;
const MARIAN_EPSILON: f32 = 1e-9;

/// Where a cell stands, which decides where its biases go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Encoder,
    Decoder,
    /// The decoder's first layer after attention: the candidate's bias is under the reset gate.
    AfterAttention,
}

/// x · W with a bias, normalised in one of two ways.
#[derive(Clone, Copy)]
pub(super) struct Map {
    /// None: a cell without input, nothing but the bias.
    w: Option<ParameterId>,
    outputs: usize,
    /// Before the normalisation.
    inside: Option<ParameterId>,
    norm: Option<Norm>,
    /// After the normalisation.
    outside: Option<ParameterId>,
}

#[derive(Clone, Copy)]
struct Norm {
    scale: ParameterId,
    shift: Option<ParameterId>,
    epsilon: f32,
}

impl Map {
    pub(super) fn apply<D: Device>(&self, tape: &mut Tape<'_, D>, x: Var) -> Var {
        self.activated(tape, x, Activation::None)
    }

    pub(super) fn activated<D: Device>(&self, tape: &mut Tape<'_, D>, x: Var, activation: Activation) -> Var {
        let Some(w) = self.w else {
            let y = self.constant(tape, tape.shape(x).0);
            return if activation == Activation::None { y } else { tape.activate(y, activation) };
        };
        let Some(norm) = self.norm else { return tape.linear(x, w, self.outside.or(self.inside), activation) };
        let mut y = tape.linear(x, w, self.inside, Activation::None);
        y = tape.layer_norm(y, norm.scale, norm.shift.or(self.outside), norm.epsilon);
        if let (Some(_), Some(outside)) = (norm.shift, self.outside) {
            y = tape.add_row(y, outside);
        }
        if activation == Activation::None { y } else { tape.activate(y, activation) }
    }

    fn constant<D: Device>(&self, tape: &mut Tape<'_, D>, rows: usize) -> Var {
        match self.outside.or(self.inside) {
            Some(bias) => tape.repeat(bias, rows),
            None => tape.zeros(rows, self.outputs),
        }
    }
}

/// Declares maps whose names begin with `prefix`.
pub(super) struct Declare<'a> {
    pub(super) parameters: &'a mut Parameters,
    pub(super) norm: LayerNorm,
}

impl Declare<'_> {
    pub(super) fn matrix(&mut self, name: &str, inputs: usize, outputs: usize) -> ParameterId {
        self.parameters.declare(name, inputs, outputs, Init::Glorot)
    }

    pub(super) fn bias(&mut self, name: &str, outputs: usize) -> ParameterId {
        self.parameters.declare(name, 1, outputs, Init::Constant(0.0))
    }

    fn scale(&mut self, name: &str, outputs: usize) -> ParameterId {
        self.parameters.declare(name, 1, outputs, Init::Constant(1.0))
    }

    /// x · W without anything.
    fn plain(&mut self, w: &str, inputs: usize, outputs: usize) -> Map {
        let w = (inputs > 0).then(|| self.matrix(w, inputs, outputs));
        Map { w, outputs, inside: None, norm: None, outside: None }
    }

    /// x · W, in Marian's way of normalisation with the scale `gamma` if there is any.
    fn scaled(&mut self, w: &str, gamma: &str, inputs: usize, outputs: usize) -> Map {
        let plain = self.plain(w, inputs, outputs);
        let norm = (self.norm != LayerNorm::None && inputs > 0).then(|| Norm {
            scale: self.scale(gamma, outputs),
            shift: None,
            epsilon: MARIAN_EPSILON,
        });
        Map { norm, ..plain }
    }

    /// The normalisation of Nematus, `{stem}_lns` and `{stem}_lnb`.
    fn nematus(&mut self, map: Map, scale: &str, shift: &str) -> Map {
        if map.w.is_none() {
            return map;
        }
        let (scale, shift) = (self.scale(scale, map.outputs), self.bias(shift, map.outputs));
        Map { norm: Some(Norm { scale, shift: Some(shift), epsilon: NEMATUS_EPSILON }), ..map }
    }

    /// x · W + b, not normalised and drawn for a ReLU that follows.
    pub(super) fn before_relu(&mut self, prefix: &str, inputs: usize, outputs: usize) -> Map {
        let w = Some(self.parameters.declare(&format!("{prefix}_W"), inputs, outputs, Init::He));
        Map { w, outputs, inside: None, norm: None, outside: Some(self.bias(&format!("{prefix}_b"), outputs)) }
    }

    /// A dense layer `{prefix}_W{number}`, `{prefix}_b{number}`.
    pub(super) fn dense(&mut self, prefix: &str, number: &str, inputs: usize, outputs: usize) -> Map {
        let bias = Some(self.bias(&format!("{prefix}_b{number}"), outputs));
        let w = format!("{prefix}_W{number}");
        match self.norm {
            LayerNorm::None => Map { outside: bias, ..self.plain(&w, inputs, outputs) },
            LayerNorm::Marian => {
                let map = self.scaled(&w, &format!("{prefix}_gamma{number}"), inputs, outputs);
                Map { outside: bias, ..map }
            }
            LayerNorm::Nematus => {
                let map = Map { inside: bias, ..self.plain(&w, inputs, outputs) };
                self.nematus(map, &format!("{prefix}_ln_s{number}"), &format!("{prefix}_ln_b{number}"))
            }
        }
    }

    /// The maps of attention: from annotations to keys, from the state to queries.
    pub(super) fn attention(&mut self, dim: usize, state: usize) -> (Map, Map) {
        let bias = Some(self.bias("decoder_b_att", dim));
        let (keys, queries) = ("decoder_Wc_att", "decoder_W_comb_att");
        match self.norm {
            LayerNorm::None => (Map { outside: bias, ..self.plain(keys, dim, dim) }, self.plain(queries, state, dim)),
            LayerNorm::Marian => {
                let of_keys = self.scaled(keys, "decoder_att_gamma1", dim, dim);
                (Map { outside: bias, ..of_keys }, self.scaled(queries, "decoder_att_gamma2", state, dim))
            }
            LayerNorm::Nematus => {
                let of_keys = Map { inside: bias, ..self.plain(keys, dim, dim) };
                let of_keys = self.nematus(of_keys, &format!("{keys}_lns"), &format!("{keys}_lnb"));
                let of_queries = self.plain(queries, state, dim);
                (of_keys, self.nematus(of_queries, &format!("{queries}_lns"), &format!("{queries}_lnb")))
            }
        }
    }
}

/// The maps of a GRU on one side: gates and candidate.
#[derive(Clone, Copy)]
struct Pair {
    gates: Map,
    candidate: Map,
    /// Marian normalises both together.
    joint: Option<ParameterId>,
}

impl Pair {
    fn apply<D: Device>(&self, tape: &mut Tape<'_, D>, x: Var) -> [Var; 2] {
        let Some(scale) = self.joint else { return [self.gates.apply(tape, x), self.candidate.apply(tape, x)] };
        let bare = |map: &Map, tape: &mut Tape<'_, D>| Map { outside: None, ..*map }.apply(tape, x);
        let parts = [bare(&self.gates, tape), bare(&self.candidate, tape)];
        let joined = tape.join(&parts);
        let y = tape.layer_norm(joined, scale, None, MARIAN_EPSILON);
        let width = self.gates.outputs;
        let mut parts = [tape.columns(y, 0..width), tape.columns(y, width..width + self.candidate.outputs)];
        for (part, map) in parts.iter_mut().zip([&self.gates, &self.candidate]) {
            if let Some(bias) = map.outside {
                *part = tape.add_row(*part, bias);
            }
        }
        parts
    }
}

/// A cell with its parameters.
pub(super) struct Cell {
    form: Form,
    dim: usize,
    /// Of a multiplicative cell: factors from the input and from the state, whose product takes the state's place.
    modulated: Option<(Map, Map)>,
}

enum Form {
    Gru {
        input: Pair,
        state: Pair,
    },
    Lstm {
        input: Map,
        state: Map,
    },
    /// f(a + u)
    Simple {
        input: Map,
        state: Map,
        activation: Activation,
    },
    /// Candidate and forget gate; SRU: and reset gate.
    Sru {
        candidate: Map,
        forget: Map,
        reset: Option<Map>,
    },
}

/// What a cell makes of its input, for all positions at once.
pub(super) struct Inputs {
    parts: Vec<Var>,
    /// The factor of a multiplicative cell.
    factor: Option<Var>,
}

/// What a cell remembers.
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
    /// Those of a GRU: gates and candidate.
    pub(super) fn pair(&self) -> (Var, Var) {
        (self.parts[0], self.parts[1])
    }
}

impl Cell {
    /// What a GRU makes of its state: gates and candidate.
    pub(super) fn gru_state<D: Device>(&self, tape: &mut Tape<'_, D>, state: Var) -> [Var; 2] {
        match &self.form {
            Form::Gru { state: map, .. } => map.apply(tape, state),
            _ => unreachable!("a decoder that begins with attention has been declared with a GRU"),
        }
    }

    /// The cell called `prefix`, with an input of this width, which is 0 for a transition.
    pub(super) fn declare(
        declare: &mut Declare<'_>,
        kind: Kind,
        dim: usize,
        prefix: &str,
        inputs: usize,
        place: Place,
    ) -> Result<Self, NetworkError> {
        let reads = matches!(kind, Kind::Mlstm | Kind::Mgru | Kind::Sru | Kind::Ssru);
        if reads && inputs == 0 {
            return Err(NetworkError(format!("`{prefix}`: only one cell of a layer can be mlstm, mgru, sru or ssru")));
        }
        if matches!(kind, Kind::Sru | Kind::Ssru) && inputs != dim {
            return Err(NetworkError(format!("`{prefix}`: sru and ssru need `dim-emb` equal to `dim-rnn`")));
        }
        if kind == Kind::Tanh && declare.norm != LayerNorm::None {
            return Err(NetworkError(format!("`{prefix}`: tanh cells can not be trained with layer normalisation")));
        }
        let name = |suffix: &str| format!("{prefix}_{suffix}");
        let form = match kind {
            Kind::GruNematus if declare.norm != LayerNorm::None => gru_nematus(declare, &name, inputs, dim, place)?,
            Kind::Gru | Kind::GruNematus | Kind::Mgru => gru(declare, &name, inputs, dim, place),
            Kind::Lstm | Kind::Mlstm => {
                let (input, state) = simple(declare, &name, inputs, dim, 4 * dim);
                Form::Lstm { input, state }
            }
            Kind::Tanh | Kind::Relu => {
                let (input, state) = simple(declare, &name, inputs, dim, dim);
                let activation = if kind == Kind::Tanh { Activation::Tanh } else { Activation::Relu };
                Form::Simple { input, state, activation }
            }
            Kind::Sru | Kind::Ssru => {
                let mut gate = |w: &str, gamma: &str, bias: Option<&str>| {
                    let outside = bias.map(|bias| declare.bias(&name(bias), dim));
                    Map { outside, ..declare.scaled(&name(w), &name(gamma), dim, dim) }
                };
                Form::Sru {
                    candidate: gate("W", "gamma", None),
                    forget: gate("Wf", "gammaf", Some("bf")),
                    reset: (kind == Kind::Sru).then(|| gate("Wr", "gammar", Some("br"))),
                }
            }
        };
        let modulated = matches!(kind, Kind::Mlstm | Kind::Mgru).then(|| {
            let mut factor = |w: &str, gamma: &str, bias: &str, inputs: usize| {
                let inside = Some(declare.bias(&name(bias), dim));
                Map { inside, ..declare.scaled(&name(w), &name(gamma), inputs, dim) }
            };
            (factor("Wm", "gamma1m", "bwm", inputs), factor("Um", "gamma2m", "bm", dim))
        });
        Ok(Self { form, dim, modulated })
    }

    /// Size of the state.
    pub(super) const fn dim(&self) -> usize {
        self.dim
    }

    /// Whether there is a memory beside the output.
    pub(super) const fn has_memory(&self) -> bool {
        matches!(self.form, Form::Lstm { .. } | Form::Sru { .. })
    }

    /// What the cell makes of its inputs `x`; of a transition only the number of rows counts.
    pub(super) fn inputs<D: Device>(&self, tape: &mut Tape<'_, D>, x: Var) -> Inputs {
        let parts = match &self.form {
            Form::Gru { input, .. } => input.apply(tape, x).to_vec(),
            Form::Lstm { input, .. } | Form::Simple { input, .. } => vec![input.apply(tape, x)],
            Form::Sru { candidate, forget, reset } => {
                let mut parts = vec![candidate.apply(tape, x), forget.activated(tape, x, Activation::Sigmoid)];
                if let Some(reset) = reset {
                    parts.extend([reset.activated(tape, x, Activation::Sigmoid), x]);
                }
                parts
            }
        };
        Inputs { parts, factor: self.modulated.map(|(factor, _)| factor.apply(tape, x)) }
    }

    /// The next state, from the rows of `inputs` from `from` on, as many as the state has. Products read the state's
    /// output with some of it dropped, `read`; what a gate keeps is kept whole.
    pub(super) fn advance<D: Device>(
        &self,
        tape: &mut Tape<'_, D>,
        inputs: &Inputs,
        from: usize,
        mut state: State,
        mut read: Var,
    ) -> State {
        let rows = tape.shape(state.output).0;
        if let (Some((_, by_state)), Some(factor)) = (&self.modulated, inputs.factor) {
            let factor = tape.slice(factor, from..from + rows);
            let of_state = by_state.apply(tape, read);
            read = tape.mul(factor, of_state);
            state.output = read;
        }
        let part = |tape: &mut Tape<'_, D>, i: usize| tape.slice(inputs.parts[i], from..from + rows);
        match (&self.form, state.memory) {
            (Form::Gru { state: map, .. }, _) => {
                let u = map.apply(tape, read);
                let input = [inputs.parts[0], inputs.parts[1]];
                State { output: tape.gru(GruInputs { input, from, state: u, previous: state.output }), memory: None }
            }
            (Form::Simple { state: map, activation, .. }, _) => {
                let (a, u) = (part(tape, 0), map.apply(tape, read));
                let sum = tape.add(a, u);
                State { output: tape.activate(sum, *activation), memory: None }
            }
            (Form::Lstm { state: map, .. }, Some(memory)) => {
                let u = map.apply(tape, read);
                let (output, memory) = tape.lstm(inputs.parts[0], from, u, memory);
                State { output, memory: Some(memory) }
            }
            (Form::Sru { reset, .. }, Some(memory)) => {
                let (candidate, forget) = (part(tape, 0), part(tape, 1));
                let memory = tape.mix(forget, memory, candidate);
                let output = if reset.is_some() {
                    let (reset, x) = (part(tape, 2), part(tape, 3));
                    let tanh = tape.activate(memory, Activation::Tanh);
                    tape.mix(reset, tanh, x)
                } else {
                    tape.activate(memory, Activation::Relu)
                };
                State { output, memory: Some(memory) }
            }
            (Form::Lstm { .. } | Form::Sru { .. }, None) => unreachable!("a cell with memory has been given one"),
        }
    }
}

/// The matrices `{stem}` and `{stem}x`, normalised together with the scale `gamma`.
fn pair(
    declare: &mut Declare<'_>,
    name: &impl Fn(&str) -> String,
    stem: &str,
    gamma: &str,
    (inputs, dim): (usize, usize),
) -> Pair {
    let gates = declare.plain(&name(stem), inputs, 2 * dim);
    let candidate = declare.plain(&name(&format!("{stem}x")), inputs, dim);
    let normalised = declare.norm != LayerNorm::None && inputs > 0;
    Pair { gates, candidate, joint: normalised.then(|| declare.scale(&name(gamma), 3 * dim)) }
}

fn gru(declare: &mut Declare<'_>, name: &impl Fn(&str) -> String, inputs: usize, dim: usize, place: Place) -> Form {
    let mut state = pair(declare, name, "U", "gamma2", (dim, dim));
    let mut input = pair(declare, name, "W", "gamma1", (inputs, dim));
    input.gates.outside = Some(declare.bias(&name("b"), 2 * dim));
    let bias = Some(declare.bias(&name("bx"), dim));
    if place == Place::AfterAttention {
        state.candidate.outside = bias;
    } else {
        input.candidate.outside = bias;
    }
    Form::Gru { input, state }
}

/// Nematus normalises gates and candidate apart, with the biases inside: on the side of the input or, after attention,
/// of the state. The encoder's transitions have them outside.
fn gru_nematus(
    declare: &mut Declare<'_>,
    name: &impl Fn(&str) -> String,
    inputs: usize,
    dim: usize,
    place: Place,
) -> Result<Form, NetworkError> {
    if inputs == 0 && place == Place::Decoder {
        let name = name("U");
        return Err(NetworkError(format!("`{name}`: gru-nematus needs `decoder-cell-high-depth` = 1")));
    }
    let biases = [Some(declare.bias(&name("b"), 2 * dim)), Some(declare.bias(&name("bx"), dim))];
    let mut side = |stem: &str, inputs: usize, biases: [Option<ParameterId>; 2]| {
        let widths = [(stem.to_owned(), 2 * dim), (format!("{stem}x"), dim)];
        let maps = widths.into_iter().zip(biases).map(|((stem, outputs), inside)| {
            let map = Map { inside, ..declare.plain(&name(&stem), inputs, outputs) };
            declare.nematus(map, &name(&format!("{stem}_lns")), &name(&format!("{stem}_lnb")))
        });
        let maps: Vec<Map> = maps.collect();
        Pair { gates: maps[0], candidate: maps[1], joint: None }
    };
    let (of_input, of_state) = if place == Place::AfterAttention { ([None; 2], biases) } else { (biases, [None; 2]) };
    Ok(Form::Gru { state: side("U", dim, of_state), input: side("W", inputs, of_input) })
}

/// Cells with one matrix per side and one bias.
fn simple(
    declare: &mut Declare<'_>,
    name: &impl Fn(&str) -> String,
    inputs: usize,
    dim: usize,
    width: usize,
) -> (Map, Map) {
    let state = declare.scaled(&name("U"), &name("gamma2"), dim, width);
    let input = declare.scaled(&name("W"), &name("gamma1"), inputs, width);
    (Map { outside: Some(declare.bias(&name("b"), width)), ..input }, state)
}
