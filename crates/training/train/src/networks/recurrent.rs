//! Recurrent encoder-decoders with attention: `metaphrase_models::recurrent` with the target words given.
//!
//! Words lie position by position ([`TimeMajor`]): the products by a layer's input are one product for all positions,
//! those by its state one per position, over the sentences that are still running.

mod attention_first;
mod cells;
mod layout;

use super::{AttentionRows, DecoderOutput, Dropout, shifted};
use crate::data::{Batch, Sentences};
use crate::parameters::ParameterId;
use crate::tape::{Activation, AdditiveAttention, Spans, Tape, Var};
use cells::{Cell, Inputs, State, activated, advance as advance_cell, inputs, map};
use layout::TimeMajor;
use metaphrase_device::Device;
use metaphrase_models::parts::recurrent::{self as parts, Decoder};
use std::rc::Rc;

type Recurrent = parts::Recurrent<ParameterId>;
type Conditional = parts::Conditional<ParameterId>;
type Layer = parts::Layer<ParameterId>;

/// The forward pass of a batch, position by position.
pub(super) fn forward<D: Device>(
    network: &Recurrent,
    tape: &mut Tape<'_, D>,
    batch: &Batch,
    dropout: &Dropout,
) -> DecoderOutput {
    let annotations = encode(network, tape, &batch.source, dropout);
    let layout = TimeMajor::new(&batch.target);
    let before = layout.arrange(&batch.target, &shifted(&batch.target, None));
    let mut words = tape.lookup(network.words.target, &before, 1.0);
    words = tape.dropout_rows(words, dropout.target_words);
    let (output, attended) = match &network.decoder {
        Decoder::Conditional(decoder) => {
            conditional(decoder, tape, words, annotations, &layout, &batch.source, dropout)
        }
        Decoder::AttentionFirst(decoder) => {
            attention_first::run(decoder, tape, words, annotations, &layout, &batch.source, dropout)
        }
    };
    let labels: Vec<u32> = batch.target.all().iter().map(|word| word.0).collect();
    DecoderOutput { output, words: layout.arrange(&batch.target, &labels), attended }
}

/// The annotations of all words, sentence after sentence.
fn encode<D: Device>(network: &Recurrent, tape: &mut Tape<'_, D>, sentences: &Sentences, dropout: &Dropout) -> Var {
    let encoder = &network.encoder;
    let layout = TimeMajor::new(sentences);
    let words: Vec<_> = sentences.all().iter().map(|word| Some(word.0)).collect();
    let mut words = tape.lookup(network.words.source, &layout.arrange(sentences, &words), 1.0);
    words = tape.dropout_rows(words, dropout.source_words);
    let tops = [&encoder.forward, &encoder.backward].map(|stack| run_layers(tape, stack, words, &layout, dropout));
    let mut annotations = tape.join(&tops);
    annotations = run_layers(tape, &encoder.upper, annotations, &layout, dropout);
    for directions in &encoder.joined {
        let tops = directions.each_ref().map(|layer| run_layer(tape, layer, annotations, &layout, None, dropout));
        annotations = tape.join(&tops);
    }
    tape.gather(annotations, layout.by_sentence(sentences))
}

/// Numbers of words as the forward pass has them, sentence after sentence.
#[cfg(test)]
pub(super) fn by_sentence(sentences: &Sentences, numbers: &[f32]) -> Vec<f32> {
    TimeMajor::new(sentences).by_sentence(sentences).iter().map(|&row| numbers[row as usize]).collect()
}

fn run_layers<D: Device>(
    tape: &mut Tape<'_, D>,
    layers: &[Layer],
    mut x: Var,
    layout: &TimeMajor,
    dropout: &Dropout,
) -> Var {
    for layer in layers {
        x = run_layer(tape, layer, x, layout, None, dropout);
    }
    x
}

/// Runs over all positions; `start` are the states before the first word, by rank, or zero.
fn run_layer<D: Device>(
    tape: &mut Tape<'_, D>,
    layer: &Layer,
    x: Var,
    layout: &TimeMajor,
    start: Option<State>,
    dropout: &Dropout,
) -> Var {
    let masks = Masks::new(tape, tape.shape(x).1, layer.cells[0].dim, layout.sentences(), dropout.recurrent);
    let input = masks.input(tape, x, layout);
    let inputs = inputs(tape, &layer.cells[0], input);
    let mut state = start.unwrap_or_else(|| zero_state(tape, &layer.cells[0], 0));
    let mut outputs = Vec::with_capacity(layout.positions());
    for i in 0..layout.positions() {
        let rows = layout.at(if layer.backward { layout.positions() - 1 - i } else { i });
        // Forwards sentences end, backwards they begin, with a state of zero.
        state = if tape.shape(state.output).0 < rows.len() {
            state.grown(tape, rows.len())
        } else {
            state.first(tape, rows.len())
        };
        let read = masks.state(tape, state.output);
        state = advance(tape, &layer.cells, &inputs, rows.start, state, read);
        outputs.push(state.output);
    }
    if layer.backward {
        outputs.reverse();
    }
    let y = tape.stack(&outputs);
    if layer.skip { tape.add(y, x) } else { y }
}

