//! The decoder: a conditional layer with attention, then plain layers (`DecoderS2S` of marian-dev's `models/s2s.h`).
//!
//! One step, with `y` the embedding of the last word and `s` the states of the parent row:
//!
//! ```text
//! s¹ = cell1(y, s)      α = attention(s¹)      c = Σ αⱼ hⱼ      s² = cell2(c, s¹)      s³ … = transitions(s²)
//! upper layers: sˡ = cells(sˡ⁻¹, sˡ of the parent)
//! t = tanh(y·W0 + b0 + top·W1 + b1 + c·W2 + b2)      logits = t·W + b
//! ```
//!
//! Products of the same rows are merged: `y` by cell 1 and `W0`; `s¹` by the query and cell 2. Products of `c` are
//! linear in it, so the annotations are multiplied once per sentence, and each row sums products:
//! `c·W = Σ αⱼ (hⱼ·W)`. The products of the parent's states are computed once per parent, however many rows it has.

use super::any_decoder::{AnyDecoder, DecoderWork, Inputs, SourceContext};
use super::attention::{Attention, Source};
use super::cell::{Cell, CellColumns, LayerState};
use super::columns::Columns;
use super::optimizations::{FrequentWords, Optimizations};
use super::projection::Projection;
use super::rows::{Rows, copy};
use super::stack::{Stack, StackWork, Transitions};
use crate::embedding::Embedding;
use crate::parts::recurrent::Conditional;
use crate::weights::CheckedTensor;
use metaphrase_base::Unit;
use metaphrase_kernels::{Matrix, Rows as RowRange, add_assign, heads_weighted_sum, tanh_in_place};

/// All of the decoder but embeddings and the output layer.
pub(super) struct Decoder {
    /// From the mean annotation to the state at the start, before tanh.
    start: Projection,
    /// From the last word: `[a of cell 1 | W0]`.
    word: Projection,
    frequent: FrequentWords,
    first: Cell,
    first_state: Option<Projection>,
    attention: Attention,
    /// From s¹: `[query | u of cell 2]`.
    query: Projection,
    /// From annotations: `[a of cell 2 | W2]`.
    context: Projection,
    /// `None` where the layer ends with attention.
    second: Option<Cell>,
    transitions: Transitions,
    upper: Vec<Stack>,
    /// Upper layers add their input to their output.
    skip: bool,
    /// From the top state: `W1`.
    readout: Projection,
    dim_emb: usize,
}

impl Decoder {
    /// The decoder of these tensors.
    pub(super) fn pack(parts: Conditional<CheckedTensor<'_>>) -> Self {
        let [readout_word, readout_state, readout_context] = parts.readout.map(Columns::from_map);
        let dim_emb = readout_word.outputs();
        let first = CellColumns::new(parts.first);
        let mut query = Columns::from_map(parts.queries);
        let mut context = readout_context;
        let mut after_attention = parts.after_attention.into_iter();
        let mut second = None;
        if let Some(cell) = after_attention.next() {
            let CellColumns { cell, input, state } = CellColumns::new(cell);
            context = input.beside(context);
            if let Some(state) = state {
                query = query.beside(state);
            }
            second = Some(cell);
        }
        Self {
            start: Columns::from_map(parts.start).pack(),
            word: first.input.beside(readout_word).pack(),
            frequent: FrequentWords::default(),
            first: first.cell,
            first_state: first.state.map(Columns::pack),
            attention: Attention {
                keys: Columns::from_map(parts.keys).pack(),
                v: parts.v.into_numbers(),
                heads: parts.heads,
            },
            query: query.pack(),
            context: context.pack(),
            second,
            transitions: Transitions::pack(after_attention),
            skip: parts.upper.iter().any(|layer| layer.skip),
            upper: parts.upper.into_iter().map(|layer| Stack::pack(layer.cells)).collect(),
            readout: readout_state.pack(),
            dim_emb,
        }
    }

    /// The products of the annotations that each attention sees, side by side: `rows × (heads · outputs)`.
    fn prepare_heads(&self, annotations: &Matrix, prepared: &mut SourceContext) {
        let (heads, outputs) = (self.attention.heads, self.context.outputs());
        let SourceContext { values, part, product, rows, .. } = prepared;
        values.resize(annotations.rows(), heads * outputs);
        let half = annotations.cols() / 2;
        let size = half / heads;
        for head in 0..heads {
            copy(annotations, part);
            for r in 0..part.rows() {
                for (column, number) in part.row_mut(r).iter_mut().enumerate() {
                    if column % half / size != head {
                        *number = 0.0;
                    }
                }
            }
            self.context.product(self.context.rows(part, rows), product);
            for r in 0..product.rows() {
                values.row_mut(r)[head * outputs..(head + 1) * outputs].copy_from_slice(product.row(r));
            }
        }
    }

    /// The contexts of the attentions, as products: the sum over all. Then `weights` are their mean.
    fn attend(&self, source: &Source, weights: &mut Vec<f32>, parts: &mut Vec<f32>, context: &mut [f32]) {
        let (heads, words) = (self.attention.heads, source.values.rows());
        let all = RowRange::Range(0..words);
        if heads == 1 {
            return heads_weighted_sum(weights, &source.values, all, 1, context);
        }
        parts.resize(source.values.cols(), 0.0);
        heads_weighted_sum(weights, &source.values, all, heads, parts);
        context.fill(0.0);
        parts.chunks_exact(context.len()).for_each(|part| add_assign(context, part));
        for word in 0..words {
            let sum: f32 = (0..heads).map(|head| weights[head * words + word]).sum();
            weights[word] = sum / heads as f32;
        }
        weights.truncate(words);
    }

