//! The encoder: stacks of recurrent layers over all sentences of a call at once.
//!
//! The words of all sentences are rows of one matrix, one sentence after the other. At each position a step advances
//! the states of all sentences that have a word there, which are the first ones by falling length.

use super::cell::{LayerState, Stack};
use crate::encoder::Encoded;
use crate::pack::{Packer, Tensor};
use core::ops::Range;
use metaphrase_base::Sentence;
use metaphrase_cuda::decoding::{DeviceMap, Kept, PickedRows, RowIds};
use metaphrase_cuda::{Cuda, Matrix};
use metaphrase_device::{Block, Elementwise, Rows, Shape, Storage};
use metaphrase_models::parts::recurrent as parts;
use std::sync::Arc;

/// A layer: its cells, and how it runs.
struct Layer {
    stack: Stack,
    backward: bool,
    /// The layer's input is added to its output.
    skip: bool,
}

/// All layers of an encoder.
pub(super) struct Encoder {
    table: Arc<DeviceMap>,
    /// Stacks over the embeddings whose tops are joined.
    stacks: [Vec<Layer>; 2],
    /// Layers in both directions, each over the joined outputs of both directions below.
    joined: Vec<[Layer; 2]>,
    /// Layers over the joined tops.
    upper: Vec<Layer>,
}

/// The rows of the sentences of a call by position.
struct Layout {
    sentences: usize,
    /// The row of each word, position by position, at each position by falling length of the sentences.
    rows: RowIds,
    /// The part of each position.
    positions: Vec<Range<usize>>,
}

impl Layout {
    fn new(cuda: &mut Cuda, sentences: &[Range<usize>]) -> Self {
        let mut order: Vec<&Range<usize>> = sentences.iter().collect();
        order.sort_by_key(|words| core::cmp::Reverse(words.len()));
        let (mut rows, mut positions) = (Vec::new(), Vec::new());
        for position in 0..order.first().map_or(0, |longest| longest.len()) {
            let first = rows.len();
            let running = order.iter().take_while(|words| position < words.len());
            rows.extend(running.map(|words| (words.start + position) as u32));
            positions.push(first..rows.len());
        }
        Self { sentences: sentences.len(), rows: cuda.row_ids(&rows), positions }
    }
}

impl Encoder {
    /// The encoder of these tensors.
    pub(super) fn pack(table: Arc<DeviceMap>, parts: parts::Encoder<Tensor>, packer: &mut Packer) -> Self {
        let mut pack = |layers: Vec<_>| layers.into_iter().map(|layer| Layer::pack(layer, packer)).collect();
        let stacks = [pack(parts.forward), pack(parts.backward)];
        let upper = pack(parts.upper);
        let joined = parts.joined.into_iter().map(|both| both.map(|layer| Layer::pack(layer, packer))).collect();
        Self { table, stacks, joined, upper }
    }

    /// The annotations of the words of all sentences.
    pub(super) fn encode(&self, cuda: &mut Cuda, sentences: &[Sentence<'_>]) -> Encoded {
        let (mut words, mut ranges) = (Vec::new(), Vec::new());
        for sentence in sentences {
            let first = words.len();
            words.extend(sentence.words.iter().map(|word| word.0));
            ranges.push(first..words.len());
        }
        let layout = Layout::new(cuda, &ranges);
        let mut x = cuda.take(words.len(), self.table.inputs());
        cuda.embed(&self.table, &words, 1.0, None, &mut x);
        let [forward, backward] = self.stacks.each_ref().map(|layers| {
            let (first, others) = layers.split_first().expect("a stack has a layer");
            let bottom = first.run(cuda, &layout, &x);
            run_stack(others, cuda, &layout, bottom)
        });
        cuda.give(x);
        let mut annotations = join(cuda, forward, backward);
        for both in &self.joined {
            let [forward, backward] = both.each_ref().map(|layer| layer.run(cuda, &layout, &annotations));
            cuda.give(annotations);
            annotations = join(cuda, forward, backward);
        }
        annotations = run_stack(&self.upper, cuda, &layout, annotations);
        cuda.give_ids(layout.rows);
        Encoded { words: annotations, sentences: ranges }
    }
}

/// `[left | right]`, row by row.
pub(super) fn join(cuda: &mut Cuda, left: Matrix, right: Matrix) -> Matrix {
    let (rows, [before, after]) = (left.rows(), [left.cols(), right.cols()]);
    let mut joined = cuda.take(rows, before + after);
    cuda.copy_block(&left, &mut joined, Block { rows, cols: before, from: (0, 0), to: (0, 0) });
    cuda.copy_block(&right, &mut joined, Block { rows, cols: after, from: (0, 0), to: (0, before) });
    [left, right].into_iter().for_each(|matrix| cuda.give(matrix));
    joined
}

fn run_stack(layers: &[Layer], cuda: &mut Cuda, layout: &Layout, mut x: Matrix) -> Matrix {
    for layer in layers {
        let y = layer.run(cuda, layout, &x);
        cuda.give(std::mem::replace(&mut x, y));
    }
    x
}

impl Layer {
    fn pack(layer: parts::Layer<Tensor>, packer: &mut Packer) -> Self {
        Self { stack: Stack::pack(layer.cells, packer), backward: layer.backward, skip: layer.skip }
    }

    /// Runs over the positions of all sentences at once.
    fn run(&self, cuda: &mut Cuda, layout: &Layout, x: &Matrix) -> Matrix {
        let dim = self.stack.dim();
        let inputs = self.stack.input.apply(cuda, x);
        let mut y = cuda.take(x.rows(), dim);
        // Backwards, shorter sentences begin later: until then no step writes their states.
        let mut state = LayerState::take(cuda, layout.sentences, dim, self.stack.has_memory());
        cuda.clear(&mut state.output);
        state.memory.iter_mut().for_each(|memory| cuda.clear(memory));
        for i in 0..layout.positions.len() {
            let place = if self.backward { layout.positions.len() - 1 - i } else { i };
            let rows = &layout.positions[place];
            let a = PickedRows::named_by(&inputs, &layout.rows, rows);
            let kept = Kept { matrix: &mut y, ids: (&layout.rows, rows.clone()) };
            self.stack.advance(cuda, rows.len(), a, &mut state, kept);
        }
        state.give(cuda);
        cuda.give(inputs);
        if self.skip {
            cuda.add(&mut y, x);
        }
        y
    }
}
