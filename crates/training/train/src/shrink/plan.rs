//! Which layer of a conditional GRU reads which.

use metaphrase_models::parts::recurrent::{self as parts, Cell, CellForm, Conditional, Decoder, Recurrent};

/// A layer: neurons that are kept or removed together with all that reads and writes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    /// Embeddings of source words.
    Source,
    /// Embeddings of target words.
    Target,
    /// States of the encoder from left to right.
    Forward,
    /// States of the encoder from right to left.
    Backward,
    /// Both of them side by side, as attention sees them.
    Annotations,
    /// States of the decoder, through all of its cells: gates are element by element, so a neuron is the same in each.
    State,
    /// tanh(key + query)
    Attention,
    /// The input of the output layer.
    Hidden,
}

impl Layer {
    /// Whether it is of embeddings, whose numbers are no neurons.
    pub(super) fn is_linear(self) -> bool {
        matches!(self, Self::Source | Self::Target)
    }

    /// Parts of the layer in each of which the members lie side by side.
    pub(super) fn halves(self) -> usize {
        if self == Self::Annotations { 2 } else { 1 }
    }
}

/// A matrix, `inputs × outputs`.
pub(super) struct Map {
    pub(super) name: String,
    pub(super) to: Layer,
    /// Numbers for each neuron: two for the gates of a GRU, whose outputs are all reset gates, then all update gates.
    pub(super) parts: usize,
}

/// Maps of the same activities.
pub(super) struct Reading {
    pub(super) from: Layer,
    /// The map at which the activities are looked at.
    pub(super) at: String,
    pub(super) maps: Vec<Map>,
}

/// All tensors of a network by the layers that they join.
pub(super) struct Plan {
    /// In the order in which the network computes them.
    pub(super) readings: Vec<Reading>,
    pub(super) biases: Vec<Map>,
    /// From tanh(key + query) to the energy of attention.
    pub(super) v: String,
    /// `words × neurons`
    pub(super) source: String,
    /// `words × neurons`
    pub(super) target: String,
    /// `words × neurons`
    pub(super) output: String,
    pub(super) output_bias: Option<String>,
}

impl Plan {
    /// The plan of a network whose tensors have these names; `None` if it is not a conditional GRU of one layer.
    pub(super) fn new(network: Recurrent<String>) -> Option<Self> {
        let Decoder::Conditional(decoder) = network.decoder else { return None };
        let Conditional { start, first, keys, queries, v, after_attention, readout, .. } = *decoder;
        let mut plan = Self {
            readings: Vec::new(),
            biases: Vec::new(),
            v,
            source: network.words.source,
            target: network.words.target,
            output: network.words.output,
            output_bias: network.words.output_bias,
        };
        let directions = [(Layer::Forward, network.encoder.forward), (Layer::Backward, network.encoder.backward)];
        for (direction, layers) in directions {
            for cell in layers.into_iter().flat_map(|layer| layer.cells) {
                let [input, state] = plan.cell(cell, direction)?;
                plan.read(Layer::Source, input);
                plan.read(direction, state);
            }
        }
        let annotations = vec![plan.map(keys, Layer::Attention), plan.map(start, Layer::State)];
        plan.read(Layer::Annotations, annotations.into_iter().flatten().collect());
        let [mut word, state] = plan.cell(first, Layer::State)?;
        plan.read(Layer::State, state);
        let mut after_word: Vec<Map> = plan.map(queries, Layer::Attention).into_iter().collect();
        let [word_map, state_map, context_map] = readout.map(|map| plan.map(map, Layer::Hidden));
        word.extend(word_map);
        plan.read(Layer::Target, word);
        let mut context: Vec<Map> = context_map.into_iter().collect();
        for (i, cell) in after_attention.into_iter().enumerate() {
            let [input, state] = plan.cell(cell, Layer::State)?;
            context.extend(input);
            // The first of these cells reads the state that the query does.
            if i == 0 { after_word.extend(state) } else { plan.read(Layer::State, state) }
        }
        plan.read(Layer::Annotations, context);
        plan.read(Layer::State, after_word);
        plan.read(Layer::State, state_map.into_iter().collect());
        Some(plan)
    }

    fn read(&mut self, from: Layer, maps: Vec<Map>) {
        if let Some(first) = maps.first() {
            self.readings.push(Reading { from, at: first.name.clone(), maps });
        }
    }

    /// A map, whose biases are noted.
    fn map(&mut self, map: parts::Map<String>, to: Layer) -> Option<Map> {
        self.map_of_parts(map, to, 1)
    }

    fn map_of_parts(&mut self, map: parts::Map<String>, to: Layer, parts: usize) -> Option<Map> {
        let biases = [map.inside, map.outside].into_iter().flatten();
        self.biases.extend(biases.map(|name| Map { name, to, parts }));
        map.w.map(|name| Map { name, to, parts })
    }

    /// The maps of a cell's input and of its state; `None` if it is not a GRU.
    fn cell(&mut self, cell: Cell<String>, layer: Layer) -> Option<[Vec<Map>; 2]> {
        let CellForm::Gru { input, state } = cell.form else { return None };
        Some([input, state].map(|maps| {
            let maps = [self.map_of_parts(maps.gates, layer, 2), self.map_of_parts(maps.candidate, layer, 1)];
            maps.into_iter().flatten().collect()
        }))
    }
}
