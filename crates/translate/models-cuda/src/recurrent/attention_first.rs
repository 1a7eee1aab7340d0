//! A decoder that begins with attention, with fully-connected layers on top (Devlin 2017, §4 and §5).
//!
//! One step, with `y` the embedding of the last word, `s` the state of the parent row and `hⱼ` the annotations:
//!
//! ```text
//! dⱼ = tanh(s·Wa + y·Va) · tanh(hⱼ·Ua)      α = softmax(d)      c = Σ αⱼ hⱼ
//! r, z = σ([y; c; s]·W… + b)   ŝ = tanh(y·Wx + c·Cx + bx + r ⊙ (s·Ux))   s¹ = (1 - z) ⊙ ŝ + z ⊙ s
//! h¹ = relu(s¹·W1)   h² = relu(h¹·W2)   h³ = relu(h²·W3 + h¹)   h⁴ = relu(h³·W4)   h⁵ = relu(h⁴·W5 + h³)   …
//! t = tanh(h·W + b), or a GRU over h, or h itself      logits = t·W + b
//! ```
//!
//! The products of the annotations by the context's map are computed once per sentence (§4.3).

use super::cell::{Cell, CellColumns, LayerState, Stack};
use super::columns::{Columns, Projection};
use super::encoder::join;
use super::state::Call;
use crate::pack::{Packer, Tensor};
use crate::units::timed;
use metaphrase_base::Unit;
use metaphrase_cuda::decoding::{CellKind, CellStep, PickedRows, SourceAttention, StateRows};
use metaphrase_cuda::{Cuda, Matrix};
use metaphrase_device::{Activation, Block, Elementwise, Rows, Shape, Storage};
use metaphrase_models::parts::recurrent as parts;

/// All of the decoder but embeddings and the output layer.
pub(super) struct AttentionFirst {
    /// From the mean annotation to the state at the start.
    start: Projection,
    /// From annotations to keys: Ua and tanh.
    keys: Projection,
    /// From the last word: `[Va | a of the cell]`.
    word: Projection,
    /// From the parent's state: `[Wa | u of the cell]`.
    state: Projection,
    /// From annotations: what the context adds to `a`.
    context: Projection,
    cell: Cell,
    /// A layer that adds the one two below has no function of its own.
    layers: Vec<Projection>,
    top: Top,
}

enum Top {
    None,
    Tanh(Projection),
    Gru(Box<Stack>),
}

/// Whether the layer adds the one two below before its function.
const fn adds(layer: usize) -> bool {
    layer > 0 && layer.is_multiple_of(2)
}

impl AttentionFirst {
    /// The decoder of these tensors.
    pub(super) fn pack(parts: parts::AttentionFirst<Tensor>, packer: &mut Packer) -> Self {
        let CellColumns { cell, input, state } = CellColumns::new(parts.cell, packer);
        let [gates, candidate] = parts.context.map(Columns::from_matrix);
        let query_state = Columns::from_matrix(parts.query_state);
        let layers = parts.layers.into_iter().enumerate().map(|(i, layer)| {
            let function = if adds(i) { Activation::None } else { Activation::ClippedRelu };
            Columns::from_map(layer).pack_with(function, packer)
        });
        let layers = layers.collect();
        let tanh = Activation::Tanh;
        Self {
            start: Columns::from_map(parts.start).pack_with(tanh, packer),
            keys: Columns::from_matrix(parts.keys).pack_with(tanh, packer),
            word: Columns::from_matrix(parts.query_word).beside(input).pack(packer),
            state: state.into_iter().fold(query_state, Columns::beside).pack(packer),
            context: gates.beside(candidate).pack(packer),
            cell,
            layers,
            top: match parts.top {
                parts::Top::None => Top::None,
                parts::Top::Tanh(map) => Top::Tanh(Columns::from_map(map).pack_with(tanh, packer)),
                parts::Top::Gru(layer) => Top::Gru(Box::new(Stack::pack(layer.cells, packer))),
            },
        }
    }

