//! A decoder that begins with attention (Bahdanau et al. 2015 in the form of Devlin 2017, §4), with fully-connected
//! layers on top (Devlin 2017, §5).
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
//! The paper has σ in place of tanh for ŝ, which is a slip: by its §5, GRUs use tanh. The fully-connected layers
//! have biases, and their relu ends at 10 (§4.1). The state before the first word is tanh(mean hⱼ·W + b), which the
//! paper leaves open.
//!
//! | tensor | shape |
//! |---|---|
//! | `decoder_W_comb_att` (Wa), `decoder_V_att` (Va), `decoder_Wc_att` (Ua) | `dim-rnn`, `dim-emb`, `2 dim-rnn` of the encoder × `dim-attention` |
//! | `decoder_cell1_{W,U,b,Wx,Ux,bx}` | as a GRU that reads the word |
//! | `decoder_cell1_C`, `decoder_cell1_Cx` | annotations × 2 `dim-rnn`, × `dim-rnn` |
//! | `decoder_fc{i}_W`, `decoder_fc{i}_b` | from `dim-rnn` or `dim-layers` to `dim-layers` |
//! | `decoder_top_W`, `decoder_top_b`; or a GRU `decoder_top_cell1` | to the size of the top |
//!
//! What depends on the parent's state alone (`s·Wa`, `s·U`) is computed once per parent, however many rows it has
//! (Devlin 2017, §4.5), and what depends on an annotation alone once per sentence (§4.3).

use super::any_decoder::{AnyDecoder, DecoderWork, Inputs, SourceContext};
use super::attention::Source;
use super::cell::{Cell, CellColumns, LayerState};
use super::columns::Columns;
use super::optimizations::{FrequentWords, Optimizations};
use super::projection::Projection;
use super::rows::{Rows, copy};
use super::stack::Stack;
use crate::embedding::Embedding;
use crate::parts::recurrent as parts;
use crate::weights::CheckedTensor;
use metaphrase_base::Unit;
use metaphrase_kernels::{
    Matrix, Rows as RowRange, add_assign, clipped_relu_in_place, dot, heads_weighted_sum, softmax_in_place,
    tanh_in_place,
};

/// All of the decoder but embeddings and the output layer.
pub(super) struct AttentionFirst {
    /// From the mean annotation to the state at the start, before tanh.
    start: Projection,
    /// From annotations to keys, before tanh: Ua.
    keys: Projection,
    /// From the last word: `[Va | a of the cell]`.
    word: Projection,
    frequent: FrequentWords,
    /// From the parent's state: `[Wa | u of the cell]`.
    state: Projection,
    /// From annotations: what the context adds to `a`.
    context: Projection,
    cell: Cell,
    layers: Vec<Projection>,
    top: Top,
    dim_attention: usize,
    /// Whether a sentence has the products of its annotations by `context`, or the annotations.
    prepared_context: bool,
}

enum Top {
    None,
    Tanh(Projection),
    Gru(Box<Stack>),
}

impl AttentionFirst {
    /// The decoder of these tensors.
    pub(super) fn pack(parts: parts::AttentionFirst<CheckedTensor<'_>>) -> Self {
        let CellColumns { cell, input, state } = CellColumns::new(parts.cell);
        let [gates, candidate] = parts.context.map(Columns::from_matrix);
        let query_state = Columns::from_matrix(parts.query_state);
        Self {
            dim_attention: query_state.outputs(),
            start: Columns::from_map(parts.start).pack(),
            keys: Columns::from_matrix(parts.keys).pack(),
            prepared_context: true,
            frequent: FrequentWords::default(),
            word: Columns::from_matrix(parts.query_word).beside(input).pack(),
            state: state.into_iter().fold(query_state, Columns::beside).pack(),
            context: gates.beside(candidate).pack(),
            cell,
            layers: parts.layers.into_iter().map(|layer| Columns::from_map(layer).pack()).collect(),
            top: match parts.top {
                parts::Top::None => Top::None,
                parts::Top::Tanh(map) => Top::Tanh(Columns::from_map(map).pack()),
                parts::Top::Gru(layer) => Top::Gru(Box::new(Stack::pack(layer.cells))),
            },
        }
    }

    /// The fully-connected layers over `x`: the second, fourth, … stand alone, the others add the one two below.
    fn run_layers(&self, x: &Matrix, hidden: &mut Matrix, work: &mut DecoderWork) {
        let DecoderWork { below, top: middle, stack, .. } = work;
        let rows = &mut stack.cell.rows;
        copy(x, hidden);
        for (i, layer) in self.layers.iter().enumerate() {
            if i > 0 && i % 2 == 0 {
                // `below` is the layer two below, `middle` the one between.
                layer.apply(middle, hidden, rows);
                add_assign(hidden.as_mut_slice(), below.as_slice());
                clipped_relu_in_place(hidden.as_mut_slice());
            } else if i == 0 {
                copy(hidden, middle);
                layer.apply(middle, hidden, rows);
                clipped_relu_in_place(hidden.as_mut_slice());
            } else {
                copy(hidden, below);
                layer.apply(below, middle, rows);
                clipped_relu_in_place(middle.as_mut_slice());
                copy(middle, hidden);
            }
        }
    }

