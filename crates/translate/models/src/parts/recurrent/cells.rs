//! The structure of recurrent cells and of single maps, as Marian names their tensors (`rnn/cells.h` of marian-dev).
//!
//! Every cell is `f(a, u, s)` with `a` from its input `x`, `u` from its state `s`: `a = x·W …`, `u = s·U …`. A cell
//! without input (a transition) has the constant `a` that its biases make.

use super::Builder;
use crate::config::{Cell as Kind, LayerNorm};
use crate::parts::{Init, PartResult, Supply};

/// Added to Nematus' variances.
const NEMATUS_EPSILON: f32 = 1e-5;
/// Added to Marian's variances.
const MARIAN_EPSILON: f32 = 1e-9;

/// Where a cell stands, which decides where its biases go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CellPosition {
    /// The encoder.
    Encoder,
    /// The decoder: its first cell, and all cells of its higher layers.
    Decoder,
    /// The decoder's first layer after attention, where the candidate's bias is under the reset gate (Marian: `final`).
    AfterAttention,
}

/// `x · w` with a bias, normalised in one of two ways.
#[derive(Clone, Copy)]
pub struct Map<T> {
    /// `inputs × outputs`; `None` without input: then the result is the bias, or zero.
    pub w: Option<T>,
    /// The number of outputs.
    pub outputs: usize,
    /// A bias that is added before the normalisation, `1 × outputs`.
    pub inside: Option<T>,
    /// The normalisation.
    pub norm: Option<Norm<T>>,
    /// A bias that is added after the normalisation, `1 × outputs`.
    pub outside: Option<T>,
}

/// `(x - mean) / sqrt(variance + epsilon) ⊙ scale + shift`
#[derive(Clone, Copy)]
pub struct Norm<T> {
    /// `1 × outputs`; in tanh cells `1 × 3 outputs`, of which the first third is used, as in Marian.
    pub scale: T,
    /// `1 × outputs`.
    pub shift: Option<T>,
    /// Added to the variance.
    pub epsilon: f32,
}

/// The maps of a GRU on one side: its input's or its state's.
#[derive(Clone, Copy)]
pub struct GruMaps<T> {
    /// To the reset and the update gate, `2 dim-rnn` outputs.
    pub gates: Map<T>,
    /// To the candidate, `dim-rnn` outputs.
    pub candidate: Map<T>,
    /// The normalisation of gates and candidate together (Marian), before the biases that are outside.
    pub joint: Option<Norm<T>>,
}

/// A cell.
pub struct Cell<T> {
    /// The maps and the equations.
    pub form: CellForm<T>,
    /// The size of the state, `dim-rnn`.
    pub dim: usize,
    /// Multiplicative cells only (Krause et al. 2016): maps of the input and of the state to two factors, whose product
    /// takes the state's place.
    pub modulated: Option<[Map<T>; 2]>,
}

/// The maps of a cell by the kind of its equations.
pub enum CellForm<T> {
    /// Cho et al. 2014.
    Gru {
        /// From the input.
        input: GruMaps<T>,
        /// From the state.
        state: GruMaps<T>,
    },
    /// Hochreiter and Schmidhuber 1997, with the gates in Marian's order f, i, c, o.
    Lstm {
        /// From the input, `4 dim-rnn` outputs.
        input: Map<T>,
        /// From the state, `4 dim-rnn` outputs.
        state: Map<T>,
    },
    /// tanh(a + u)
    Tanh {
        /// From the input.
        input: Map<T>,
        /// From the state.
        state: Map<T>,
    },
    /// max(0, a + u)
    Relu {
        /// From the input.
        input: Map<T>,
        /// From the state.
        state: Map<T>,
    },
    /// Lei et al. 2018.
    Sru {
        /// From the input to the candidate.
        candidate: Map<T>,
        /// From the input to the forget gate, before σ.
        forget: Map<T>,
        /// From the input to the reset gate, before σ.
        reset: Map<T>,
    },
    /// Kim et al. 2019.
    Ssru {
        /// From the input to the candidate.
        candidate: Map<T>,
        /// From the input to the forget gate, before σ.
        forget: Map<T>,
    },
}