    /// Cell 2 and the transitions of the first layer.
    fn after_attention(&self, base: &mut LayerState, queries: &Matrix, contexts: &Matrix, work: &mut StackWork) {
        if let Some(cell) = &self.second {
            let a = Rows::new(contexts).columns(0..contexts.cols() - self.dim_emb);
            let u = Rows::new(queries).columns(self.attention.dim()..queries.cols());
            cell.update(base.output.rows(), a, u, base.rows(), &mut work.next, &mut work.cell);
            std::mem::swap(base, &mut work.next);
        }
        self.transitions.advance(base, work);
    }

    /// The layers above the first; leaves the output of the highest one in `work.top`.
    fn run_upper(&self, given: &Inputs<'_>, layers: &mut [LayerState], work: &mut DecoderWork) {
        let DecoderWork { states, inputs, below, top, stack: stack_work, .. } = work;
        copy(&layers[0].output, top);
        for ((stack, parent), layer) in self.upper.iter().zip(&given.parents[1..]).zip(&mut layers[1..]) {
            copy(top, below);
            stack.input.apply(below, inputs, &mut stack_work.cell.rows);
            stack.first_states(parent, states, &mut stack_work.cell.rows);
            let (u, previous) = (Rows::new(states).by(given.parent_of), parent.rows().by(given.parent_of));
            let n = given.slots.len();
            stack.first().update(n, Rows::new(inputs), u, previous, layer, &mut stack_work.cell);
            stack.transitions.advance(layer, stack_work);
            copy(&layer.output, top);
            if self.skip {
                add_assign(top.as_mut_slice(), below.as_slice());
            }
        }
    }

    /// `t = tanh(y·W0 + b0 + top·W1 + b1 + c·W2 + b2)`, each term normalised where the model does.
    fn read_out(&self, hidden: &mut Matrix, work: &mut DecoderWork) {
        self.readout.apply(&work.top, hidden, &mut work.stack.cell.rows);
        for r in 0..hidden.rows() {
            let row = hidden.row_mut(r);
            add_assign(row, &work.words.row(r)[work.words.cols() - self.dim_emb..]);
            add_assign(row, &work.contexts.row(r)[work.contexts.cols() - self.dim_emb..]);
        }
        tanh_in_place(hidden.as_mut_slice());
    }
}

impl AnyDecoder for Decoder {
    fn layers(&self) -> usize {
        1 + self.upper.len()
    }

    fn cell(&self) -> &Cell {
        &self.first
    }

    fn set_optimizations(&mut self, optimizations: Optimizations, table: &Embedding, dim: usize) {
        self.frequent = FrequentWords::new(&self.word, table, dim, optimizations.frequent_words);
    }

    fn prepare(&self, annotations: &Matrix, means: &Matrix, prepared: &mut SourceContext) {
        if self.attention.heads > 1 {
            self.prepare_heads(annotations, prepared);
        }
        let SourceContext { keys, values, starts, rows, .. } = &mut *prepared;
        let annotations = self.context.rows(annotations, rows);
        self.attention.keys.apply_to(annotations, keys);
        if self.attention.heads == 1 {
            self.context.product(annotations, values);
        }
        self.start.apply(means, starts, rows);
        tanh_in_place(prepared.starts.as_mut_slice());
    }

    fn step(
        &self,
        given: &Inputs<'_>,
        layers: &mut [LayerState],
        hidden: &mut Matrix,
        work: &mut DecoderWork,
        attended: &mut dyn FnMut(&Source, &[f32]),
    ) {
        let n = given.slots.len();
        let DecoderWork { rare, words, states, queries, contexts, weights, parts, stack, .. } = &mut *work;
        self.frequent.apply(&self.word, given.rows, given.words, words, rare, &mut stack.cell.rows);
        if let Some(projection) = &self.first_state {
            projection.apply(&given.parents[0].output, states, &mut stack.cell.rows);
        }
        let a = self.word.outputs() - self.dim_emb;
        let previous = given.parents[0].rows().by(given.parent_of);
        let base = &mut layers[0];
        let u = Rows::new(states).by(given.parent_of);
        self.first.update(n, Rows::new(words).columns(0..a), u, previous, base, &mut stack.cell);

        self.query.apply(&base.output, queries, &mut stack.cell.rows);
        let unit = Unit::Attention.timed();
        contexts.resize(n, self.context.outputs());
        for r in 0..n {
            let source = &given.sources[given.slots[r]];
            self.attention.weigh(&queries.row(r)[..self.attention.dim()], source, weights);
            self.attend(source, weights, parts, contexts.row_mut(r));
            attended(source, weights);
            self.context.finish(contexts.row_mut(r));
        }
        drop(unit);
        self.after_attention(base, queries, contexts, stack);
        self.run_upper(given, layers, work);
        self.read_out(hidden, work);
    }
}