    /// For each layer whether it has a memory.
    pub(super) fn memories(&self) -> Vec<bool> {
        let top = if let Top::Gru(stack) = &self.top { Some(stack.has_memory()) } else { None };
        std::iter::once(self.cell.has_memory()).chain(top).collect()
    }

    /// The keys and values of annotations, side by side.
    pub(super) fn lines(&self, cuda: &mut Cuda, annotations: &Matrix) -> Matrix {
        let [keys, values] = [&self.keys, &self.context].map(|map| map.apply(cuda, annotations));
        join(cuda, keys, values)
    }

    /// The states before the first word, of mean annotations.
    pub(super) fn starts(&self, cuda: &mut Cuda, means: &Matrix) -> Matrix {
        self.start.apply(cuda, means)
    }

    /// The input of the output layer, and the next states of all layers.
    pub(super) fn step(
        &self,
        cuda: &mut Cuda,
        call: &Call<'_>,
        y: &Matrix,
        weights: Option<&mut Matrix>,
    ) -> (Matrix, Vec<LayerState>) {
        let (rows, keys) = (y.rows(), self.keys.outputs());
        let words = self.word.apply(cuda, y);
        let parents = &call.parents[0];
        let states = self.state.apply(cuda, &parents.output);
        let u = PickedRows::named(&states, call.parent_of);
        let mut queries = cuda.take(rows, keys);
        let query =
            CellStep { kind: CellKind::Tanh, a: PickedRows::each(&words), u: Some(u), before: StateRows::default() };
        cuda.cell_step(&query, rows, &mut queries, None, None);
        let attention =
            SourceAttention { queries: &queries, words: call.sources, seen: call.source, heads: 1, dim: keys, v: None };
        let mut inputs = cuda.take(rows, self.context.outputs());
        timed(cuda, Unit::Attention, |cuda| cuda.attend_source(&attention, &mut inputs, weights));
        let cols = inputs.cols();
        cuda.add_block(&words, &mut inputs, Block { rows, cols, from: (0, keys), to: (0, 0) });
        let mut base = LayerState::take(cuda, rows, self.cell.dim(), self.cell.has_memory());
        let factors = [Some(PickedRows::each(&inputs)), Some(u.from_column(keys))];
        self.cell.step(cuda, rows, factors, parents.of_rows(call.parent_of), &mut base, None);
        [words, states, queries, inputs].into_iter().for_each(|matrix| cuda.give(matrix));
        let hidden = self.run_layers(cuda, &base.output);
        self.run_top(cuda, call, hidden, base)
    }

    /// The fully-connected layers over `x`: the second, fourth, … stand alone, the others add the one two below.
    fn run_layers(&self, cuda: &mut Cuda, x: &Matrix) -> Matrix {
        let mut top = cuda.take(x.rows(), x.cols());
        cuda.copy(x, &mut top);
        let mut below: Option<Matrix> = None;
        for (i, layer) in self.layers.iter().enumerate() {
            let next = match &below {
                Some(two_below) if adds(i) => {
                    let mut next = layer.apply_and_add(cuda, &top, two_below);
                    cuda.activate(Activation::ClippedRelu, &mut next);
                    next
                }
                _ => layer.apply(cuda, &top),
            };
            let middle = std::mem::replace(&mut top, next);
            below.replace(middle).into_iter().for_each(|two_below| cuda.give(two_below));
        }
        below.into_iter().for_each(|below| cuda.give(below));
        top
    }

    fn run_top(&self, cuda: &mut Cuda, call: &Call<'_>, hidden: Matrix, base: LayerState) -> (Matrix, Vec<LayerState>) {
        match &self.top {
            Top::None => (hidden, vec![base]),
            Top::Tanh(map) => {
                let top = map.apply(cuda, &hidden);
                cuda.give(hidden);
                (top, vec![base])
            }
            Top::Gru(stack) => {
                let next = stack.follow(cuda, &hidden, &call.parents[1], call.parent_of);
                cuda.give(hidden);
                let mut top = cuda.take(next.output.rows(), next.output.cols());
                cuda.copy(&next.output, &mut top);
                (top, vec![base, next])
            }
        }
    }
}