/// A cell that reads `given` and of the state `read`, then transitions.
fn advance<D: Device>(
    tape: &mut Tape<'_, D>,
    cells: &[Cell],
    given: &Inputs,
    from: usize,
    mut state: State,
    read: Var,
) -> State {
    let Some((first, transitions)) = cells.split_first() else { return state };
    state = advance_cell(tape, first, given, from, state, read);
    for cell in transitions {
        let given = inputs(tape, cell, state.output);
        state = advance_cell(tape, cell, &given, 0, state, state.output);
    }
    state
}

fn zero_state<D: Device>(tape: &mut Tape<'_, D>, cell: &Cell, rows: usize) -> State {
    let mut zeros = || tape.zeros(rows, cell.dim);
    State { output: zeros(), memory: cell.has_memory().then(zeros) }
}

/// Variational dropout of a layer: one mask per sentence for its inputs, one for its states.
struct Masks {
    input: Option<Var>,
    state: Option<Var>,
}

impl Masks {
    fn new<D: Device>(tape: &mut Tape<'_, D>, inputs: usize, state: usize, sentences: usize, probability: f32) -> Self {
        let mut mask = |cols| tape.dropout_mask(sentences, cols, probability);
        Self { input: mask(inputs), state: mask(state) }
    }

    /// Inputs of all positions.
    fn input<D: Device>(&self, tape: &mut Tape<'_, D>, x: Var, layout: &TimeMajor) -> Var {
        let Some(mask) = self.input else { return x };
        let mask = tape.gather(mask, layout.ranks().into());
        tape.mul(x, mask)
    }

    /// States of the first ranks.
    fn state<D: Device>(&self, tape: &mut Tape<'_, D>, x: Var) -> Var {
        let Some(mask) = self.state else { return x };
        let mask = tape.slice(mask, 0..tape.shape(x).0);
        tape.mul(x, mask)
    }
}

/// The input of the output layer, of a conditional decoder, position by position.
fn conditional<D: Device>(
    decoder: &Conditional,
    tape: &mut Tape<'_, D>,
    words: Var,
    annotations: Var,
    layout: &TimeMajor,
    source: &Sentences,
    dropout: &Dropout,
) -> (Var, Vec<AttentionRows>) {
    let mut attended = Vec::with_capacity(layout.positions());
    let by_rank: Spans = layout.order().iter().map(|&i| source.range(i)).collect();
    let means = tape.means(annotations, &by_rank);
    let output = activated(tape, &decoder.start, means, Activation::Tanh);
    // A memory starts with the same state as the output.
    let start = State { output, memory: decoder.first.has_memory().then_some(output) };
    let keys = map(tape, &decoder.keys, annotations);
    let (embeddings, dim) = (tape.shape(words).1, decoder.first.dim);
    let masks = Masks::new(tape, embeddings, dim, layout.sentences(), dropout.recurrent);
    let input = masks.input(tape, words, layout);
    let given = inputs(tape, &decoder.first, input);
    let mut state = start;
    let (mut outputs, mut contexts) = (Vec::new(), Vec::new());
    for t in 0..layout.positions() {
        let rows = layout.at(t);
        state = state.first(tape, rows.len());
        let read = masks.state(tape, state.output);
        state = advance_cell(tape, &decoder.first, &given, rows.start, state, read);
        let queries = map(tape, &decoder.queries, state.output);
        let spans: Rc<[_]> = layout.spans(t, source);
        let context =
            tape.additive_attention(AdditiveAttention { queries, keys, values: annotations, v: decoder.v, spans });
        attended.push(AttentionRows { value: context, queries: layout.places(t), heads: 1 });
        if let Some(second) = decoder.after_attention.first() {
            let given = inputs(tape, second, context);
            state = advance(tape, &decoder.after_attention, &given, 0, state, state.output);
        }
        outputs.push(state.output);
        contexts.push(context);
    }
    let (mut top, contexts) = (tape.stack(&outputs), tape.stack(&contexts));
    for layer in &decoder.upper {
        top = run_layer(tape, layer, top, layout, Some(start), dropout);
    }
    let parts = [words, top, contexts];
    let [word, state, context] = [0, 1, 2].map(|i| map(tape, &decoder.readout[i], parts[i]));
    let sum = tape.add(word, state);
    let sum = tape.add(sum, context);
    let hidden = tape.activate(sum, Activation::Tanh);
    (tape.dropout(hidden, dropout.output), attended)
}