impl<T> Cell<T> {
    /// Whether there is a memory cell in addition to the output.
    #[must_use]
    pub const fn has_memory(&self) -> bool {
        matches!(self.form, CellForm::Lstm { .. } | CellForm::Sru { .. } | CellForm::Ssru { .. })
    }
}

impl<S: Supply> Builder<'_, S> {
    /// The cell called `prefix`, with an input of this width, which is 0 for a transition.
    pub(super) fn cell(
        &mut self,
        kind: Kind,
        position: CellPosition,
        prefix: &str,
        inputs: usize,
    ) -> PartResult<S, Cell<S::Tensor>> {
        let dim = self.config.dim_rnn;
        let form = match kind {
            Kind::GruNematus if self.normalises() => self.gru_nematus(prefix, inputs, position)?,
            Kind::Gru | Kind::GruNematus | Kind::Mgru => self.gru(prefix, inputs, position)?,
            Kind::Lstm | Kind::Mlstm => {
                let [input, state] = self.simple(prefix, inputs, 4 * dim, 4 * dim)?;
                CellForm::Lstm { input, state }
            }
            Kind::Tanh => {
                // Marian gives the scale three times the width that it uses.
                let [input, state] = self.simple(prefix, inputs, dim, 3 * dim)?;
                CellForm::Tanh { input, state }
            }
            Kind::Relu => {
                let [input, state] = self.simple(prefix, inputs, dim, dim)?;
                CellForm::Relu { input, state }
            }
            Kind::Sru => CellForm::Sru {
                candidate: self.scaled_gate(prefix, "", None)?,
                forget: self.scaled_gate(prefix, "f", Some("bf"))?,
                reset: self.scaled_gate(prefix, "r", Some("br"))?,
            },
            Kind::Ssru => CellForm::Ssru {
                candidate: self.scaled_gate(prefix, "", None)?,
                forget: self.scaled_gate(prefix, "f", Some("bf"))?,
            },
        };
        let modulated = match kind {
            Kind::Mlstm | Kind::Mgru => Some([
                self.factor(prefix, ["Wm", "gamma1m", "bwm"], inputs)?,
                self.factor(prefix, ["Um", "gamma2m", "bm"], dim)?,
            ]),
            _ => None,
        };
        Ok(Cell { form, dim, modulated })
    }

    fn gru(&mut self, prefix: &str, inputs: usize, position: CellPosition) -> PartResult<S, CellForm<S::Tensor>> {
        let dim = self.config.dim_rnn;
        let mut state = self.gru_maps(prefix, "U", "gamma2", dim)?;
        let mut input = self.gru_maps(prefix, "W", "gamma1", inputs)?;
        input.gates.outside = Some(self.bias(&format!("{prefix}_b"), 2 * dim)?);
        let bias = Some(self.bias(&format!("{prefix}_bx"), dim)?);
        if position == CellPosition::AfterAttention {
            state.candidate.outside = bias;
        } else {
            input.candidate.outside = bias;
        }
        Ok(CellForm::Gru { input, state })
    }

    /// The matrices `{stem}` and `{stem}x`, normalised together with the scale `gamma`.
    fn gru_maps(&mut self, prefix: &str, stem: &str, gamma: &str, inputs: usize) -> PartResult<S, GruMaps<S::Tensor>> {
        let dim = self.config.dim_rnn;
        let gates = self.plain(&format!("{prefix}_{stem}"), [inputs, 2 * dim])?;
        let candidate = self.plain(&format!("{prefix}_{stem}x"), [inputs, dim])?;
        let joint = self.marian_norm(&format!("{prefix}_{gamma}"), inputs, 3 * dim)?;
        Ok(GruMaps { gates, candidate, joint })
    }

    /// Nematus normalises gates and candidate apart, with the biases inside: on the side of the input, or, after
    /// attention, on the side of the state. The encoder's transitions have only the biases on the side of the input.
    fn gru_nematus(
        &mut self,
        prefix: &str,
        inputs: usize,
        position: CellPosition,
    ) -> PartResult<S, CellForm<S::Tensor>> {
        let dim = self.config.dim_rnn;
        let biases = [self.bias(&format!("{prefix}_b"), 2 * dim)?, self.bias(&format!("{prefix}_bx"), dim)?];
        let (input_tensors, state_tensors) = match position {
            CellPosition::AfterAttention => ([None, None], biases.map(Some)),
            _ => (biases.map(Some), [None, None]),
        };
        Ok(CellForm::Gru {
            state: self.gru_nematus_maps(&format!("{prefix}_U"), dim, state_tensors)?,
            input: self.gru_nematus_maps(&format!("{prefix}_W"), inputs, input_tensors)?,
        })
    }

    fn gru_nematus_maps(
        &mut self,
        stem: &str,
        inputs: usize,
        [joint_gates, joint_candidate]: [Option<S::Tensor>; 2],
    ) -> PartResult<S, GruMaps<S::Tensor>> {
        let dim = self.config.dim_rnn;
        let mut map = |stem: &str, outputs, inside| {
            let map = Map { inside, ..self.plain(stem, [inputs, outputs])? };
            self.nematus_normalised(map, &format!("{stem}_lns"), &format!("{stem}_lnb"))
        };
        let gates = map(stem, 2 * dim, joint_gates)?;
        Ok(GruMaps { gates, candidate: map(&format!("{stem}x"), dim, joint_candidate)?, joint: None })
    }

    /// The maps of cells with one matrix per side and one bias, from the input and from the state.
    fn simple(
        &mut self,
        prefix: &str,
        inputs: usize,
        width: usize,
        scale_width: usize,
    ) -> PartResult<S, [Map<S::Tensor>; 2]> {
        let dim = self.config.dim_rnn;
        let mut side = |w: &str, gamma: &str, inputs| {
            let map = self.plain(&format!("{prefix}_{w}"), [inputs, width])?;
            let norm = self.marian_norm(&format!("{prefix}_{gamma}"), inputs, scale_width)?;
            Ok(Map { norm, ..map })
        };
        let (state, input) = (side("U", "gamma2", dim)?, side("W", "gamma1", inputs)?);
        Ok([Map { outside: Some(self.bias(&format!("{prefix}_b"), width)?), ..input }, state])
    }

    /// The map `{prefix}_W{letter}` of an SRU or SSRU, with a bias of this name.
    fn scaled_gate(&mut self, prefix: &str, letter: &str, bias: Option<&str>) -> PartResult<S, Map<S::Tensor>> {
        let dim = self.config.dim_rnn;
        let outside = bias.map(|bias| self.bias(&format!("{prefix}_{bias}"), dim)).transpose()?;
        let map = self.plain(&format!("{prefix}_W{letter}"), [dim, dim])?;
        let norm = self.marian_norm(&format!("{prefix}_gamma{letter}"), dim, dim)?;
        Ok(Map { norm, outside, ..map })
    }

    /// A factor of a multiplicative cell, by the names of its matrix, scale and bias.
    fn factor(&mut self, prefix: &str, [w, gamma, bias]: [&str; 3], inputs: usize) -> PartResult<S, Map<S::Tensor>> {
        let dim = self.config.dim_rnn;
        let inside = Some(self.bias(&format!("{prefix}_{bias}"), dim)?);
        let map = self.plain(&format!("{prefix}_{w}"), [inputs, dim])?;
        Ok(Map { inside, norm: self.marian_norm(&format!("{prefix}_{gamma}"), inputs, dim)?, ..map })
    }

    /// A dense layer `{prefix}_W{number}`, `{prefix}_b{number}` of `shape`, which is `[inputs, outputs]`.
    pub(super) fn dense(&mut self, prefix: &str, number: &str, shape: [usize; 2]) -> PartResult<S, Map<S::Tensor>> {
        let bias = Some(self.bias(&format!("{prefix}_b{number}"), shape[1])?);
        let map = self.plain(&format!("{prefix}_W{number}"), shape)?;
        if self.config.layer_norm == LayerNorm::Nematus {
            let map = Map { inside: bias, ..map };
            return self.nematus_normalised(map, &format!("{prefix}_ln_s{number}"), &format!("{prefix}_ln_b{number}"));
        }
        let norm = self.marian_norm(&format!("{prefix}_gamma{number}"), shape[0], shape[1])?;
        Ok(Map { norm, outside: bias, ..map })
    }

    /// The map `{prefix}_W`, `{prefix}_b`, not normalised and drawn for a ReLU that follows.
    pub(super) fn before_relu(&mut self, prefix: &str, shape: [usize; 2]) -> PartResult<S, Map<S::Tensor>> {
        let w = Some(self.supply.tensor(&format!("{prefix}_W"), shape, Init::He)?);
        let outside = Some(self.bias(&format!("{prefix}_b"), shape[1])?);
        Ok(Map { w, outputs: shape[1], inside: None, norm: None, outside })
    }

    /// The maps of attention: from annotations to keys, from the state to queries.
    pub(super) fn attention(&mut self, dim: usize) -> PartResult<S, [Map<S::Tensor>; 2]> {
        let state = self.config.dim_rnn;
        let bias = Some(self.bias("decoder_b_att", dim)?);
        let keys = self.plain("decoder_Wc_att", [dim, dim])?;
        if self.config.layer_norm == LayerNorm::Nematus {
            let keys = Map { inside: bias, ..keys };
            let keys = self.nematus_normalised(keys, "decoder_Wc_att_lns", "decoder_Wc_att_lnb")?;
            let queries = self.plain("decoder_W_comb_att", [state, dim])?;
            let (scale, shift) = ("decoder_W_comb_att_lns", "decoder_W_comb_att_lnb");
            return Ok([keys, self.nematus_normalised(queries, scale, shift)?]);
        }
        let keys = Map { norm: self.marian_norm("decoder_att_gamma1", dim, dim)?, outside: bias, ..keys };
        let queries = self.plain("decoder_W_comb_att", [state, dim])?;
        Ok([keys, Map { norm: self.marian_norm("decoder_att_gamma2", state, dim)?, ..queries }])
    }

    fn normalises(&self) -> bool {
        self.config.layer_norm != LayerNorm::None
    }

    /// `x · w` alone.
    fn plain(&mut self, w: &str, shape: [usize; 2]) -> PartResult<S, Map<S::Tensor>> {
        let w = (shape[0] > 0).then(|| self.matrix(w, shape)).transpose()?;
        Ok(Map { w, outputs: shape[1], inside: None, norm: None, outside: None })
    }

    /// Marian's normalisation with the scale `gamma`, where the network normalises and there is an input.
    fn marian_norm(&mut self, gamma: &str, inputs: usize, outputs: usize) -> PartResult<S, Option<Norm<S::Tensor>>> {
        let norm = (self.normalises() && inputs > 0).then(|| {
            let scale = self.supply.tensor(gamma, [1, outputs], Init::Constant(1.0))?;
            Ok(Norm { scale, shift: None, epsilon: MARIAN_EPSILON })
        });
        norm.transpose()
    }

    /// The map with Nematus' normalisation, where there is an input.
    fn nematus_normalised(&mut self, map: Map<S::Tensor>, scale: &str, shift: &str) -> PartResult<S, Map<S::Tensor>> {
        if map.w.is_none() {
            return Ok(map);
        }
        let scale = self.supply.tensor(scale, [1, map.outputs], Init::Constant(1.0))?;
        let shift = Some(self.bias(shift, map.outputs)?);
        Ok(Map { norm: Some(Norm { scale, shift, epsilon: NEMATUS_EPSILON }), ..map })
    }

    /// A matrix of `shape`, which is `[inputs, outputs]`.
    pub(super) fn matrix(&mut self, name: &str, shape: [usize; 2]) -> PartResult<S, S::Tensor> {
        self.supply.tensor(name, shape, Init::Glorot)
    }

    fn bias(&mut self, name: &str, outputs: usize) -> PartResult<S, S::Tensor> {
        self.supply.tensor(name, [1, outputs], Init::Constant(0.0))
    }
}
