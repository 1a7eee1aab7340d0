//! A decoder whose first layer is cut by attention, as in Nematus and Marian.
//!
//! One step, with `y` the embedding of the last word and `s` the states of the parent row:
//!
//! ```text
//! s¹ = cell1(y, s)      α = attention(s¹)      c = Σ αⱼ hⱼ      s² = cell2(c, s¹)      s³ … = transitions(s²)
//! upper layers: sˡ = cells(sˡ⁻¹, sˡ of the parent)
//! t = tanh(y·W0 + b0 + top·W1 + b1 + c·W2 + b2)      logits = t·W + b
//! ```
//!
//! Products of the same rows are merged, and annotations are multiplied once per sentence, as on the CPU.

use super::cell::{Cell, CellColumns, LayerState, Stack, Transitions};
use super::columns::{Columns, DeviceFinish, Projection};
use super::encoder::join;
use super::state::Call;
use crate::pack::{Packer, Tensor};
use crate::units::timed;
use metaphrase_base::Unit;
use metaphrase_cuda::decoding::{PickedRows, SourceAttention, StateRows};
use metaphrase_cuda::{Cuda, Matrix};
use metaphrase_device::{Activation, Block, Elementwise, Rows, Shape, Storage};
use metaphrase_models::parts::recurrent as parts;

/// All of the decoder but embeddings and the output layer.
pub(super) struct Conditional {
    /// From the mean annotation to the state at the start, before tanh.
    start: Projection,
    /// From the last word: `[a of cell 1 | W0]`.
    word: Projection,
    first: Cell,
    first_state: Option<Projection>,
    /// From annotations to the keys of all attentions.
    keys: Projection,
    v: Matrix,
    heads: usize,
    /// From s¹: `[queries | u of cell 2]`.
    query: Projection,
    /// From annotations, for each attention: `[a of cell 2 | W2]`.
    context: Projection,
    /// The rest of these products, of their sum.
    context_finish: DeviceFinish,
    /// `None` where the layer ends with attention.
    second: Option<Cell>,
    transitions: Transitions,
    upper: Vec<Stack>,
    /// Upper layers add their input to their output.
    skip: bool,
    /// From the top state: `W1`.
    readout: Projection,
}

impl Conditional {
    /// The decoder of these tensors.
    pub(super) fn pack(parts: parts::Conditional<Tensor>, packer: &mut Packer) -> Self {
        let [readout_word, readout_state, readout_context] = parts.readout.map(Columns::from_map);
        let first = CellColumns::new(parts.first, packer);
        let mut query = Columns::from_map(parts.queries);
        let mut context = readout_context;
        let mut after_attention = parts.after_attention.into_iter();
        let mut second = None;
        if let Some(cell) = after_attention.next() {
            let CellColumns { cell, input, state } = CellColumns::new(cell, packer);
            context = input.beside(context);
            if let Some(state) = state {
                query = query.beside(state);
            }
            second = Some(cell);
        }
        let (context, finish) = context.split();
        Self {
            start: Columns::from_map(parts.start).pack(packer),
            word: first.input.beside(readout_word).pack(packer),
            first: first.cell,
            first_state: first.state.map(|state| state.pack(packer)),
            keys: Columns::from_map(parts.keys).pack(packer),
            v: packer.row(parts.v.numbers),
            heads: parts.heads,
            query: query.pack(packer),
            context: of_heads(context, parts.heads).pack(packer),
            context_finish: finish.pack(packer),
            second,
            transitions: Transitions::pack(after_attention, packer),
            skip: parts.upper.iter().any(|layer| layer.skip),
            upper: parts.upper.into_iter().map(|layer| Stack::pack(layer.cells, packer)).collect(),
            readout: readout_state.pack(packer),
        }
    }

    /// For each layer whether it has a memory.
    pub(super) fn memories(&self) -> Vec<bool> {
        std::iter::once(self.first.has_memory()).chain(self.upper.iter().map(Stack::has_memory)).collect()
    }

    /// The keys and values of annotations, side by side.
    pub(super) fn lines(&self, cuda: &mut Cuda, annotations: &Matrix) -> Matrix {
        let [keys, values] = [&self.keys, &self.context].map(|map| map.apply(cuda, annotations));
        join(cuda, keys, values)
    }

