//! The parameters of recurrent cells as Marian names them (`rnn/cells.h` of marian-dev), brought to one form.
//!
//! Every cell is `f(a, u, s)` with `a` from its input `x`, `u` from its state `s`: `a = x·W …`, `u = s·U …`. Biases
//! and layer normalisation differ by kind and place; here they all become what follows the two products, so that
//! [`Cell::update`](super::cell::Cell::update) needs to know none of it. A cell without input (a transition) is one whose
//! input has no columns: its `a` is a constant.

use super::cell::{Cell, Gates};
use super::columns::{Columns, NEMATUS_EPSILON, vector};
use crate::config::{Cell as Kind, LayerNorm};
use crate::{ModelError, Weights};

/// Where a cell stands, which decides where its biases go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The encoder.
    Encoder,
    /// The decoder: its first cell, and all cells of its higher layers.
    Decoder,
    /// The decoder's first layer after attention, where the candidate's bias is under the reset gate
    /// (Marian: `final`).
    AfterAttention,
}

/// A cell before its matrices are packed: the owner may set them beside others.
pub(super) struct CellParts {
    /// The element-wise rest.
    pub(super) cell: Cell,
    /// From the input to `a`.
    pub(super) input: Columns,
    /// From the state to `u`; `None` for kinds that see their state only element by element.
    pub(super) state: Option<Columns>,
}

/// What to read, and from where.
pub(super) struct CellReader<'a> {
    pub(super) weights: &'a Weights,
    pub(super) kind: Kind,
    pub(super) norm: LayerNorm,
    pub(super) dim_rnn: usize,
}

