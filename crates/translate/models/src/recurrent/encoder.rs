//! The encoder: stacks of recurrent layers over the source (`EncoderS2S` of marian-dev's `models/s2s.h`).

use super::cell::LayerState;
use super::layout::TimeMajor;
use super::rows::{Rows, copy};
use super::stack::{Stack, StackWork};
use crate::parts::recurrent as parts;
use crate::weights::CheckedTensor;
use metaphrase_kernels::{Matrix, add_assign};

/// A layer: its cells, and how it runs.
struct Layer {
    stack: Stack,
    backward: bool,
    /// The layer's input is added to its output.
    skip: bool,
}

/// All layers of an encoder.
pub(super) struct Encoder {
    /// Stacks over the embeddings whose tops are joined.
    forward: Vec<Layer>,
    backward: Vec<Layer>,
    /// Layers over the joined tops.
    upper: Vec<Layer>,
    /// Layers in both directions, each over the joined outputs of both directions below.
    joined: Vec<[Layer; 2]>,
}

/// Work space of the encoder.
#[derive(Debug, Default)]
pub(super) struct EncoderWork {
    /// `a` of all positions.
    inputs: Matrix,
    state: LayerState,
    stack: StackWork,
    /// The output of the layer below.
    below: Matrix,
    top_forward: Matrix,
    top_backward: Matrix,
}

impl Encoder {
    /// The encoder of these tensors.
    pub(super) fn pack(parts: parts::Encoder<CheckedTensor<'_>>) -> Self {
        let pack = |layers: Vec<_>| layers.into_iter().map(Layer::pack).collect();
        Self {
            forward: pack(parts.forward),
            backward: pack(parts.backward),
            upper: pack(parts.upper),
            joined: parts.joined.into_iter().map(|directions| directions.map(Layer::pack)).collect(),
        }
    }

    /// The annotations of all positions, `rows × dim`, from the embeddings, `rows × dim_emb`, both as `layout` has
    /// them.
    pub(super) fn run(
        &self,
        layout: &TimeMajor,
        embeddings: &Matrix,
        annotations: &mut Matrix,
        work: &mut EncoderWork,
    ) {
        let mut top_forward = std::mem::take(&mut work.top_forward);
        let mut top_backward = std::mem::take(&mut work.top_backward);
        run_stack(&self.forward, layout, embeddings, &mut top_forward, work);
        run_stack(&self.backward, layout, embeddings, &mut top_backward, work);
        join(&top_forward, &top_backward, annotations);
        for [forward, backward] in &self.joined {
            forward.run(layout, annotations, &mut top_forward, work);
            backward.run(layout, annotations, &mut top_backward, work);
            join(&top_forward, &top_backward, annotations);
        }
        if !self.upper.is_empty() {
            run_stack(&self.upper, layout, annotations, &mut top_forward, work);
            copy(&top_forward, annotations);
        }
        (work.top_forward, work.top_backward) = (top_forward, top_backward);
    }
}

/// `[left | right]`, row by row.
fn join(left: &Matrix, right: &Matrix, out: &mut Matrix) {
    let d = left.cols();
    out.resize(left.rows(), d + right.cols());
    for r in 0..left.rows() {
        let row = out.row_mut(r);
        row[..d].copy_from_slice(left.row(r));
        row[d..].copy_from_slice(right.row(r));
    }
}

fn run_stack(layers: &[Layer], layout: &TimeMajor, input: &Matrix, top: &mut Matrix, work: &mut EncoderWork) {
    let mut below = std::mem::take(&mut work.below);
    for (i, layer) in layers.iter().enumerate() {
        if i > 0 {
            copy(top, &mut below);
        }
        layer.run(layout, if i == 0 { input } else { &below }, top, work);
    }
    work.below = below;
}

impl Layer {
    fn pack(layer: parts::Layer<CheckedTensor<'_>>) -> Self {
        Self { stack: Stack::pack(layer.cells), backward: layer.backward, skip: layer.skip }
    }

    /// Runs over the positions of all sentences at once, those that have a word there.
    fn run(&self, layout: &TimeMajor, x: &Matrix, out: &mut Matrix, work: &mut EncoderWork) {
        let EncoderWork { inputs, state, stack: stack_work, .. } = work;
        self.stack.input.apply(x, inputs, &mut stack_work.cell.rows);
        let cell = self.stack.first();
        out.resize(layout.rows(), cell.dim());
        state.resize(0, cell);
        for i in 0..layout.positions() {
            let rows = layout.at(if self.backward { layout.positions() - 1 - i } else { i });
            // Forwards sentences end here, backwards they begin, with a state of zero.
            state.grow_zeroed(rows.len(), cell);
            self.stack.advance(Rows::new(inputs).from(rows.start), state, stack_work);
            let d = out.cols();
            out.as_mut_slice()[rows.start * d..rows.end * d].copy_from_slice(state.output.as_slice());
        }
        if self.skip {
            add_assign(out.as_mut_slice(), x.as_slice());
        }
    }
}