    /// The states before the first word, of mean annotations.
    pub(super) fn starts(&self, cuda: &mut Cuda, means: &Matrix) -> Matrix {
        let mut starts = self.start.apply(cuda, means);
        cuda.activate(Activation::Tanh, &mut starts);
        starts
    }

    /// The input of the output layer, and the next states of all layers.
    pub(super) fn step(
        &self,
        cuda: &mut Cuda,
        call: &Call<'_>,
        y: &Matrix,
        weights: Option<&mut Matrix>,
    ) -> (Matrix, Vec<LayerState>) {
        let rows = y.rows();
        let words = self.word.apply(cuda, y);
        let parents = &call.parents[0];
        let u = self.first_state.as_ref().map(|projection| projection.apply(cuda, &parents.output));
        let mut base = LayerState::take(cuda, rows, self.first.dim(), self.first.has_memory());
        let factors = [Some(PickedRows::each(&words)), u.as_ref().map(|u| PickedRows::named(u, call.parent_of))];
        self.first.step(cuda, rows, factors, parents.of_rows(call.parent_of), &mut base, None);
        let queries = self.query.apply(cuda, &base.output);
        let keys = self.keys.outputs();
        let attention = SourceAttention {
            queries: &queries,
            words: call.sources,
            seen: call.source,
            heads: self.heads,
            dim: keys / self.heads,
            v: Some(&self.v),
        };
        let mut contexts = cuda.take(rows, self.context.outputs() / self.heads);
        timed(cuda, Unit::Attention, |cuda| cuda.attend_source(&attention, &mut contexts, weights));
        self.context_finish.run(cuda, &mut contexts);
        if let Some(cell) = &self.second {
            let factors = [Some(PickedRows::each(&contexts)), Some(PickedRows::each(&queries).from_column(keys))];
            cell.step(cuda, rows, factors, StateRows::default(), &mut base, None);
        }
        self.transitions.advance(cuda, rows, &mut base, None);
        u.into_iter().chain([queries]).for_each(|matrix| cuda.give(matrix));
        let (top, layers) = self.run_upper(cuda, call, base);
        let hidden = self.read_out(cuda, &top, &[&words, &contexts]);
        [words, contexts, top].into_iter().for_each(|matrix| cuda.give(matrix));
        (hidden, layers)
    }

    /// The output of the highest layer, and the states of all layers.
    fn run_upper(&self, cuda: &mut Cuda, call: &Call<'_>, base: LayerState) -> (Matrix, Vec<LayerState>) {
        let mut top = cuda.take(base.output.rows(), base.output.cols());
        cuda.copy(&base.output, &mut top);
        let mut layers = vec![base];
        for (stack, parents) in self.upper.iter().zip(&call.parents[1..]) {
            let next = stack.follow(cuda, &top, parents, call.parent_of);
            let mut output = cuda.take(top.rows(), next.output.cols());
            cuda.copy(&next.output, &mut output);
            if self.skip {
                cuda.add(&mut output, &top);
            }
            cuda.give(std::mem::replace(&mut top, output));
            layers.push(next);
        }
        (top, layers)
    }

    /// `t = tanh(y·W0 + b0 + top·W1 + b1 + c·W2 + b2)`, where the last columns of `terms` have the first and the third
    /// term.
    fn read_out(&self, cuda: &mut Cuda, top: &Matrix, terms: &[&Matrix; 2]) -> Matrix {
        let mut hidden = self.readout.apply(cuda, top);
        let (rows, cols) = (hidden.rows(), hidden.cols());
        for term in terms {
            cuda.add_block(term, &mut hidden, Block { rows, cols, from: (0, term.cols() - cols), to: (0, 0) });
        }
        cuda.activate(Activation::Tanh, &mut hidden);
        hidden
    }
}

/// The products of annotations for each attention, side by side. Each attention sees its part of the states of both
/// directions.
fn of_heads(context: Columns, heads: usize) -> Columns {
    if heads == 1 {
        return context;
    }
    let half = context.inputs() / 2;
    let of_head = |head| context.clone().of_inputs(|input| input % half / (half / heads) == head);
    (1..heads).map(of_head).fold(of_head(0), Columns::beside)
}
