//! A decoder that begins with attention, with fully-connected layers on top (Devlin 2017, §4 and §5): the equations are
//! those of `metaphrase_models::recurrent::attention_first`.

use super::cells::{Cell, Map, State};
use super::layout::Layout;
use super::{Layer, Masks};
use crate::data::Sentences;
use crate::networks::{Attended, Dropout};
use crate::parameters::ParameterId;
use crate::tape::{Activation, GruInputs, HeadsAttention, Spans, Tape, Var};
use metaphrase_device::Device;

pub(super) struct AttentionFirst {
    pub(super) start: Map,
    /// Ua, Va, Wa: of annotations, words and states.
    pub(super) keys: ParameterId,
    pub(super) of_word: ParameterId,
    pub(super) of_state: ParameterId,
    pub(super) cell: Cell,
    /// What the context adds to the cell's gates and candidate.
    pub(super) context: [ParameterId; 2],
    pub(super) layers: Vec<Map>,
    pub(super) top: Top,
}

pub(super) enum Top {
    None,
    Tanh(Map),
    Gru(Layer),
}

impl AttentionFirst {
    /// What the output layer reads, position by position.
    pub(super) fn run<D: Device>(
        &self,
        tape: &mut Tape<'_, D>,
        words: Var,
        annotations: Var,
        layout: &Layout,
        source: &Sentences,
        dropout: &Dropout,
    ) -> (Var, Vec<Attended>) {
        let mut attended = Vec::with_capacity(layout.positions());
        let by_rank: Spans = layout.order().iter().map(|&i| source.range(i)).collect();
        let means = tape.means(annotations, &by_rank);
        let start = self.start.activated(tape, means, Activation::Tanh);
        let keys = tape.linear(annotations, self.keys, None, Activation::Tanh);
        let (embeddings, dim) = (tape.shape(words).1, self.cell.dim());
        let masks = Masks::new(tape, embeddings, dim, layout.sentences(), dropout.recurrent);
        let input = masks.input(tape, words, layout);
        let of_word = tape.linear(input, self.of_word, None, Activation::None);
        let inputs = self.cell.inputs(tape, input);
        let (gates, candidates) = inputs.pair();
        let mut state = start;
        let mut outputs = Vec::with_capacity(layout.positions());
        for t in 0..layout.positions() {
            let rows = layout.at(t);
            state = tape.slice(state, 0..rows.len());
            let read = masks.state(tape, state);
            let of_state = tape.linear(read, self.of_state, None, Activation::None);
            let word = tape.slice(of_word, rows.clone());
            let sum = tape.add(of_state, word);
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
            attended.push(Attended { value: context, queries: layout.places(t), heads: 1 });
            let mut input = [gates, candidates];
            for (part, &map) in input.iter_mut().zip(&self.context) {
                let of_word = tape.slice(*part, rows.clone());
                let of_context = tape.linear(context, map, None, Activation::None);
                *part = tape.add(of_word, of_context);
            }
            let of_state = self.cell.gru_state(tape, read);
            state = tape.gru(GruInputs { input, from: 0, state: of_state, previous: state });
            outputs.push(state);
        }
        let mut x = tape.stack(&outputs);
        x = self.run_layers(tape, x);
        let x = match &self.top {
            Top::None => x,
            Top::Tanh(map) => map.activated(tape, x, Activation::Tanh),
            Top::Gru(layer) => layer.run(tape, x, layout, Some(State { output: start, memory: None }), dropout),
        };
        (tape.dropout(x, dropout.output), attended)
    }

    /// The fully-connected layers: all after the first that are odd, counted from 1, add the one two below.
    fn run_layers<D: Device>(&self, tape: &mut Tape<'_, D>, mut x: Var) -> Var {
        let mut two_below = x;
        for (i, layer) in self.layers.iter().enumerate() {
            if i > 0 && i % 2 == 0 {
                let y = layer.apply(tape, x);
                let sum = tape.add(y, two_below);
                x = tape.activate(sum, Activation::ClippedRelu);
            } else {
                two_below = x;
                x = layer.activated(tape, x, Activation::ClippedRelu);
            }
        }
        x
    }
}