    fn run_top(&self, given: &Inputs<'_>, layers: &mut [LayerState], hidden: &mut Matrix, work: &mut DecoderWork) {
        let DecoderWork { states, inputs, below, stack: stack_work, .. } = work;
        match &self.top {
            Top::None => {}
            Top::Tanh(map) => {
                copy(hidden, below);
                map.apply(below, hidden, &mut stack_work.cell.rows);
                tanh_in_place(hidden.as_mut_slice());
            }
            Top::Gru(stack) => {
                stack.input.apply(hidden, inputs, &mut stack_work.cell.rows);
                stack.first_states(&given.parents[1], states, &mut stack_work.cell.rows);
                let u = Rows::new(states).by(given.parent_of);
                let previous = given.parents[1].rows().by(given.parent_of);
                stack.first().update(
                    given.slots.len(),
                    Rows::new(inputs),
                    u,
                    previous,
                    &mut layers[1],
                    &mut stack_work.cell,
                );
                copy(&layers[1].output, hidden);
            }
        }
    }
}

impl AnyDecoder for AttentionFirst {
    fn layers(&self) -> usize {
        1 + usize::from(matches!(self.top, Top::Gru(_)))
    }

    fn cell(&self) -> &Cell {
        &self.cell
    }

    fn set_optimizations(&mut self, optimizations: Optimizations, table: &Embedding, dim: usize) {
        self.frequent = FrequentWords::new(&self.word, table, dim, optimizations.frequent_words);
        self.prepared_context = optimizations.prepared_context;
    }

    /// Values that depend on the source alone: the keys of annotations, their addition to the cell's input, and of each
    /// mean annotation the state at the start.
    fn prepare(&self, annotations: &Matrix, means: &Matrix, prepared: &mut SourceContext) {
        let SourceContext { keys, values, starts, rows, .. } = prepared;
        let annotation_rows = self.keys.rows(annotations, rows);
        self.keys.apply_to(annotation_rows, keys);
        tanh_in_place(keys.as_mut_slice());
        if self.prepared_context {
            self.context.apply_to(annotation_rows, values);
        } else {
            copy(annotations, values);
        }
        self.start.apply(means, starts, rows);
        tanh_in_place(starts.as_mut_slice());
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
        let DecoderWork { rare, words, states, query, weights, inputs, contexts, stack, .. } = &mut *work;
        self.frequent.apply(&self.word, given.rows, given.words, words, rare, &mut stack.cell.rows);
        self.state.apply(&given.parents[0].output, states, &mut stack.cell.rows);
        let unit = Unit::Attention.timed();
        let attention = if self.prepared_context { &mut *inputs } else { &mut *contexts };
        let width = given.slots.first().map_or(0, |&slot| given.sources[slot].values.cols());
        attention.resize(n, width);
        let query_state = Rows::new(states).by(given.parent_of);
        for r in 0..n {
            let source = &given.sources[given.slots[r]];
            let query_word = &words.row(r)[..self.dim_attention];
            query.clear();
            query.extend(query_word.iter().zip(query_state.row(r)).map(|(y, s)| y + s));
            tanh_in_place(query);
            weigh(query, source, weights);
            attended(source, weights);
            let all = RowRange::Range(0..source.values.rows());
            heads_weighted_sum(weights, &source.values, all, 1, attention.row_mut(r));
        }
        drop(unit);
        if !self.prepared_context {
            self.context.apply(contexts, inputs, &mut stack.cell.rows);
        }
        for r in 0..n {
            add_assign(inputs.row_mut(r), &words.row(r)[self.dim_attention..]);
        }
        let u = Rows::new(states).columns(self.dim_attention..states.cols()).by(given.parent_of);
        let previous = given.parents[0].rows().by(given.parent_of);
        self.cell.update(n, Rows::new(inputs), u, previous, &mut layers[0], &mut stack.cell);
        self.run_layers(&layers[0].output, hidden, work);
        self.run_top(given, layers, hidden, work);
    }
}

/// `weights` becomes the weights of the source words, which sum to one.
fn weigh(query: &[f32], source: &Source, weights: &mut Vec<f32>) {
    weights.clear();
    weights.extend((0..source.keys.rows()).map(|j| dot(query, source.keys.row(j))));
    softmax_in_place(weights);
}