impl CellReader<'_> {
    /// The cell called `prefix`, with an input of this width, which is 0 for a transition.
    pub(super) fn read(&self, prefix: &str, inputs: usize, place: Place) -> Result<CellParts, ModelError> {
        self.check(prefix, inputs, place)?;
        match self.kind {
            Kind::Gru => self.gru(prefix, inputs, place),
            Kind::GruNematus if self.norm == LayerNorm::None => self.gru(prefix, inputs, place),
            Kind::GruNematus => self.gru_nematus(prefix, inputs, place),
            Kind::Lstm => self.simple(prefix, inputs, Gates::Lstm),
            Kind::Tanh => self.simple(prefix, inputs, Gates::Tanh),
            Kind::Relu => self.simple(prefix, inputs, Gates::Relu),
            Kind::Mlstm => {
                let parts = self.simple(prefix, inputs, Gates::Lstm)?;
                self.multiplicative(prefix, parts, inputs)
            }
            Kind::Mgru => {
                let parts = self.gru(prefix, inputs, place)?;
                self.multiplicative(prefix, parts, inputs)
            }
            Kind::Sru => self.sru(prefix),
            Kind::Ssru => self.ssru(prefix),
        }
    }

    /// Refuses what Marian refuses or can not compute.
    fn check(&self, prefix: &str, inputs: usize, place: Place) -> Result<(), ModelError> {
        let path = self.weights.path();
        let refuse = |what: &str, advice: &str| {
            let what = format!("{what} (`{prefix}`)");
            Err(ModelError::unsupported(path, what, advice))
        };
        let reads = matches!(self.kind, Kind::Mlstm | Kind::Mgru | Kind::Sru | Kind::Ssru);
        if reads && inputs == 0 {
            return refuse(
                "a cell of kind mlstm, mgru, sru or ssru without input",
                "a layer can have only one cell of these kinds",
            );
        }
        if self.kind == Kind::GruNematus && inputs == 0 && place == Place::Decoder {
            return refuse(
                "a second cell of kind gru-nematus in a higher layer of the decoder",
                "`dec-cell-high-depth` must be 1",
            );
        }
        let square = matches!(self.kind, Kind::Sru | Kind::Ssru);
        if square && inputs != self.dim_rnn {
            return refuse(
                "a cell of kind sru or ssru with an input that is not as wide as its state",
                "their `dim-emb` must equal `dim-rnn`",
            );
        }
        Ok(())
    }

    fn gru(&self, prefix: &str, inputs: usize, place: Place) -> Result<CellParts, ModelError> {
        let d = self.dim_rnn;
        let mut state = self.pair(prefix, "U", d)?;
        let mut bias = self.vector(prefix, "b", 2 * d)?;
        let candidate = self.vector(prefix, "bx", d)?;
        if self.norm != LayerNorm::None {
            state = state.scaled(self.vector(prefix, "gamma2", 3 * d)?);
        }
        if place == Place::AfterAttention {
            state = state.plus_from(2 * d, &candidate);
            bias.resize(3 * d, 0.0);
        } else {
            bias.extend_from_slice(&candidate);
        }
        let mut input = Columns::nothing(3 * d);
        if inputs > 0 {
            input = self.pair(prefix, "W", inputs)?;
            if self.norm != LayerNorm::None {
                input = input.scaled(self.vector(prefix, "gamma1", 3 * d)?);
            }
        }
        Ok(self.parts(Gates::Gru, input.plus(&bias), Some(state)))
    }

    /// Nematus normalises gates and candidate apart, with the biases inside: on the side of the input, or, after
    /// attention, on the side of the state. The encoder's transitions have them outside.
    fn gru_nematus(&self, prefix: &str, inputs: usize, place: Place) -> Result<CellParts, ModelError> {
        let d = self.dim_rnn;
        let (b, bx) = (self.vector(prefix, "b", 2 * d)?, self.vector(prefix, "bx", d)?);
        let gates = self.matrix(prefix, "U", d, 2 * d)?;
        let candidate = self.matrix(prefix, "Ux", d, d)?;
        let state = match place {
            Place::AfterAttention => {
                let gates = self.nematus_norm(prefix, "U", gates.plus(&b))?;
                gates.beside(self.nematus_norm(prefix, "Ux", candidate.plus(&bx))?)
            }
            _ => {
                let gates = self.nematus_norm(prefix, "U", gates)?;
                gates.beside(self.nematus_norm(prefix, "Ux", candidate)?)
            }
        };
        if inputs == 0 {
            let mut input = Columns::nothing(3 * d);
            if place == Place::Encoder {
                input = input.plus_from(0, &b).plus_from(2 * d, &bx);
            }
            return Ok(self.parts(Gates::Gru, input, Some(state)));
        }
        let mut gates = self.matrix(prefix, "W", inputs, 2 * d)?;
        let mut candidate = self.matrix(prefix, "Wx", inputs, d)?;
        if place != Place::AfterAttention {
            (gates, candidate) = (gates.plus(&b), candidate.plus(&bx));
        }
        let gates = self.nematus_norm(prefix, "W", gates)?;
        let input = gates.beside(self.nematus_norm(prefix, "Wx", candidate)?);
        Ok(self.parts(Gates::Gru, input, Some(state)))
    }

    /// Cells with one matrix per side and one bias: LSTM, tanh, relu.
    fn simple(&self, prefix: &str, inputs: usize, gates: Gates) -> Result<CellParts, ModelError> {
        let d = self.dim_rnn;
        let width = gates.width() * d;
        let bias = self.vector(prefix, "b", width)?;
        let mut state = self.matrix(prefix, "U", d, width)?;
        if self.norm != LayerNorm::None {
            state = state.scaled(self.simple_scale(prefix, "gamma2", gates)?);
        }
        let mut input = Columns::nothing(width);
        if inputs > 0 {
            input = self.matrix(prefix, "W", inputs, width)?;
            if self.norm != LayerNorm::None {
                input = input.scaled(self.simple_scale(prefix, "gamma1", gates)?);
            }
        }
        Ok(self.parts(gates, input.plus(&bias), Some(state)))
    }

    /// Marian gives the scale of a tanh cell three times the width that it uses.
    fn simple_scale(&self, prefix: &str, name: &str, gates: Gates) -> Result<Vec<f32>, ModelError> {
        let width = gates.width() * self.dim_rnn;
        let stored = if gates == Gates::Tanh { 3 * width } else { width };
        let mut scale = self.vector(prefix, name, stored)?;
        scale.truncate(width);
        Ok(scale)
    }

    /// Krause et al. 2016: the state is replaced by `m = (x·Wm + bwm) ⊙ (s·Um + bm)` before the cell sees it.
    fn multiplicative(&self, prefix: &str, parts: CellParts, inputs: usize) -> Result<CellParts, ModelError> {
        let d = self.dim_rnn;
        let mut factor = self.matrix(prefix, "Wm", inputs, d)?.plus(&self.vector(prefix, "bwm", d)?);
        let mut state = self.matrix(prefix, "Um", d, d)?.plus(&self.vector(prefix, "bm", d)?);
        if self.norm != LayerNorm::None {
            factor = factor.scaled(self.vector(prefix, "gamma1m", d)?);
            state = state.scaled(self.vector(prefix, "gamma2m", d)?);
        }
        let cell = parts.cell.modulated(parts.state.map(Columns::pack));
        Ok(CellParts { cell, input: parts.input.beside(factor), state: Some(state) })
    }

    /// Lei et al. 2018. `a` is candidate, forget gate, reset gate and the input itself, which passes through.
    fn sru(&self, prefix: &str) -> Result<CellParts, ModelError> {
        let candidate = self.normed_gate(prefix, "W", "gamma", None)?;
        let forget = self.normed_gate(prefix, "Wf", "gammaf", Some("bf"))?;
        let reset = self.normed_gate(prefix, "Wr", "gammar", Some("br"))?;
        let input = candidate.beside(forget).beside(reset).beside(Columns::identity(self.dim_rnn));
        Ok(self.parts(Gates::Sru, input, None))
    }

    /// Kim et al. 2019. `a` is candidate and forget gate.
    fn ssru(&self, prefix: &str) -> Result<CellParts, ModelError> {
        let candidate = self.normed_gate(prefix, "W", "gamma", None)?;
        let forget = self.normed_gate(prefix, "Wf", "gammaf", Some("bf"))?;
        Ok(self.parts(Gates::Ssru, candidate.beside(forget), None))
    }

    fn normed_gate(&self, prefix: &str, matrix: &str, scale: &str, bias: Option<&str>) -> Result<Columns, ModelError> {
        let d = self.dim_rnn;
        let mut gate = self.matrix(prefix, matrix, d, d)?;
        if self.norm != LayerNorm::None {
            gate = gate.scaled(self.vector(prefix, scale, d)?);
        }
        match bias {
            Some(bias) => Ok(gate.plus(&self.vector(prefix, bias, d)?)),
            None => Ok(gate),
        }
    }

    fn nematus_norm(&self, prefix: &str, stem: &str, columns: Columns) -> Result<Columns, ModelError> {
        let scale = self.vector(prefix, &format!("{stem}_lns"), columns.outputs)?;
        let shift = self.vector(prefix, &format!("{stem}_lnb"), columns.outputs)?;
        Ok(columns.normalised(scale, shift, NEMATUS_EPSILON))
    }

    /// The gates' matrix `stem` and the candidate's, `stem` + `x`.
    fn pair(&self, prefix: &str, stem: &str, inputs: usize) -> Result<Columns, ModelError> {
        let gates = self.matrix(prefix, stem, inputs, 2 * self.dim_rnn)?;
        Ok(gates.beside(self.matrix(prefix, &format!("{stem}x"), inputs, self.dim_rnn)?))
    }

    fn matrix(&self, prefix: &str, name: &str, inputs: usize, outputs: usize) -> Result<Columns, ModelError> {
        Columns::read(self.weights, &format!("{prefix}_{name}"), inputs, outputs)
    }

    fn vector(&self, prefix: &str, name: &str, size: usize) -> Result<Vec<f32>, ModelError> {
        vector(self.weights, &format!("{prefix}_{name}"), size)
    }

    fn parts(&self, gates: Gates, input: Columns, state: Option<Columns>) -> CellParts {
        CellParts { cell: Cell::new(gates, self.dim_rnn), input, state }
    }
}
