//! A decoder that begins with attention, with fully-connected layers on top (Devlin 2017, §4 and §5): the equations are
//! those of `metaphrase_models::recurrent::attention_first`.

use super::cells::{State, activated, gru_state, inputs, map};
use super::layout::TimeMajor;
use super::{Masks, run_layer};
use crate::data::Sentences;
use crate::networks::{AttentionRows, Dropout};
use crate::parameters::ParameterId;
use crate::tape::{Activation, GruInputs, HeadsAttention, Spans, Tape, Var};
use metaphrase_device::Device;
use metaphrase_models::parts::recurrent::{AttentionFirst, Map, Top};

/// The input of the output layer, position by position.
pub(super) fn run<D: Device>(
    decoder: &AttentionFirst<ParameterId>,
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
    let start = activated(tape, &decoder.start, means, Activation::Tanh);
    let keys = tape.linear(annotations, decoder.keys, None, Activation::Tanh);
    let (embeddings, dim) = (tape.shape(words).1, decoder.cell.dim);
    let masks = Masks::new(tape, embeddings, dim, layout.sentences(), dropout.recurrent);
    let input = masks.input(tape, words, layout);
    let query_word = tape.linear(input, decoder.query_word, None, Activation::None);
    let inputs = inputs(tape, &decoder.cell, input);
    let (gates, candidates) = inputs.pair();
    let mut state = start;
    let mut outputs = Vec::with_capacity(layout.positions());
    for t in 0..layout.positions() {
        let rows = layout.at(t);
        state = tape.slice(state, 0..rows.len());
        let read = masks.state(tape, state);
        let query_state = tape.linear(read, decoder.query_state, None, Activation::None);
        let word = tape.slice(query_word, rows.clone());
        let sum = tape.add(query_state, word);
        let query = tape.activate(sum, Activation::Tanh);
        let settings = HeadsAttention {
            heads: 1,
            queries: (0..rows.len()).map(|r| r..r + 1).collect(),
            keys: layout.spans(t, source),
            causal: false,
            scale: Some(1.0),
            dropout: 0.0,
        };
        let context = tape.attention(query, keys, annotations, &settings);
        attended.push(AttentionRows { value: context, queries: layout.places(t), heads: 1 });
        let mut input = [gates, candidates];
        for (part, &w) in input.iter_mut().zip(&decoder.context) {
            let word_part = tape.slice(*part, rows.clone());
            let context_part = tape.linear(context, w, None, Activation::None);
            *part = tape.add(word_part, context_part);
        }
        let by_state = gru_state(tape, &decoder.cell, read);
        state = tape.gru(GruInputs { input, from: 0, state: by_state, previous: state });
        outputs.push(state);
    }
    let mut x = tape.stack(&outputs);
    x = run_layers(&decoder.layers, tape, x);
    let x = match &decoder.top {
        Top::None => x,
        Top::Tanh(map) => activated(tape, map, x, Activation::Tanh),
        Top::Gru(layer) => run_layer(tape, layer, x, layout, Some(State { output: start, memory: None }), dropout),
    };
    (tape.dropout(x, dropout.output), attended)
}

/// The fully-connected layers: all after the first that are odd, counted from 1, add the one two below.
fn run_layers<D: Device>(layers: &[Map<ParameterId>], tape: &mut Tape<'_, D>, mut x: Var) -> Var {
    let mut two_below = x;
    for (i, layer) in layers.iter().enumerate() {
        if i > 0 && i % 2 == 0 {
            let y = map(tape, layer, x);
            let sum = tape.add(y, two_below);
            x = tape.activate(sum, Activation::ClippedRelu);
        } else {
            two_below = x;
            x = activated(tape, layer, x, Activation::ClippedRelu);
        }
    }
    x
}
